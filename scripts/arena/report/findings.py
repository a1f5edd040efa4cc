"""What a tournament found: all that its tables, its report and its pictures say, computed once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from scripts.arena.plan.game_text import load_game, rules_of
from scripts.arena.plan.pairings import Plan
from scripts.arena.stats.bootstrap import Bootstrap, bootstrap
from scripts.arena.stats.margins import (
    BotResult,
    Estimate,
    PairingResult,
    bot_results,
    pairing_results,
)
from scripts.arena.stats.metagame import MetaGame, meta_game
from scripts.arena.stats.ratings import Rating, ratings
from scripts.arena.stats.sequential import Verdict
from scripts.arena.stats.stopping import Stopping
from scripts.arena.store.records import BlockRecord


@dataclass(frozen=True, eq=False)
class Findings:
    """The results of the blocks of a plan that are finished; made by `findings`.

    Each is computed when it is first asked for, and then kept.

    Attributes:
      plan: what was to be played.
      records: what has been played, by index and in the order of the plan.
      anchor: the bot whose rating is 0.
    """

    plan: Plan
    records: Mapping[int, BlockRecord]
    anchor: str

    @property
    def finished(self) -> int:
        """How many blocks are there."""
        return len(self.records)

    @cached_property
    def is_match(self) -> bool:
        """Whether returns are +1 and -1 and not points."""
        return rules_of(self.plan.config.game).is_match

    @property
    def most(self) -> float:
        """No margin is greater, nor less than minus this."""
        return float(load_game(self.plan.config.game).max_utility())

    @property
    def digits(self) -> int:
        """Decimals of a margin, which is in points or from -1 to +1."""
        return 3 if self.is_match else 1

    @property
    def unit(self) -> str:
        """The unit of a margin."""
        return "return of a match" if self.is_match else "points a deal"

    @cached_property
    def pairings(self) -> list[PairingResult]:
        """The results of the pairings of the plan."""
        return pairing_results(self.plan, self.records.values())

    @cached_property
    def margins(self) -> list[BotResult]:
        """The results of the bots, the greatest margin first, whomever they have met."""
        return bot_results(self.plan, self.pairings)

    @property
    def by_margin(self) -> bool:
        """Whether the bots are ranked by margin; otherwise by Elo rating."""
        return _have_all_met(self.pairings)

    @cached_property
    def bots(self) -> list[BotResult]:
        """The results of the bots, the best first."""
        if self.by_margin:
            return self.margins
        order = list(self.rated)
        return sorted(self.margins, key=lambda result: order.index(result.bot))

    @property
    def names(self) -> list[str]:
        """The bots, the best first."""
        return [result.bot for result in self.bots]

    @property
    def order(self) -> list[int]:
        """The bots as indices into those of the plan, the best first."""
        return [self.plan.config.bots.index(name) for name in self.names]

    @cached_property
    def drawn(self) -> Bootstrap:
        """The results with resamples of them."""
        return bootstrap(self.plan, self.records.values())

    @cached_property
    def rated(self) -> dict[str, Rating]:
        """The rating of each bot, the highest first."""
        bots = self.plan.config.bots
        rated = ratings(bots, self.drawn, bots.index(self.anchor))
        return {rating.bot: rating for rating in rated}

    @cached_property
    def game(self) -> MetaGame | None:
        """The meta-game of three bots or more; None if there is none."""
        return meta_game(self.drawn) if len(self.plan.config.bots) > 2 else None

    @cached_property
    def verdict(self) -> Verdict | None:
        """What the sequential test says; None without a test."""
        return Stopping(self.plan).verdict(self.records)

    def payoff(self, bot: str, other: str) -> Estimate | None:
        """The margin of a bot against another one; None if there is no such pairing."""
        return self._payoffs.get((bot, other))

    @cached_property
    def _payoffs(self) -> dict[tuple[str, str], Estimate]:
        seen = {(result.first, result.second): result.margin for result in self.pairings}
        return seen | {(two, one): margin.flipped() for (one, two), margin in seen.items()}


def findings(plan: Plan, records: Mapping[int, BlockRecord], anchor: str) -> Findings:
    """What some blocks by index say. In what order they are there makes no difference."""
    return Findings(plan, {index: records[index] for index in sorted(records)}, anchor)


def _have_all_met(results: Sequence[PairingResult]) -> bool:
    """Whether every two bots with a margin have one between them: then their margins compare."""
    met = [{result.first, result.second} for result in results if result.margin.count]
    bots = len(set().union(*met))
    return len(met) == bots * (bots - 1) // 2
