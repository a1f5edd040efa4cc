"""What the heuristic policy may know, and what leaves of searches are worth."""

import numpy as np
import pytest

from marjolet_spiel import kernel
from marjolet_spiel.array_types import Vector
from marjolet_spiel.cards import bits
from marjolet_spiel.solvers.endgame.match_equity import UNIT
from marjolet_spiel.solvers.search.evaluation import (
    HEURISTIC_SIZE,
    VALUES,
    heuristic_card,
    static_evaluation,
)
from tests.positions import State, decisions, load
from tests.solvers.search.worlds import Searcher
from tests.variants import VARIANTS, Params, each_profile, each_variant


def card_choices(params: Params, seed: int) -> list[State]:
    """States of the stock tricks in which a card is to be played."""
    phases = (kernel.LEAD, kernel.FOLLOW)
    return [
        state
        for state in decisions(params, seed)
        if state.core.pos[kernel.PHASE] in phases
        and state.core.pos[kernel.TRICK] <= state.core.pos[kernel.STOCK_TRICKS]
    ]


def weighed(pos: Vector) -> tuple[int, list[float]]:
    """The card to play, and the value of each card of the hand."""
    space = np.full(HEURISTIC_SIZE, np.nan)
    card = int(heuristic_card(pos, space))
    hand = bits(int(pos[kernel.HAND0 + pos[kernel.PLAYER]]))
    return card, [float(space[VALUES + held]) for held in hand]


# --- heuristic_card ------------------------------------------------------------------------------


@each_variant
def test_heuristic_cards_are_legal_and_valued_highest(params: Params) -> None:
    for seed in range(3):
        for state in card_choices(params, seed):
            card, values = weighed(state.position())
            legal = [action - kernel.FIRST_PLAY for action in state.legal_actions()]
            assert card in legal
            assert np.all(np.isfinite(values))
            assert values[legal.index(card)] == max(values)


@each_variant
def test_heuristic_cards_depend_on_nothing_hidden(params: Params) -> None:
    rng = np.random.default_rng(1)
    for state in card_choices(params, 4):
        player, found = state.current_player(), weighed(state.position())
        for _ in range(4):
            assert weighed(state.resample_from_infostate(player, rng).position()) == found


def test_heuristic_cards_leave_positions_as_they_are() -> None:
    for state in card_choices({}, 5):
        pos = state.position()
        weighed(pos)
        assert np.array_equal(pos, state.position())


# --- the static evaluation ----------------------------------------------------------------------


def mirrored(pos: Vector) -> Vector:
    """The position with the names of the players exchanged."""
    twin = pos.copy()
    for field in range(kernel.HAND0, kernel.SIZE):
        if field not in (kernel.WINDOW, kernel.SWAPPED):
            first = kernel.HAND0 if field < kernel.WINDOW else kernel.WINS0
            partner = first + ((field - first) ^ 1)
            twin[field] = pos[partner]
    for field in (kernel.PLAYER, kernel.DEALER, kernel.LEADER):
        if pos[field] in (0, 1):
            twin[field] = 1 - pos[field]
    return twin


def evaluation_of(pos: Vector, searcher: Searcher) -> float:
    """What the position promises player 0."""
    table = searcher.table
    return float(static_evaluation(pos, np.full(HEURISTIC_SIZE, np.nan), table.index, table.values))


def leads(params: Params, seeds: range) -> list[State]:
    """The beginnings of stock tricks in some random games."""
    states = [state for seed in seeds for state in card_choices(params, seed)]
    return [state for state in states if state.core.pos[kernel.PHASE] == kernel.LEAD]


@each_variant
def test_what_one_may_expect_the_other_may_fear(params: Params) -> None:
    searcher, values = Searcher(load(params).rules), set()
    for state in leads(params, range(3)):
        pos = state.position()
        value = evaluation_of(pos, searcher)
        assert np.isfinite(value)
        slack = 1e-9 if params.get("target", 0) == 0 else 1
        assert evaluation_of(mirrored(pos), searcher) == pytest.approx(-value, abs=slack)
        values.add(value)
    assert len(values) > 2


def test_expectations_of_matches_are_chances() -> None:
    for name in ("match", "dutch match", "match on a small pack"):
        searcher = Searcher(load(VARIANTS[name]).rules)
        for state in leads(VARIANTS[name], range(3)):
            assert -UNIT <= evaluation_of(state.position(), searcher) <= UNIT


@each_profile
def test_expectations_go_with_what_best_play_brings(profile: str) -> None:
    """At the last trick of the stock, whose world is solved."""
    params = {"profile": profile}
    searcher = Searcher(load(params).rules)
    states = [s for s in leads(params, range(300)) if s.core.pos[kernel.TRICK] == 10]
    assert len(states) == 300
    pairs = [
        (evaluation_of(s.position(), searcher), searcher.value(s.open_world(1))) for s in states
    ]
    assert np.corrcoef(np.transpose(pairs))[0, 1] > 0.5
