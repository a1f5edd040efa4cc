"""Ratings and the meta-game as text, and the rows and sentences of which it is made."""

from collections.abc import Sequence
from math import isfinite, isnan

from scripts.arena.report.findings import Findings
from scripts.arena.report.layout import Rows, aligned
from scripts.arena.stats.bootstrap import RESAMPLES, Floats
from scripts.arena.stats.margins import CONFIDENCE
from scripts.arena.stats.metagame import MetaGame, Weights
from scripts.arena.stats.ratings import LOST_PAIRS, Rating

NO_META_GAME = "No meta-game: not every two bots have met in two whole pairs."

SUPERIORITY = (
    "Superiority: probability that the row's bot has the better mean margin, as the share of the\n"
    "resamples in which it has."
)

WEIGHTS = (
    "Nash: the mixture of bots that no bot beats on average; AlphaRank: how much of the time a "
    "population\nin which better bots take over uses each. Intervals hold "
    f"{CONFIDENCE:.0%} of the weights over the resamples:\nhow far they depend on the deals, "
    "[0.00, 1.00] being that these cannot tell."
)


def comparison_table(found: Findings) -> str:
    """Elo ratings, payoffs, superiority, Nash mixture and AlphaRank of the finished blocks."""
    rated = list(found.rated.values())
    parts = [rating_sentence(found.anchor), aligned(rating_rows(rated)), *bound_sentence(rated)]
    more = [NO_META_GAME] if found.game is None else _meta_game_parts(found, found.game)
    return "\n\n".join(parts + more)


def rating_sentence(anchor: str) -> str:
    """What the rows of the ratings show."""
    return (
        "Elo ratings from games won, drawn (half a win) and lost in pairs without a forfeit, with "
        f"their\n{CONFIDENCE:.0%} interval over {RESAMPLES} resamples of the pairs, each number in "
        f"all pairings at once; {anchor} is 0;\nscore: points a game, a win being 1."
    )


def rating_rows(rated: Sequence[Rating]) -> Rows:
    """A row for each bot, after the head."""
    rows = [["bot", "Elo", "interval", "score", "pairs"]]
    for rating in rated:
        score = "-" if isnan(rating.score) else f"{rating.score:.3f}"
        rows.append([rating.bot, *_rating_cells(rating), score, str(rating.pairs)])
    return rows


def _rating_cells(rating: Rating) -> list[str]:
    """The rating and its interval; a rating whose error cannot be told is not shown."""
    if rating.is_anchor:
        return ["0", "anchor"]
    if isnan(rating.elo):
        if isfinite(rating.low):
            return ["-", f"above {rating.low:+.0f}"]
        return ["-", f"below {rating.high:+.0f}" if isfinite(rating.high) else "-"]
    if rating.low == rating.high:  # no spread to tell the error from: that is not certainty
        return [f"{rating.elo:+.0f}", "all equal"]
    return [f"{rating.elo:+.0f}", f"[{rating.low:+.0f}, {rating.high:+.0f}]"]


def bound_sentence(rated: Sequence[Rating]) -> list[str]:
    """What a bound is, if there is one."""
    if not any(isnan(r.elo) and (isfinite(r.low) or isfinite(r.high)) for r in rated):
        return []
    return [
        "above, below: these won (or lost) every game against the anchor and all bots near it, so "
        "that no\nfinite rating fits; the bound is the end of the interval if the winner had lost "
        f"{LOST_PAIRS} more pairs to each\nof the losers (rule of three)."
    ]


def _meta_game_parts(found: Findings, game: MetaGame) -> list[str]:
    """The tables of the meta-game, with the bots in the order of their ratings."""
    bots = found.plan.config.bots
    order = [bots.index(bot) for bot in found.rated]
    payoffs = [[f"{value:+.{found.digits}f}" for value in row] for row in game.payoffs]
    return [
        f"Payoffs: mean margin of the row's bot against the column's in {found.unit}.",
        aligned(matrix_rows(bots, payoffs, order)),
        SUPERIORITY,
        aligned(matrix_rows(bots, share_cells(game.superiority), order)),
        WEIGHTS,
        aligned(weight_rows(bots, game, order)),
    ]


def matrix_rows(bots: Sequence[str], cells: Sequence[Sequence[str]], order: Sequence[int]) -> Rows:
    """A square of cells; its columns are numbered as its rows are."""
    rows = [["", *map(str, range(1, len(order) + 1))]]
    for number, row in enumerate(order, 1):
        shown = ["-" if column == row else cells[row][column] for column in order]
        rows.append([f"{number} {bots[row]}", *shown])
    return rows


def share_cells(shares: Floats) -> Rows:
    """A matrix of shares of the resamples as text."""
    return [[_share(value) for value in row] for row in shares]


def _share(value: float) -> str:
    """A share of the resamples, which cannot be told from 0 or 1 when it is near."""
    least = 1 / RESAMPLES
    return "<0.001" if value < least else ">0.999" if value > 1 - least else f"{value:.3f}"


def weight_rows(bots: Sequence[str], game: MetaGame, order: Sequence[int]) -> Rows:
    """A row for each bot in this order, after the head."""
    rows = [["bot", "Nash", "interval", "AlphaRank", "interval"]]
    for bot in order:
        cells = [cell for weights in (game.nash, game.alpharank) for cell in _cells(weights, bot)]
        rows.append([bots[bot], *cells])
    return rows


def _cells(weights: Weights, bot: int) -> list[str]:
    value, low, high = (float(part[bot]) for part in (weights.value, weights.low, weights.high))
    return [f"{value:.2f}", f"[{low:.2f}, {high:.2f}]"]
