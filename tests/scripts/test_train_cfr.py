"""Training full-pack CFR from its flags, stopping it and going on."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

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

SMALL = ("--game_params=ranks=AKQ7;hand_size=3", "--rows=4096")
RULES = Rules.of(ranks="AKQ7", hand_size=3)


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
    output = tmp_path / "deep" / "cfr.npz"
    assert call(*SMALL, "--iterations=700", "--seed=3", f"--output={output}") == 0
    said = capsys.readouterr().err
    assert said.startswith("a table of 4,096 rows, 0.4 MB\n")
    assert "700 iterations" in said
    assert "points a deal against the sense of cards" in said
    expected = Training(RULES, 3, rows=4096)
    expected.run(700)
    found = read_policy(output, RULES)
    assert found.iterations == 700
    assert (found.buckets == expected.policy().buckets).all()
    assert (found.shares == expected.policy().shares).all()
    make_bot(f"cfr:{output}", load({"ranks": "AKQ7", "hand_size": 3}), 0, 1)


def test_going_on_gives_the_same_file(tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole.npz", tmp_path / "parts.npz"
    assert call(*SMALL, "--iterations=1200", f"--output={whole}") == 0
    assert call(*SMALL, "--iterations=300", f"--output={parts}", "--resume") == 0
    assert call(*SMALL, "--iterations=1200", f"--output={parts}", "--resume") == 0
    assert whole.read_bytes() == parts.read_bytes()


def test_ends_after_the_minutes_given(tmp_path: Path) -> None:
    output = tmp_path / "cfr.npz"
    assert call(*SMALL, "--minutes=0.01", "--checkpoint_minutes=0", f"--output={output}") == 0
    assert read_policy(output, RULES).iterations >= 500


def test_profiles_are_heeded(tmp_path: Path) -> None:
    output = tmp_path / "cfr.npz"
    assert call("--profile=dutch", *SMALL, "--iterations=20", f"--output={output}") == 0
    read_policy(output, Rules.of(profile="dutch", ranks="AKQ7", hand_size=3))


def test_files_pass_the_check_of_bots(tmp_path: Path) -> None:
    output = tmp_path / "cfr.npz"
    assert call("--iterations=300", "--rows=16384", f"--output={output}") == 0
    assert call_check_bot(f"--bot=cfr:{output}", "--deals=2") == 0
    assert call_check_bot(f"--bot=cfr:{output},pure=no", "--deals=2") == 0
    assert check_bot.SOMETHING_WRONG == 1


def start(output: Path, *words: str) -> "subprocess.Popen[str]":
    """A training in a process of its own that has written a checkpoint."""
    command = [sys.executable, "-m", "scripts.train_cfr", *SMALL, f"--output={output}"]
    command += ["--resume", "--checkpoint_minutes=0", *words]
    process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + 120
    while not output.exists() and process.poll() is None and time.monotonic() < end:
        time.sleep(0.05)
    assert output.exists()
    return process


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_stopped_trainings_go_on(number: signal.Signals, tmp_path: Path) -> None:
    output = tmp_path / "cfr.npz"
    process = start(output, "--iterations=100000000")
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    assert process.returncode == (130 if number == signal.SIGINT else -signal.SIGKILL)
    if number == signal.SIGINT:
        assert "stopped; the same command with --resume goes on" in said
    checkpoint = train_cfr.checkpoint_of(output)
    after = Training.load(checkpoint, RULES).iterations
    assert after > 0
    assert call(*SMALL, "--resume", f"--iterations={after + 100}", f"--output={output}") == 0
    expected = Training(RULES, 1, rows=4096)
    expected.run(after + 100)
    found = Training.load(checkpoint, RULES)
    assert found.iterations == after + 100
    assert (found._regrets == expected._regrets).all()
    assert np.array_equal(read_policy(output, RULES).shares, expected.policy().shares)


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
    "rows": (["--rows=1000"], "rows: 1000 is not allowed; it must be a power of two"),
    "flag": (["--row=1"], "Unknown command line flag 'row'"),
    "no number": (["--iterations=x"], "iterations"),
}


@pytest.mark.parametrize(("words", "why"), BAD_WORDS.values(), ids=BAD_WORDS.keys())
def test_bad_words_are_one_sentence_and_exit_code_2(
    words: list[str], why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(f"--output={tmp_path / 'cfr.npz'}", *words) == 2
    said = capsys.readouterr().err
    assert said.startswith("train_cfr: ")
    assert why in said
    assert said.count("\n") == 1
    assert not [*tmp_path.iterdir()]


def test_trainings_are_not_begun_anew_by_mistake(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = (*SMALL, "--iterations=20", f"--output={tmp_path / 'cfr.npz'}")
    assert call(*words) == 0
    capsys.readouterr()
    assert call(*words) == 2
    assert "there is a training already" in capsys.readouterr().err
    assert call("--profile=dutch", *words, "--resume") == 2
    assert "it was trained for deals(profile=english" in capsys.readouterr().err
    os.truncate(tmp_path / "cfr.npz.checkpoint", 100)
    assert call(*words, "--resume") == 2
    assert "it is damaged" in capsys.readouterr().err
