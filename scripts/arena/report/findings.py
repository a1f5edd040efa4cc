"""What a report says of a tournament, computed once: its text and its pictures share it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from scripts.arena.plan.game_text import rules_of
from scripts.arena.plan.pairings import Plan
from scripts.arena.report.tables import digits_of, unit_of
from scripts.arena.stats.bootstrap import bootstrap
from scripts.arena.stats.margins import (
    BotResult,
    Estimate,
    PairingResult,
    bot_results,
    pairing_results,
)
from scripts.arena.stats.metagame import MetaGame, meta_game
from scripts.arena.stats.ratings import Rating, ratings
from scripts.arena.store.records import BlockRecord


@dataclass(frozen=True)
class Findings:
    """The results of the blocks of a plan that are finished.

    Attributes:
      plan: what was to be played.
      anchor: the bot whose rating is 0.
      finished: how many blocks are there.
      pairings: the results of the pairings of the plan.
      bots: the results of the bots, the best first.
      by_margin: whether they are ranked by margin; otherwise by Elo rating.
      rated: the rating of each bot.
      game: the meta-game of three bots or more; None if there is none.
    """

    plan: Plan
    anchor: str
    finished: int
    pairings: Sequence[PairingResult]
    bots: Sequence[BotResult]
    by_margin: bool
    rated: Mapping[str, Rating]
    game: MetaGame | None

    @property
    def is_match(self) -> bool:
        """Whether returns are +1 and -1 and not points."""
        return rules_of(self.plan.config.game).is_match

    @property
    def digits(self) -> int:
        """Decimals of a margin."""
        return digits_of(self.is_match)

    @property
    def unit(self) -> str:
        """The unit of a margin."""
        return unit_of(self.is_match)

    @property
    def names(self) -> list[str]:
        """The bots, the best first."""
        return [result.bot for result in self.bots]

    @property
    def order(self) -> list[int]:
        """The bots as indices into those of the plan, the best first."""
        return [self.plan.config.bots.index(name) for name in self.names]

    def payoff(self, bot: str, other: str) -> Estimate | None:
        """The margin of a bot against another one; None if there is no such pairing."""
        return self._payoffs.get((bot, other))

    @cached_property
    def _payoffs(self) -> dict[tuple[str, str], Estimate]:
        seen = {(result.first, result.second): result.margin for result in self.pairings}
        return seen | {(two, one): margin.flipped() for (one, two), margin in seen.items()}


def findings(plan: Plan, records: Mapping[int, BlockRecord], anchor: str) -> Findings:
    """What some blocks by index say. In what order they are there makes no difference."""
    names, played = plan.config.bots, list(records.values())
    drawn = bootstrap(plan, played)
    results = pairing_results(plan, played)
    rated = {rating.bot: rating for rating in ratings(names, drawn, names.index(anchor))}
    bots, by_margin = bot_results(plan, results), _have_all_met(results)
    if not by_margin:
        bots = sorted(bots, key=lambda result: list(rated).index(result.bot))
    game = meta_game(drawn) if len(names) > 2 else None
    return Findings(plan, anchor, len(records), results, bots, by_margin, rated, game)


def _have_all_met(results: Sequence[PairingResult]) -> bool:
    """Whether every two bots with a margin have one between them: then their margins compare."""
    met = [{result.first, result.second} for result in results if result.margin.count]
    bots = len(set().union(*met))
    return len(met) == bots * (bots - 1) // 2
