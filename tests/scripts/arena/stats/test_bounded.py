"""Intervals at the edge of what is possible: never beyond it, and right as often as they say."""

import numpy as np
import pytest

from scripts.arena.stats.bounded import bounded_interval
from scripts.arena.stats.margins import estimate
from tests.variants import mostly_slow


def test_no_interval_goes_beyond_what_is_possible() -> None:
    """98 matches won in both seats, two in one of them: Student's goes to +1.001."""
    margins = [1.0] * 98 + [0.0] * 2
    free, bound = estimate(margins), estimate(margins, least=-1, most=1)
    assert free.high > 1
    assert free.mean == bound.mean == pytest.approx(0.98)
    assert -1 < bound.low < 0.95
    assert 0.98 < bound.high <= 1


def test_winning_every_match_does_not_prove_that_all_are_won() -> None:
    """The chance to win all of n is over 2.5% if they are won with 1 - log(40) / n or more."""
    for n in (2, 10, 100, 1000):
        found = estimate([1.0] * n, least=-1, most=1)
        assert found.high == 1
        assert -1 <= found.low < 1 - np.log(40) / n if n > 3 else -1 <= found.low < 0.5


def test_elsewhere_the_interval_is_students() -> None:
    values = np.random.default_rng(1).normal(5, 70, 200).tolist()
    assert estimate(values, least=-650, most=650) == estimate(values)
    assert estimate([0.0] * 20, least=-650, most=650) == estimate([0.0] * 20)


def test_both_sides_see_the_same() -> None:
    margins = np.random.default_rng(2).choice([1.0, 0.0, -1.0], 60, p=[0.95, 0.04, 0.01])
    one, other = (estimate(sign * margins, least=-1, most=1) for sign in (1, -1))
    mirrored = other.flipped()
    assert (one.low, one.high) == pytest.approx((mirrored.low, mirrored.high))


def test_the_interval_moves_and_scales_with_its_values() -> None:
    shares = np.random.default_rng(3).beta(2, 5, 50)
    low, high = bounded_interval(shares, 0.0, 1.0, 0.95)
    moved = bounded_interval(10 * shares - 3, -3.0, 7.0, 0.95)
    assert moved == pytest.approx((10 * low - 3, 10 * high - 3))
    assert low < shares.mean() < high
    wider = bounded_interval(shares, 0.0, 1.0, 0.99)
    assert wider[0] < low < high < wider[1]


CASES = {
    "nearly all won": (0.99, 0.01, 0.0),
    "some lost": (0.97, 0.02, 0.01),
    "more drawn": (0.95, 0.05, 0.0),
    "even": (0.4, 0.2, 0.4),
}


@pytest.mark.parametrize("name", mostly_slow(CASES, quick=("some lost",)))
@pytest.mark.parametrize("count", mostly_slow((10, 30, 100, 400), quick=(30,)))
def test_intervals_of_matches_hold_what_they_promise(name: str, count: int) -> None:
    """Over 400 tournaments. Student's holds a quarter of those nearly all won, at 30 pairs."""
    rng, chances = np.random.default_rng(4), CASES[name]
    mean = chances[0] - chances[2]
    inside = 0
    for _ in range(400):
        found = estimate(rng.choice([1.0, 0.0, -1.0], count, p=chances), least=-1, most=1)
        assert -1 <= found.low <= found.high <= 1
        inside += found.low <= mean <= found.high
    assert inside >= 0.92 * 400
