"""Training full-pack CFR from its flags, stopping it and going on."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from bots.registry import make_bot
from marjolet_spiel.rules import Rules
from marjolet_spiel.solvers.blueprint.file import read_policy
from marjolet_spiel.solvers.blueprint.training import Training
from scripts import check_bot, train_cfr
from tests.places import ROOT
from tests.positions import load
from tests.scripts.test_check_bot import call as call_check_bot
from tests.variants import mostly_slow

SMALL = ("--game_params=ranks=AKQ7;hand_size=3", "--rows=4096")
RULES = Rules.of(ranks="AKQ7", hand_size=3)
POLICY = "policy.npz"


def call(*words: str) -> int:
    """The exit code of ``python -m scripts.train_cfr`` with these flags."""
    try:
        return train_cfr.main(train_cfr.parse_flags(["train_cfr", *words]))
    except SystemExit as stop:
        return int(stop.code or 0)
    finally:
        train_cfr.FLAGS.unparse_flags()
        for name in train_cfr.FLAGS:
            train_cfr.FLAGS[name].unparse()


def test_trains_a_file_that_plays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "deep" / "cfr"
    assert call(*SMALL, "--iterations=700", "--seed=3", f"--output={output}") == 0
    said = capsys.readouterr().err
    assert said.startswith("a table of 4,096 rows, 0.4 MB\n")
    assert "700 iterations" in said
    assert "points a deal against the heuristic policy" in said
    expected = Training(RULES, 3, rows=4096)
    expected.run(700)
    found = read_policy(output / POLICY, RULES)
    assert found.iterations == 700
    assert (found.buckets == expected.policy().buckets).all()
    assert (found.shares == expected.policy().shares).all()
    make_bot(f"cfr:{output}/{POLICY}", load({"ranks": "AKQ7", "hand_size": 3}), 0, 1)


def test_going_on_gives_the_same_file(tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    assert call(*SMALL, "--iterations=1200", f"--output={whole}") == 0
    assert call(*SMALL, "--iterations=300", f"--output={parts}") == 0
    assert call(*SMALL, "--iterations=1200", f"--output={parts}") == 0
    assert (whole / POLICY).read_bytes() == (parts / POLICY).read_bytes()


def test_ends_after_the_minutes_given(tmp_path: Path) -> None:
    output = tmp_path / "cfr"
    assert call(*SMALL, "--minutes=0.01", "--checkpoint_minutes=0", f"--output={output}") == 0
    assert read_policy(output / POLICY, RULES).iterations >= 500


def test_profiles_are_heeded(tmp_path: Path) -> None:
    output = tmp_path / "cfr"
    assert call("--profile=dutch", *SMALL, "--iterations=20", f"--output={output}") == 0
    read_policy(output / POLICY, Rules.of(profile="dutch", ranks="AKQ7", hand_size=3))


@pytest.mark.usefixtures("one_process")
def test_files_pass_the_check_of_bots(tmp_path: Path) -> None:
    output = tmp_path / "cfr"
    assert call("--iterations=300", "--rows=16384", f"--output={output}") == 0
    assert call_check_bot(f"--bot=cfr:{output}/{POLICY}", "--deals=2") == 0
    assert call_check_bot(f"--bot=cfr:{output}/{POLICY},pure=no", "--deals=2") == 0
    assert check_bot.SOMETHING_WRONG == 1


def start(output: Path, *words: str) -> "subprocess.Popen[str]":
    """A training in a process of its own that has written a checkpoint."""
    command = [sys.executable, "-m", "scripts.train_cfr", *SMALL, f"--output={output}"]
    command += ["--checkpoint_minutes=0", *words]
    process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + 120
    while not (output / POLICY).exists() and process.poll() is None and time.monotonic() < end:
        time.sleep(0.05)
    assert (output / POLICY).exists()
    return process


@pytest.mark.parametrize(
    "number", mostly_slow([signal.SIGINT, signal.SIGKILL], quick=[signal.SIGINT])
)
def test_stopped_trainings_go_on(number: signal.Signals, tmp_path: Path) -> None:
    output = tmp_path / "cfr"
    process = start(output, "--iterations=100000000")
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    assert process.returncode == (130 if number == signal.SIGINT else -signal.SIGKILL)
    if number == signal.SIGINT:
        assert "stopped; the same command goes on" in said
    checkpoint = output / "checkpoint.npz"
    after = Training.load(checkpoint, RULES).iterations
    assert after > 0
    assert call(*SMALL, f"--iterations={after + 100}", f"--output={output}") == 0
    expected = Training(RULES, 1, rows=4096)
    expected.run(after + 100)
    found = Training.load(checkpoint, RULES)
    assert found.iterations == after + 100
    assert (found._table.regrets == expected._table.regrets).all()
    assert np.array_equal(read_policy(output / POLICY, RULES).shares, expected.policy().shares)


BAD_WORDS = {
    "word": (["now"], "unknown argument 'now'; see --help"),
    "profile": (["--profile=french"], "profile: 'french' is not allowed"),
    "parameter": (["--game_params=suits=3"], "parameter: 'suits' is unknown"),
    "both": (["--iterations=5", "--minutes=1"], "minutes: goes without --iterations"),
    "iterations": (["--iterations=0"], "iterations: 0 is not allowed"),
    "minutes": (["--minutes=-1"], "minutes: -1.0 is not allowed"),
    "no minutes": (["--minutes=nan"], "minutes: nan is not allowed"),
    "checkpoints": (["--checkpoint_minutes=-1"], "checkpoint_minutes: -1.0 is not allowed"),
    "seed": (["--seed=-1"], "seed: -1 is not allowed"),
    "match": (["--target=300"], "--target: 300 is not allowed; deals are trained"),
    "rows": (["--rows=1000"], "rows: 1000 is not allowed; it must be a power of two"),
    "flag": (["--row=1"], "--row: there is no such flag; did you mean --rows? see --help"),
    "no number": (
        ["--iterations=x"],
        "--iterations: 'x' is not allowed; it must be a whole number",
    ),
}


@pytest.mark.parametrize(("words", "why"), BAD_WORDS.values(), ids=BAD_WORDS.keys())
def test_bad_words_are_one_sentence_and_exit_code_2(
    words: list[str], why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(f"--output={tmp_path / 'cfr'}", *words) == 2
    said = capsys.readouterr().err
    assert said.startswith("train_cfr: ")
    assert why in said
    assert said.count("\n") == 1
    assert not [*tmp_path.iterdir()]


OTHERS = {
    "game": ["--profile=dutch"],
    "seed": ["--seed=2"],
    "rows": ["--rows=8192"],
}


def test_trainings_are_not_mixed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = (*SMALL, "--iterations=20", f"--output={tmp_path}")
    assert call(*words) == 0
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    assert set(before) == {tmp_path / name for name in (POLICY, "checkpoint.npz", "run.json")}
    for name, others in OTHERS.items():
        capsys.readouterr()
        assert call(*words, *others) == 2
        error = capsys.readouterr().err
        assert error.startswith(f"train_cfr: --{name}: the results in {tmp_path} were made with ")
        assert error.endswith("; give it as it was, or choose another --output\n")
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
    (tmp_path / "run.json").unlink()  # then the checkpoint itself knows
    assert call(*words, *OTHERS["game"]) == 2
    assert "it was trained for deals(profile=english" in capsys.readouterr().err
    os.truncate(tmp_path / "checkpoint.npz", 100)
    assert call(*words) == 2
    assert "it is damaged" in capsys.readouterr().err
    (tmp_path / "run.json").write_text("[3]")
    assert call(*words) == 2
    assert "run.json cannot be read" in capsys.readouterr().err


def test_a_file_is_no_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "cfr.npz").write_bytes(b"mine")
    assert call(*SMALL, "--iterations=20", f"--output={tmp_path / 'cfr.npz'}") == 2
    assert "cfr.npz cannot be used for results; it is no folder" in capsys.readouterr().err
    assert (tmp_path / "cfr.npz").read_bytes() == b"mine"


class Clock:
    """A clock that goes on by a second whenever a training runs."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        self.saved: list[float] = []
        self.margins: list[float] = []
        train = Training.run

        def run(training: Training, iterations: int) -> None:
            self.now += 1
            train(training, iterations)

        def margin(_: Training, pairs: int, seed: int) -> tuple[float, float]:
            self.margins.append(self.now - 100)
            return 0.0, 1.0

        monkeypatch.setattr(Training, "run", run)
        monkeypatch.setattr(Training, "margin", margin)
        monkeypatch.setattr(train_cfr, "time", SimpleNamespace(monotonic=lambda: self.now))
        monkeypatch.setattr(train_cfr, "_CHUNK", 1)
        monkeypatch.setattr(train_cfr, "save", lambda *_: self.saved.append(self.now - 100))


def trained(seconds: float, save_every: float, folder: Path) -> None:
    """Trains for some seconds of a clock."""
    job = train_cfr.Job("python_marjolet(ranks=AKQ7,hand_size=3)", 1, 4096, folder)
    assert train_cfr.train(Training(RULES, 1, rows=4096), job, None, seconds, save_every)


def test_checkpoints_are_written_when_they_are_due(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock(monkeypatch)
    trained(10, 3, tmp_path)  # looked at before a second of training, saved after it
    assert clock.saved == [4, 7, 10, 10]
    assert clock.margins == [6]
    clock.saved.clear()
    clock.now = 100
    trained(4, 0, tmp_path)
    assert clock.saved == [1, 2, 3, 4, 4]
    clock.saved.clear()
    clock.now = 100
    trained(30, 1000, tmp_path)
    assert clock.saved == [30]
    assert clock.margins == [6, 6, 26]


def test_what_was_done_late_is_not_done_again_at_once() -> None:
    due = train_cfr.Due(3.0, 3.0)
    assert [due.is_due(now) for now in (2.9, 10.0, 12.9, 13.0)] == [False, True, False, True]
