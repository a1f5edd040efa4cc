"""The results of a tournament as text."""

from collections.abc import Iterable, Sequence
from math import isfinite, isnan

from scripts.arena.plan import Plan
from scripts.arena.records import BlockRecord
from scripts.arena.stats import (
    CONFIDENCE,
    BotResult,
    Estimate,
    PairingResult,
    Tally,
    bot_results,
    pairing_results,
)


def result_table(plan: Plan, records: Iterable[BlockRecord], is_match: bool) -> str:
    """The pairings, the bots and the forfeits of the blocks that are there.

    Args:
      plan: what was to be played.
      records: what has been played.
      is_match: whether returns are +1 and -1 and not points.
    """
    results = pairing_results(plan, records)
    digits = 3 if is_match else 1
    unit = "return of a match" if is_match else "points a deal"
    parts = [
        f"Margin of the first bot in {unit}, with its {CONFIDENCE:.0%} interval over duplicate "
        "pairs;\nvar: variance of these pairs by that of games on deals of their own.",
        aligned(_pairing_rows(results, digits)),
        "Each bot against all others:",
        aligned(_bot_rows(bot_results(plan, results), digits)),
    ]
    return "\n\n".join(parts + _forfeit_list(results))


def _pairing_rows(results: Sequence[PairingResult], digits: int) -> list[list[str]]:
    rows = [["pairing", "margin", "interval", "W/D/L", "pairs", "var", "forfeits"]]
    for result in results:
        ratio = "-" if isnan(result.variance_ratio) else f"{result.variance_ratio:.2f}"
        rows.append(
            [
                f"{result.first} vs {result.second}",
                *_estimate_cells(result.margin, digits),
                _tally_cell(result.tally),
                str(result.margin.count),
                ratio,
                f"{result.forfeits_of(0)}/{result.forfeits_of(1)}",
            ]
        )
    return rows


def _bot_rows(results: Sequence[BotResult], digits: int) -> list[list[str]]:
    rows = [["bot", "margin", "interval", "W/D/L", "pairs", "forfeits"]]
    for result in results:
        rows.append(
            [
                result.bot,
                *_estimate_cells(result.margin, digits),
                _tally_cell(result.tally),
                str(result.margin.count),
                str(result.forfeits),
            ]
        )
    return rows


def _estimate_cells(value: Estimate, digits: int) -> list[str]:
    mean = "-" if isnan(value.mean) else f"{value.mean:+.{digits}f}"
    if not isfinite(value.low):
        return [mean, "-"]
    if value.low == value.high:  # no spread to tell the error from: that is not certainty
        return [mean, "all equal"]
    return [mean, f"[{value.low:+.{digits}f}, {value.high:+.{digits}f}]"]


def _tally_cell(tally: Tally) -> str:
    return f"{tally.wins}/{tally.draws}/{tally.losses}"


def _forfeit_list(results: Sequence[PairingResult]) -> list[str]:
    """The forfeits with their reasons, if there are any; their pairs count in no margin."""
    lines = []
    for result in results:
        for (bot, reason), count in sorted(result.forfeits.items()):
            who, other = (result.first, result.second)[:: -1 if bot else 1]
            games = "game" if count == 1 else "games"
            lines.append(f"  {who} against {other}, {count} {games}: {reason}")
    return ["\n".join(["Forfeits (their pairs are left out of the margins):", *lines])][
        : len(lines)
    ]


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """Rows of cells in columns, the first flush left and the others flush right."""
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        lines.append("  ".join([row[0].ljust(widths[0]), *cells]).rstrip())
    return "\n".join(lines)
