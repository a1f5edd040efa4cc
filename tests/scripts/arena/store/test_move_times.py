"""Times of moves: mean, quantiles, and the way to text and back."""

import json
from math import isnan

import numpy as np
import pytest

from scripts.arena.store.move_times import MoveTimes


def times_of(*seconds: float) -> MoveTimes:
    """The times of some moves."""
    times = MoveTimes()
    for value in seconds:
        times.add(value)
    return times


def test_without_moves_nothing_is_known() -> None:
    times = MoveTimes()
    assert times.moves == 0
    assert isnan(times.mean)
    assert isnan(times.quantile(0.99))


def test_quantiles_are_right_to_a_few_percent() -> None:
    seconds = np.random.default_rng(1).lognormal(-6, 2, size=5000)
    times = times_of(*seconds)
    assert times.moves == 5000
    assert times.mean == pytest.approx(seconds.mean())
    for share in (0.01, 0.5, 0.99, 1.0):
        wanted = np.quantile(seconds, share, method="inverted_cdf")
        assert times.quantile(share) == pytest.approx(wanted, rel=0.05)


def test_no_time_at_all_counts_as_a_move() -> None:
    times = times_of(0.0, 0.0)
    assert times.moves == 2
    assert times.mean == 0
    assert times.quantile(0.5) == pytest.approx(1e-7, rel=0.05)


def test_parts_add_up_and_go_to_text_and_back() -> None:
    together = MoveTimes.together([times_of(0.001, 0.5), MoveTimes(), times_of(0.001)])
    again = MoveTimes.from_dict(json.loads(json.dumps(together.to_dict())))
    for times in (together, again):
        assert times.moves == 3
        assert times.seconds == pytest.approx(0.502)
        assert times.quantile(0.5) == pytest.approx(0.001, rel=0.05)


@pytest.mark.parametrize(
    "fields",
    [{}, {"seconds": 1}, {"seconds": "x", "classes": {}}, {"seconds": 1, "classes": {"3": -1}}],
)
def test_other_things_are_refused(fields: dict[str, object]) -> None:
    with pytest.raises((KeyError, TypeError, ValueError)):
        MoveTimes.from_dict(fields)
