"""OpenSpiel's own tests on our games, and what its API promises."""

import random
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from math import comb
from typing import Any

import numpy as np
import pyspiel
import pytest
from absl import flags
from open_spiel.integration_tests import api_test
from open_spiel.python.tests import games_sim_test

from tests.openspiel.walks import (
    HIDDEN,
    OPEN,
    Game,
    State,
    descendants,
    each_game,
    kind_of,
    load,
    walk,
)
from tests.tables import ReferenceTable
from tests.variants import AQJ7, KQJ7, QJ7, VARIANTS, Params, each_variant

if not flags.FLAGS.is_parsed():  # OpenSpiel's test classes read flags
    flags.FLAGS(["pytest"])

TREE: Params = {**QJ7, "first_dealer": 0}
TERMINALS = 2196


@pytest.fixture(autouse=True)
def _seeded() -> None:
    """OpenSpiel's tests draw from the global generators."""
    random.seed(1)
    np.random.seed(1)


# --- OpenSpiel's tests --------------------------------------------------------------------------


@each_game
@each_variant
def test_random_sim_test(params: Params, name: str) -> None:
    pyspiel.random_sim_test(load(params, name), num_sims=3, serialize=True, verbose=False)


@pytest.mark.slow
@each_game
@each_variant
def test_random_sim_test_at_length(params: Params, name: str) -> None:
    pyspiel.random_sim_test(load(params, name), num_sims=100, serialize=True, verbose=False)


@each_game
@each_variant
def test_games_sim_test(params: Params, name: str) -> None:
    test = games_sim_test.GamesSimTest("sim_game")
    test.sim_game(load(params, name))


class TestPartialTree(api_test.EnforceAPIOnPartialTreeBase):
    """OpenSpiel's checks on some nodes of the full game."""

    game_name = HIDDEN
    game = load({})

    @classmethod
    def setUpClass(cls) -> None:
        random.seed(1)
        super().setUpClass()


class TestPartialOpenTree(TestPartialTree):
    """The same on the open game."""

    game_name = OPEN
    game = load({}, OPEN)


class TestPartialTreeOfMatch(TestPartialTree):
    """The same on a match with small packs."""

    game_name = "match on a small pack"
    game = load(VARIANTS["match on a small pack"])


Seen = tuple[tuple[str, ...], ...]


@cache
def counts_by_the_reference() -> tuple[tuple[int, int, int], int]:
    """Chance nodes, decisions and ends of the small tree by the rule book, and its infosets.

    What a player has seen is told without our game: the public actions and his own hand after
    each of them.
    """
    nodes: Counter[str] = Counter()
    infosets: set[tuple[int, Seen]] = set()

    def visit(table: ReferenceTable, seen: tuple[Seen, Seen]) -> None:
        legal, chance = table.legal(), table.chance()
        nodes["decision" if legal else "chance" if chance else "end"] += 1
        player = table.view()["current_player"]
        if legal:
            infosets.add((player, seen[player]))
        for action in [*legal, *chance]:
            child = table.clone()
            child.apply(action)
            public = "?" if action.startswith(("deal", "draw")) else action
            hands = child.view()["hands"]
            first, second = ((*seen[p], (public, *hands[p])) for p in range(2))
            visit(child, (first, second))

    visit(ReferenceTable(TREE), ((), ()))
    return (nodes["chance"], nodes["decision"], nodes["end"]), len(infosets)


class TestFullTree(api_test.EnforceAPIOnFullTreeBase):
    """OpenSpiel's checks on every node of 2 x QJ7, perfect recall among them."""

    game_name = "marjolet_2xQJ7"
    game = load(TREE)

    @pytest.fixture(autouse=True)
    def _expect(self, monkeypatch: pytest.MonkeyPatch) -> None:
        nodes, infosets = counts_by_the_reference()
        monkeypatch.setitem(api_test.TOTAL_NUM_STATES, self.game_name, nodes)
        monkeypatch.setitem(api_test.PERFECT_RECALL_NUM_STATES, self.game_name, infosets)


def test_ends_of_the_small_tree() -> None:
    ends = sum(state.is_terminal() for state in descendants(load(TREE).new_initial_state()))
    assert ends == counts_by_the_reference()[0][2] == TERMINALS


# --- chance -------------------------------------------------------------------------------------


@each_variant
def test_chance_probabilities_sum_to_one(params: Params) -> None:
    for seed in range(3):
        for state in walk(load(params), seed):
            if state.is_chance_node():
                outcomes, probabilities = zip(*state.chance_outcomes(), strict=True)
                assert list(outcomes) == sorted(set(outcomes)) == state.legal_actions()
                assert min(probabilities) > 0
                assert sum(probabilities) == pytest.approx(1.0, abs=1e-12)
                if kind_of(state) != "deal":
                    assert max(probabilities) == min(probabilities)


def deals(state: State, weight: Fraction) -> Iterator[tuple[str, Fraction]]:
    """Every deal that can follow, with its probability."""
    if not state.is_chance_node():
        yield str(state), weight
        return
    for outcome, probability in state.chance_outcomes():
        exact = Fraction(probability).limit_denominator(1000)
        assert float(exact) == pytest.approx(probability, abs=1e-12)
        yield from deals(state.child(outcome), weight * exact)


@pytest.mark.parametrize("params", [QJ7, KQJ7, AQJ7], ids=str)
@pytest.mark.parametrize("dealer", [0, 1])
def test_every_deal_has_one_history_and_the_same_probability(params: Params, dealer: int) -> None:
    game = load({**params, "first_dealer": dealer})
    found = list(deals(game.new_initial_state(), Fraction(1)))
    hand, pack = int(params["hand_size"]), int(params["num_suits"]) * len(str(params["ranks"]))
    number = comb(pack, hand) * comb(pack - hand, hand) * (pack - 2 * hand)
    assert len(found) == len({text for text, _ in found}) == number
    assert {weight for _, weight in found} == {Fraction(1, number)}


def test_lot_is_fair() -> None:
    state = load({}).new_initial_state()
    assert [state.action_to_string(outcome) for outcome in (0, 1)] == ["dealer 0", "dealer 1"]
    assert state.chance_outcomes() == [(0, 0.5), (1, 0.5)]


def test_open_game_has_no_chance_nodes() -> None:
    for state in walk(load(VARIANTS["match"], OPEN), 1):
        assert not state.is_chance_node()
        assert all(move.player >= 0 for move in state.full_history())


# --- bounds -------------------------------------------------------------------------------------


def assert_within_bounds(game: Game, state: State) -> None:
    """Nothing about a state exceeds what its game states."""
    players = [move.player for move in state.full_history()]
    chance = players.count(-1)
    assert chance <= game.max_chance_nodes_in_history()
    assert len(players) - chance <= game.max_game_length()
    assert len(players) <= game.max_history_length()
    assert state.move_number() <= game.max_move_number()
    assert all(game.min_utility() <= part <= game.max_utility() for part in state.returns())
    assert sum(state.returns()) == game.utility_sum() == 0
    outcomes = game.max_chance_outcomes() if state.is_chance_node() else None
    legal = state.legal_actions()
    assert len(legal) <= (outcomes or game.num_distinct_actions())
    assert all(0 <= action < (outcomes or game.num_distinct_actions()) for action in legal)


@each_game
@each_variant
def test_bounds_are_not_exceeded(params: Params, name: str) -> None:
    game = load(params, name)
    for seed in range(5):
        for state in walk(game, seed):
            assert_within_bounds(game, state)


def test_bounds_are_not_exceeded_on_a_whole_tree() -> None:
    game = load(TREE)
    most: Counter[str] = Counter()
    for state in descendants(game.new_initial_state()):
        assert_within_bounds(game, state)
        players = [move.player for move in state.full_history()]
        most["chance"] = max(most["chance"], players.count(-1))
    assert most["chance"] == game.max_chance_nodes_in_history()


# --- states -------------------------------------------------------------------------------------


@each_game
@each_variant
def test_names_of_actions_lead_back_to_them(params: Params, name: str) -> None:
    for state in walk(load(params, name), 2):
        player = state.current_player()
        names = [state.action_to_string(player, action) for action in state.legal_actions()]
        assert len(set(names)) == len(names)
        for action, text in zip(state.legal_actions(), names, strict=True):
            assert state.action_to_string(action) == text
            assert state.string_to_action(text) == action
            assert state.string_to_action(player, text) == action
            assert not looks_like_json(text)


def looks_like_json(text: str) -> bool:
    """Whether a text might be taken for JSON: OpenSpiel's tool server tries that first."""
    return text[0] in '{["-0123456789' or text in ("true", "false", "null", "NaN", "Infinity")


@each_game
@pytest.mark.parametrize(
    "text", ["", "AS", "play", "play XX", "play  AS", "PLAY AS", "done ", "meld QS-KS", "0", "{}"]
)
def test_other_texts_are_no_actions(name: str, text: str) -> None:
    for state in list(walk(load({}, name), 3))[::9]:
        with pytest.raises((ValueError, pyspiel.SpielError)):
            state.string_to_action(text)


@each_game
def test_illegal_actions_are_refused_and_change_nothing(name: str) -> None:
    game = load({}, name)
    for state in list(walk(game, 4))[::5]:
        before = (str(state), state.history())
        for action in {*range(-2, 70)} - {*state.legal_actions()}:
            with pytest.raises((ValueError, pyspiel.SpielError)):
                state.apply_action(action)
        assert (str(state), state.history()) == before


@each_game
@each_variant
def test_clones_go_their_own_way(params: Params, name: str) -> None:
    for state in walk(load(params, name), 5):
        if state.is_terminal():
            continue
        before: list[Any] = [str(state), state.history(), state.to_dict()]
        clone = state.clone()
        clone.apply_action(state.legal_actions()[-1])
        child = state.child(state.legal_actions()[-1])
        assert [str(state), state.history(), state.to_dict()] == before
        assert [str(clone), clone.history(), clone.to_dict()] == [
            str(child),
            child.history(),
            child.to_dict(),
        ]
        again = state.clone()
        state.apply_action(state.legal_actions()[0])
        assert [str(again), again.history(), again.to_dict()] == before


@each_game
def test_wrong_players_are_refused(name: str) -> None:
    for state in list(walk(load({}, name), 6))[::9]:
        for view in (
            *(state.information_state_string, state.information_state_tensor),
            *(state.observation_string, state.observation_tensor),
        ):
            for player in (-1, -4, 2, 7):
                with pytest.raises(pyspiel.SpielError, match="player"):
                    view(player)
        for player in (-1, 2):
            with pytest.raises(ValueError, match="player: .* is not allowed; it must be 0 or 1"):
                state.to_observation_struct(player)


@each_game
@each_variant
def test_loaded_and_printed_games_are_the_same(params: Params, name: str) -> None:
    game = load(params, name)
    again = pyspiel.load_game(str(game))
    assert str(again) == str(game)
    assert again.get_parameters() == game.get_parameters()
    assert type(game)(params).get_parameters() == game.get_parameters()
    assert str(type(game)(params)) == str(game)
