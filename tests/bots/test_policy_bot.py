"""The bot that plays a saved policy."""

from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pyspiel
import pytest
from scipy.stats import chisquare

from bots.policy_bot import PolicyBot, policy_bot
from marjolet_spiel.sampling import decision_seed
from marjolet_spiel.solvers.policy_file import Table, save_policy
from tests.positions import State, decisions, load
from tests.variants import Params

SMALLEST: Params = {"num_suits": 2, "ranks": "QJ7", "hand_size": 2, "first_dealer": 0}


@cache
def solved() -> Any:
    """What CFR has learnt of the smallest pack in a few iterations."""
    solver = pyspiel.CFRSolver(pyspiel.convert_to_cached_tree(load(SMALLEST)))
    for _ in range(10):
        solver.evaluate_and_update_policy()
    return solver.tabular_average_policy()


def choice(params: Params = SMALLEST) -> State:
    """A position with several legal actions."""
    states = decisions(params, 3)
    return next(state for state in states if len(state.legal_actions()) > 1)


def bot_for(state: State, table: Table, seed: int = 1) -> PolicyBot:
    """A bot for whoever is on turn."""
    return PolicyBot(table, state.current_player(), seed)


def test_distributions_are_those_of_the_policy() -> None:
    table = solved().policy_table()
    for seed in range(5):
        for state in decisions(SMALLEST, seed):
            policy = bot_for(state, table).get_policy(state)
            assert dict(policy) == dict(table[state.information_state_string()])


def test_every_choice_is_possible_and_they_come_as_often_as_they_should() -> None:
    state = choice({})
    actions = state.legal_actions()
    row = [(actions[0], 0.5), (actions[1], 0.0), (actions[2], 0.3), (actions[3], 0.2)]
    table = {state.information_state_string(): row}
    counts = Counter(bot_for(state, table, seed).step(state) for seed in range(4000))
    assert set(counts) == {actions[0], actions[2], actions[3]}
    found = [counts[actions[i]] for i in (0, 2, 3)]
    assert chisquare(found, [2000, 1200, 800]).pvalue > 1e-4


def test_choices_depend_on_seed_and_information_state_alone() -> None:
    states = decisions({}, 2)
    for state in states:
        player = state.current_player()
        other = state.resample_from_infostate(player, 5)
        bot = bot_for(state, {})
        assert bot.step(state) == bot.step(other) == bot_for(state, {}).step_with_policy(state)[1]
    first, second = ([bot_for(s, {}, seed).step(s) for s in states] for seed in (1, 2))
    assert first != second


def test_unknown_states_are_played_uniformly_and_counted() -> None:
    state = choice()
    legal = state.legal_actions()
    bot = bot_for(state, {})
    assert bot.get_policy(state) == [(action, 1 / len(legal)) for action in legal]
    assert bot.unknown == 0
    bot.step(state)
    bot.step_with_policy(state)
    assert bot.unknown == 2
    counts = Counter(bot_for(state, {}, seed).step(state) for seed in range(1000))
    assert set(counts) == set(legal)
    known = bot_for(state, {state.information_state_string(): [(legal[0], 1.0)]})
    assert (known.step(state), known.unknown) == (legal[0], 0)


def test_only_actions_are_no_choice() -> None:
    state = next(s for s in decisions(SMALLEST, 3) if len(s.legal_actions()) == 1)
    bot = bot_for(state, {})
    assert bot.step(state) == state.legal_actions()[0]
    assert bot.unknown == 0


def test_illegal_actions_of_a_policy_are_named() -> None:
    state = choice()
    illegal = next(a for a in range(59) if a not in state.legal_actions())
    key = state.information_state_string()
    row = [(state.legal_actions()[0], 1.0), (illegal, 0.0)]
    bot = bot_for(state, {key: row})
    for ask in (bot.step, bot.get_policy, bot.step_with_policy):
        with pytest.raises(ValueError, match=f"policy: action {illegal} is not legal at 'p"):
            ask(state)


def test_rounding_never_leads_to_an_action_without_probability(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert decision_seed(1, b"") < 2**63
    monkeypatch.setattr("bots.policy_bot.decision_seed", lambda seed, seen: 2**63 - 1)
    state = choice({})
    first, second, third = state.legal_actions()[:3]
    row = [(first, 0.1), (second, 0.9 - 1e-9), (third, 0.0)]
    assert bot_for(state, {state.information_state_string(): row}).step(state) == second


# --- files --------------------------------------------------------------------------------------


def test_plays_a_saved_policy_to_the_end(tmp_path: Path) -> None:
    game = load(SMALLEST)
    path = str(tmp_path / "cfr.npz")
    save_policy(path, game, solved())
    for seed in range(10):
        bots = [policy_bot(game, player, seed, path) for player in range(2)]
        returns = pyspiel.evaluate_bots(game.new_initial_state(), bots, seed)
        assert sum(returns) == 0
        assert [bot.unknown for bot in bots] == [0, 0]


def test_files_are_read_again_when_they_change(tmp_path: Path) -> None:
    state = choice()
    game, player = state.get_game(), state.current_player()
    path = str(tmp_path / "policy.npz")
    for action in state.legal_actions():
        extra = {"p0": [(1, 1.0)]} if action == state.legal_actions()[0] else {}
        row = [(action, 1.0)]
        save_policy(path, game, {state.information_state_string(): row, **extra})
        assert policy_bot(game, player, 1, path).step(state) == action


def test_files_are_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = load(SMALLEST)
    path = str(tmp_path / "policy.npz")
    save_policy(path, game, {})
    policy_bot(game, 0, 1, path)
    monkeypatch.setattr("bots.policy_bot.load_table", lambda *arguments: pytest.fail("read again"))
    policy_bot(load(SMALLEST), 1, 2, path)


def test_wrong_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="policy file 'none.npz': there is no such file"):
        policy_bot(load(SMALLEST), 0, 1, "none.npz")
    path = str(tmp_path / "policy.npz")
    save_policy(path, load({}), {})
    with pytest.raises(ValueError, match="another game"):
        policy_bot(load(SMALLEST), 0, 1, path)
    with pytest.raises(ValueError, match="player: 2 is not allowed"):
        policy_bot(load({}), 2, 1, path)
