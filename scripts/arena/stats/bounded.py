"""A confidence interval for the mean of bounded values, right for any number and shape of them.

The hedged capital of I. Waudby-Smith and A. Ramdas ("Estimating means of bounded random variables
by betting", Journal of the Royal Statistical Society B 86, 2024, theorem 3): for each mean that may
be true, what one would have won who bet against it, half on values above it and half on values
below. If it is true the capital is 1 / (1 - confidence) or more in at most 1 - confidence of all
cases, whatever the values are like. What they bet depends on the values before alone, so the
interval depends on their order; it is that of the plan.
"""

from math import log

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_MOST_BET = 0.75  # of what one can lose
_HALVINGS = 40


def bounded_interval(
    values: Floats, low: float, high: float, confidence: float
) -> tuple[float, float]:
    """The interval of the mean of values of which none can lie outside of `low` to `high`.

    Args:
      values: float64 [n], in their order, at least one.
      low: the least that a value can be.
      high: the most.
      confidence: between 0 and 1.
    """
    shares = (values - low) / (high - low)
    wanted = log(2 / (1 - confidence))
    least = _least_mean(shares, wanted)
    most = 1 - _least_mean(1 - shares, wanted)
    return low + least * (high - low), low + most * (high - low)


def _bets(shares: Floats, wanted: float) -> Floats:
    """How much is bet on each value, from those before it: float64 [n]."""
    numbers = np.arange(1, len(shares) + 1)
    means = (0.5 + np.cumsum(shares)) / (numbers + 1)
    variances = (0.25 + np.cumsum((shares - means) ** 2)) / (numbers + 1)
    before = np.concatenate([[0.25], variances[:-1]])
    bets: Floats = np.sqrt(2 * wanted / (before * len(shares)))
    return bets


def _least_mean(shares: Floats, wanted: float) -> float:
    """The least mean of values from 0 to 1 against which a bet has not won enough.

    Args:
      shares: float64 [n].
      wanted: the logarithm of what a bet must have won.
    """
    bets = _bets(shares, wanted)
    refuted, possible = 0.0, float(shares.mean())
    for _ in range(_HALVINGS):
        middle = (refuted + possible) / 2
        if middle == 0.0:
            break
        won = np.log1p(np.minimum(bets, _MOST_BET / middle) * (shares - middle)).sum()
        refuted, possible = (middle, possible) if won >= wanted else (refuted, middle)
    return refuted
