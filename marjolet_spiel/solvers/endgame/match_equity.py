"""How likely a match is to be won from the scores between two deals: an estimate.

What a deal brings is taken as normal: each player gets `MEAN` points or so, and the difference has
standard deviation `SPREAD`. The leader with most points then needs some more deals, and wins if the
sum of their differences does not make up for his lead. In backgammon such a number is called match
equity. It matters only as a leaf of searches in matches: within a deal all is searched or known.
"""

from math import ceil, erf, sqrt

from marjolet_spiel import kernel
from marjolet_spiel.array_types import Vector
from marjolet_spiel.compiling import compiled
from marjolet_spiel.kernel import deal_points

UNIT = 1_000_000
"""A win in the pay-offs of matches here: they are whole numbers."""

MEAN = 105.0
SPREAD = 77.0
"""Points a player gets in a deal, and the standard deviation of the difference of both: what good
players make of it in the four profiles (101 to 107, and 77)."""

POINTS_A_MATCH = 200.0
"""About as many points at the beginning of a match are worth a win: the slope of the equity."""


@compiled
def match_equity(score0: int, score1: int, target: int) -> float:
    """The expected return of player 0, from -1 to 1, in a match that goes on with a new deal."""
    deals = max(1.0, ceil((target - max(score0, score1)) / MEAN))
    return erf((score0 - score1) / (SPREAD * sqrt(2.0 * deals)))


@compiled
def payoff(pos: Vector) -> int:
    """What a position at the end of a deal is worth to player 0.

    In a single deal the points of player 0 less those of player 1. In a match his return times
    `UNIT`, estimated if the match goes on.
    """
    if pos[kernel.TARGET] == 0:
        return deal_points(pos, 0) - deal_points(pos, 1)
    if pos[kernel.PHASE] == kernel.OVER:
        return UNIT * kernel.return_of_player_0(pos)
    equity = match_equity(pos[kernel.SCORE0], pos[kernel.SCORE1], pos[kernel.TARGET])
    return int(UNIT * equity)
