"""How exploitable a solver's policy was when: measured, kept as CSV and drawn."""

import csv
import io
import os
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path

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


_COLUMNS = [field.name for field in fields(Point)]


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
    writer.writerow(_COLUMNS)
    writer.writerows(astuple(point) for point in points)
    beside = path.with_name(f".{path.name}.part")
    beside.write_text(text.getvalue(), encoding="utf-8")
    os.replace(beside, path)


def read_curve(path: Path) -> list[Point]:
    """A curve from a file; ValueError if it is missing or damaged."""
    try:
        rows = [*csv.reader(path.read_text(encoding="utf-8").splitlines())]
        if not rows or rows[0] != _COLUMNS:
            raise ValueError("its head is not " + ",".join(_COLUMNS))
        points = [Point(int(i), *map(float, rest)) for i, *rest in rows[1:]]
    except (OSError, ValueError, TypeError) as error:
        raise ValueError(f"curve {str(path)!r}: {error}") from None
    return points


def draw(folder: Path, title: str, curves: Mapping[str, Sequence[Point]]) -> None:
    """Draws curves over iterations and over seconds, both axes logarithmic.

    Args:
      folder: where ``curve.png`` and ``curve.svg`` go.
      title: what is above them.
      curves: their points by name.

    Raises:
      ImportError: matplotlib is not installed.
    """
    import matplotlib as mpl
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
    with mpl.rc_context({"svg.hashsalt": "marjolet", "svg.fonttype": "none"}):
        figure.savefig(folder / "curve.svg", metadata={"Date": None})
        figure.savefig(folder / "curve.png", dpi=150)
