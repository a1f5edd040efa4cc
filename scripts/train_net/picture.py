"""The learning curve: what the network won against each bot after how many deals."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scripts.arena.plan.game_text import kind_of_game
from scripts.drawing import as_png, as_svg, drawing, write_pictures
from scripts.train_net.results import Result

_STYLE = {"svg.hashsalt": "marjolet", "svg.fonttype": "none"}


def draw(folder: Path, results: Sequence[Result]) -> None:
    """Draws ``curve.png`` and ``curve.svg``, a panel for each game.

    Raises:
      NoPictureError: they cannot be drawn, or the folder cannot be written to.
    """
    with drawing(_STYLE):
        figure = _figure(results)
        svg = as_svg(figure, Date=None)
        write_pictures(folder, {"curve": {".png": as_png(figure, 150), ".svg": svg}})


def _figure(results: Sequence[Result]) -> Any:
    from matplotlib.figure import Figure

    games = list(dict.fromkeys(result.game for result in results))
    figure = Figure(figsize=(2 + 3.2 * len(games), 4), layout="constrained")
    figure.suptitle("What the network wins, in points a deal, with 95% intervals")
    panels = figure.subplots(1, len(games), sharey=True, squeeze=False)[0]
    for axes, game in zip(panels, games, strict=True):
        _panel(axes, [result for result in results if result.game == game])
        axes.set_title(kind_of_game(game).partition(",")[0], fontsize="medium")
    panels[0].set_ylabel("points a deal")
    figure.legend(
        *panels[0].get_legend_handles_labels(), title="against", loc="outside right center"
    )
    return figure


def _panel(axes: Any, results: Sequence[Result]) -> None:
    for opponent in dict.fromkeys(result.opponent for result in results):
        own = [result for result in results if result.opponent == opponent]
        middle = [result.mean for result in own]
        ends = [[r.mean - r.low for r in own], [r.high - r.mean for r in own]]
        axes.errorbar(
            [r.deals / 1e6 for r in own], middle, yerr=ends, fmt=".-", capsize=2, label=opponent
        )
    axes.axhline(0, color="black", linewidth=0.8)
    axes.set_xlabel("million deals of training")
    axes.grid(True, alpha=0.25)
