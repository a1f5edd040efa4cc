"""How exploitable a solver's policy was when: measured, kept as CSV and drawn."""

import csv
import io
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Any

from scripts.drawing import as_png, as_svg, drawing, write_pictures
from scripts.whole_files import write_whole

PER_DECADE = 5
"""Measurements for each factor of ten in iterations."""


@dataclass(frozen=True)
class Point:
    """One measurement.

    Attributes:
      iteration: iterations so far.
      seconds: what they took, without measurements.
      exploitability: half of NashConv of the average policy, in the game's returns.
      value: the expected return of player 0 if both play it.
    """

    iteration: int
    seconds: float
    exploitability: float
    value: float


_STYLE = {"svg.hashsalt": "marjolet", "svg.fonttype": "none"}
_COLUMNS = [field.name for field in fields(Point)]


_CHECK = "crc"
"""A checksum of the row; files of older versions have none."""


def _checksum(row: Sequence[str]) -> str:
    return str(zlib.crc32(",".join(row).encode()))


def next_measurement(iteration: int, last: int) -> int:
    """The iteration after which the next measurement is due, of those up to `last`."""
    step = 0
    while round(10 ** (step / PER_DECADE)) <= iteration:
        step += 1
    return min(last, round(10 ** (step / PER_DECADE)))


def write_curve(path: Path, points: Sequence[Point]) -> None:
    """Writes a curve as CSV in place of what is there; OSError if that is not possible."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*_COLUMNS, _CHECK])
    for point in points:
        row = [str(value) for value in astuple(point)]
        writer.writerow([*row, _checksum(row)])
    write_whole(path, text.getvalue())


def read_curve(path: Path) -> list[Point]:
    """A curve from a file; ValueError if it is missing or damaged."""
    try:
        rows = [*csv.reader(path.read_text(encoding="utf-8").splitlines())]
        if not rows or rows[0] not in (_COLUMNS, [*_COLUMNS, _CHECK]):
            raise ValueError("its head is not " + ",".join([*_COLUMNS, _CHECK]))
        for number, row in enumerate(rows[1:], 2):
            if len(row) != len(rows[0]) or (_CHECK in rows[0] and row.pop() != _checksum(row)):
                raise ValueError(f"line {number} is damaged: its checksum is wrong")
        points = [Point(int(i), *map(float, rest)) for i, *rest in rows[1:]]
    except OSError as error:
        raise ValueError(f"curve {str(path)!r}: cannot be read ({error.strerror})") from None
    except (ValueError, TypeError) as error:
        raise ValueError(f"curve {str(path)!r}: {error}") from None
    return points


def draw(folder: Path, title: str, curves: Mapping[str, Sequence[Point]]) -> None:
    """Draws curves over iterations and over seconds, both axes logarithmic.

    Args:
      folder: where ``curve.png`` and ``curve.svg`` go.
      title: what is above them.
      curves: their points by name.

    Raises:
      NoPictureError: they cannot be drawn, or the folder cannot be written to.
    """
    with drawing(_STYLE):
        figure = _figure(title, curves)
        svg = as_svg(figure, Date=None)
        write_pictures(folder, {"curve": {".png": as_png(figure, 150), ".svg": svg}})


def _figure(title: str, curves: Mapping[str, Sequence[Point]]) -> Any:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 4.2), layout="constrained")
    figure.suptitle(title)
    by_iteration, by_time = figure.subplots(1, 2, sharey=True)
    for name, points in curves.items():
        shown = [point for point in points if point.exploitability > 0 and point.seconds > 0]
        heights = [point.exploitability for point in shown]
        by_iteration.loglog([point.iteration for point in shown], heights, ".-", label=name)
        by_time.loglog([point.seconds for point in shown], heights, ".-", label=name)
    by_iteration.set(xlabel="iterations", ylabel="exploitability")
    by_time.set(xlabel="seconds")
    for axes in (by_iteration, by_time):
        axes.grid(True, which="both", alpha=0.25)
        axes.legend()
    return figure
