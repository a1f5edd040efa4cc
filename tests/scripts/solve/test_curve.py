"""Curves of exploitability: when they are measured, and how they are kept."""

from pathlib import Path
from typing import Any

import pytest

from scripts.solve.curve import Point, draw, next_measurement, read_curve, write_curve


def test_measurements_are_evenly_spaced_on_a_logarithmic_axis() -> None:
    due, found = 0, []
    while due < 100_000:
        due = next_measurement(due, 100_000)
        found.append(due)
    assert found[:7] == [1, 2, 3, 4, 6, 10, 16]
    assert found[-6:] == [10_000, 15_849, 25_119, 39_811, 63_096, 100_000]
    assert next_measurement(7, 8) == 8


def test_curves_come_back(tmp_path: Path) -> None:
    points = [Point(1, 0.1, 20.5, 1 / 3), Point(10, 1e-9, 0.0, -2.0)]
    write_curve(tmp_path / "curve.csv", points)
    assert read_curve(tmp_path / "curve.csv") == points
    assert [*tmp_path.iterdir()] == [tmp_path / "curve.csv"]


def test_changed_rows_are_found_and_older_files_are_read(tmp_path: Path) -> None:
    path, points = tmp_path / "curve.csv", [Point(1, 0.5, 20.5, 2.0), Point(10, 1.5, 3.0, -2.0)]
    write_curve(path, points)
    whole = path.read_text()
    for old, new in (("20.5", "20.6"), ("10,1.5", "11,1.5"), (",-2.0,", ",-2.0,,")):
        assert old in whole
        path.write_text(whole.replace(old, new))
        with pytest.raises(ValueError, match=r"line [23] is damaged: its checksum is wrong"):
            read_curve(path)
    older = [line.rpartition(",")[0] for line in whole.splitlines()]
    path.write_text("\n".join(older) + "\n")
    assert read_curve(path) == points


@pytest.mark.parametrize("text", ["", "a,b\n", "iteration,seconds,exploitability,value\n1,2\n"])
def test_damaged_curves_are_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "curve.csv").write_text(text)
    with pytest.raises(ValueError, match="^curve '.*curve.csv': "):
        read_curve(tmp_path / "curve.csv")


def test_the_same_curve_is_the_same_drawing(tmp_path: Path) -> None:
    points = [Point(1, 0.1, 20.5, 1.0), Point(10, 1.0, 0.0, 1.0), Point(16, 1.2, 3.0, 1.0)]
    drawings = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        draw(tmp_path / name, "title", {"cfr": points, "other": points[:1]})
        drawings.append((tmp_path / name / "curve.svg").read_bytes())
    assert drawings[0] == drawings[1]
    assert b"title" in drawings[0]


def test_points_are_shown_that_have_a_place_on_logarithmic_axes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    figure = pytest.importorskip("matplotlib.figure")
    drawn: list[list[tuple[list[float], list[float]]]] = []

    def look(self: Any, *_: object, **__: object) -> None:
        drawn.append([])
        for axes in self.axes:
            for line in axes.lines:
                drawn[-1].append((list(line.get_xdata()), list(line.get_ydata())))

    monkeypatch.setattr(figure.Figure, "savefig", look)
    points = [
        Point(1, 0.0, 30.0, 1.0),  # took no time that a clock could tell
        Point(2, 0.1, 20.5, 1.0),
        Point(10, 1.0, 0.0, 1.0),  # an equilibrium
        Point(16, 1.2, 3.0, -1.0),
    ]
    draw(tmp_path, "title", {"cfr": points, "other": points[1:2]})
    by_iteration = [([2, 16], [20.5, 3.0]), ([2], [20.5])]
    by_time = [([0.1, 1.2], [20.5, 3.0]), ([0.1], [20.5])]
    assert drawn == [by_iteration + by_time] * 2
