"""Ctrl-C and the system's orders to end while a command line is still being imported."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.places import ROOT


def run_with(folder: Path, body: str) -> subprocess.CompletedProcess[str]:
    """A command line that imports a module of ours in the place of absl."""
    (folder / "absl").mkdir()
    (folder / "absl" / "__init__.py").write_text(body)
    return subprocess.run(
        [sys.executable, "-m", "scripts.merge", "--help"],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(folder)},
        timeout=60,
    )


@pytest.mark.skipif(os.name == "nt", reason="signals are others there")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_an_end_during_imports_shows_no_traceback(name: str, tmp_path: Path) -> None:
    body = f"import os, signal, time\nos.kill(os.getpid(), signal.{name})\ntime.sleep(30)\n"
    run = run_with(tmp_path, body)
    assert run.returncode == -signal.Signals[name].value  # a shell shows it as 128 more
    assert run.stdout == ""
    assert run.stderr == ("stopped before it began\n" if name == "SIGINT" else "")


def test_errors_during_imports_are_shown(tmp_path: Path) -> None:
    run = run_with(tmp_path, "raise RuntimeError('broken')\n")
    assert run.returncode == 1
    assert "RuntimeError: broken" in run.stderr
    assert "Traceback" in run.stderr
