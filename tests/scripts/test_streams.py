"""Terminals, pipes and disks that do not take what is said."""

import io
import os
import shlex
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from scripts.arena.store.reading import BLOCKS
from scripts.streams import OutputError, SteadyStream, steady_streams
from tests.places import ROOT

FULL = "/dev/full"

needs_full_device = pytest.mark.skipif(not Path(FULL).exists(), reason="there is no full device")

PLAY = ["-m", "scripts.tournament", "--pairs=1", "--seed=3"]

SAYS = """
import sys
from scripts.command_line import refuses
@refuses("program", only_prints={})
def main(argv):
    for number in range(20_000):
        print("a line", number)
    open("done", "w").close()
    return 7
sys.exit(main(sys.argv))
"""


@pytest.mark.parametrize(
    ("encoding", "text", "expected"),
    [
        ("cp1252", "é Ł", "é \\u0141"),
        ("ascii", "±1 🂡", "\\xb11 \\U0001f0a1"),
        ("utf-8", "é Ł \ud800 \udcff", "é Ł \\ud800 \\udcff"),
        ("utf-16", "é Ł \udcff", "é Ł \\udcff"),
        ("latin-1", "a\tb\n", "a\tb\n"),
    ],
)
def test_letters_that_an_encoding_lacks_are_escaped(
    encoding: str, text: str, expected: str
) -> None:
    file = io.BytesIO()
    stream = SteadyStream(io.TextIOWrapper(file, encoding=encoding, newline=""), pytest.fail)
    assert stream.write(text) == len(text)
    stream.writelines([text, text])
    stream.flush()
    assert file.getvalue().decode(encoding) == 3 * expected
    assert stream.encoding == encoding


@needs_full_device
def test_failure_is_told_once_and_no_more_at_the_end() -> None:
    told: list[OSError] = []
    with open(FULL, "w", encoding="utf-8") as full:  # closing it writes what is left
        stream = SteadyStream(full, told.append)
        for _ in range(3):
            print("text", file=stream, flush=True)
        assert not stream.isatty()
    assert [error.strerror for error in told] == ["No space left on device"]


def test_stream_that_was_closed_takes_everything() -> None:
    closed = io.StringIO()
    closed.close()
    stream = SteadyStream(closed, pytest.fail)
    print("text", file=stream, flush=True)
    print("text", file=stream, flush=True)


def test_streams_are_put_back(monkeypatch: pytest.MonkeyPatch) -> None:
    out, err = io.StringIO(), io.StringIO()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    with suppress(KeyError), steady_streams("program"):
        print("said")
        print("told", file=sys.stderr)
        raise KeyError
    assert (sys.stdout, sys.stderr) == (out, err)
    assert (out.getvalue(), err.getvalue()) == ("said\n", "told\n")


@needs_full_device
def test_work_goes_on_unless_it_is_to_print(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with open(FULL, "w", encoding="utf-8") as full:
        monkeypatch.setattr(sys, "stdout", full)
        with steady_streams("program"):
            print("text", flush=True)
        assert capsys.readouterr().err == (
            "program: the output cannot be written (No space left on device)\n"
        )
    with open(FULL, "w", encoding="utf-8") as full:
        monkeypatch.setattr(sys, "stdout", full)
        with pytest.raises(OutputError, match="No space left"), steady_streams("program", False):
            print("text", flush=True)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("only_prints", "output", "code", "done", "said"),
    [
        (False, "| head -1", 7, True, ""),
        (False, ">&-", 7, True, ""),
        (False, ">&- 2>&- <&-", 7, True, ""),
        (False, "> /dev/full", 7, True, "program: the output cannot be written (No space left"),
        (False, "> /dev/full 2> /dev/full", 7, True, ""),
        (True, "| head -1", 0, False, ""),
        (True, "> /dev/full", 2, False, "program: the output cannot be written (No space left"),
    ],
)
@needs_full_device
def test_exit_code_tells_what_happened_and_nothing_is_traced(
    only_prints: bool, output: str, code: int, done: bool, said: str, tmp_path: Path
) -> None:
    program = tmp_path / "program.py"
    program.write_text(SAYS.format(only_prints))
    line = f'{{ "{sys.executable}" program.py; echo $? > code; }} {output}'
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    run = subprocess.run(
        line, shell=True, cwd=tmp_path, capture_output=True, text=True, env=environment
    )
    assert int((tmp_path / "code").read_text()) == code
    assert (tmp_path / "done").exists() == done
    assert run.stderr.startswith(said)
    assert run.stderr.count("\n") == bool(said)


def play(folder: Path, output: str, *words: str, **more: str) -> str:
    """What a tournament says on stderr whose shell line ends like this."""
    command = shlex.join([sys.executable, *PLAY, f"--output={folder}", *words])
    run = subprocess.run(
        ["bash", "-c", f"{command} {output}; exit ${{PIPESTATUS[0]}}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), **more},
    )
    assert run.returncode == 0, run.stderr
    assert "Traceback" not in run.stderr
    return run.stderr


@pytest.fixture(scope="module")
def blocks(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """What a tournament leaves when nothing is wrong with its output."""
    folder = tmp_path_factory.mktemp("plain")
    play(folder, "> /dev/null", "--noreport")
    return (folder / BLOCKS).read_bytes()


@needs_full_device
@pytest.mark.parametrize(
    ("name", "output", "more"),
    [
        ("none", ">&- 2>&- <&-", {}),
        ("full", "> /dev/full", {}),
        ("reader", "| true", {}),
        ("Łódź", "> /dev/null", {"PYTHONIOENCODING": "cp1252"}),
        ("x\udcff", "> /dev/null", {"PYTHONUTF8": "0", "LC_ALL": "C", "TERM": "dumb"}),
    ],
)
def test_tournaments_are_the_same_whatever_their_output_is(
    name: str, output: str, more: dict[str, str], blocks: bytes, tmp_path: Path
) -> None:
    err = play(tmp_path / name, output, **more)
    assert ("the output cannot be written" in err) == (name == "full")
    assert (tmp_path / name / BLOCKS).read_bytes() == blocks
    assert "## Method" in (tmp_path / name / "report.md").read_text(encoding="utf-8")


@needs_full_device
@pytest.mark.parametrize("limit", ["--move_limit=60", "--move_limit=0"])
def test_bots_that_print_do_not_forfeit_for_want_of_an_output(limit: str, tmp_path: Path) -> None:
    bots = ["--bots=tests.scripts.rogues:make:does=prints", "--bots=random", "--noreport", limit]
    play(tmp_path, "> /dev/full 2> /dev/full", *bots, PYTHONIOENCODING="cp1252")
    found = (tmp_path / BLOCKS).read_text(encoding="utf-8")
    assert '"margin"' in found
    assert '"forfeit"' not in found
