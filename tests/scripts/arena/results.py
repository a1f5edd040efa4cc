"""Stored results with given margins, for the tests of statistics."""

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from scripts.arena.plan.config import make_config
from scripts.arena.plan.pairings import Plan
from scripts.arena.report.findings import Findings, findings
from scripts.arena.store.records import BlockRecord, GameRecord

Pair = tuple[float | None, float | None]
Margins = dict[tuple[int, int], list[Pair]]

BOTS = ("random", "greedy", "random:seed=2", "random:seed=3")


def plan_of(bots: int, pairs: int, seed: int = 1, block_pairs: int = 7) -> Plan:
    """A plan with the first of BOTS."""
    return Plan(make_config("python_marjolet", BOTS[:bots], pairs, seed, block_pairs))


def records_of(plan: Plan, margins: Mapping[tuple[int, int], Sequence[Pair]]) -> list[BlockRecord]:
    """The blocks of a plan, with the margins of the first bot for each pair of each pairing.

    None is a forfeit of the second bot. Pairings without margins have no blocks.
    """
    return [
        BlockRecord(
            block,
            tuple(
                GameRecord(pair, seating, 40, margin)
                if margin is not None
                else GameRecord(pair, seating, 5, None, 1, "because")
                for pair in block.pairs
                for seating, margin in enumerate(margins[block.first, block.second][pair])
            ),
        )
        for block in plan.blocks
        if (block.first, block.second) in margins
    ]


def by_index(records: Sequence[BlockRecord]) -> dict[int, BlockRecord]:
    """Blocks as a store has them."""
    return {record.block.index: record for record in records}


def found_of(plan: Plan, records: Sequence[BlockRecord], anchor: str = "random") -> Findings:
    """What some blocks say, in whatever order they are."""
    return findings(plan, by_index(records), anchor)


def some_margins(bots: int, pairs: int) -> Margins:
    """Margins with luck in them; the earlier bots are better."""
    rng = np.random.default_rng(7)
    return {
        (one, two): [(float(a), float(b)) for a, b in rng.integers(-40, 50, (pairs, 2)) + two - one]
        for one, two in combinations(range(bots), 2)
    }
