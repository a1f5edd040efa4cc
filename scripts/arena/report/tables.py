"""The results of a tournament as text, and the rows and sentences of which it is made."""

from collections.abc import Iterable, Sequence
from math import isfinite, isnan

from scripts.arena.plan.pairings import Plan
from scripts.arena.report.layout import Rows, aligned
from scripts.arena.stats.margins import (
    CONFIDENCE,
    BotResult,
    Estimate,
    PairingResult,
    Tally,
    bot_results,
    pairing_results,
)
from scripts.arena.store.records import BlockRecord


def digits_of(is_match: bool) -> int:
    """Decimals of a margin, which is in points or from -1 to +1."""
    return 3 if is_match else 1


def unit_of(is_match: bool) -> str:
    """The unit of a margin."""
    return "return of a match" if is_match else "points a deal"


def result_table(plan: Plan, records: Iterable[BlockRecord], is_match: bool) -> str:
    """The pairings, the bots and the forfeits of the blocks that are there.

    Args:
      plan: what was to be played.
      records: what has been played.
      is_match: whether returns are +1 and -1 and not points.
    """
    results = pairing_results(plan, records)
    digits = digits_of(is_match)
    parts = [
        pairing_sentence(is_match),
        aligned(pairing_rows(results, digits)),
        "Each bot against all others:",
        aligned(bot_rows(bot_results(plan, results), digits)),
    ]
    return "\n\n".join(parts + _forfeit_list(results))


def pairing_sentence(is_match: bool) -> str:
    """What the rows of the pairings show."""
    return (
        f"Margin of the first bot in {unit_of(is_match)}, with its {CONFIDENCE:.0%} interval over "
        "duplicate pairs;\nvar: variance of these pairs by that of games on deals of their own."
    )


def pairing_rows(results: Sequence[PairingResult], digits: int) -> Rows:
    """A row for each pairing, after the head."""
    rows = [["pairing", "margin", "interval", "W/D/L", "pairs", "var", "forfeits"]]
    for result in results:
        ratio = "-" if isnan(result.variance_ratio) else f"{result.variance_ratio:.2f}"
        rows.append(
            [
                f"{result.first} vs {result.second}",
                *estimate_cells(result.margin, digits),
                _tally_cell(result.tally),
                str(result.margin.count),
                ratio,
                f"{result.forfeits_of(0)}/{result.forfeits_of(1)}",
            ]
        )
    return rows


def bot_rows(results: Sequence[BotResult], digits: int) -> Rows:
    """A row for each bot, after the head."""
    rows = [["bot", "margin", "interval", "W/D/L", "pairs", "forfeits"]]
    for result in results:
        rows.append(
            [
                result.bot,
                *estimate_cells(result.margin, digits),
                _tally_cell(result.tally),
                str(result.margin.count),
                str(result.forfeits),
            ]
        )
    return rows


def estimate_cells(value: Estimate, digits: int) -> list[str]:
    """The mean and its interval."""
    mean = "-" if isnan(value.mean) else f"{value.mean:+.{digits}f}"
    if not isfinite(value.low):
        return [mean, "-"]
    if value.low == value.high:  # no spread to tell the error from: that is not certainty
        return [mean, "all equal"]
    return [mean, f"[{value.low:+.{digits}f}, {value.high:+.{digits}f}]"]


def half_width_cells(value: Estimate, digits: int) -> list[str]:
    """The mean and half the width of the interval, or why there is none."""
    mean, interval = estimate_cells(value, digits)
    if isfinite(value.low) and value.low < value.high:
        return [mean, f"±{(value.high - value.low) / 2:.{digits}f}"]
    return [mean, "1 pair" if value.count == 1 else interval] if value.count else [mean]


def _tally_cell(tally: Tally) -> str:
    return f"{tally.wins}/{tally.draws}/{tally.losses}"


def forfeit_rows(results: Sequence[PairingResult]) -> Rows:
    """A row for each bot, opponent and reason, after the head."""
    rows = [["bot", "against", "games", "reason"]]
    for result in results:
        for (bot, reason), count in sorted(result.forfeits.items()):
            who, other = (result.first, result.second)[:: -1 if bot else 1]
            rows.append([who, other, str(count), reason])
    return rows


def _forfeit_list(results: Sequence[PairingResult]) -> list[str]:
    """The forfeits with their reasons, if there are any; their pairs count in no margin."""
    lines = [
        f"  {who} against {other}, {count} {'game' if count == '1' else 'games'}: {reason}"
        for who, other, count, reason in forfeit_rows(results)[1:]
    ]
    if not lines:
        return []
    return ["\n".join(["Forfeits (their pairs are left out of the margins):", *lines])]
