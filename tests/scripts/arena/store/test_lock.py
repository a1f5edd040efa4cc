"""The lock of a store."""

import os
import platform
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from scripts.arena.plan.config import make_config
from scripts.arena.plan.pairings import Plan
from scripts.arena.store import lock
from scripts.arena.store.lock import LOCK
from scripts.arena.store.manifest import StoreError
from scripts.arena.store.store import Store
from tests.places import ROOT
from tests.scripts.test_tournament import call


def plan() -> Plan:
    """A small plan."""
    return Plan(make_config("python_marjolet", ["random", "greedy"], 1))


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    """Another process that runs until it is killed."""
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as process:
        yield process
        process.kill()


def test_store_is_locked_until_it_is_closed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Store(tmp_path, plan()):
        with pytest.raises(StoreError, match=f"process {os.getpid()} is writing to it"):
            Store(tmp_path, plan())
        assert call("--pairs=1", f"--output={tmp_path}") == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith(f"tournament: {tmp_path}: process {os.getpid()} is writing to it")
    Store(tmp_path, plan()).close()
    assert not (tmp_path / LOCK).exists()


def test_refused_store_is_not_left_locked(tmp_path: Path) -> None:
    Store(tmp_path, plan()).close()
    with pytest.raises(StoreError, match=r"--pairs: the results in .*; give it as it was, or"):
        Store(tmp_path, Plan(replace(plan().config, pairs=plan().config.pairs + 1)))
    assert not (tmp_path / LOCK).exists()


def test_lock_of_a_dead_process_is_taken_over(
    tmp_path: Path, sleeper: subprocess.Popen[bytes]
) -> None:
    (tmp_path / LOCK).write_text(f"{sleeper.pid} {platform.node()}\n")
    with pytest.raises(StoreError, match=f"process {sleeper.pid} is writing to it; if it is not"):
        Store(tmp_path, plan())
    sleeper.kill()
    sleeper.wait()
    Store(tmp_path, plan()).close()
    (tmp_path / LOCK).write_text(f"{os.getpid()} {platform.node()}\n")  # its number came again
    Store(tmp_path, plan()).close()
    assert not (tmp_path / LOCK).exists()


def test_locks_that_nobody_can_judge_are_respected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / LOCK).write_text("1 elsewhere.example\n")
    with pytest.raises(StoreError, match=r"process 1 on elsewhere\.example is writing to it"):
        Store(tmp_path, plan())
    (tmp_path / LOCK).write_text("")
    with pytest.raises(StoreError, match="a run is about to write to it; if it is not, delete"):
        Store(tmp_path, plan())
    (tmp_path / LOCK).write_text(f"{os.getpid()} {platform.node()}\n")
    (tmp_path / f"{LOCK}.takeover").touch()
    monkeypatch.setattr(lock, "PATIENCE", 0.05)
    with pytest.raises(StoreError, match="another run is taking it over; if none is, delete"):
        Store(tmp_path, plan())


def test_only_one_process_takes_a_lock_over(tmp_path: Path) -> None:
    (tmp_path / LOCK).write_text(f"{os.getpid()} {platform.node()}\n")
    script = (
        "import os, pathlib, sys, time\n"
        "from scripts.arena.store.lock import FolderLock, LockedError\n"
        "os.kill = lambda pid, how: (_ for _ in ()).throw(ProcessLookupError) "
        f"if pid == {os.getpid()} else None\n"
        "try:\n"
        f"    FolderLock(pathlib.Path({str(tmp_path)!r}))\n"
        "except LockedError:\n"
        "    sys.exit(9)\n"
    )
    command = [sys.executable, "-c", script]
    racers = [subprocess.Popen(command, cwd=ROOT) for _ in range(6)]
    assert sorted(racer.wait() for racer in racers) == [0, 9, 9, 9, 9, 9]
