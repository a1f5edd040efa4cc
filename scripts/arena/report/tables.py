"""The results of a tournament as text, and the rows and sentences of which it is made."""

from collections.abc import Sequence
from math import isfinite, isnan

from scripts.arena.report.findings import Findings
from scripts.arena.report.layout import Rows, aligned
from scripts.arena.stats.margins import CONFIDENCE, BotResult, Estimate, PairingResult, Tally
from scripts.arena.stats.sequential import ALPHA


def result_table(found: Findings) -> str:
    """The pairings, the bots and the forfeits of the blocks that are there."""
    parts = [
        pairing_sentence(found.unit),
        aligned(pairing_rows(found.pairings, found.digits)),
        "Each bot against all others:",
        aligned(bot_rows(found.margins, found.digits)),
    ]
    return "\n\n".join(parts + _forfeit_list(found.pairings))


def verdict_text(found: Findings) -> str:
    """What the sequential test of a plan says, in words; empty without a test."""
    verdict, config = found.verdict, found.plan.config
    if verdict is None:
        return ""
    t0, t1 = config.sprt.split(",")
    says = "undecided" if verdict.accepted is None else f"{verdict.accepted} is accepted"
    ratio = f"log-likelihood ratio {verdict.llr:+.2f}"
    bounds = f"bounds {verdict.lower:+.2f} and {verdict.upper:+.2f}"
    numbers = f"{ratio}, by a bet at fair odds" if verdict.by_bet else f"{ratio}, {bounds}"
    return (
        f"Sequential test of the margin of {config.bots[0]}, H0: {t0}, H1: {t1} (errors of "
        f"{ALPHA:.0%} each):\n{says} after {verdict.pairs} pairs ({numbers}).\nThe test decides; "
        "the margin and its interval lean to the side at which it stopped."
    )


def pairing_sentence(unit: str) -> str:
    """What the rows of the pairings show."""
    return (
        f"Margin of the first bot in {unit}, with its {CONFIDENCE:.0%} interval over "
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
