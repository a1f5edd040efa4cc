"""The front end that writes the report of a tournament."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from scripts import report as front_end
from scripts.arena.store.manifest import MANIFEST
from scripts.arena.store.reading import BLOCKS
from scripts.arena.store.store import Store
from tests.places import ROOT
from tests.scripts.arena.report.test_markdown import COMMAND, PAIRS
from tests.scripts.arena.results import plan_of, records_of, some_margins
from tests.scripts.front_ends import call_main


def call_report(*words: object) -> int:
    """The exit code of ``python -m scripts.report`` with these words."""
    return call_main(front_end, *words)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A store of two bots."""
    plan = plan_of(2, PAIRS)
    with Store(tmp_path / "store", plan, COMMAND) as store:
        store.extend(records_of(plan, some_margins(2, PAIRS)))
    return tmp_path / "store"


def test_whole_program(folder: Path) -> None:
    pytest.importorskip("matplotlib")
    blocks = (folder / BLOCKS).read_bytes()
    command = [sys.executable, "-m", "scripts.report", str(folder), "--anchor=greedy"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    run = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert run.returncode == 0, run.stderr
    assert run.stdout == f"The report is {folder}/report.md, with 2 pictures in {folder}/plots\n"
    assert (folder / BLOCKS).read_bytes() == blocks
    elsewhere = [path.read_bytes() for path in sorted(folder.rglob("*.*g"))]
    assert len(elsewhere) == 2
    for path in folder.rglob("*.*g"):
        path.unlink()
    text = (folder / "report.md").read_text(encoding="utf-8")
    assert call_report(folder, "--anchor=greedy") == 0  # the same bytes in another process
    assert [path.read_bytes() for path in sorted(folder.rglob("*.*g"))] == elsewhere
    assert (folder / "report.md").read_text(encoding="utf-8") == text
    assert f"--output={folder} " in text
    assert " --anchor=greedy\n" in text


def test_store_without_blocks_is_reported(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / BLOCKS).unlink()
    assert call_report(folder) == 0
    assert capsys.readouterr().out == f"The report is {folder}/report.md\n"
    assert "0 of 2 blocks are finished" in (folder / "report.md").read_text(encoding="utf-8")


def test_torn_line_of_a_run_in_progress_is_left_alone(folder: Path) -> None:
    whole = (folder / BLOCKS).read_bytes()
    (folder / BLOCKS).write_bytes(whole[:-9])
    assert call_report(folder) == 0
    assert (folder / BLOCKS).read_bytes() == whole[:-9]
    assert "1 of 2 blocks are finished" in (folder / "report.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("spoil", "words", "said"),
    [
        (None, [], "name the folder of one tournament: python -m scripts.report FOLDER"),
        (None, ["one", "two"], "name the folder of one tournament: python -m scripts.report"),
        (None, ["{folder}/none"], "{folder}/none: is no store (No such file or directory)"),
        (None, ["{folder}", "--anchor=gredy"], "anchor: 'gredy' does not play; it must be one of"),
        (None, ["{folder}", "--ancor=greedy"], "--ancor: there is no such flag"),
        (MANIFEST, ["{folder}"], "{folder}/manifest.json: this is no manifest of a tournament"),
        (BLOCKS, ["{folder}"], "{folder}/blocks.jsonl: line 1 was changed by hand"),
    ],
)
def test_bad_input_is_one_sentence(
    spoil: str | None,
    words: list[str],
    said: str,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if spoil:
        (folder / spoil).write_text("{}\n", encoding="utf-8")
    assert call_report(*(word.format(folder=folder) for word in words)) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"report: {said.format(folder=folder)}")
    assert err.count("\n") == 1
    assert not (folder / "report.md").exists()


def test_folder_that_cannot_be_written_to_is_one_sentence(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "report.md").mkdir()
    assert call_report(folder) == 2
    assert re.fullmatch(r"report: .*report\.md.*\n", capsys.readouterr().err)
