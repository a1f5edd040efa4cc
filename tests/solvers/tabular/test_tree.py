"""Trees in flat arrays: the same information states, values and best responses as OpenSpiel's."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms import exploitability

from marjolet_spiel import simulate
from marjolet_spiel.cards import bits
from marjolet_spiel.rules import ladder
from marjolet_spiel.solvers.policy_file import load_policy, save_policy
from marjolet_spiel.solvers.tabular.tree import build_tree
from marjolet_spiel.solvers.tabular.views import FORCED
from tests.solvers.tabular.small_trees import GAMES, cached_tree, histories, random_policy, tree
from tests.variants import mostly_slow

each_game = pytest.mark.parametrize("name", GAMES)

# --- what is in the tree ------------------------------------------------------------------------


@each_game
def test_information_states_are_those_of_openspiel(name: str) -> None:
    theirs = {
        state.information_state_string(): state.legal_actions()
        for state in histories(tree(name).game.new_initial_state())
        if state.is_player_node()
    }
    ours = [*tree(name).information_states()]
    assert len(dict(ours)) == len(ours)
    assert theirs == {
        text: bits(int(tree(name).legal[kind])) if kind >= 0 else [FORCED - kind]
        for text, kind in ours
    }


@each_game
def test_everything_is_counted(name: str) -> None:
    kinds: Counter[str] = Counter()
    for state in histories(tree(name).game.new_initial_state()):
        kind = "terminals" if state.is_terminal() else "chances"
        kind = "decisions" if state.is_player_node() else kind
        kinds[kind] += 1
        kinds["forced_" + kind] += len(state.legal_actions()) == 1
        kinds["drawn_games"] += state.is_terminal() and state.returns()[0] == 0
    size = tree(name).size
    for kind in ("terminals", "decisions", "chances", "drawn_games"):
        assert getattr(size, kind) == kinds[kind]
    assert size.forced_decisions == kinds["forced_decisions"]
    assert size.forced_chances == kinds["forced_chances"]
    assert size.histories == kinds["terminals"] + kinds["decisions"] + kinds["chances"]
    states = [kind for _, kind in tree(name).information_states()]
    assert sum(size.forced_sets) == sum(kind < 0 for kind in states)
    assert [kind for kind in states if kind >= 0] == [*range(sum(size.information_sets))]
    assert sum(size.entries) == tree(name).num_entries == tree(name).first[-1]


@pytest.mark.parametrize("name", [*GAMES, "kqj7-dutch", "kqj7-draws"])
def test_memory_is_known_to_the_byte(name: str) -> None:
    assert tree(name).nbytes == tree(name).size.tree_bytes


def test_views_know_draws() -> None:
    """Along random games: a full walk in Python would take a minute."""
    ours = dict(tree("kqj7-draws").information_states())
    game, rng, seen = tree("kqj7-draws").game, np.random.RandomState(1), 0
    for _ in range(150):
        state = game.new_initial_state()
        while not state.is_terminal():
            legal = state.legal_actions()
            if state.is_player_node():
                kind = ours[state.information_state_string()]
                found = bits(int(tree("kqj7-draws").legal[kind])) if kind >= 0 else [FORCED - kind]
                assert found == legal
                seen += "+?" in state.information_state_string()
            state.apply_action(rng.choice(legal))
    assert seen > 500


@pytest.mark.parametrize("name", ["qj7", "qj", "aqj7", "kqj7-dutch", "kqj7-draws"])
def test_random_play_is_worth_what_playouts_say(name: str) -> None:
    rules = ladder()[name].rules
    returns = simulate.play_random(rules, 200_000, seed=1).returns[:, 0]
    error = returns.std() / len(returns) ** 0.5
    of = tree(name)
    assert of.expected_value(of.uniform_policy()) == pytest.approx(returns.mean(), abs=4 * error)


def test_nobody_is_better_off_when_the_dealer_is_drawn() -> None:
    of = tree("lot")
    assert of.expected_value(of.uniform_policy()) == pytest.approx(0, abs=1e-9)
    first, second = of.best_response_values(of.uniform_policy())
    assert first == pytest.approx(second)


# --- what policies are worth --------------------------------------------------------------------


@pytest.mark.parametrize("name", mostly_slow(GAMES, quick=("dutch qj7", "3 suits")))
@pytest.mark.parametrize("seed", [1, 2])
def test_values_are_those_of_openspiel(name: str, seed: int) -> None:
    of, theirs = tree(name), cached_tree(name)
    policy = random_policy(of, seed)
    table = of.tabular_policy(policy)
    assert of.nash_conv(policy) == pytest.approx(pyspiel.nash_conv(theirs, table), abs=1e-9)
    assert of.exploitability(policy) == pytest.approx(
        pyspiel.exploitability(theirs, table), abs=1e-9
    )
    root = theirs.new_initial_state()
    value = pyspiel.expected_returns(root, table, -1, False)[0]
    assert of.expected_value(policy) == pytest.approx(value, abs=1e-9)
    for player, best in enumerate(of.best_response_values(policy)):
        response = pyspiel.TabularBestResponse(theirs, player, table)
        assert best == pytest.approx(response.value_from_state(root), abs=1e-9)


@each_game
def test_best_responses_reach_their_value(name: str) -> None:
    of = tree(name)
    policy = random_policy(of, 3)
    for player, sign in ((0, 1), (1, -1)):
        value, best = of.best_response(policy, player)
        assert sign * of.expected_value(best) == pytest.approx(value)
        own, other = of.sides[player].entries, of.sides[1 - player].entries
        assert {*best[own].tolist()} == {0.0, 1.0}
        assert (best[other] == policy[other]).all()


@pytest.mark.slow
def test_values_are_those_of_openspiel_on_a_larger_pack() -> None:
    name = "kqj7-dutch"
    of = tree(name)
    policy = random_policy(of, 1)
    theirs = pyspiel.nash_conv(cached_tree(name), of.tabular_policy(policy))
    assert of.nash_conv(policy) == pytest.approx(theirs, abs=1e-9)


def test_policies_of_a_wrong_length_are_refused() -> None:
    for wrong in (np.zeros(3), np.zeros(tree("lot").num_entries, dtype=np.float32)):
        with pytest.raises(ValueError, match=r"^policy: .* is not allowed; it must be float64"):
            tree("lot").nash_conv(wrong)


# --- there and back -----------------------------------------------------------------------------


@each_game
def test_policies_come_back_from_openspiel(name: str) -> None:
    of = tree(name)
    policy = random_policy(of, 4)
    assert (of.policy_from(of.tabular_policy(policy)) == policy).all()
    assert (of.policy_from(of.table(policy)) == policy).all()


def test_policies_of_python_are_the_same() -> None:
    name = "dutch qj7"
    of = tree(name)
    policy = random_policy(of, 5)
    python = of.python_policy(policy)
    assert exploitability.nash_conv(of.game, python) == pytest.approx(of.nash_conv(policy))
    assert (of.policy_from(python) == policy).all()


def test_policies_on_disk_are_the_same(tmp_path: Path) -> None:
    of = tree("english qj7")
    policy = random_policy(of, 6)
    save_policy(tmp_path / "policy.npz", of.game, of.tabular_policy(policy))
    assert (of.policy_from(load_policy(tmp_path / "policy.npz", of.game)) == policy).all()


def test_what_a_table_lacks_is_uniform() -> None:
    of = tree("english qj7")
    assert (of.policy_from({}) == of.uniform_policy()).all()
    text, kind = next(state for state in of.information_states() if state[1] >= 0)
    first = bits(int(of.legal[kind]))[0]
    begin, end = of.first[kind], of.first[kind + 1]
    assert of.policy_from({text: [(first, 1.0)]})[begin:end].tolist() == [1.0, 0.0]


WRONG_ROWS: list[list[tuple[int, float]]] = [
    [(0, 1.0)],
    [(1, 0.5), (2, 0.2)],
    [(1, 1.5), (2, -0.5)],
    [],
]


@pytest.mark.parametrize("row", WRONG_ROWS)
def test_wrong_rows_are_named(row: list[tuple[int, float]]) -> None:
    of = tree("english qj7")
    text = next(text for text, kind in of.information_states() if kind >= 0)
    with pytest.raises(ValueError, match="must be a distribution over") as caught:
        of.policy_from({text: row})
    assert text in str(caught.value)


# --- what is refused ----------------------------------------------------------------------------


def test_trees_are_built_from_games_and_rules() -> None:
    name = "english qj7"
    for game in (tree(name).rules, tree(name).game, cached_tree(name)):
        assert build_tree(game).identity == tree(name).identity


@pytest.mark.parametrize("game", ["python_marjolet_open", "kuhn_poker", None])
def test_other_games_are_refused(game: str | None) -> None:
    wrong: Any = pyspiel.load_game(game) if game else 3
    with pytest.raises(ValueError, match="is not allowed; it must be python_marjolet"):
        build_tree(wrong)
