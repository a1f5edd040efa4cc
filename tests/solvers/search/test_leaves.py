"""What leaves of searches are worth."""

import numpy as np
import pytest

from marjolet_spiel import kernel
from marjolet_spiel.array_types import Vector
from marjolet_spiel.solvers.endgame.match_equity import UNIT, match_equity
from marjolet_spiel.solvers.search.leaves import equity_after, exact_leaf, solvable
from marjolet_spiel.solvers.solve import solve
from tests.positions import State, decisions, load
from tests.solvers.search.worlds import Searcher
from tests.variants import Params, each_single_deal


def leaf_value(pos: Vector, searcher: Searcher) -> int:
    """What `exact_leaf` says."""
    return int(exact_leaf(pos, searcher.endgame))


def leaves(params: Params, seeds: range) -> list[State]:
    """Positions of the last tricks."""
    states = [state for seed in seeds for state in decisions(params, seed)]
    return [state for state in states if solvable(state.core.pos)]


@each_single_deal
def test_leaves_of_single_deals_are_exact(params: Params) -> None:
    searcher = Searcher(load(params).rules)
    for state in leaves(params, range(4)):
        pos = state.position()
        assert leaf_value(pos, searcher) == solve(state, use_table=False).value
        assert np.array_equal(pos, state.position())


def at_scores(state: State, params: Params, scores: list[int]) -> State:
    """The same position in the second deal of a match."""
    setup = {**state.to_dict(), "deal_number": 2, "scores": scores}
    return load(params).new_initial_state(setup)


@pytest.mark.parametrize("check", ["deal_end", "immediate"])
def test_leaves_of_matches_that_end_are_exact(check: str) -> None:
    match: Params = {"target": 1000, "max_deals": 5, "target_check": check}
    searcher = Searcher(load(match).rules)
    for i, state in enumerate(leaves({}, range(8))):
        more = [10 + 10 * (i % 5), 10 + 10 * (i % 3)]
        scores = [1000 - p - m for p, m in zip(state.to_dict()["deal_points"], more, strict=True)]
        here = at_scores(state, match, scores)
        value = leaf_value(here.position(), searcher)
        assert value / UNIT == pytest.approx(solve(here, use_table=False).value)


def test_leaves_of_the_last_deal_of_a_match_are_exact() -> None:
    params: Params = {"target": 1000, "max_deals": 2}
    searcher = Searcher(load(params).rules)
    for state in leaves({}, range(4)):
        here = at_scores(state, params, [100, 90])
        value = leaf_value(here.position(), searcher)
        assert value / UNIT == pytest.approx(solve(here, use_table=False).value)


def played_out(state: State) -> Vector:
    """The end of the deal after best play for points."""
    state = state.clone()
    while not state.is_terminal():
        state.apply_action(solve(state).best_moves[0])
    return state.position()


def test_leaves_of_matches_that_go_on_are_the_chances_afterwards() -> None:
    """Those of the scores that best play for points leads to."""
    params: Params = {"target": 2000, "max_deals": 30}
    searcher = Searcher(load(params).rules)
    for state in leaves({}, range(6)):
        end, scores = played_out(state), [310, 420]
        after = [scores[p] + int(kernel.deal_points(end, p)) for p in range(2)]
        if end[kernel.SWEEP_POINTS0] == end[kernel.SWEEP_POINTS1] == 0:
            value = leaf_value(at_scores(state, params, scores).position(), searcher)
            assert value / UNIT == pytest.approx(match_equity(*after, 2000), abs=2 / UNIT)


def test_equities_go_up_with_the_difference() -> None:
    pos = at_scores(leaves({}, range(1))[0], {"target": 1000}, [100, 200]).position()
    values = [int(equity_after(pos, difference)) for difference in range(-100, 101, 20)]
    assert values == sorted(values)
    assert len(set(values)) == len(values)
