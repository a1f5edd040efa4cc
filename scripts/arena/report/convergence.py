"""The picture of how margins settle: the running mean over more and more duplicate pairs."""

from collections.abc import Sequence
from math import isfinite

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from scripts.arena.report.canvas import BLUE, GREY, bot_labels, wrapped
from scripts.arena.report.findings import Findings
from scripts.arena.stats.bootstrap import Floats
from scripts.arena.stats.margins import Estimate, deal_margins, estimate

_MOMENTS = 150  # points of a running margin


def draw_convergence(found: Findings) -> Figure:
    """The running margin of each bot, or of the only pairing, with its interval."""
    series = _running_series(found)
    columns = 1 if len(series) == 1 else min((4, 3), key=lambda width: -len(series) % width)
    rows = -(-len(series) // columns)
    size = (6.0, 3.2) if len(series) == 1 else (2.5 * columns + 0.4, 1.65 * rows + 0.4)
    figure = Figure(size, layout="constrained")
    grid = figure.subplots(rows, columns, sharex=True, squeeze=False)
    half = max((_half_width(_estimate(found, own)) for own in series.values()), default=0.0)
    for axes, (name, values) in zip(grid.flat, series.items(), strict=False):
        counts = _moments(values)
        _draw_running(axes, counts, [_estimate(found, values[:n]) for n in counts], half)
        axes.set_title(name)
    for axes in grid.flat[len(series) - columns : len(series)]:
        axes.tick_params(labelbottom=True)
    for axes in grid.flat[len(series) :]:
        axes.remove()
    figure.supxlabel("duplicate pairs, in the order of the deals", fontsize=8)
    figure.supylabel(f"margin, {found.unit}", fontsize=8)
    return figure


def _running_series(found: Findings) -> dict[str, Floats]:
    """The margins by deal of each bot, or of the better one of two; by the title of its part."""
    names, titles = found.names, bot_labels(found)
    if len(names) == 2:
        names, titles = names[:1], [wrapped(f"{names[0]} vs {names[1]}")]
    margins = [list(deal_margins(name, found.pairings).values()) for name in names]
    return {title: np.array(own) for title, own in zip(titles, margins, strict=True)}


def _estimate(found: Findings, values: Floats) -> Estimate:
    return estimate(values, least=-found.most, most=found.most)


def _moments(values: Floats) -> NDArray[np.int64]:
    """Of how many of the first values the mean is shown: `_MOMENTS` numbers, or all there are."""
    shown = np.linspace(1, len(values), _MOMENTS if len(values) else 0)
    return np.unique(shown.astype(np.int64))


def _draw_running(
    axes: Axes, counts: NDArray[np.int64], moments: Sequence[Estimate], half: float
) -> None:
    """The mean of the first values and its interval, for more and more of them."""
    axes.grid(True)
    axes.xaxis.set_major_locator(MaxNLocator(5, integer=True, steps=[1, 2, 5, 10]))
    if not len(counts):
        axes.text(0.5, 0.5, "no whole pair", ha="center", transform=axes.transAxes, color=GREY)
        axes.set_yticks([])
        return
    means, lows, highs = np.array([(m.mean, m.low, m.high) for m in moments]).T
    known = np.isfinite(lows)
    ends = (lows[known], highs[known])
    axes.fill_between(counts[known], *ends, color=BLUE, alpha=0.25, linewidth=0)
    axes.axhline(means[-1], color=GREY, linewidth=0.8, linestyle="--")
    axes.plot(counts, means, color=BLUE)
    span = 6 * half if half > 0 else 1.0  # the first few pairs tell too little to be all shown
    axes.set_ylim(means[-1] - span, means[-1] + span)


def _half_width(value: Estimate) -> float:
    return (value.high - value.low) / 2 if isfinite(value.low) else 0.0
