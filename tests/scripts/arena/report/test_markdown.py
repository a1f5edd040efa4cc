"""The report of a tournament as text."""

import os
import re
import subprocess
import sys
from errno import ENOSPC
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from scipy.stats import t as student

from scripts.arena.plan.config import Config
from scripts.arena.plan.pairings import Plan
from scripts.arena.report.console import report
from scripts.arena.report.findings import findings
from scripts.arena.report.markdown import report_sections, write_report
from scripts.arena.store.move_times import MoveTimes
from tests.places import ROOT
from tests.scripts.arena.results import BOTS, Margins, by_index, plan_of, records_of, some_margins

PAIRS = 12

PLAN = plan_of(3, PAIRS)

COMMAND = ["python", "-m", "scripts.tournament", "--bots=a b"]

MARGINS = some_margins(3, PAIRS)

RECORDS = by_index(records_of(PLAN, MARGINS))

FOUND = findings(PLAN, RECORDS, "random")


def text_of(plan: Plan, margins: Margins, times: dict[int, MoveTimes] | None = None) -> str:
    """The sections of a report without its head and pictures."""
    found = findings(plan, by_index(records_of(plan, margins)), plan.config.bots[0])
    return "\n\n".join(report_sections(found, times or {}, {}))


def tables_of(text: str) -> dict[str, list[list[str]]]:
    """The cells of the table of each section, head first; they must be as Markdown wants them."""
    tables: dict[str, list[list[str]]] = {}
    for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        lines = [line for line in section.splitlines() if line.startswith("|")]
        rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in lines]
        if rows:
            assert len({len(row) for row in rows}) == 1, section
            assert all(re.fullmatch(r" ---:? ", cell) for cell in rows[1]), section
            cells = [[re.sub(r"\\(.)", r"\1", cell[1:-1]) for cell in row] for row in rows]
            tables[section.splitlines()[0]] = [cells[0], *cells[2:]]
    return tables


def interval(values: list[float]) -> list[str]:
    """Mean and interval as they are to be shown."""
    mean = np.mean(values)
    half = student.ppf(0.975, len(values) - 1) * np.std(values, ddof=1) / np.sqrt(len(values))
    return [f"{mean:+.1f}", f"[{mean - half:+.1f}, {mean + half:+.1f}]"]


def test_numbers_are_those_of_the_games() -> None:
    tables = tables_of(text_of(PLAN, MARGINS))
    first = [np.mean(pair) for pair in MARGINS[0, 1]]
    row = next(row for row in tables["Pairings"] if row[0] == "random vs greedy")
    assert row[1:3] == interval(first)
    assert row[4] == "12"
    both = [(one + np.mean(pair)) / 2 for one, pair in zip(first, MARGINS[0, 2], strict=True)]
    ranking = {row[1]: row for row in tables["Ranking"][1:]}
    assert ranking["random"][2:4] == interval(both)
    assert ranking["random"][4:6] == ["0", "anchor"]
    games = [game for pairing in [(0, 1), (0, 2)] for pair in MARGINS[pairing] for game in pair]
    won, lost = sum(game > 0 for game in games), sum(game < 0 for game in games)
    assert ranking["random"][7] == f"{won}/{len(games) - won - lost}/{lost}"
    means = [float(row[2]) for row in tables["Ranking"][1:]]
    assert means == sorted(means, reverse=True)
    half = (np.diff(student.interval(0.95, 11)) / 2 * np.std(first, ddof=1) / np.sqrt(12)).item()
    names = [row[1] for row in tables["Ranking"][1:]]
    payoffs = tables["Payoffs"][1 + names.index("random")]
    assert payoffs[1 + names.index("greedy")] == f"{np.mean(first):+.1f} ±{half:.1f}"


def test_rows_are_those_that_a_tournament_prints() -> None:
    printed = [" ".join(line.split()) for line in report(FOUND).splitlines()]
    tables = tables_of(text_of(PLAN, MARGINS))
    for section in ("Pairings", "Superiority", "Nash and AlphaRank"):
        rows = tables[section]
        assert len(rows) == 4
        if section != "Superiority":  # printed in the order of the ratings
            assert all(" ".join(row) in printed for row in rows)
    ratings = [row[1:2] + row[4:7] for row in tables["Ranking"][1:]]
    assert all(any(line.startswith(" ".join(row)) for line in printed) for row in ratings)


def test_times_stand_beside_their_bots() -> None:
    times = MoveTimes()
    for seconds in [0.001] * 90 + [0.02] * 10:
        times.add(seconds)
    slow = MoveTimes()
    slow.add(2.5)
    table = tables_of(text_of(PLAN, MARGINS, {1: times, 2: slow}))["Ranking"]
    cells = {row[1]: row[-2:] for row in table}
    assert cells["bot"] == ["ms", "p99"]
    assert cells["random"] == ["-", "-"]
    assert cells["greedy"][0] == "2.9"
    assert float(cells["greedy"][1]) == pytest.approx(20, rel=0.046)
    assert cells["random:seed=2"][0] == "2500"


@pytest.mark.parametrize(
    "margins",
    [
        {},
        {(0, 1): [(5.0, -3.0)]},
        {pairing: [(5.0, -3.0)] for pairing in MARGINS},
        {pairing: [(None, None)] for pairing in MARGINS},
        {(0, 1): [(5.0, -3.0)], (0, 2): [(None, 1.0)], (1, 2): [(None, None)]},
    ],
    ids=["nothing", "one pairing", "one pair", "forfeits", "mixed"],
)
def test_what_is_not_known_is_a_dash(margins: Margins) -> None:
    text = text_of(plan_of(3, 1), margins)
    assert not re.search(r"\b(nan|inf)\b", text)
    tables = tables_of(text)
    assert [len(rows) for rows in tables.values()][:2] == [4, 4]
    for row in tables["Ranking"][1:]:
        assert row[3] == "-"  # one pair has no interval
        assert row[5] in ("-", "anchor")
    assert "No meta-game" in text
    assert not re.search(r"\d ±", text)


def test_forfeits_are_told_with_their_reasons() -> None:
    margins = {**MARGINS, (0, 1): [*MARGINS[0, 1][:-2], (1.0, None), (None, None)]}
    tables = tables_of(text_of(PLAN, margins))
    assert tables["Forfeits"][1:] == [["greedy", "random", "3", "because"]]
    assert {row[1]: row[9] for row in tables["Ranking"]}["greedy"] == "3"
    assert "No game was forfeited." in text_of(PLAN, MARGINS)


def test_bots_that_met_different_opponents_are_ranked_by_rating() -> None:
    margins: Margins = {
        (0, 1): [(30.0, 10.0), (-5.0, 40.0)] * 6,
        (0, 2): [(-300.0, -100.0), (-200.0, 5.0)] * 6,
    }
    text = text_of(PLAN, margins)
    assert "Ranked by Elo, as not every two bots have met" in text
    ranking = [row[1:3] for row in tables_of(text)["Ranking"][1:]]
    # By margin the loser of the first pairing would be above its winner, which also met a third.
    assert ranking == [[BOTS[2], "+148.8"], [BOTS[0], "-65.0"], [BOTS[1], "-18.8"]]
    assert "Ranked by mean margin" in text_of(PLAN, MARGINS)
    without = {**MARGINS, (0, 2): [(None, None)] * PAIRS, (1, 2): [(None, None)] * PAIRS}
    assert "Ranked by mean margin" in text_of(PLAN, without)  # nobody met the one that forfeits


def test_names_cannot_break_a_table() -> None:
    names = ("policy:path=a|b_*c*.npz", r"<b>`x`\|", "ismcts:sims=100,uct=0.5")
    plan = Plan(Config("python_marjolet", names, PAIRS, 1, 5))
    tables = tables_of(text_of(plan, MARGINS))
    assert {row[1] for row in tables["Ranking"][1:]} == set(names)
    assert [row[0] for row in tables["Pairings"][1:]] == [
        f"{one} vs {two}" for one, two in combinations(names, 2)
    ]


def test_two_bots_have_ratings_and_no_meta_game() -> None:
    tables = tables_of(text_of(plan_of(2, PAIRS), some_margins(2, PAIRS)))
    assert list(tables) == ["Ranking", "Pairings"]
    assert re.fullmatch(r"\[[+-]\d+, [+-]\d+\]", {r[1]: r for r in tables["Ranking"]}["greedy"][5])


def test_head_says_what_was_played_and_how_far(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)  # saves time
    part = {index: record for index, record in RECORDS.items() if index < 3}
    for records, partial in ((part, True), (RECORDS, False)):
        found = findings(PLAN, records, "greedy")
        path = write_report(found, {}, tmp_path, COMMAND, {"numpy": "9.9"})[0]
        text = path.read_text(encoding="utf-8")
        assert ("3 of 6 blocks are finished" in text) == partial
        assert ("blocks are finished" in text) == partial
        assert "python_marjolet (english rules, single deals)" in text
        assert (
            f"12 duplicate pairs a pairing, 3 pairings, 72 games, seed 1; hash {PLAN.hash}" in text
        )
        assert "- Made with: numpy 9.9\n" in text
        assert "```sh\npython -m scripts.tournament '--bots=a b'\n```" in text
        assert "greedy is 0;" in text


def test_without_matplotlib_the_text_says_how_to_get_pictures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)  # then it cannot be imported
    assert write_report(FOUND, {}, tmp_path, COMMAND) == [tmp_path / "report.md"]
    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "There are no pictures, as matplotlib is not installed: pip install -e '." in text
    assert "![" not in text
    assert list(tables_of(text)) == list(tables_of(text_of(PLAN, MARGINS)))
    assert not (tmp_path / "plots").exists()


def fail_to_draw(*_: object) -> None:
    """What a damaged installation does."""
    raise RuntimeError("no *font*\nat all")


@pytest.mark.parametrize("spoilt", ["drawing", "saving", "folder"])
def test_pictures_never_cost_a_report(
    spoilt: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    figure = pytest.importorskip("matplotlib.figure").Figure
    if spoilt == "folder":
        (tmp_path / "plots").write_text("no folder")
    else:
        monkeypatch.setattr(
            figure, {"drawing": "add_axes", "saving": "savefig"}[spoilt], fail_to_draw
        )
        monkeypatch.setattr(figure, "subplots", fail_to_draw)
    assert write_report(FOUND, {}, tmp_path, COMMAND) == [tmp_path / "report.md"]
    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    why = {"folder": "FileExistsError: "}.get(spoilt, r"RuntimeError: no \*font\* at all)")
    assert f"There are no pictures, as they cannot be drawn or written ({why}" in text
    assert list(tables_of(text)) == list(tables_of(text_of(PLAN, MARGINS)))


@pytest.mark.parametrize(
    "more",
    [
        {"MPLBACKEND": "module://matplotlib_inline.backend_inline"},
        {"MPLBACKEND": "nonsense"},
        {"MPLCONFIGDIR": "/dev/null/x"},
    ],
    ids=["notebook", "nonsense", "no cache"],
)
def test_pictures_need_no_backend_and_no_cache(more: dict[str, str], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    program = (
        "from scripts.arena.report.markdown import write_report\n"
        "from scripts.streams import steady_streams\n"
        "from tests.scripts.arena.report.test_markdown import *\n"
        "with steady_streams('report'):\n"
        f"    write_report(FOUND, {{}}, Path({str(tmp_path)!r}), COMMAND)"
    )
    run = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(ROOT), **more},
        capture_output=True,
        text=True,
        check=True,
    )
    assert not re.search("font|atplotlib", run.stderr)
    again = tmp_path / "again"
    assert len(write_report(FOUND, {}, again, COMMAND)) == 13
    for path in (again / "plots").iterdir():
        assert (tmp_path / "plots" / path.name).read_bytes() == path.read_bytes()


def test_older_report_stays_until_the_new_one_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)  # saves time
    (tmp_path / "report.md").write_text("older")

    def full(descriptor: int) -> None:
        raise OSError(ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_report(FOUND, {}, tmp_path, COMMAND)
    assert [path.read_text() for path in tmp_path.iterdir()] == ["older"]


def test_text_may_be_anything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)  # saves time
    command = [*COMMAND, "--output=" + os.fsdecode(b"/tmp/x\xff"), "\ud800", "Ł"]
    text = write_report(FOUND, {}, tmp_path, command)[0].read_text(encoding="utf-8")
    assert "'--output=/tmp/x\\udcff' '\\ud800' 'Ł'" in text


def test_every_picture_of_the_report_is_one(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    from matplotlib.image import imread

    from scripts.arena.report.plots import PLOTS

    files = write_report(FOUND, {}, tmp_path, COMMAND)
    text = files[0].read_text(encoding="utf-8")
    named = re.findall(r"\]\((plots/[^)]*)\)", text)
    assert sorted(tmp_path / name for name in named) == sorted(files[1:])
    assert sorted((tmp_path / "plots").iterdir()) == sorted(files[1:])
    assert [Path(name).stem for name in named[::2]] == list(PLOTS)
    for path in files[1:]:
        if path.suffix == ".png":
            pixels = imread(path)
            assert min(pixels.shape[:2]) > 150
            assert len(np.unique(pixels.reshape(-1, pixels.shape[2]), axis=0)) > 20
        else:
            root = ElementTree.fromstring(path.read_bytes())
            assert root.tag == "{http://www.w3.org/2000/svg}svg"
            assert len(list(root.iter("{http://www.w3.org/2000/svg}use"))) > 20


def test_pictures_of_an_older_report_go_and_others_stay(tmp_path: Path) -> None:
    before = write_report(FOUND, {}, tmp_path, COMMAND)
    (tmp_path / "plots" / "mine.png").write_bytes(b"mine")
    two = plan_of(2, PAIRS)
    found = findings(two, by_index(records_of(two, some_margins(2, PAIRS))), BOTS[0])
    after = write_report(found, {}, tmp_path, COMMAND)
    assert set(after) < set(before)
    assert {*after, tmp_path / "plots" / "mine.png"} == {
        path for path in tmp_path.rglob("*") if path.is_file()
    }
