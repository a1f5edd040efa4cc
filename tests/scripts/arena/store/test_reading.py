"""What a store holds, read bot by bot."""

import pytest

from scripts.arena.store.move_times import MoveTimes
from scripts.arena.store.reading import times_of
from tests.scripts.arena.results import plan_of


def moves(count: int, seconds: float) -> MoveTimes:
    """So many moves of so many seconds each."""
    times = MoveTimes()
    for _ in range(count):
        times.add(seconds)
    return times


def test_times_go_to_the_bots_that_took_them() -> None:
    plan = plan_of(3, 14, block_pairs=7)
    pairings = [(block.first, block.second) for block in plan.blocks]
    assert pairings == [(0, 1), (0, 2), (1, 2)] * 2
    times = {
        index: (moves(10**index, first + 1.0), moves(2 * 10**index, second + 1.0))
        for index, (first, second) in enumerate(pairings[:5])
    }
    found = times_of(plan, [0, 2, 4, 5], times)  # of block 5 they are missing, 1 and 3 are left out
    assert {bot: part.moves for bot, part in found.items()} == {
        0: 1 + 10_000,
        1: 2 + 100,
        2: 200 + 20_000,
    }
    for bot, part in found.items():
        assert part.mean == pytest.approx(bot + 1)


def test_bots_without_times_are_there() -> None:
    found = times_of(plan_of(3, 7), [0, 1], {1: (moves(1, 3.0), moves(2, 4.0))})
    assert [found[bot].moves for bot in range(3)] == [1, 0, 2]
    assert list(times_of(plan_of(4, 7), [], {})) == [0, 1, 2, 3]
