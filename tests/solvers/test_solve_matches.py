"""`solve` in matches: what is played for is to win, on the spot or at the end of the deal."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import pytest

from marjolet_spiel.solvers.solve import solve
from tests.positions import State, load
from tests.solvers.searches import searched, states

Short = tuple[int, int]
TARGET = 1000


def in_a_match(state: State, profile: str, scores: Sequence[int], **more: Any) -> State:
    """A state of a single deal as one of the third deal of a match to 1000."""
    game = load({"profile": profile, "target": TARGET, **more})
    return game.new_initial_state({**state.to_dict(), "scores": [*scores], "deal_number": 3})


def late_in_a_match(
    sample: Iterable[State], profile: str, short: Short, **more: Any
) -> Iterator[State]:
    """Those of some states in a match in which the totals so far are `short` of the target.

    Left out are those in which somebody had won before the deal.
    """
    for state in sample:
        points = state.to_dict()["deal_points"]
        scores = [TARGET - missing - made for missing, made in zip(short, points, strict=True)]
        if max(scores) < TARGET:
            yield in_a_match(state, profile, scores, **more)


def check_last_deal(matches: Iterable[State]) -> set[float]:
    """The values of matches that are decided in this deal, the same as by OpenSpiel's search."""
    values = set()
    for match in matches:
        solution = solve(match)
        assert solution.exact
        assert solution.value == searched(match)
        values.add(solution.value)
    assert values
    assert values <= {-1, 0, 1}
    return values


SHORT = [(10, 10), (30, 30), (60, 40), (20, 70), (120, 40), (50, 150)]


def test_match_that_ends_on_the_spot() -> None:
    """At most three deals are played, so it is decided in any case."""
    sample = [*islice(states({"profile": "dutch"}, 4, range(30)), 0, None, 3)]
    values = [
        check_last_deal(late_in_a_match(sample, "dutch", short, max_deals=3)) for short in SHORT
    ]
    assert set().union(*values) == {-1, 0, 1}


@pytest.mark.parametrize("profile", ["english", "dutch"])
def test_whoever_scores_next_wins_the_match_on_the_spot(profile: str) -> None:
    """The last trick pays 10, so nobody needs another deal."""
    sample = states({"profile": profile}, 4, range(15))
    matches = late_in_a_match(sample, profile, (10, 10), target_check="immediate")
    assert check_last_deal(matches) == {-1, 1}


def test_last_deal_of_a_match() -> None:
    """If nobody reaches the target in it, or both level, the match is a draw."""
    sample = [*islice(states({}, 4, range(30)), 0, None, 3)]
    values = [
        check_last_deal(late_in_a_match(sample, "english", short, max_deals=3))
        for short in [*SHORT, (-30, -30), (-20, 0), (0, 40)]
    ]
    assert set().union(*values) == {-1, 0, 1}


@pytest.mark.parametrize("ahead", [0, 1])
def test_match_that_is_decided(ahead: int) -> None:
    """The one ahead has got the points he was short of; the other is too far behind."""
    scores = [990, 300] if ahead == 0 else [300, 990]
    sample = [s for s in states({}, 4, range(4)) if s.to_dict()["deal_points"][ahead] > 0]
    assert sample
    for state in sample:
        solution = solve(in_a_match(state, "english", scores))
        assert solution.exact
        assert solution.value == (1 if ahead == 0 else -1)
        assert {*solution.moves.values()} == {1 if state.current_player() == ahead else -1}


@pytest.mark.parametrize("target", [50, 150, 300])
def test_one_deal_that_is_a_match(target: int) -> None:
    """It is won by more points, however few, if they are enough."""
    sample = states({"target": target, "max_deals": 1}, 4, range(15))
    check_last_deal(islice(sample, 0, None, 2))


def test_match_that_goes_on_is_an_estimate() -> None:
    first = (s for s in states({"target": 1000}, 6, range(3)) if s.to_dict()["deal_number"] == 1)
    found = [*islice(first, 0, None, 3)]
    assert found
    for state in found:
        solution = solve(state)
        assert not solution.exact
        assert -1 < solution.value < 1


def test_match_is_exact_where_no_line_of_play_goes_on() -> None:
    """Past the target both would deal on only if they were level at the end."""
    matches = late_in_a_match(states({}, 2, range(30)), "english", (-30, -30))
    exact = {solve(match).exact for match in matches}
    assert exact == {True, False}


def test_match_is_not_played_for_points() -> None:
    """Who needs any 10 takes the next he can get, and leaves more than that to others."""
    others = 0
    for match in late_in_a_match(
        states({}, 6, range(15)), "english", (10, 10), target_check="immediate"
    ):
        deal = load({}).new_initial_state({**match.to_dict(), "scores": [0, 0], "deal_number": 1})
        others += not {*solve(deal).best_moves} & {*solve(match).best_moves}
    assert others > 0
