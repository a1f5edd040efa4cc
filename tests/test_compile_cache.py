"""Compiled code on disk: never stale, not made again without need, and never in the way."""

import contextlib
import importlib
import json
import os
import shutil
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numba as nb
import numpy as np
import pytest

import marjolet_spiel.solvers.boundary  # noqa: F401  (compiled, so that the cache has it)
from marjolet_spiel import compile_cache, simulate
from marjolet_spiel.rules import Rules
from marjolet_spiel.whole_files import replacing

PACKAGE = Path(compile_cache.__file__).parent
KEPT = compile_cache.folders()[0]
"""Where what is compiled here lies."""

# --- a small package of its own -----------------------------------------------------------------

LAYOUT = '''
"""Where things are."""
FIRST, SECOND = 0, 1
TABLE = (10, 20)
'''
READER = '''
import numpy as np
from marjolet_spiel.array_types import Vector
from marjolet_spiel.compiling import compiled
from small import layout

WEIGHTS = np.array([1.0, 2.0])

@compiled
def second(pos: Vector) -> int:
    """The second field."""
    return pos[layout.SECOND]

@compiled
def weighed(pos: Vector) -> float:
    return WEIGHTS[1] * second(pos)
'''
OTHER = """
from marjolet_spiel.compiling import compiled, compiled_recursive

@compiled
def double(x: int) -> int:
    return 2 * x

@compiled_recursive
def factorial(n: int) -> int:
    return 1 if n <= 1 else n * factorial(n - 1)
"""
PROGRAM = """
import json, sys
import numpy as np
from small import other, reader
own = (reader.second, reader.weighed, other.double, other.factorial)
pos = np.array([3, 5], dtype=np.int64)
results = [own[0](pos), own[1](pos), own[2](4), own[3](5)]
compiled = [f.py_func.__name__ for f in own if f.stats.cache_misses]
"""


class Small:
    """A package of three modules, and a folder for what is compiled."""

    def __init__(self, folder: Path) -> None:
        self.package, self.cache, self.folder = folder / "small", folder / "cache", folder
        self.package.mkdir()
        self.cache.mkdir()
        self.write(layout=LAYOUT, reader=READER, other=OTHER, __init__="")

    def write(self, **modules: str) -> None:
        for name, text in modules.items():
            (self.package / f"{name}.py").write_text(text)

    def run(self) -> tuple[list[float], list[str]]:
        """What the functions give as a new process sees them, and which of them were compiled."""
        for name in [name for name in sys.modules if name.partition(".")[0] == "small"]:
            del sys.modules[name]
        importlib.invalidate_caches()
        found: dict[str, Any] = {}
        exec(PROGRAM, found)
        return found["results"], found["compiled"]

    def files(self, name: str) -> list[Path]:
        return sorted(self.cache.glob(f"small.{name}-*"))


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Small:
    found = Small(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # edits come within one second
    monkeypatch.setattr(compile_cache, "folders", lambda: (found.cache,))
    return found


ALL = ["second", "weighed", "double", "factorial"]
RESULTS = [5, 10.0, 8, 120]


def test_nothing_is_compiled_twice(small: Small) -> None:
    assert small.run() == (RESULTS, ALL)
    assert small.run() == (RESULTS, [])


@pytest.mark.parametrize(
    ("edits", "results", "compiled"),
    [
        ({"layout": LAYOUT.replace("= 0, 1", "= 1, 0")}, [3, 6.0, 8, 120], ALL[:2]),
        ({"reader": READER.replace("[1.0, 2.0]", "[1.0, 3.0]")}, [5, 15.0, 8, 120], ["weighed"]),
        ({"reader": READER.replace("return pos[", "return 1 + pos[")}, [6, 12.0, 8, 120], ALL[:2]),
        ({"other": OTHER.replace("2 * x", "3 * x")}, [5, 10.0, 12, 120], ["double"]),
        ({"other": OTHER.replace("(x: int)", "(x: float)")}, RESULTS, ["double"]),
        ({"layout": LAYOUT.replace("(10, 20)", "(10, 30)")}, RESULTS, []),
        ({"reader": READER.replace("The second", "\n\n    The other")}, RESULTS, []),
        ({"other": "# a remark\n\n" + OTHER.replace("(x: int)", "(x: int)")}, RESULTS, []),
    ],
    ids=["constant", "array", "callee", "code", "type", "unused", "docstring", "lines"],
)
def test_an_edit_compiles_what_depends_on_it_and_nothing_else(
    small: Small, edits: dict[str, str], results: list[float], compiled: list[str]
) -> None:
    small.run()
    small.write(**edits)
    assert small.run() == (results, compiled)


@pytest.mark.parametrize("damage", ["emptied", "cut", "turned", "replaced"])
def test_damaged_files_are_made_anew(small: Small, damage: str) -> None:
    small.run()
    (path,) = small.files("other.double")
    data = path.read_bytes()
    bad = {
        "emptied": b"",
        "cut": data[: len(data) // 2],
        "turned": data[:100] + bytes([data[100] ^ 1]) + data[101:],
        "replaced": b"something else",
    }
    path.write_bytes(bad[damage])
    assert small.run() == (RESULTS, ["double"])
    assert small.run() == (RESULTS, [])


def test_two_processes_compile_at_once(small: Small) -> None:
    for path in KEPT.glob(f"*{compile_cache.SUFFIX}"):
        shutil.copy(path, small.cache)
    paths = os.pathsep.join([str(small.folder), str(PACKAGE.parent)])
    env = os.environ | {"NUMBA_CACHE_DIR": str(small.cache), "PYTHONPATH": paths}
    command = [sys.executable, "-c", PROGRAM + "print(results)"]
    running = [
        subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True) for _ in range(2)
    ]
    for process in running:
        assert process.communicate(timeout=300)[0].strip() == str(RESULTS)
    assert small.run() == (RESULTS, [])
    assert not [path for path in small.cache.iterdir() if path.suffix != compile_cache.SUFFIX]


def test_without_a_folder_everything_works_and_one_line_says_so(
    small: Small, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(compile_cache, "folders", lambda: (Path("/dev/null/nowhere"),))
    compile_cache._say_that_nothing_is_kept.cache_clear()
    assert small.run() == (RESULTS, ALL)
    assert small.run() == (RESULTS, ALL)
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1
    assert "no folder to keep compiled code in" in said[0]
    assert "NUMBA_CACHE_DIR" in said[0]


def test_where_files_lie(monkeypatch: pytest.MonkeyPatch) -> None:
    look = compile_cache.folders.__wrapped__
    monkeypatch.setattr(nb.config, "CACHE_DIR", "/some/where")
    assert look() == (Path("/some/where"),)
    monkeypatch.setattr(nb.config, "CACHE_DIR", "")
    beside, users = look()
    assert beside == PACKAGE / "__pycache__"
    assert "marjolet_spiel" in users.parts


def test_old_versions_go(small: Small) -> None:
    for factor in range(3, 3 + compile_cache.KEPT_VERSIONS + 1):
        small.write(other=OTHER.replace("2 * x", f"{factor} * x"))
        assert small.run()[0][2] == 4 * factor
    assert len(small.files("other.double")) == compile_cache.KEPT_VERSIONS
    assert len(small.files("other.factorial")) == 1


def test_files_that_others_are_writing_are_no_old_versions(tmp_path: Path) -> None:
    place = tmp_path / f"f-1-mark{compile_cache.SUFFIX}"
    with ExitStack() as writers:
        for _ in range(compile_cache.KEPT_VERSIONS + 2):
            file = writers.enter_context(replacing(place))
            file.write(b"whole")
            compile_cache._remove_old(tmp_path, "f-1-")
        assert not place.exists()
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"whole"]
    assert place.exists()


# --- what may be in a compiled function ---------------------------------------------------------


def _fingerprint(text: str, name: str = "f", **known: object) -> bytes:
    known = dict(known)
    exec(text, known)
    return compile_cache.fingerprint(known[name], "")  # type: ignore[arg-type]


def test_fingerprints_look_into_what_is_named() -> None:
    use = "def f(x):\n    return x + A"
    assert _fingerprint(use, A=1) == _fingerprint("\n\n" + use, A=1, B=2)
    values = [1, 2, 1.0, True, (1, 2), (1, 3), np.int64(1), np.array([1]), np.array([1.0]), None]
    assert len({_fingerprint(use, A=value) for value in values}) == len(values)


def test_what_cannot_be_watched_is_refused() -> None:
    with pytest.raises(TypeError, match=r"f: A: a compiled function cannot depend on \[1\]"):
        _fingerprint("def f(x):\n    return A[x]", A=[1])


# --- this package -------------------------------------------------------------------------------

MISSES = """
import gc, json
import marjolet_spiel.solvers.boundary
from marjolet_spiel import simulate
from marjolet_spiel.rules import Rules
from numba.core.dispatcher import Dispatcher
own = [d for d in gc.get_objects() if isinstance(d, Dispatcher) and hasattr(d, "fingerprint")]
print(json.dumps({
    "returns": simulate.play_random(Rules.of(), 50, seed=1).returns.tolist(),
    "compiled": sorted({d.py_func.__module__ for d in own if d.stats.cache_misses}),
    "kept": sum(1 for d in own if d.stats.cache_hits),
}))
"""


def _edited(folder: Path, file: str, old: str, new: str) -> dict[str, Any]:
    """What a copy of the package with one edit compiles that was compiled before the edit."""
    copy, cache = folder / "marjolet_spiel", folder / "cache"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    cache.mkdir()
    for path in compile_cache.folders()[0].glob("*.compiled"):
        with contextlib.suppress(FileNotFoundError):  # others, who compile meanwhile, replace some
            shutil.copy2(path, cache)
    text = (copy / file).read_text()
    assert text.count(old) == 1
    env = os.environ | {"NUMBA_CACHE_DIR": str(cache), "PYTHONPATH": str(folder)}
    env["PYTHONDONTWRITEBYTECODE"] = "1"  # a file that is edited within a second looks unchanged
    command = [sys.executable, "-c", MISSES]
    subprocess.run(command, env=env, cwd=folder, capture_output=True, check=True)
    (copy / file).write_text(text.replace(old, new))
    found = subprocess.run(command, env=env, cwd=folder, capture_output=True, check=True)
    return dict(json.loads(found.stdout))


def test_an_edit_of_a_solver_compiles_nothing_of_the_kernel(tmp_path: Path) -> None:
    old = "before = count(legal[i] & ((1 << action) - 1))"
    new = f"before = 0 + {old[9:]}"
    found = _edited(tmp_path, "solvers/boundary/leaves.py", old, new)
    assert found["compiled"] == ["marjolet_spiel.solvers.boundary.leaves"]
    assert found["kept"] > 100


@pytest.mark.slow
def test_an_edit_of_the_layout_leaves_no_stale_code(tmp_path: Path) -> None:
    old, new = "    DEALER,\n    DEAL,  # from 1\n", "    DEAL,  # from 1\n    DEALER,\n"
    found = _edited(tmp_path, "kernel.py", old, new)
    assert "marjolet_spiel.kernel" in found["compiled"]
    assert "marjolet_spiel.compiling" not in found["compiled"]
    assert found["returns"] == simulate.play_random(Rules.of(), 50, seed=1).returns.tolist()
