"""What the results of a tournament say.

The unit of a margin is the return of one game: points of a deal, or +1 and -1 in a match. Margins
are averaged over both games of a duplicate pair first; intervals rest on these pair means, which
are independent, while the two games of a pair are not. A pair with a forfeit has no margin.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite, nan, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student  # type: ignore[import-untyped]

from scripts.arena.plan.game_text import load_game
from scripts.arena.plan.pairings import Plan
from scripts.arena.stats.bounded import bounded_interval
from scripts.arena.store.records import BlockRecord, GameRecord, whole_pairs

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Estimate:
    """A mean with its confidence interval.

    Attributes:
      mean: the mean; nan without values.
      low: the lower end of the interval; -inf with fewer than two values.
      high: its upper end; inf with fewer than two values.
      count: how many values.
    """

    mean: float
    low: float
    high: float
    count: int

    def flipped(self) -> "Estimate":
        """As the other side sees it."""
        return Estimate(-self.mean, -self.high, -self.low, self.count)


def estimate(
    values: Sequence[float] | NDArray[np.float64],
    confidence: float = CONFIDENCE,
    least: float = -inf,
    most: float = inf,
) -> Estimate:
    """The mean of independent values with its interval.

    That is Student's, which is right for means of many values of any shape. Where it goes to what
    no value can be or beyond, the mean sits at the edge of what is possible and values are few or
    nearly all alike: there the interval is that of `bounded`, which is wider and right always.

    Args:
      values: in the order of the plan.
      confidence: how often the interval holds the true mean.
      least: no value can be less.
      most: no value can be more.
    """
    n = len(values)
    if n < 2:
        return Estimate(float(values[0]) if n else nan, -inf, inf, n)
    mean, deviation = float(np.mean(values)), float(np.std(values, ddof=1))
    half = float(student.ppf((1 + confidence) / 2, n - 1)) * deviation / sqrt(n)
    low, high = mean - half, mean + half
    if isfinite(least) and isfinite(most) and (low <= least or high >= most):
        low, high = bounded_interval(np.asarray(values, dtype=float), least, most, confidence)
    return Estimate(mean, low, high, n)


@dataclass(frozen=True)
class Tally:
    """Games won, drawn and lost, forfeits left out."""

    wins: int
    draws: int
    losses: int

    @classmethod
    def of(cls, margins: Iterable[float]) -> "Tally":
        """The tally of the margins of games."""
        signs = Counter(int(np.sign(margin)) for margin in margins)
        return cls(signs[1], signs[0], signs[-1])

    def flipped(self) -> "Tally":
        """As the other side sees it."""
        return Tally(self.losses, self.draws, self.wins)

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(self.wins + other.wins, self.draws + other.draws, self.losses + other.losses)


@dataclass(frozen=True)
class PairingResult:
    """What happened between two bots, from the view of the first.

    Attributes:
      first: its text.
      second: its opponent's.
      pair_means: the mean margin of each pair without a forfeit, by number of the pair.
      margin: the mean over pairs.
      tally: games won, drawn, lost.
      forfeits: how often each bot (0 the first, 1 the second) forfeited for each reason.
      most: no margin is greater, nor less than minus this.
      variance_ratio: variance of the pair means by that of the mean of two games on deals of their
        own; below 1 by as much as duplicate pairs save. nan if it cannot be told.
    """

    first: str
    second: str
    pair_means: Mapping[int, float]
    margin: Estimate
    tally: Tally
    forfeits: Mapping[tuple[int, str], int]
    variance_ratio: float
    most: float = inf

    def forfeits_of(self, bot: int) -> int:
        """How many games a bot forfeited."""
        return sum(count for (who, _), count in self.forfeits.items() if who == bot)


def pairing_result(
    first: str, second: str, games: Sequence[GameRecord], most: float = inf
) -> PairingResult:
    """The result of a pairing from its games, in any order; no margin is greater than `most`."""
    both = whole_pairs(games)
    means = {pair: (one + two) / 2 for pair, (one, two) in both.items()}
    return PairingResult(
        first,
        second,
        means,
        estimate(list(means.values()), least=-most, most=most),
        Tally.of(game.margin for game in games if game.margin is not None),
        Counter((game.forfeit, game.reason) for game in games if game.forfeit is not None),
        variance_ratio(list(both.values())),
        most,
    )


def variance_ratio(pairs: Sequence[Sequence[float]]) -> float:
    """The variance of the means of pairs of margins, by that of means of independent margins."""
    if len(pairs) < 2:
        return nan
    margins = np.asarray(pairs, dtype=float)
    independent = float(np.var(margins, ddof=1)) / 2
    return float(np.var(margins.mean(axis=1), ddof=1)) / independent if independent else nan


@dataclass(frozen=True)
class BotResult:
    """What a bot did against all others.

    Attributes:
      bot: its text.
      margin: its mean margin: the mean over its opponents on each deal, then over deals.
      tally: games won, drawn, lost.
      forfeits: games it forfeited.
    """

    bot: str
    margin: Estimate
    tally: Tally
    forfeits: int


def pairing_results(plan: Plan, records: Iterable[BlockRecord]) -> list[PairingResult]:
    """The results of all pairings of a plan from the blocks that are there."""
    games: dict[tuple[int, int], list[GameRecord]] = {pairing: [] for pairing in plan.pairings}
    for record in sorted(records, key=lambda record: record.block.index):
        games[record.block.first, record.block.second] += record.games
    names, most = plan.config.bots, load_game(plan.config.game).max_utility()
    return [pairing_result(names[a], names[b], played, most) for (a, b), played in games.items()]


def bot_results(plan: Plan, results: Sequence[PairingResult]) -> list[BotResult]:
    """The results of all bots, the best first."""
    every = [_bot_result(bot, results) for bot in plan.config.bots]
    return sorted(every, key=lambda result: (np.isnan(result.margin.mean), -result.margin.mean))


def deal_margins(bot: str, results: Iterable[PairingResult]) -> dict[int, float]:
    """The mean margin of a bot over its opponents on each deal, by number of the pair."""
    by_deal: dict[int, list[float]] = {}
    for result in results:
        if bot in (result.first, result.second):
            sign = 1 if bot == result.first else -1
            for pair, margin in result.pair_means.items():
                by_deal.setdefault(pair, []).append(sign * margin)
    return {pair: float(np.mean(by_deal[pair])) for pair in sorted(by_deal)}


def _bot_result(bot: str, results: Sequence[PairingResult]) -> BotResult:
    tally, forfeits = Tally(0, 0, 0), 0
    for result in results:
        if bot not in (result.first, result.second):
            continue
        side = 0 if bot == result.first else 1
        tally += result.tally.flipped() if side else result.tally
        forfeits += result.forfeits_of(side)
    most = max(result.most for result in results)
    margin = estimate(list(deal_margins(bot, results).values()), least=-most, most=most)
    return BotResult(bot, margin, tally, forfeits)
