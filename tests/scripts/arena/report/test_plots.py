"""The pictures of a report."""

import re
from collections.abc import Callable
from functools import cache
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree
from xml.sax.saxutils import unescape

import pytest

pytest.importorskip("matplotlib")

from matplotlib.figure import Figure

from scripts.arena.plan.config import Config
from scripts.arena.plan.pairings import Plan
from scripts.arena.report.findings import Findings, findings
from scripts.arena.report.pictures import draw_margins, draw_payoffs, draw_population
from scripts.arena.report.plots import PLOTS, write_plots
from scripts.arena.report.tables import estimate_cells, half_width_cells
from tests.scripts.arena.results import Margins, Pair, by_index, plan_of, records_of, some_margins

LONG = "ismcts:sims=300,rollout=random,priors=no,exact=no"


def found_of(plan: Plan, margins: Margins) -> Findings:
    return findings(plan, by_index(records_of(plan, margins)), plan.config.bots[0])


PLAN = plan_of(3, 12)
MARGINS = some_margins(3, 12)
RECORDS = by_index(records_of(PLAN, MARGINS))
FOUND = findings(PLAN, RECORDS, "random")


def texts_of(path: Path) -> list[str]:
    """The texts in an SVG; they are drawn as shapes, each after a comment that tells it."""
    return re.findall(r"<!-- (.*?) -->", path.read_text(encoding="utf-8"), re.DOTALL)


def minus(text: str) -> str:
    return text.replace("-", "\N{MINUS SIGN}")


def test_same_results_are_the_same_bytes(tmp_path: Path) -> None:
    backwards = findings(PLAN, dict(reversed(RECORDS.items())), "greedy")
    assert write_plots(FOUND, tmp_path / "one") == write_plots(backwards, tmp_path / "two")
    files = sorted(tmp_path.glob("one/*"))
    assert len(files) == 2 * len(PLOTS)
    for path in files:
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()


def test_pictures_show_the_numbers(tmp_path: Path) -> None:
    write_plots(FOUND, tmp_path)
    shown = texts_of(tmp_path / "margins.svg")
    for result in FOUND.bots:
        assert minus("  ".join(estimate_cells(result.margin, 1))) in shown
    labels = [f"{rank} {name}" for rank, name in enumerate(FOUND.names, 1)]
    for name in PLOTS:
        assert set(labels) <= set(texts_of(tmp_path / f"{name}.svg"))


def test_cells_show_the_margins_of_row_against_column() -> None:
    axes = draw_payoffs(FOUND).axes[0]
    colours = axes.collections[0].get_array()
    assert len(axes.texts) == 6
    for text in axes.texts:
        column, row = (int(place) for place in text.get_position())
        margin = FOUND.payoff(FOUND.names[row], FOUND.names[column])
        assert margin is not None
        assert text.get_text() == minus("\n".join(half_width_cells(margin, 1)))
        assert colours[row, column] == margin.mean


ONE: list[Pair] = [(5.0, -3.0)]


@pytest.mark.parametrize(
    ("bots", "margins", "wanted"),
    [
        (2, {}, []),
        (2, {(0, 1): ONE}, []),
        (2, {(0, 1): ONE * 2}, ["convergence"]),
        (3, {}, []),
        (3, {(0, 1): [(None, None)]}, []),
        (3, dict.fromkeys(MARGINS, ONE), ["margins", "payoffs"]),
        (3, {(0, 1): ONE * 3}, ["margins", "convergence", "variance", "payoffs"]),
        (3, dict.fromkeys(MARGINS, ONE * 3), list(PLOTS)),
    ],
)
def test_there_is_no_picture_of_what_is_not_known(
    bots: int, margins: Margins, wanted: list[str], tmp_path: Path
) -> None:
    plan = plan_of(bots, max(map(len, margins.values()), default=1))
    captions = write_plots(found_of(plan, margins), tmp_path)
    assert list(captions) == wanted
    for path in tmp_path.glob("*.svg"):
        assert not any(re.search(r"\b(nan|inf)\b", text) for text in texts_of(path))
    assert not any("{" in caption for caption in captions.values())


def test_names_are_shown_as_they_are(tmp_path: Path) -> None:
    names = ("policy:path=$a$b_c & <d>", LONG)
    plan = Plan(Config("python_marjolet", names, 12, 1, 5))
    write_plots(found_of(plan, {(0, 1): MARGINS[0, 1]}), tmp_path)
    path = tmp_path / "convergence.svg"
    ElementTree.fromstring(path.read_bytes())
    shown = unescape("".join(texts_of(path)))
    assert names[0] in shown
    assert all(part in shown for part in LONG.split(","))


@cache
def many_bots() -> Findings:
    names = (*(f"random:seed={seed}" for seed in range(18)), LONG, LONG + ",uct=0.5,postpone=12")
    plan = Plan(Config("python_marjolet", names, 4, 1, 5))
    return found_of(
        plan,
        {(a, b): [(-640.0, -600.0 - b)] * 3 + [(7.0, a)] for a, b in combinations(range(20), 2)},
    )


@pytest.mark.parametrize("draw", [draw_margins, draw_payoffs, draw_population])
def test_twenty_names_do_not_touch_each_other(draw: Callable[[Findings], Figure]) -> None:
    figure = draw(many_bots())
    figure.draw_without_rendering()
    axes = figure.axes[0]
    boxes = [label.get_window_extent() for label in axes.get_yticklabels()]
    assert len(boxes) == 20
    assert not any(one.overlaps(two) for one, two in combinations(boxes, 2))
    assert min(box.x0 for box in boxes) >= 0


def test_numbers_fit_into_their_cells() -> None:
    figure = draw_payoffs(many_bots())
    figure.draw_without_rendering()
    axes = figure.axes[0]
    width, height = axes.transData.transform((1, 0)) - axes.transData.transform((0, 1))
    assert len(axes.texts) == 20 * 19
    for text in axes.texts:
        box = text.get_window_extent()
        assert box.width < width
        assert box.height < height
