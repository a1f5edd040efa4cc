"""Calling command lines without a process for each."""

from types import ModuleType

import pytest
from absl.testing import flagsaver


def call_main(module: ModuleType, *words: object) -> int:
    """The exit code of ``python -m scripts.NAME`` with these words."""
    saved = flagsaver.save_flag_values(module.FLAGS)
    try:
        return module.main(module.parse_flags([module.__name__, *map(str, words)]))
    except SystemExit as stop:
        return int(stop.code or 0)
    finally:
        flagsaver.restore_flag_values(saved, module.FLAGS)


def assert_refused(code: int, why: str, program: str, capture: pytest.CaptureFixture[str]) -> None:
    """Bad input: one sentence on stderr and exit code 2."""
    out, err = capture.readouterr()
    assert code == 2
    assert out == ""
    assert err.startswith(f"{program}: ")
    assert why in err
    assert err.count("\n") == 1
