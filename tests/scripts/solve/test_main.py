"""``python -m scripts.solve``: from its flags to its files."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyspiel
import pytest
from absl.testing import flagsaver

from bots.registry import make_bot
from marjolet_spiel.rules import ladder
from marjolet_spiel.solvers.policy_file import load_table
from marjolet_spiel.solvers.tabular.solvers import make_solver
from marjolet_spiel.solvers.tabular.tree import build_tree
from scripts.command_line import StopSign
from scripts.solve import __main__ as solve
from scripts.solve import runners
from scripts.solve.curve import Point, read_curve, write_curve
from tests.places import ROOT
from tests.variants import mostly_slow


def call(*words: str) -> int:
    """The exit code of ``python -m scripts.solve`` with these flags."""
    saved = flagsaver.save_flag_values(solve.FLAGS)
    try:
        return solve.main(solve.parse_flags(["solve", *words]))
    except SystemExit as stop:
        return int(stop.code or 0)
    finally:
        flagsaver.restore_flag_values(saved, solve.FLAGS)


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is drawn: it would take most of the time."""
    monkeypatch.setattr(solve, "draw", lambda *_: None)


undrawn_too = pytest.mark.usefixtures("undrawn")


def checkpoint_of(folder: Path) -> dict[str, np.ndarray]:
    """The arrays of a checkpoint."""
    with np.load(folder / "checkpoint.npz") as data:
        return dict(data)


def test_whole_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    assert call("--iterations=30", f"--output={out}") == 0
    printed = capsys.readouterr().out
    assert "10,548 histories, 2,196 of them ends; 1,404 information sets" in printed
    assert f"plays as policy:{out}/policy.npz" in printed
    points = read_curve(out / "curve.csv")
    assert [point.iteration for point in points] == [1, 2, 3, 4, 6, 10, 16, 25, 30]
    assert [point.seconds for point in points] == sorted(point.seconds for point in points)
    tree = build_tree(ladder()["qj7"].rules)
    solver = make_solver(tree, "cfr+")
    solver.run(30)
    policy = solver.average_policy()
    assert points[-1].exploitability == tree.exploitability(policy)
    assert points[-1].value == tree.expected_value(policy)
    assert load_table(out / "policy.npz", tree.game) == tree.table(policy)
    assert (out / "curve.png").read_bytes().startswith(b"\x89PNG")
    assert "exploitability" in (out / "curve.svg").read_text(encoding="utf-8")
    assert json.loads((out / "run.json").read_text())["algorithm"] == "cfr+"


@undrawn_too
def test_policy_plays(tmp_path: Path) -> None:
    assert call("--iterations=5", f"--output={tmp_path}") == 0
    game = pyspiel.load_game(ladder()["qj7"].game)
    bots = [make_bot(f"policy:{tmp_path}/policy.npz", game, player, 1) for player in range(2)]
    returns = pyspiel.evaluate_bots(game.new_initial_state(), bots, 3)
    assert sum(returns) == 0


@undrawn_too
@pytest.mark.parametrize("algorithm", [name for name in runners.NAMES if name[:3] != "os:"])
def test_resumed_runs_are_the_same(algorithm: str, tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    same = ["--pack=qj7", f"--algorithm={algorithm}", "--seed=3"]
    assert call(*same, "--iterations=50", f"--output={whole}") == 0
    assert call(*same, "--iterations=20", f"--output={parts}") == 0
    assert call(*same, "--iterations=50", f"--output={parts}") == 0
    arrays = checkpoint_of(whole)
    assert all((array == arrays[name]).all() for name, array in checkpoint_of(parts).items())
    once, twice = (read_curve(folder / "curve.csv") for folder in (whole, parts))
    worth = {point.iteration: (point.exploitability, point.value) for point in twice}
    assert {20, *(point.iteration for point in once)} == {*worth}
    assert all((p.exploitability, p.value) == worth[p.iteration] for p in once)
    assert (whole / "policy.npz").read_bytes() == (parts / "policy.npz").read_bytes()


@undrawn_too
def test_points_after_the_checkpoint_are_measured_again(tmp_path: Path) -> None:
    same = ["--iterations=20", f"--output={tmp_path}"]
    assert call(*same) == 0
    points = read_curve(tmp_path / "curve.csv")
    write_curve(tmp_path / "curve.csv", [*points, Point(25, 9.0, 9.0, 9.0)])
    assert call("--iterations=25", f"--output={tmp_path}") == 0
    again = read_curve(tmp_path / "curve.csv")
    assert again[:-1] == points
    assert again[-1].iteration == 25
    assert again[-1].exploitability < 1


@pytest.mark.parametrize("algorithm", mostly_slow(["cfr", "cfr+"], quick=["cfr+"]))
def test_openspiel_is_measured_on_the_same_footing(algorithm: str, tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    words = ["--iterations=10", f"--output={ours}", "--openspiel_order"]
    assert call(f"--algorithm={algorithm}", *words) == 0
    words = [f"--output={theirs}", f"--compare={ours}", "--iterations=10"]
    assert call(f"--algorithm=os:{algorithm}", *words) == 0
    for one, two in zip(*(read_curve(f / "curve.csv") for f in (ours, theirs)), strict=True):
        assert one.iteration == two.iteration
        assert one.exploitability == pytest.approx(two.exploitability, abs=1e-9)
        assert one.value == pytest.approx(two.value, abs=1e-9)
    assert not (theirs / "checkpoint.npz").exists()
    svg = (theirs / "curve.svg").read_text(encoding="utf-8")
    assert f"os:{algorithm}" in svg
    assert "ours" in svg


@pytest.mark.slow
def test_mirror_descent_of_openspiel_gets_better(tmp_path: Path) -> None:
    game = "--game=python_marjolet(num_suits=3,ranks=QJ,hand_size=2,first_dealer=0)"
    assert call(game, "--algorithm=os:mmd", "--iterations=8", f"--output={tmp_path}") == 0
    points = read_curve(tmp_path / "curve.csv")
    assert points[-1].iteration == 8
    assert points[-1].exploitability < 0.9 * points[0].exploitability


def test_mirror_descent_is_for_the_smallest_packs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--pack=kqj7-dutch", "--algorithm=os:mmd", f"--output={tmp_path}"]
    assert call(*words) == 2
    assert "OpenSpiel can have 20,000" in capsys.readouterr().err


@undrawn_too
@pytest.mark.parametrize(
    "algorithm", mostly_slow(["os:es-mccfr", "os:os-mccfr"], quick=["os:es-mccfr"])
)
def test_sampling_of_openspiel_is_measured(algorithm: str, tmp_path: Path) -> None:
    assert call(f"--algorithm={algorithm}", "--iterations=3000", f"--output={tmp_path}") == 0
    points = read_curve(tmp_path / "curve.csv")
    assert points[-1].exploitability < 0.9 * points[0].exploitability
    tree = build_tree(ladder()["qj7"].rules)
    theirs = pyspiel.convert_to_cached_tree(tree.game)
    table = load_table(tmp_path / "policy.npz", tree.game)
    nash_conv = pyspiel.nash_conv(theirs, pyspiel.TabularPolicy(table))
    assert points[-1].exploitability == pytest.approx(nash_conv / 2)


@undrawn_too
def test_games_as_text_are_solved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    game = "python_marjolet(num_suits=3,ranks=QJ,hand_size=2)"
    assert call(f"--game={game}", "--algorithm=es-mccfr", "--iterations=3") == 0
    (folder,) = (tmp_path / "results").iterdir()
    assert folder.name == "solve-python_marjolet-num_suits-3-ranks-QJ-hand_size-2-es-mccfr"


@undrawn_too
def test_large_policies_are_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(solve, "MAX_POLICY_STATES", 5783)
    assert call("--iterations=3", f"--output={tmp_path}") == 0
    assert "no policy.npz: 5,784 information states are too many" in capsys.readouterr().out
    assert not (tmp_path / "policy.npz").exists()
    assert (tmp_path / "checkpoint.npz").exists()


def test_curves_need_matplotlib_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert call("--iterations=3", f"--output={tmp_path}") == 0
    assert "solve: no curve is drawn, as matplotlib is not installed" in capsys.readouterr().err
    assert read_curve(tmp_path / "curve.csv")
    assert not (tmp_path / "curve.png").exists()


# --- Ctrl-C -------------------------------------------------------------------------------------


def test_ctrl_c_ends_a_run_that_can_go_on(tmp_path: Path) -> None:
    words = ["--pack=qj7", "--iterations=100000000", f"--output={tmp_path}"]
    command = [sys.executable, "-m", "scripts.solve", *words]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, text=True
    ) as run:
        deadline = time.monotonic() + 60
        while not (tmp_path / "checkpoint.npz").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        run.send_signal(signal.SIGINT)
        out, error = run.communicate(timeout=60)
    assert run.returncode == 130, error
    assert "Traceback" not in error
    assert f"results in {tmp_path}" in out
    points = read_curve(tmp_path / "curve.csv")
    assert checkpoint_of(tmp_path)["iteration"] == points[-1].iteration
    assert {"policy.npz", "curve.png", "run.json"} <= {path.name for path in tmp_path.iterdir()}
    more = points[-1].iteration + 5
    assert call("--pack=qj7", f"--iterations={more}", f"--output={tmp_path}") == 0
    assert read_curve(tmp_path / "curve.csv")[-1].iteration == more


def test_second_ctrl_c_ends_it_at_once() -> None:
    with StopSign() as stop:
        os.kill(os.getpid(), signal.SIGINT)
        assert stop.is_set
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


# --- what is refused ----------------------------------------------------------------------------

WRONG = {
    "word": (["word"], "unknown argument 'word'"),
    "flag": (["--nothing=1"], "--nothing: there is no such flag"),
    "pack": (["--pack=kqj8"], "--pack: 'kqj8' is not allowed; it must be one of qj7, "),
    "game": (["--game=python_marjolet(ranks=XY)"], "ranks: 'XY' is not allowed"),
    "open game": (["--game=python_marjolet_open"], "game: 'python_marjolet_open' is not allowed"),
    "algorithm": (["--algorithm=cfr-"], "--algorithm: 'cfr-' is not allowed; it must be cfr, "),
    "iterations": (
        ["--iterations=0"],
        "iterations: 0 is not allowed; it must be a whole number from 1",
    ),
    "seed": (["--seed=-1"], "seed: -1 is not allowed"),
    "memory": (
        ["--memory=0"],
        "--memory: 0 is not allowed; it must be a number of gigabytes above 0",
    ),
    "too large": (["--pack=kqj7-dutch", "--memory=0.001"], "it is too large"),
    "full pack": (["--game=python_marjolet"], "it is too large; about 1e+"),
    "two games": (
        ["--pack=qj7", "--profile=dutch"],
        "--pack: cannot be given together with --prof",
    ),
    "seed of OpenSpiel": (["--seed=2147483648"], "seed: 2147483648 is not allowed"),
    "compare": (
        ["--compare=nowhere"],
        "curve 'nowhere/curve.csv': cannot be read (No such file or",
    ),
}


@pytest.mark.parametrize(("words", "message"), WRONG.values(), ids=WRONG.keys())
def test_bad_input_is_one_sentence(
    words: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(f"--output={tmp_path / 'out'}", *words) == 2
    printed = capsys.readouterr()
    assert message in printed.err
    assert printed.err.count("\n") == 1
    assert not (tmp_path / "out").exists()


OTHERS = {
    "game": ["--pack=qj"],
    "algorithm": ["--algorithm=cfr"],
    "seed": ["--seed=2"],
    "openspiel_order": ["--openspiel_order"],
}


@undrawn_too
def test_runs_are_not_mixed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = f"--output={tmp_path}"
    assert call("--iterations=3", out) == 0
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    for name, words in OTHERS.items():
        capsys.readouterr()
        assert call("--iterations=5", out, *words) == 2
        error = capsys.readouterr().err
        assert error.startswith(f"solve: --{name}: the results in {tmp_path} were made with ")
        assert error.endswith("; give it as it was, or choose another --output\n")
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
    curve = tmp_path / "curve.csv"
    curve.write_text("".join(curve.read_text().splitlines(keepends=True)[:-1]))
    whole = (tmp_path / "checkpoint.npz").read_bytes()
    for lines in (curve.read_text(), curve.read_text().splitlines(keepends=True)[0]):
        curve.write_text(lines)
        assert call("--iterations=5", out) == 2
        assert "lacks iteration 3 of the checkpoint beside it" in capsys.readouterr().err
        assert (tmp_path / "checkpoint.npz").read_bytes() == whole
    (tmp_path / "checkpoint.npz").write_bytes(b"half")
    assert call("--iterations=5", out) == 2
    assert "checkpoint" in capsys.readouterr().err
    (tmp_path / "run.json").write_text("{")
    assert call("--iterations=5", out) == 2
    assert "run.json cannot be read" in capsys.readouterr().err


@undrawn_too
def test_runs_that_learnt_nothing_yet_begin_anew(tmp_path: Path) -> None:
    assert call("--iterations=4", f"--output={tmp_path}") == 0
    (tmp_path / "checkpoint.npz").unlink()  # as if it was ended before the first one
    assert call("--iterations=3", f"--output={tmp_path}") == 0
    assert [point.iteration for point in read_curve(tmp_path / "curve.csv")] == [1, 2, 3]


@undrawn_too
def test_finished_runs_are_shown_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("--iterations=6", f"--output={tmp_path}") == 0
    first, before = capsys.readouterr().out, checkpoint_of(tmp_path)
    assert call("--iterations=6", f"--output={tmp_path}") == 0
    assert capsys.readouterr().out == first
    assert all((array == before[name]).all() for name, array in checkpoint_of(tmp_path).items())


@undrawn_too
def test_openspiel_cannot_go_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--algorithm=os:cfr", "--iterations=3", f"--output={tmp_path}"]
    assert call(*words) == 0
    before = (tmp_path / "curve.csv").read_bytes()
    assert call(*words) == 2
    assert "os:cfr cannot go on with it" in capsys.readouterr().err
    assert (tmp_path / "curve.csv").read_bytes() == before


def test_openspiel_is_not_given_what_it_cannot_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(runners, "MAX_HISTORIES", 10_547)
    assert call("--algorithm=os:cfr", f"--output={tmp_path}") == 2
    assert "os:cfr is not allowed for a game of 10,548 histories" in capsys.readouterr().err
