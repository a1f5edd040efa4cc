"""The pictures of a report as PNG and SVG, with their captions. Needs matplotlib.

The same results give the same bytes: nothing in a picture tells when or where it was made.
"""

from collections.abc import Callable, Container
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from scripts.arena.report.convergence import draw_convergence
from scripts.arena.report.findings import Findings
from scripts.arena.report.pictures import (
    draw_margins,
    draw_payoffs,
    draw_population,
    draw_superiority,
    draw_variance,
    variance_ratios,
)
from scripts.arena.stats.bootstrap import RESAMPLES
from scripts.arena.stats.margins import CONFIDENCE
from scripts.drawing import as_png, as_svg, drawing, write_pictures

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
      NoPictureError: they cannot be drawn, or the folder cannot be written to.
    """
    wanted = {name: plot for name, plot in PLOTS.items() if plot.wanted(found)}
    with drawing(_STYLE):
        pictures = {name: _files(plot.draw(found)) for name, plot in wanted.items()}
        write_pictures(folder, pictures)
    return {name: plot.caption(found) for name, plot in wanted.items()}


def remove_others(folder: Path, names: Container[str]) -> None:
    """Removes the pictures that an older report has left, but those of some names."""
    for name in PLOTS:
        if name not in names:
            for end in (".png", ".svg"):
                (folder / f"{name}{end}").unlink(missing_ok=True)


def _files(figure: Figure) -> dict[str, bytes]:
    png = as_png(figure, DPI, Software=None)
    figure.set_layout_engine("none")  # it stays as it is, and need not be found again
    return {".png": png, ".svg": as_svg(figure, Date=None, Creator=None)}


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
        lambda found: _several(found) and any(variance_ratios(found, n) for n in found.names),
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
