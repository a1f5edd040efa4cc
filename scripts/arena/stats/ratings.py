"""Elo ratings: one number for each bot, from games won, drawn and lost.

The model: a bot rated d above another one scores 1 / (1 + 10^(-d/400)) points a game against it, a
draw being half a point. The ratings are those of greatest likelihood (R. Bradley, M. Terry,
Biometrika 1952), computed by OpenSpiel's `pyspiel.elo` with the algorithm of D. Hunter (Annals of
Statistics 2004). Games count and not pairs, as is usual; but the intervals resample whole pairs,
as the two games of a pair are not independent (`bootstrap`).

Such ratings are finite only between bots of one *group*: each scored against another one, and so on
from each to each (L. Ford, American Mathematical Monthly 1957). A bot of another group than the
anchor gets a bound instead. It is the end of the interval that results when `LOST_PAIRS` more pairs
are lost in each pairing between groups: who won N pairs out of N may, with 95% confidence, lose 3
in N (the rule of three: J. Hanley, A. Lippman-Hand, JAMA 1983). A resample whose bots fall into
more groups gets one drawn game more in each pairing, so that its ratings are finite too.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, nan

import numpy as np
import pyspiel
from numpy.typing import NDArray

from scripts.arena.stats.bootstrap import Bootstrap, Floats, Sums, percentiles

LOST_PAIRS = 3

_MAX_ITERATIONS = 100_000
_CONVERGENCE = 1e-15  # with OpenSpiel's 1e-10 lopsided results end 10 points too early

Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Rating:
    """The strength of a bot among the bots of a tournament.

    Attributes:
      bot: its text.
      elo: its rating in Elo points above the anchor's; nan if only a bound, or nothing, is known.
      low: the lower end of the interval; -inf if there is none.
      high: its upper end; inf if there is none.
      score: points a game, a draw being half a point; nan without games.
      pairs: duplicate pairs it finished, over all its opponents.
      is_anchor: whether its rating is 0 by definition.
    """

    bot: str
    elo: float
    low: float
    high: float
    score: float
    pairs: int
    is_anchor: bool = False

    @property
    def rank_value(self) -> float:
        """What ratings are sorted by: the rating or else its bound; -inf if there is neither."""
        ends = [end for end in (self.elo, self.low, self.high) if np.isfinite(end)]
        return ends[0] if ends else -inf


def ratings(bots: Sequence[str], results: Bootstrap, anchor: int) -> list[Rating]:
    """The ratings of all bots, the best first.

    Args:
      bots: their texts.
      results: what they played.
      anchor: the bot whose rating is 0, as an index.
    """
    total = results.total
    reach = _reach(total.wins + total.draws > 0)
    group = np.flatnonzero(reach[anchor] & reach[:, anchor])
    elo, low, high = np.full(len(bots), nan), np.full(len(bots), -inf), np.full(len(bots), inf)
    if results.units > 1:
        elo[group], low[group], high[group] = _group_ratings(results, group, anchor)
        above, below = reach[:, anchor] & ~reach[anchor], reach[anchor] & ~reach[:, anchor]
        if above.any() or below.any():
            least, most = _bounds(results, reach, anchor)
            low[above], high[below] = least[above], most[below]
    elo[anchor] = low[anchor] = high[anchor] = 0
    games = total.games.sum(axis=1)
    points = (total.wins + total.draws / 2).sum(axis=1)
    score = np.divide(points, games, out=np.full(len(bots), nan), where=games > 0)
    pairs = total.pairs.sum(axis=1)
    every = [
        Rating(
            *(bots[i], float(elo[i]), float(low[i]), float(high[i])),
            *(float(score[i]), int(pairs[i]), i == anchor),
        )
        for i in range(len(bots))
    ]
    return sorted(every, key=lambda rating: -rating.rank_value)


def fit(wins: Floats, draws: Floats) -> Floats:
    """Elo ratings of greatest likelihood, the lowest 0.

    Args:
      wins: games that the row's bot won against the column's; shape [n, n], all bots in one group.
      draws: drawn games; the same shape, symmetric.

    Returns:
      Ratings in Elo points, shape [n].
    """
    options = pyspiel.elo.default_elo_options()
    options.smoothing_factor = 0.0
    options.max_iterations = _MAX_ITERATIONS
    options.convergence_delta = _CONVERGENCE
    whole = [np.rint(games).astype(int).tolist() for games in (wins, draws)]
    return np.array(pyspiel.elo.compute_ratings_from_matrices(*whole, options))


def _group_ratings(results: Bootstrap, group: NDArray[np.int64], anchor: int) -> list[Floats]:
    """The ratings of the anchor's group and both ends of their intervals."""
    total = results.total.among(group)
    elo = fit(total.wins, total.draws)
    drawn = _fit_all(results.resampled.among(group), total, np.zeros_like(total.wins))
    anchor = int(np.flatnonzero(group == anchor)[0])
    return [elo - elo[anchor], *percentiles(drawn - drawn[:, [anchor]])]


def _bounds(results: Bootstrap, reach: Bools, anchor: int) -> tuple[Floats, Floats]:
    """Both ends of the intervals, with more pairs lost by those who won all between groups."""
    met = results.total.pairs > 0
    linked = np.flatnonzero(_reach(met)[anchor])
    total = results.total.among(linked)
    upsets = np.where(met & reach.T & ~reach, 2.0 * LOST_PAIRS, 0.0)[linked[:, None], linked]
    drawn = _fit_all(results.resampled.among(linked), total, upsets)
    anchor = int(np.flatnonzero(linked == anchor)[0])
    low, high = np.full(len(reach), -inf), np.full(len(reach), inf)
    low[linked], high[linked] = percentiles(drawn - drawn[:, [anchor]])
    return low, high


def _fit_all(resampled: Sums, total: Sums, upsets: Floats) -> Floats:
    """The ratings of each resample with `upsets` as additional wins; shape [resamples, n]."""
    wins = resampled.wins + upsets
    groups = _reach(wins + resampled.draws > 0)
    apart = ~groups.all(axis=(1, 2), keepdims=True)
    draws = resampled.draws + apart * (total.pairs > 0)
    return np.array([fit(*games) for games in zip(wins, draws, strict=True)])


def _reach(beats: Bools) -> Bools:
    """From whom steps along `beats` lead to whom, zero steps included; shape [..., n, n]."""
    size = beats.shape[-1]
    paths = beats | np.eye(size, dtype=bool)
    for _ in range(size.bit_length()):
        paths = paths.astype(np.float32) @ paths.astype(np.float32) > 0
    return paths
