"""Resampled results: what a tournament might have given with other deals.

The unit is the number of a duplicate pair, in all pairings at once, since the same number is the
same deal in each of them: resampled results keep what the deals do to several pairings together.
Units are independent of each other. A pair with a forfeit is left out of its pairing.

Source: B. Efron, R. Tibshirani, An Introduction to the Bootstrap, 1993 (chapters 6 and 13).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scripts.arena.plan.deals import resample_generator
from scripts.arena.plan.pairings import Plan
from scripts.arena.stats.margins import CONFIDENCE
from scripts.arena.store.records import BlockRecord, whole_pairs

RESAMPLES = 1000
"""How many tournaments are drawn."""

MAX_UNITS = 5000
"""Longer tournaments resample so many runs of consecutive pairs, to save time and memory."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Sums:
    """Results added up over pairs, for each two of n bots; arrays of shape [..., n, n].

    Attributes:
      pairs: duplicate pairs that the row's and the column's bot finished.
      margins: the sum of the mean margins of these pairs, of the row's bot.
      wins: games of these pairs that the row's bot won.
      draws: games of these pairs that were drawn.
    """

    pairs: Floats
    margins: Floats
    wins: Floats
    draws: Floats

    @property
    def games(self) -> Floats:
        """Games of these pairs."""
        return 2 * self.pairs

    def among(self, bots: NDArray[np.int64]) -> "Sums":
        """What some bots, given as indices, did among themselves."""
        parts = (self.pairs, self.margins, self.wins, self.draws)
        return Sums(*(part[..., bots[:, None], bots] for part in parts))


@dataclass(frozen=True)
class Bootstrap:
    """The results of a tournament and of resamples of it.

    Attributes:
      units: how many units were drawn from; fewer than 2 tell nothing about the error.
      total: what was played, arrays of shape [n, n].
      resampled: arrays of shape [RESAMPLES, n, n].
    """

    units: int
    total: Sums
    resampled: Sums


def bootstrap(plan: Plan, records: Iterable[BlockRecord]) -> Bootstrap:
    """The resampled results of the blocks that are there, in whatever order; seeded by the plan."""
    return resample(_units(plan, records), resample_generator(plan.config.seed))


def resample(units: Floats, rng: np.random.Generator) -> Bootstrap:
    """The resampled results of units, which hold the four arrays of `Sums`: [units, 4, n, n]."""
    return Bootstrap(len(units), _sums(units.sum(axis=0)), _sums(_drawn(units, rng)))


def percentiles(values: Floats) -> tuple[Floats, Floats]:
    """Both ends of the percentile interval over axis 0, with confidence CONFIDENCE."""
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(values, [tail, 1 - tail], axis=0)
    return low, high


def _units(plan: Plan, records: Iterable[BlockRecord]) -> Floats:
    """The four sums of `Sums` for each unit with a result; shape [units, 4, n, n]."""
    config = plan.config
    count, size = min(config.pairs, MAX_UNITS), len(config.bots)
    units = np.zeros((count, 4, size, size))
    for record in sorted(records, key=lambda record: record.block.index):
        one, two = record.block.first, record.block.second
        for pair, margins in whole_pairs(record.games).items():
            unit = units[pair * count // config.pairs]
            for first, second, sign in ((one, two, 1), (two, one, -1)):
                signs = np.sign(margins) * sign
                mean = sign * sum(margins) / 2
                unit[:, first, second] += (1, mean, (signs > 0).sum(), (signs == 0).sum())
    return units[units[:, 0].any(axis=(1, 2))]


def _drawn(units: Floats, rng: np.random.Generator) -> Floats:
    """The sums of as many units, drawn with replacement; shape [RESAMPLES, 4, n, n]."""
    count = len(units)
    if not count:
        return np.zeros((RESAMPLES, *units.shape[1:]))
    times = np.stack(
        [np.bincount(rng.integers(count, size=count), minlength=count) for _ in range(RESAMPLES)]
    )
    sums: Floats = times.astype(float) @ units.reshape(count, -1)
    return sums.reshape(RESAMPLES, *units.shape[1:])


def _sums(parts: Any) -> Sums:
    return Sums(*np.moveaxis(parts, -3, 0))
