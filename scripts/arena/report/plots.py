"""The pictures of a report, as PNG and SVG; the only module that needs matplotlib.

The same results give the same bytes: nothing in a picture tells when or where it was made.
Blue and red can be told apart by the colour-blind; whatever a colour says a number says too.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf, isfinite, isnan
from pathlib import Path
from textwrap import wrap
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from scripts.arena.report.comparison import share_cells
from scripts.arena.report.findings import Findings
from scripts.arena.report.tables import estimate_cells, half_width_cells
from scripts.arena.stats.bootstrap import RESAMPLES, Floats
from scripts.arena.stats.margins import CONFIDENCE, Estimate, deal_margins, estimate
from scripts.arena.stats.metagame import Weights

DPI = 150

_STYLE: dict[Any, Any] = {
    "svg.hashsalt": "marjolet",
    "text.parse_math": False,  # a dollar in a name is a dollar
    "font.size": 8,
    "axes.titlesize": 8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#666666",
    "grid.color": "#dddddd",
    "axes.axisbelow": True,
}
_BLUE, _GREY, _DARK, _EMPTY = "#0072B2", "#888888", "#333333", "#eeeeee"
_LETTER, _LINE, _ROW = 0.068, 0.16, 0.26  # inches: a letter, a line of text, a row of dots
_NAME = 36  # letters of a bot's name on one line
_MOMENTS = 150  # points of a running margin


@dataclass(frozen=True)
class Plot:
    """A picture.

    Attributes:
      caption: what it shows and how to read it, in Markdown without names of bots.
      wanted: whether there is something to see.
      draw: draws it.
    """

    caption: Callable[[Findings], str]
    wanted: Callable[[Findings], bool]
    draw: Callable[[Findings], Figure]


def write_plots(found: Findings, folder: Path) -> dict[str, str]:
    """Writes the pictures of a tournament, each as NAME.png and NAME.svg.

    Returns:
      The caption of each by NAME.

    Raises:
      OSError: the folder cannot be written to.
    """
    folder.mkdir(parents=True, exist_ok=True)
    captions = {}
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(_STYLE)
        for name, plot in PLOTS.items():
            if plot.wanted(found):
                _save(plot.draw(found), folder / name)
                captions[name] = plot.caption(found)
    return captions


def _save(figure: Figure, path: Path) -> None:
    figure.savefig(path.with_suffix(".png"), dpi=DPI, metadata={"Software": None})
    figure.set_layout_engine("none")  # it stays as it is, and need not be found again
    figure.savefig(path.with_suffix(".svg"), metadata={"Date": None, "Creator": None})


def draw_margins(found: Findings) -> Figure:
    """The margin of each bot against its opponents, with its interval."""
    figure, axes = _rows_of_bots(found, 4.0)
    axes.axvline(0, color=_GREY, linewidth=0.8, linestyle="--")
    notes = []
    for row, result in enumerate(found.bots):
        margin = result.margin
        _dot(axes, row, margin.mean, margin.low, margin.high, margin.low < margin.high < inf)
        notes.append(_margin_note(margin, found.digits))
    _notes(axes, notes)
    axes.set_xlabel(f"margin against its opponents, {found.unit}")
    return figure


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
    return _heat_map(found, means, texts, (-limit, limit), label)


def draw_superiority(found: Findings) -> Figure:
    """How surely each bot has the better mean margin against each other one."""
    assert found.game is not None
    shares = found.game.superiority[np.ix_(found.order, found.order)]
    return _heat_map(found, shares, share_cells(shares), (0.0, 1.0), "probability")


def draw_population(found: Findings) -> Figure:
    """AlphaRank beside the Nash mixture, with their intervals."""
    assert found.game is not None
    height = _rows_height(found) + 0.25
    figure = Figure((_labels_width(found) + 5.2, height), layout="constrained")
    pair = figure.subplots(1, 2, sharey=True)
    parts = {"Nash mixture": found.game.nash, "AlphaRank": found.game.alpharank}
    for axes, (title, weights) in zip(pair, parts.items(), strict=True):
        _draw_weights(axes, weights, found.order)
        axes.set_title(title)
        axes.set_xlabel("weight")
    _name_rows(pair[0], found)
    return figure


def draw_variance(found: Findings) -> Figure:
    """The variance ratio of the pairings of each bot, and their median."""
    figure, axes = _rows_of_bots(found, 4.0)
    axes.axvline(1, color=_GREY, linewidth=0.8, linestyle="--")
    notes = []
    for row, bot in enumerate(found.names):
        ratios = _variance_ratios(found, bot)
        axes.plot(ratios, [row] * len(ratios), "o", color=_BLUE, alpha=0.45, markeredgewidth=0)
        if ratios:
            axes.plot(np.median(ratios), row, "|", color=_DARK, markersize=13, markeredgewidth=2)
        notes.append(f"{np.median(ratios):.2f}" if ratios else "-")
    _notes(axes, notes)
    axes.set_xlim(-0.02, max(1.05, axes.get_xlim()[1]))
    axes.set_xlabel("variance of duplicate pairs / variance without duplicates")
    return figure


def draw_convergence(found: Findings) -> Figure:
    """The running margin of each bot, or of the only pairing, with its interval."""
    series = _running_series(found)
    columns = 1 if len(series) == 1 else min((4, 3), key=lambda width: -len(series) % width)
    rows = -(-len(series) // columns)
    size = (6.0, 3.2) if len(series) == 1 else (2.5 * columns + 0.4, 1.65 * rows + 0.4)
    figure = Figure(size, layout="constrained")
    grid = figure.subplots(rows, columns, sharex=True, squeeze=False)
    half = max((_half_width(estimate(values)) for values in series.values()), default=0.0)
    for axes, (name, values) in zip(grid.flat, series.items(), strict=False):
        _draw_running(axes, values, half)
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
    names, titles = found.names, _labels(found)
    if len(names) == 2:
        names, titles = names[:1], [_wrapped(f"{names[0]} vs {names[1]}")]
    margins = [list(deal_margins(name, found.pairings).values()) for name in names]
    return {title: np.array(own) for title, own in zip(titles, margins, strict=True)}


def _draw_running(axes: Axes, values: Floats, half: float) -> None:
    """The mean of the first values and its interval, for more and more of them."""
    axes.grid(True)
    axes.xaxis.set_major_locator(MaxNLocator(5, integer=True, steps=[1, 2, 5, 10]))
    if not len(values):
        axes.text(0.5, 0.5, "no whole pair", ha="center", transform=axes.transAxes, color=_GREY)
        axes.set_yticks([])
        return
    counts = np.unique(np.linspace(1, len(values), _MOMENTS).astype(int))
    moments = [estimate(values[:count]) for count in counts]
    means, lows, highs = np.array([(m.mean, m.low, m.high) for m in moments]).T
    known = np.isfinite(lows)
    ends = (lows[known], highs[known])
    axes.fill_between(counts[known], *ends, color=_BLUE, alpha=0.25, linewidth=0)
    axes.axhline(means[-1], color=_GREY, linewidth=0.8, linestyle="--")
    axes.plot(counts, means, color=_BLUE)
    span = 6 * half if half > 0 else 1.0  # the first few pairs tell too little to be all shown
    axes.set_ylim(means[-1] - span, means[-1] + span)


def _half_width(value: Estimate) -> float:
    return (value.high - value.low) / 2 if isfinite(value.low) else 0.0


def _variance_ratios(found: Findings, bot: str) -> list[float]:
    """The ratios of a bot's pairings that have one."""
    own = [result for result in found.pairings if bot in (result.first, result.second)]
    return [result.variance_ratio for result in own if not isnan(result.variance_ratio)]


def _draw_weights(axes: Axes, weights: Weights, order: Sequence[int]) -> None:
    axes.grid(True, axis="x")
    for row, bot in enumerate(order):
        _dot(axes, row, weights.value[bot], weights.low[bot], weights.high[bot], filled=True)
    axes.set_xlim(-0.04, 1.04)
    axes.tick_params(axis="y", length=0)


def _dot(axes: Axes, row: int, mean: float, low: float, high: float, filled: bool) -> None:
    """A mean and its interval, as far as there are any."""
    if isfinite(low):
        axes.plot([low, high], [row, row], color=_BLUE, linewidth=1.6, marker="|", markersize=7)
    if isfinite(mean):
        fill = _BLUE if filled else "white"
        axes.plot(mean, row, "o", color=_BLUE, markerfacecolor=fill, markersize=5)


def _margin_note(margin: Estimate, digits: int) -> str:
    cells = estimate_cells if margin.count > 1 else half_width_cells
    return "  ".join(cells(margin, digits))


def _rows_of_bots(found: Findings, width: float) -> tuple[Figure, Axes]:
    """A figure with a row for each bot, the best on top; width in inches without the names."""
    size = (_labels_width(found) + width + 1.3, _rows_height(found))
    figure = Figure(size, layout="constrained")
    axes = figure.subplots()
    axes.grid(True, axis="x")
    _name_rows(axes, found)
    return figure, axes


def _name_rows(axes: Axes, found: Findings) -> None:
    labels = _labels(found)
    axes.set_yticks(range(len(labels)), labels)
    axes.set_ylim(len(labels) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)


def _notes(axes: Axes, notes: Sequence[str]) -> None:
    """A text to the right of each row."""
    right = axes.secondary_yaxis("right")
    right.set_yticks(range(len(notes)), [_shown(note) for note in notes])
    right.tick_params(length=0)
    right.spines["right"].set_visible(False)


def _shown(text: str) -> str:
    """A text with the minus signs of the axes."""
    return text.replace("-", "\N{MINUS SIGN}")


def _wrapped(name: str) -> str:
    """The name of a bot on lines that are not too long, split between its options if possible."""
    lines = wrap(name.replace(" ", "\0").replace(",", ", "), _NAME)
    return "\n".join(line.replace(" ", "").replace("\0", " ") for line in lines)


def _labels(found: Findings) -> list[str]:
    """The bots, numbered as in the tables."""
    return [_wrapped(f"{i} {name}") for i, name in enumerate(found.names, 1)]


def _labels_width(found: Findings) -> float:
    """Inches that the names take."""
    return _LETTER * max(len(line) for label in _labels(found) for line in label.split("\n"))


def _rows_height(found: Findings) -> float:
    """Inches for a row for each bot and an axis below them."""
    lines = max(label.count("\n") for label in _labels(found))
    return (_ROW + _LINE * lines) * len(found.bots) + 0.6


def _heat_map(
    found: Findings,
    values: Floats,
    texts: Sequence[Sequence[str]],
    limits: tuple[float, float],
    label: str,
) -> Figure:
    """A square of coloured cells with texts; the diagonal is empty, and so is what is nan."""
    figure = Figure(_heat_map_size(found), layout="constrained")
    axes = figure.subplots()
    axes.set_facecolor(_EMPTY)
    off = ~np.eye(len(values), dtype=bool)
    shown = np.ma.masked_invalid(np.where(off, values, np.nan))
    low, high = limits
    mesh = axes.pcolormesh(shown, cmap="RdBu", vmin=low, vmax=high, edgecolors="white", linewidth=1)
    for row, column in zip(*np.nonzero(off), strict=True):
        place, text = (column + 0.5, row + 0.5), _shown(texts[row][column])
        ink = _ink(mesh.to_rgba(values[row, column]))
        axes.text(*place, text, ha="center", va="center", color=ink, fontsize=7)
    _frame(axes, found)
    bar = figure.colorbar(mesh, ax=axes, label=label, aspect=30)
    bar.outline.set_visible(False)
    return figure


def _heat_map_size(found: Findings) -> tuple[float, float]:
    """Inches of a heat map, in which a cell has room for two lines of text."""
    lines = max(label.count("\n") + 1 for label in _labels(found))
    height = max(0.4, _LINE * lines + 0.1) * len(found.bots) + 0.4
    return _labels_width(found) + 0.56 * len(found.bots) + 1.2, max(height, 2.2)


def _ink(colour: Any) -> str:
    """What can be read best on a colour, by its luminance (Rec. 709)."""
    red, green, blue, opacity = np.asarray(colour).ravel()
    dark = opacity > 0 and 0.2126 * red + 0.7152 * green + 0.0722 * blue < 0.55
    return "white" if dark else _DARK


def _frame(axes: Axes, found: Findings) -> None:
    """Names beside the rows of a heat map, numbers above its columns."""
    labels = _labels(found)
    places = np.arange(len(labels)) + 0.5
    axes.set_yticks(places, labels)
    axes.set_xticks(places, [str(number) for number in range(1, len(labels) + 1)])
    axes.tick_params(length=0, top=False, labeltop=True, labelbottom=False)
    axes.invert_yaxis()
    for spine in axes.spines.values():
        spine.set_visible(False)


def _caption(text: str) -> Callable[[Findings], str]:
    return lambda found: text.format(unit=found.unit, level=f"{CONFIDENCE:.0%}", draws=RESAMPLES)


def _several(found: Findings) -> bool:
    return len(found.bots) > 2 and any(result.margin.count for result in found.bots)


def _has_game(found: Findings) -> bool:
    return found.game is not None


PLOTS: dict[str, Plot] = {
    "margins": Plot(
        _caption(
            "A dot is the mean margin of a bot against its opponents in {unit}, its line the "
            "{level} interval over duplicate pairs; right of the dashed line it wins. A hollow dot "
            "has no interval."
        ),
        _several,
        draw_margins,
    ),
    "convergence": Plot(
        _caption(
            "The mean margin over more and more duplicate pairs in {unit}, and shaded its {level} "
            "interval at each moment; dashed the last mean. An interval is for a moment chosen "
            "beforehand, not for all moments at once."
        ),
        lambda found: any(result.margin.count > 1 for result in found.bots),
        draw_convergence,
    ),
    "variance": Plot(
        _caption(
            "A dot is a pairing of the row's bot: the variance of its duplicate pairs by that of "
            "two games on deals of their own. Left of the dashed line duplicate deals save games: "
            "at 0.6, 60 games tell as much as 100. The bar and the number are the median."
        ),
        lambda found: _several(found) and any(_variance_ratios(found, n) for n in found.names),
        draw_variance,
    ),
    "payoffs": Plot(
        _caption(
            "The mean margin of the row's bot against the column's (numbered as the rows) in "
            "{unit}, and half the width of its {level} interval over duplicate pairs; blue wins, "
            "red loses."
        ),
        _several,
        draw_payoffs,
    ),
    "superiority": Plot(
        _caption(
            "In which share of {draws} resamples of the duplicate pairs the row's bot has the "
            "better mean margin against the column's; the paler, the less is decided."
        ),
        _has_game,
        draw_superiority,
    ),
    "population": Plot(
        _caption(
            "Dots are the weights of the bots in the Nash mixture and in AlphaRank, lines hold "
            "{level} of the weights over {draws} resamples of the duplicate pairs: a line from 0 "
            "to 1 says that these cannot tell."
        ),
        _has_game,
        draw_population,
    ),
}
"""The pictures by name, in the order in which a report shows them."""
