"""What the pictures of a report are drawn of: rows of bots, dots with intervals, heat maps.

Blue and red can be told apart by the colour-blind; whatever a colour says a number says too.
"""

from collections.abc import Sequence
from math import isfinite
from textwrap import wrap
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from scripts.arena.report.findings import Findings
from scripts.arena.stats.bootstrap import Floats

BLUE, GREY, DARK = "#0072B2", "#888888", "#333333"
_EMPTY = "#eeeeee"
_LETTER, _LINE, _ROW = 0.068, 0.16, 0.26  # inches: a letter, a line of text, a row of dots
_NAME = 36  # letters of a bot's name on one line


def rows_of_bots(found: Findings, width: float) -> tuple[Figure, Axes]:
    """A figure with a row for each bot, the best on top; width in inches without the names."""
    size = (labels_width(found) + width + 1.3, rows_height(found))
    figure = Figure(size, layout="constrained")
    axes = figure.subplots()
    axes.grid(True, axis="x")
    name_rows(axes, found)
    return figure, axes


def name_rows(axes: Axes, found: Findings) -> None:
    """The names of the bots beside their rows, the best on top."""
    labels = bot_labels(found)
    axes.set_yticks(range(len(labels)), labels)
    axes.set_ylim(len(labels) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)


def right_notes(axes: Axes, notes: Sequence[str]) -> None:
    """A text to the right of each row."""
    right = axes.secondary_yaxis("right")
    right.set_yticks(range(len(notes)), [with_minus_signs(note) for note in notes])
    right.tick_params(length=0)
    right.spines["right"].set_visible(False)


def with_minus_signs(text: str) -> str:
    """A text with the minus signs of the axes."""
    return text.replace("-", "\N{MINUS SIGN}")


def draw_dot(axes: Axes, row: int, mean: float, low: float, high: float, filled: bool) -> None:
    """A mean and its interval, as far as there are any."""
    if isfinite(low):
        axes.plot([low, high], [row, row], color=BLUE, linewidth=1.6, marker="|", markersize=7)
    if isfinite(mean):
        fill = BLUE if filled else "white"
        axes.plot(mean, row, "o", color=BLUE, markerfacecolor=fill, markersize=5)


def wrapped(name: str) -> str:
    """The name of a bot on lines that are not too long, split between its options if possible."""
    lines = wrap(name.replace(" ", "\0").replace(",", ", "), _NAME)
    return "\n".join(line.replace(" ", "").replace("\0", " ") for line in lines)


def bot_labels(found: Findings) -> list[str]:
    """The bots, numbered as in the tables."""
    return [wrapped(f"{i} {name}") for i, name in enumerate(found.names, 1)]


def labels_width(found: Findings) -> float:
    """Inches that the names take."""
    return _LETTER * max(len(line) for label in bot_labels(found) for line in label.split("\n"))


def rows_height(found: Findings) -> float:
    """Inches for a row for each bot and an axis below them."""
    lines = max(label.count("\n") for label in bot_labels(found))
    return (_ROW + _LINE * lines) * len(found.bots) + 0.6


def heat_map(
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
        place, text = (column + 0.5, row + 0.5), with_minus_signs(texts[row][column])
        ink = _ink(mesh.to_rgba(values[row, column]))
        axes.text(*place, text, ha="center", va="center", color=ink, fontsize=7)
    _frame(axes, found)
    bar = figure.colorbar(mesh, ax=axes, label=label, aspect=30)
    bar.outline.set_visible(False)
    return figure


def _heat_map_size(found: Findings) -> tuple[float, float]:
    """Inches of a heat map, in which a cell has room for two lines of text."""
    lines = max(label.count("\n") + 1 for label in bot_labels(found))
    height = max(0.4, _LINE * lines + 0.1) * len(found.bots) + 0.4
    return labels_width(found) + 0.56 * len(found.bots) + 1.2, max(height, 2.2)


def _ink(colour: Any) -> str:
    """What can be read best on a colour, by its luminance (Rec. 709)."""
    red, green, blue, opacity = np.asarray(colour).ravel()
    dark = opacity > 0 and 0.2126 * red + 0.7152 * green + 0.0722 * blue < 0.55
    return "white" if dark else DARK


def _frame(axes: Axes, found: Findings) -> None:
    """Names beside the rows of a heat map, numbers above its columns."""
    labels = bot_labels(found)
    places = np.arange(len(labels)) + 0.5
    axes.set_yticks(places, labels)
    axes.set_xticks(places, [str(number) for number in range(1, len(labels) + 1)])
    axes.tick_params(length=0, top=False, labeltop=True, labelbottom=False)
    axes.invert_yaxis()
    for spine in axes.spines.values():
        spine.set_visible(False)
