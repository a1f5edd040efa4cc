"""The option that ends a run of the slow tests in time."""

import subprocess
import sys
from pathlib import Path

from tests.places import ROOT

TESTS = """
import time

def test_first():
    time.sleep(0.3)

def test_second():
    raise AssertionError

def test_third():
    raise AssertionError
"""


def test_what_finds_no_time_is_skipped(tmp_path: Path) -> None:
    (tmp_path / "test_slowly.py").write_text(TESTS)
    (tmp_path / "conftest.py").write_text((ROOT / "tests" / "conftest.py").read_text())
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-rs"]
    run = subprocess.run(
        [*command, f"--rootdir={tmp_path}", "--minutes=0.004"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert "1 passed, 2 skipped" in run.stdout
    assert "0.004 minutes are over" in run.stdout
