"""Training networks from flags: what is written, stopping and going on, what is refused."""

import json
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("jax")
pytest.importorskip("optax")

from bots.registry import make_bot
from marjolet_spiel.rules import ladder
from marjolet_spiel.solvers.network import read_network
from scripts.train_net import __main__ as front_end
from scripts.train_net.hyperparameters import Hyperparameters, parse_hyperparameters
from scripts.train_net.results import Result, read_results, write_results
from scripts.train_net.training import Training
from tests.positions import load
from tests.scripts.front_ends import assert_refused, call_main

TINY = (
    "--hyperparameters=width=8;layers=2;critic_width=8;critic_layers=2;minibatch=16;envs=4;steps=6",
    "--opponents=random",
    "--pairs=4",
)
SMALL = (*TINY, "--pack=kqj7-english", "--lessons=4", "--evaluations=2")
RULES = ladder()["kqj7-english"].rules


def call(*words: object) -> int:
    """The exit code of ``python -m scripts.train_net`` with these words."""
    return call_main(front_end, *words)


def contents(folder: Path) -> dict[str, bytes]:
    """The files of a training, without how long it took."""
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    for name in ("run.json", "evaluations.jsonl"):
        files[name] = b""
    return files


def without_minutes(folder: Path) -> list[tuple[Any, ...]]:
    """What evaluations found."""
    found = read_results(folder / "evaluations.jsonl")
    return [(r.lesson, r.deals, r.opponent, r.mean, r.low, r.high) for r in found]


def test_trains_a_file_that_plays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "deep" / "net"
    assert call(*SMALL, "--seed=3", f"--output={folder}") == 0
    out, err = capsys.readouterr()
    assert "4 lessons, 96 decisions," in out
    assert "against random" in out
    assert "curve.png" in out
    assert "lesson 2," in err
    assert {path.name for path in folder.iterdir()} == {
        *("net.npz", "checkpoint.npz", "run.json", "evaluations.jsonl", "curve.png", "curve.svg"),
    }
    assert [line[0] for line in without_minutes(folder)] == [2, 4]
    make_bot(f"net:{folder}/net.npz", load(ladder()["kqj7-english"].parameters), 0, 1)
    expected = Training([RULES], parse_hyperparameters(TINY[0].partition("=")[2]), 4, 3)
    for _ in range(4):
        expected.take_lesson()
    found = read_network(folder / "net.npz", RULES)
    wanted = expected.network()
    assert np.allclose(found.weights, wanted.weights.astype(np.float16))


def test_all_four_profiles_are_trained_by_default(tmp_path: Path) -> None:
    assert call(*TINY, "--lessons=1", "--evaluations=1", f"--output={tmp_path}") == 0
    games = json.loads((tmp_path / "run.json").read_text())["game"]
    assert len(games) == 4
    assert len(read_results(tmp_path / "evaluations.jsonl")) == 4
    for profile in ("english", "spanish", "swedish", "dutch"):
        make_bot(f"net:{tmp_path}/net.npz", load({"profile": profile, "target": 300}), 0, 1)


def test_ctrl_c_loses_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    assert call(*SMALL, f"--output={whole}") == 0
    lesson = Training.take_lesson

    def interrupted(training: Training) -> None:
        lesson(training)
        if training.lesson == 3:
            signal.raise_signal(signal.SIGINT)

    with monkeypatch.context() as patch:
        patch.setattr(Training, "take_lesson", interrupted)
        assert call(*SMALL, f"--output={parts}") == 130
    assert "the same command goes on" in capsys.readouterr().err
    assert call(*SMALL, f"--output={parts}") == 0
    assert "going on after 3 lessons" in capsys.readouterr().err
    assert contents(whole) == contents(parts)
    assert without_minutes(whole) == without_minutes(parts)
    assert call(*SMALL, f"--output={parts}") == 0  # nothing is left to do
    assert contents(whole) == contents(parts)


def test_a_crash_costs_what_was_done_since_the_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    assert call(*SMALL, f"--output={whole}") == 0
    lesson = Training.take_lesson

    def crashing(training: Training) -> None:
        if training.lesson == 3:
            raise MemoryError
        lesson(training)

    with monkeypatch.context() as patch:
        patch.setattr(Training, "take_lesson", crashing)
        with pytest.raises(MemoryError):
            call(*SMALL, f"--output={parts}")
    assert call(*SMALL, f"--output={parts}") == 0
    assert contents(whole) == contents(parts)
    assert without_minutes(whole) == without_minutes(parts)


def test_learning_that_diverges_goes_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lesson: Callable[[Training], None] = Training.take_lesson
    broken = []

    def breaking(training: Training) -> None:
        lesson(training)
        if training.lesson == 3 and not broken:
            broken.append(training)
            actor = {name: array * np.nan for name, array in training.learnt.actor.items()}
            training.learnt = training.learnt._replace(actor=actor)

    monkeypatch.setattr(Training, "take_lesson", breaking)
    assert call(*SMALL, f"--output={tmp_path}") == 0
    said = capsys.readouterr().err
    assert "learning diverged in lesson 4 (a policy is no number)" in said
    assert "going on from lesson 2 with other random numbers" in said
    assert [line[0] for line in without_minutes(tmp_path)] == [2, 4]
    assert np.isfinite(read_network(tmp_path / "net.npz", RULES).weights).all()


def test_learning_that_always_diverges_ends(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [word.replace("width=8;", "width=8;rate=1e38;", 1) for word in SMALL]
    assert call(*words, f"--output={tmp_path}") == 2
    assert "went back to a checkpoint 5 times before; a lower rate" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--lessons=0"], "lessons: 0 is not allowed"),
        (["--pairs=1"], "pairs: 1 is not allowed"),
        (["--evaluations=-1"], "evaluations: -1 is not allowed"),
        (["--seed=-1"], "seed: -1 is not allowed"),
        (["--deal_seed=-1"], "deal_seed: -1 is not allowed"),
        (["--checkpoint_minutes=-1"], "checkpoint_minutes: -1.0 is not allowed"),
        (["--pack=none"], "--pack: 'none' is not allowed; it must be one of"),
        (["--pack=qj7", "--profile=dutch"], "--pack: cannot be given together with --profile"),
        (["--target=300"], "--target: deals are trained"),
        (["--opponents=cheat"], "--opponents: 'cheat' is not allowed"),
        (["--opponents=nobody"], "nobody"),
        (["--hyperparameters=wide=3"], "hyperparameters: 'wide=3' is not allowed; they read NAME="),
        (["--hyperparameters=width"], "hyperparameters: 'width' is not allowed"),
        (["--hyperparameters=width=3;width=4"], "hyperparameters: width is given twice"),
        (["--hyperparameters=width=x"], "width: 'x' is not allowed; it must be a whole number abo"),
        (["--hyperparameters=width=0"], "width: 0 is not allowed; it must be a whole number above"),
        (["--hyperparameters=trace=1.5"], "trace: 1.5 is not allowed; it must be a number from 0"),
        (["--hyperparameters=rate=nan"], "rate: nan is not allowed; it must be a number above 0"),
        (["--hyperparameters=targets=some"], "targets: some is not allowed; it must be taken or a"),
        (["--game=python_marjolet", "--game=python_marjolet(ranks=AKQ7,hand_size=3)"], "--game: g"),
        (["more"], "unknown argument 'more'"),
    ],
)
def test_wrong_flags_are_refused(
    words: list[str], why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert_refused(call(*words, f"--output={tmp_path}/net"), why, "train_net", capsys)
    assert not (tmp_path / "net").exists()


def test_other_trainings_and_damaged_files_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(*SMALL, f"--output={tmp_path}") == 0
    capsys.readouterr()
    for more, why in (
        ("--seed=2", "--seed: the results in"),
        ("--lessons=5", "--lessons: the results in"),
        ("--pairs=5", "--pairs: the results in"),
        ("--hyperparameters=width=9", "--hyperparameters: the results in"),
    ):
        assert_refused(call(*SMALL, more, f"--output={tmp_path}"), why, "train_net", capsys)
    for name, why in (
        ("checkpoint.npz", "checkpoint.npz': it is damaged"),
        ("evaluations.jsonl", "evaluations.jsonl: line 1 is damaged"),
        ("run.json", "run.json cannot be read"),
    ):
        path = tmp_path / name
        whole = path.read_bytes()
        path.write_bytes(whole[: len(whole) // 3])
        assert_refused(call(*SMALL, f"--output={tmp_path}"), why, "train_net", capsys)
        path.write_bytes(whole)


def test_results_come_back_and_damage_is_found(tmp_path: Path) -> None:
    path = tmp_path / "evaluations.jsonl"
    assert read_results(path) == []
    results = [
        Result(n, 10 * n, 0.5, "python_marjolet", "greedy", 8, 1.5, -2.0, 5.0) for n in (1, 2)
    ]
    write_results(path, results)
    assert read_results(path) == results
    path.write_text(path.read_text().replace("1.5", "1.6", 1))
    with pytest.raises(ValueError, match="line 1 is damaged: its checksum is wrong"):
        read_results(path)
    path.write_text("{}\n")
    with pytest.raises(ValueError, match="line 1 is damaged: it is no result"):
        read_results(path)


def test_what_is_missing_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "jax", None)
    for name in [*sys.modules]:
        if name.startswith("scripts.train_net.") and not name.endswith("__main__"):
            monkeypatch.delitem(sys.modules, name)
    why = "jax is not installed: pip install -e '.[learn]'"
    assert_refused(call(*SMALL, f"--output={tmp_path}/n"), why, "train_net", capsys)


def test_default_hyperparameters_are_allowed() -> None:
    assert parse_hyperparameters("") == Hyperparameters()
    assert parse_hyperparameters(" width = 5 ; targets=all;") == Hyperparameters(
        width=5, targets="all"
    )
