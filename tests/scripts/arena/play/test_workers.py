"""Workers, and what they leave on disk when they die."""

import functools
import os
import shlex
import signal
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

from bots.registry import specs as registry
from scripts.arena.plan.config import Watch, make_config
from scripts.arena.plan.pairings import Plan
from scripts.arena.play import runner, workers
from scripts.arena.play.workers import make_crew
from scripts.arena.store.lock import LOCK
from scripts.arena.store.manifest import MANIFEST
from scripts.arena.store.reading import BLOCKS, TIMES
from scripts.arena.store.store import Store
from tests.places import ROOT
from tests.scripts.front_ends import assert_refused
from tests.scripts.players import entry, first_action, play_with_dying_bot
from tests.scripts.processes import processes_with
from tests.scripts.test_tournament import call
from tests.variants import mostly_slow

WORDS = ["--bots=random;greedy;random:seed=2", "--pairs=80", "--block_pairs=2", "--target=50"]

NUM_BLOCKS = 120

FLAGS = ["--noreport"]

HERE = "--move_limit=0"
"""Bots play in the workers themselves, not in processes that those watch."""

BIG = Plan(
    make_config(
        *("python_marjolet(target=50)", ["random", "greedy", "random:seed=2"], 80, 1, 2),
        watch=Watch(move_limit=60, memory_limit=4096),
    )
)

each_guard = pytest.mark.parametrize(
    "guard", [HERE, pytest.param("--move_limit=60", marks=pytest.mark.slow)]
)

NO_DASK = pytest.mark.skipif(find_spec("distributed") is None, reason="needs dask[distributed]")

NO_RAY = pytest.mark.skipif(find_spec("ray") is None, reason="needs ray")


@pytest.fixture(scope="module")
def serial(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The results of one process, which are the same whoever watches it."""
    folder = tmp_path_factory.mktemp("serial")
    assert call(*WORDS, HERE, f"--output={folder}") == 0
    return (folder / BLOCKS).read_bytes()


def played_in(folder: Path, *words: str) -> bytes:
    """The results of the tournament with more flags."""
    assert call(*WORDS, f"--output={folder}", *words) == 0
    assert sorted(path.name for path in folder.iterdir()) == [BLOCKS, MANIFEST, TIMES]
    return (folder / BLOCKS).read_bytes()


def table_of(out: str) -> str:
    """What is printed, without the number of blocks that were there and the command."""
    return out[out.index("Margin") : out.index("The store is")]


@pytest.mark.parametrize(
    ("guard", "numbers"),
    [
        (HERE, (1, 2)),
        pytest.param("--move_limit=60", (1, 2, 4), marks=pytest.mark.slow),
    ],
)
def test_any_number_of_workers_gives_the_same_bytes(
    guard: str,
    numbers: tuple[int, ...],
    serial: bytes,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    tables = set()
    for number in numbers:
        folder, words = tmp_path / str(number), [f"--n_jobs={number}"]
        assert played_in(folder, guard, *words) == serial
        out = capsys.readouterr().out
        tables.add(table_of(out))
        assert shlex.split(out.rstrip().splitlines()[-1])[-1:] == words
        assert "n_jobs" not in (folder / MANIFEST).read_text()
    assert len(tables) == 1


@pytest.mark.slow
@NO_DASK
@pytest.mark.parametrize("guard", [HERE, "--move_limit=60"])
def test_dask_gives_the_same_bytes(guard: str, serial: bytes, tmp_path: Path) -> None:
    """Bots play in processes of their own under its workers too."""
    assert played_in(tmp_path, guard, "--n_jobs=2", "--backend=dask") == serial


@NO_RAY
@each_guard
def test_ray_gives_the_same_bytes(guard: str, serial: bytes, tmp_path: Path) -> None:
    assert played_in(tmp_path, guard, "--n_jobs=2", "--backend=ray") == serial


def kill_in_the_middle(command: list[str], folder: Path, how: signal.Signals) -> tuple[int, str]:
    """Sends a signal once some blocks are there; the exit code and what was printed."""
    path, mark = folder / BLOCKS, f"STARTED_IN={folder}"
    environment = {**os.environ, "STARTED_IN": str(folder)}
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env=environment,
        start_new_session=True,
    ) as process:
        while not path.exists() or path.read_bytes().count(b"\n") < 2:
            assert process.poll() is None
            time.sleep(0.005)
        if how == signal.SIGINT:
            os.killpg(process.pid, how)  # as a terminal does
        else:
            process.send_signal(how)
        out, _ = process.communicate(timeout=20)
    deadline = time.monotonic() + 10
    while left := processes_with(mark):
        assert time.monotonic() < deadline, f"still running: {left}"
        time.sleep(0.05)
    return process.returncode, out


@pytest.mark.skipif(os.name == "nt", reason="there is no such signal")
@pytest.mark.parametrize("workers_after", mostly_slow([1, 4], quick=[1]))
def test_killed_run_goes_on_with_other_workers(
    workers_after: int, serial: bytes, tmp_path: Path
) -> None:
    command = [sys.executable, "-m", "scripts.tournament", *WORDS, *FLAGS, f"--output={tmp_path}"]
    code, _ = kill_in_the_middle([*command, "--n_jobs=2"], tmp_path, signal.SIGKILL)
    assert code == -signal.SIGKILL
    assert 2 <= (tmp_path / BLOCKS).read_bytes().count(b"\n") < NUM_BLOCKS
    assert (tmp_path / LOCK).exists()
    assert played_in(tmp_path, f"--n_jobs={workers_after}") == serial


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="there is no such signal")
@pytest.mark.parametrize("guard", [HERE, "--move_limit=60"])
def test_ctrl_c_ends_the_workers_and_keeps_what_is_finished(
    guard: str, serial: bytes, tmp_path: Path
) -> None:
    words = [*WORDS, guard, *FLAGS, f"--output={tmp_path}"]
    command = [sys.executable, "-m", "scripts.tournament", *words]
    code, out = kill_in_the_middle([*command, "--n_jobs=2"], tmp_path, signal.SIGINT)
    assert code == 130
    assert f"of {NUM_BLOCKS} blocks are finished" in out
    assert shlex.split(out.rstrip().splitlines()[-1])[-1] == "--n_jobs=2"
    assert played_in(tmp_path, guard) == serial


@pytest.mark.skipif(os.name == "nt", reason="there is no such signal")
@pytest.mark.parametrize("how", mostly_slow(["SIGTERM", "SIGHUP"], quick=["SIGTERM"]))
def test_order_of_the_system_to_end_is_as_ctrl_c(how: str, serial: bytes, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "scripts.tournament", *WORDS, *FLAGS, f"--output={tmp_path}"]
    code, out = kill_in_the_middle([*command, "--n_jobs=2"], tmp_path, signal.Signals[how])
    assert code == 130
    assert f"of {NUM_BLOCKS} blocks are finished" in out
    assert not (tmp_path / LOCK).exists()
    assert played_in(tmp_path) == serial


@pytest.mark.parametrize(
    "backend", ["loky", pytest.param("dask", marks=[NO_DASK, pytest.mark.slow])]
)
def test_dead_worker_is_one_sentence_and_loses_no_finished_block(
    backend: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    marker = tmp_path / "marker"
    marker.touch()
    monkeypatch.setitem(registry.ENTRIES, "dies", entry("dies", first_action))
    play = functools.partial(play_with_dying_bot, str(marker))
    monkeypatch.setattr(runner, "play_in_worker", play)
    words = ["--bots=random,dies", "--pairs=40", "--block_pairs=1", "--move_limit=0"]
    assert call(*words, f"--output={tmp_path}/one", "--n_jobs=2", f"--backend={backend}") == 4
    out, err = capsys.readouterr()
    assert err.startswith("tournament: a worker died (killed, out of memory, or a bot ended its")
    assert err.count("\n") == 1
    stored = (tmp_path / "one" / BLOCKS).read_bytes().count(b"\n")
    assert 0 < stored < 40
    assert f"stopped: {stored} of 40 blocks are finished" in out
    marker.unlink()
    assert call(*shlex.split(out.rstrip().splitlines()[-1])[3:]) == 0
    assert call(*words, f"--output={tmp_path}/two") == 0
    one, two = ((tmp_path / name / BLOCKS).read_bytes() for name in ("one", "two"))
    assert one == two


def test_complete_but_unordered_store_is_put_in_order(serial: bytes, tmp_path: Path) -> None:
    lines = serial.splitlines(keepends=True)
    with Store(tmp_path, BIG):
        (tmp_path / BLOCKS).write_bytes(b"".join(reversed(lines)))
    assert played_in(tmp_path) == serial


# --- flags --------------------------------------------------------------------------------------

WRONG = {
    "no job": (["--n_jobs=0"], "n_jobs: 0 is not allowed; it must be -1 (all cores) or a whole"),
    "minus": (["--n_jobs=-2"], "n_jobs: -2 is not allowed"),
    "many": (["--n_jobs=1025"], "n_jobs: 1025 is not allowed"),
    "no number": (["--n_jobs=all"], "--n_jobs: 'all' is not allowed; it must be a whole number"),
    "backend": (["--backend=mpi"], "backend: 'mpi' is not allowed; it must be one of serial, l"),
    "serial": (["--backend=serial", "--n_jobs=2"], "'serial' plays with n_jobs=1, not with n_j"),
    "shard": (["--shard=2"], "shard: '2' is not allowed; it reads i/n with i from 1 to n"),
    "shard 0": (["--shard=0/2"], "shard: '0/2' is not allowed"),
    "shard 3": (["--shard=3/2"], "shard: '3/2' is not allowed"),
    "no shard": (["--shard="], "shard: '' is not allowed"),
}


@pytest.mark.parametrize(("words", "why"), WRONG.values(), ids=WRONG.keys())
def test_bad_flags(
    words: list[str], why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert_refused(call(*words, f"--output={tmp_path}/out"), why, "tournament", capsys)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("backend", "module", "extra"),
    [("dask", "distributed", "dask"), ("ray", "ray", "ray"), ("loky", "joblib", "parallel")],
)
def test_missing_backends_say_what_to_install(
    backend: str, module: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "find_spec", lambda name: None if name == module else True)
    with pytest.raises(ValueError, match=rf"{backend}' needs {module}, .*'\.\[{extra}\]' installs"):
        make_crew(2, backend)


def test_all_cores_are_allowed() -> None:
    assert make_crew(-1).backend == "loky"
    assert make_crew().is_serial
