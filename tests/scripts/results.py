"""Stored results with given margins, for the tests of statistics."""

from collections.abc import Mapping, Sequence

from scripts.arena.plan import Plan, make_config
from scripts.arena.records import BlockRecord, GameRecord

Pair = tuple[float | None, float | None]

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
