"""Where a sequential test ends a plan: decided by the contiguous beginning of its blocks alone.

Blocks that others have finished beyond it do not count, or the result would depend on who is fast:
games that take long are others than those that do not.
"""

from collections.abc import Mapping

from scripts.arena.game_text import load_game
from scripts.arena.plan import Plan
from scripts.arena.records import BlockRecord, whole_pairs
from scripts.arena.sequential import ALPHA, Verdict, decide, parse_sprt


def verdict(plan: Plan, records: Mapping[int, BlockRecord]) -> Verdict | None:
    """What the test of a plan says of the blocks that are there, by index; None without a test."""
    if not plan.config.sprt:
        return None
    means: list[list[float]] = []
    while len(means) in records:
        pairs = whole_pairs(records[len(means)].games)
        means.append([sum(both) / 2 for both in pairs.values()])
    most = load_game(plan.config.game).max_utility()
    return decide(parse_sprt(plan.config.sprt), means, most)


def decided(plan: Plan, records: Mapping[int, BlockRecord]) -> int | None:
    """How many blocks decide the test of a plan; None if they do not, or there is none."""
    found = verdict(plan, records)
    return None if found is None or found.accepted is None else found.blocks


def verdict_text(plan: Plan, records: Mapping[int, BlockRecord]) -> str:
    """What the test of a plan says, in words; empty without a test."""
    found = verdict(plan, records)
    if found is None:
        return ""
    t0, t1 = plan.config.sprt.split(",")
    says = "undecided" if found.accepted is None else f"{found.accepted} is accepted"
    ratio = f"log-likelihood ratio {found.llr:+.2f}"
    bounds = f"bounds {found.lower:+.2f} and {found.upper:+.2f}"
    numbers = f"{ratio}, by a bet at fair odds" if found.by_bet else f"{ratio}, {bounds}"
    return (
        f"Sequential test of the margin of {plan.config.bots[0]}, H0: {t0}, H1: {t1} (errors of "
        f"{ALPHA:.0%} each):\n{says} after {found.pairs} pairs ({numbers}).\nThe test decides; the "
        "margin and its interval lean to the side at which it stopped."
    )
