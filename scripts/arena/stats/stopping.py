"""Where a sequential test ends a plan: decided by the contiguous beginning of its blocks alone.

Blocks that others have finished beyond it do not count, or the result would depend on who is fast:
games that take long are others than those that do not.
"""

from collections.abc import Mapping

from scripts.arena.plan.game_text import load_game
from scripts.arena.plan.hypotheses import parse_sprt
from scripts.arena.plan.pairings import Plan
from scripts.arena.stats.sequential import SequentialTest, Verdict
from scripts.arena.store.records import BlockRecord, whole_pairs


class Stopping:
    """Watches the beginning of a plan as it gets longer."""

    def __init__(self, plan: Plan) -> None:
        """Has seen no block yet."""
        self._test: SequentialTest | None = None
        self._seen = 0
        if plan.config.sprt:
            most = load_game(plan.config.game).max_utility()
            self._test = SequentialTest(parse_sprt(plan.config.sprt), most)

    def verdict(self, records: Mapping[int, BlockRecord]) -> Verdict | None:
        """What the test says of the blocks that are there, by index; None without a test.

        Blocks that were there before must still be.
        """
        if self._test is None:
            return None
        while self._seen in records and self._test.verdict.accepted is None:
            pairs = whole_pairs(records[self._seen].games)
            self._test.add(sum(both) / 2 for both in pairs.values())
            self._seen += 1
        return self._test.verdict

    def decided(self, records: Mapping[int, BlockRecord]) -> int | None:
        """How many blocks decide the test; None if they do not, or there is none."""
        found = self.verdict(records)
        return None if found is None or found.accepted is None else found.blocks
