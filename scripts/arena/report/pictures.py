"""The pictures of a report one by one: margins, variance, payoffs and the meta-game."""

from collections.abc import Sequence
from math import inf, isnan

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from scripts.arena.report.canvas import (
    BLUE,
    DARK,
    GREY,
    draw_dot,
    heat_map,
    labels_width,
    name_rows,
    right_notes,
    rows_height,
    rows_of_bots,
)
from scripts.arena.report.comparison import share_cells
from scripts.arena.report.findings import Findings
from scripts.arena.report.tables import estimate_cells, half_width_cells
from scripts.arena.stats.margins import Estimate
from scripts.arena.stats.metagame import Weights


def draw_margins(found: Findings) -> Figure:
    """The margin of each bot against its opponents, with its interval."""
    figure, axes = rows_of_bots(found, 4.0)
    axes.axvline(0, color=GREY, linewidth=0.8, linestyle="--")
    notes = []
    for row, result in enumerate(found.bots):
        margin = result.margin
        draw_dot(axes, row, margin.mean, margin.low, margin.high, margin.low < margin.high < inf)
        notes.append(_margin_note(margin, found.digits))
    right_notes(axes, notes)
    axes.set_xlabel(f"margin against its opponents, {found.unit}")
    return figure


def _margin_note(margin: Estimate, digits: int) -> str:
    cells = estimate_cells if margin.count > 1 else half_width_cells
    return "  ".join(cells(margin, digits))


def draw_payoffs(found: Findings) -> Figure:
    """The margin of each bot against each other one, with half the width of its interval."""
    names = found.names
    cells = [[found.payoff(bot, other) for other in names] for bot in names]
    means = np.array([[np.nan if cell is None else cell.mean for cell in row] for row in cells])
    texts = [
        ["-" if cell is None else "\n".join(half_width_cells(cell, found.digits)) for cell in row]
        for row in cells
    ]
    shown = np.abs(means[np.isfinite(means)])
    limit = float(shown.max()) if shown.size and shown.max() > 0 else 1.0
    label = f"margin, {found.unit}"
    return heat_map(found, means, texts, (-limit, limit), label)


def draw_superiority(found: Findings) -> Figure:
    """How surely each bot has the better mean margin against each other one."""
    assert found.game is not None
    shares = found.game.superiority[np.ix_(found.order, found.order)]
    return heat_map(found, shares, share_cells(shares), (0.0, 1.0), "probability")


def draw_population(found: Findings) -> Figure:
    """AlphaRank beside the Nash mixture, with their intervals."""
    assert found.game is not None
    height = rows_height(found) + 0.25
    figure = Figure((labels_width(found) + 5.2, height), layout="constrained")
    pair = figure.subplots(1, 2, sharey=True)
    parts = {"Nash mixture": found.game.nash, "AlphaRank": found.game.alpharank}
    for axes, (title, weights) in zip(pair, parts.items(), strict=True):
        _draw_weights(axes, weights, found.order)
        axes.set_title(title)
        axes.set_xlabel("weight")
    name_rows(pair[0], found)
    return figure


def _draw_weights(axes: Axes, weights: Weights, order: Sequence[int]) -> None:
    axes.grid(True, axis="x")
    for row, bot in enumerate(order):
        draw_dot(axes, row, weights.value[bot], weights.low[bot], weights.high[bot], filled=True)
    axes.set_xlim(-0.04, 1.04)
    axes.tick_params(axis="y", length=0)


def draw_variance(found: Findings) -> Figure:
    """The variance ratio of the pairings of each bot, and their median."""
    figure, axes = rows_of_bots(found, 4.0)
    axes.axvline(1, color=GREY, linewidth=0.8, linestyle="--")
    notes = []
    for row, bot in enumerate(found.names):
        ratios = variance_ratios(found, bot)
        axes.plot(ratios, [row] * len(ratios), "o", color=BLUE, alpha=0.45, markeredgewidth=0)
        if ratios:
            axes.plot(np.median(ratios), row, "|", color=DARK, markersize=13, markeredgewidth=2)
        notes.append(f"{np.median(ratios):.2f}" if ratios else "-")
    right_notes(axes, notes)
    axes.set_xlim(-0.02, max(1.05, axes.get_xlim()[1]))
    axes.set_xlabel("variance of duplicate pairs / variance without duplicates")
    return figure


def variance_ratios(found: Findings, bot: str) -> list[float]:
    """The ratios of a bot's pairings that have one."""
    own = [result for result in found.pairings if bot in (result.first, result.second)]
    return [result.variance_ratio for result in own if not isnan(result.variance_ratio)]
