"""Timing side by side: several rounds, each measuring everything once, and medians of the rounds.

On a machine that others use too a figure alone says little; ratios of figures taken in turn do.
"""

import time
from collections.abc import Callable, Mapping
from statistics import median

from tqdm import tqdm

Work = Callable[[int], int]
"""Does about n units of work and returns how many units (steps, deals) were done."""


def calibrate(work: Work, seconds: float) -> int:
    """An n for which `work` takes about `seconds`; the first call is not counted."""
    work(1)
    n = 1
    while True:
        start = time.perf_counter()
        work(n)
        taken = time.perf_counter() - start
        if taken > seconds / 10:
            return max(1, round(n * seconds / taken))
        n *= 4


def side_by_side(works: Mapping[str, Work], rounds: int, seconds: float) -> dict[str, list[float]]:
    """Units a second of each work in each round.

    Args:
      works: what is measured, by name.
      rounds: how often each is measured, in turn.
      seconds: about how long one measurement takes.
    """
    sizes = {name: calibrate(work, seconds) for name, work in works.items()}
    rates: dict[str, list[float]] = {name: [] for name in works}
    for _ in tqdm(range(rounds), unit="round", disable=None, leave=False):
        for name, work in works.items():
            start = time.perf_counter()
            done = work(sizes[name])
            rates[name].append(done / (time.perf_counter() - start))
    return rates


def ratio(rates: Mapping[str, list[float]], ours: str, peer: str) -> float:
    """The median over the rounds of our rate as a multiple of a peer's in the same round."""
    return median(a / b for a, b in zip(rates[ours], rates[peer], strict=True))
