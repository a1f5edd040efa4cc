"""The endgame table on disk: kept once, checked when read, never in the way."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import marjolet_spiel
from marjolet_spiel.rules import RULES_VERSION
from marjolet_spiel.solvers.endgame import file as endgame_file
from marjolet_spiel.solvers.endgame import table as endgame
from marjolet_spiel.solvers.endgame.file import TABLE_VERSION, file_name, read_values, write_values
from marjolet_spiel.solvers.endgame.table import EndgameTable, endgame_table
from tests.solvers.vectors import built
from tests.variants import mostly_slow

Damage = Callable[[bytes], bytes]


def ask(sweep_bonus: Any, folder: Path | None = None) -> EndgameTable:
    """`endgame_table` as if in a new process."""
    endgame._table.cache_clear()
    return endgame_table(sweep_bonus, folder)


def path_in(folder: Path, sweep_bonus: int = 50) -> Path:
    """Where the table is kept."""
    return folder / file_name(sweep_bonus)


def is_right(table: EndgameTable, sweep_bonus: int = 50) -> bool:
    """Whether a table has the values it should have."""
    return table.sweep_bonus == sweep_bonus and np.array_equal(
        table.values, built(sweep_bonus).values
    )


def forbid_building(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on tables can only be read."""

    def fail(sweep_bonus: int) -> Any:
        raise AssertionError(f"the table for {sweep_bonus} was built")

    monkeypatch.setattr(endgame, "build_values", fail)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """What is in the file of the table."""
    folder = tmp_path_factory.mktemp("kept")
    ask(50, folder)
    return path_in(folder).read_bytes()


# --- there and back -----------------------------------------------------------------------------


@pytest.mark.parametrize("sweep_bonus", mostly_slow((0, 40, 50, 1000), quick=(1000,)))
def test_table_is_kept_and_not_built_again(
    sweep_bonus: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    folder = tmp_path / "deep" / "down"
    assert is_right(ask(sweep_bonus, folder), sweep_bonus)
    assert [*folder.iterdir()] == [path_in(folder, sweep_bonus)]
    forbid_building(monkeypatch)
    assert is_right(ask(sweep_bonus, folder), sweep_bonus)
    assert capfd.readouterr() == ("", "")


def test_name_tells_version_and_sweep_bonus() -> None:
    names = {file_name(sweep_bonus) for sweep_bonus in range(0, 1010, 10)}
    assert len(names) == 101
    assert f"v{RULES_VERSION}.{TABLE_VERSION}" in file_name(40)
    assert file_name(40).endswith("sweep40.bin")


def test_by_default_it_is_in_the_cache_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(endgame, "cache_folder", lambda: tmp_path)
    ask(50)
    assert [*tmp_path.iterdir()] == [path_in(tmp_path)]


def test_table_is_read_once_a_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = endgame_table(50, tmp_path)
    forbid_building(monkeypatch)
    path_in(tmp_path).unlink()
    assert endgame_table(50, tmp_path) is first


def test_tables_of_several_sweep_bonuses_lie_side_by_side(tmp_path: Path) -> None:
    for sweep_bonus in (50, 40):
        ask(sweep_bonus, tmp_path)
    assert is_right(ask(50, tmp_path), 50)
    assert is_right(ask(40, tmp_path), 40)
    assert not np.array_equal(built(40).values, built(50).values)


# --- damaged files ------------------------------------------------------------------------------


def flip(data: bytes, place: int) -> bytes:
    """One bit of a byte is another one."""
    return data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]


def with_header(**changes: Any) -> Damage:
    """The line of JSON says something else."""

    def change(data: bytes) -> bytes:
        line, _, values = data.partition(b"\n")
        return json.dumps(json.loads(line) | changes).encode() + b"\n" + values

    return change


def with_values(change: Damage) -> Damage:
    """Other values whose checksum is right."""

    def damage(data: bytes) -> bytes:
        values = change(data.partition(b"\n")[2])
        return json.dumps(endgame_file._header(50, values)).encode() + b"\n" + values

    return damage


DAMAGES: dict[str, Damage] = {
    "nothing": lambda data: b"",
    "no values": lambda data: data.partition(b"\n")[0] + b"\n",
    "header without newline": lambda data: data.partition(b"\n")[0],
    "last byte gone": lambda data: data[:-1],
    "half of it": lambda data: data[: len(data) // 2],
    "a byte more": lambda data: data + b"\0",
    "first value": lambda data: flip(data, data.index(b"\n") + 1),
    "some value": lambda data: flip(data, len(data) // 2),
    "last value": lambda data: flip(data, len(data) - 1),
    "garbage": lambda data: bytes(range(256)) * 40,
    "text": lambda data: b"Marjolet\n" + data,
    "a list": lambda data: b"[1, 2]\n" + data.partition(b"\n")[2],
    "bytes that are no text": lambda data: b"\xff\xfe{}\n" + data.partition(b"\n")[2],
    "rules version": with_header(rules_version=RULES_VERSION + 1),
    "table version": with_header(table_version=TABLE_VERSION - 1),
    "cards": with_header(cards=7),
    "sweep bonus": with_header(sweep_bonus=40),
    "checksum": with_header(checksum="0" * 32),
    "no checksum": with_header(checksum=None),
    "other file": with_header(table="marjolet openings"),
    "fewer cells": with_values(lambda values: values[:-3]),
    "more cells": with_values(lambda values: values + b"\0\0\0"),
    "without cells": with_values(lambda values: b""),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())
def test_damaged_file_is_not_believed(damage: Damage, tmp_path: Path) -> None:
    """Shown on one of a few cells."""
    path, values = path_in(tmp_path), built(50).values[:, :1000]
    write_values(path, 50, values)
    assert np.array_equal(read_values(path, 50, 1000), values)  # type: ignore[arg-type]
    path.write_bytes(damage(path.read_bytes()))
    assert read_values(path, 50, 1000) is None


def test_deeply_nested_garbage_is_not_believed(tmp_path: Path) -> None:
    path_in(tmp_path).write_bytes(b"[" * 100_000)
    assert read_values(path_in(tmp_path), 50, 1) is None


@pytest.mark.parametrize(
    "name",
    mostly_slow(
        ("half of it", "some value", "table version", "garbage"), quick=("some value", "garbage")
    ),
)
def test_damaged_file_is_put_right(
    name: str,
    tmp_path: Path,
    kept: bytes,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    path_in(tmp_path).write_bytes(DAMAGES[name](kept))
    assert is_right(ask(50, tmp_path))
    assert path_in(tmp_path).read_bytes() == kept
    forbid_building(monkeypatch)
    assert is_right(ask(50, tmp_path))
    assert [*tmp_path.iterdir()] == [path_in(tmp_path)]
    assert capfd.readouterr() == ("", "")


def test_table_of_another_sweep_bonus_under_the_name_is_not_believed(tmp_path: Path) -> None:
    ask(40, tmp_path)
    path_in(tmp_path, 40).rename(path_in(tmp_path, 50))
    assert is_right(ask(50, tmp_path))


def test_values_that_were_read_may_be_used_by_compiled_code(tmp_path: Path) -> None:
    for _ in range(2):
        values = ask(50, tmp_path).values
        assert values.dtype == np.int8
        assert values.flags.c_contiguous
        assert values.flags.writeable


# --- folders that cannot be used ----------------------------------------------------------------


def assert_works_without_keeping(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The table is right, and stderr has one line."""
    assert is_right(ask(50, folder))
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith("marjolet_spiel: the endgame table cannot be kept: ")
    assert err.count("\n") == 1


def test_file_in_the_place_of_the_folder(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "file"
    folder.write_text("mine")
    assert_works_without_keeping(folder, capfd)
    assert_works_without_keeping(folder / "below", capfd)
    assert folder.read_text() == "mine"


def test_folder_in_the_place_of_the_file(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path_in(tmp_path).mkdir()
    assert_works_without_keeping(tmp_path, capfd)
    assert [*tmp_path.iterdir()] == [path_in(tmp_path)]


def test_full_disk_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def full(source: Any, target: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    assert_works_without_keeping(tmp_path, capfd)
    assert [*tmp_path.iterdir()] == []


# --- two processes ------------------------------------------------------------------------------

_BUILD = """
import sys
from pathlib import Path
from marjolet_spiel.solvers.endgame.table import endgame_table
print("ready", flush=True)
sys.stdin.readline()
table = endgame_table(50, Path(sys.argv[1]))
print(int(table.values.sum(dtype="int64")))
"""


def test_two_processes_build_at_once(tmp_path: Path, kept: bytes) -> None:
    folder = tmp_path / "new"
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", _BUILD, str(folder)],
            cwd=Path(marjolet_spiel.__file__).parents[1],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    total = int(built(50).values.sum(dtype=np.int64))
    for process in processes:
        assert process.communicate()[0] == f"{total}\n"
        assert process.returncode == 0
    assert [*folder.iterdir()] == [path_in(folder)]
    assert path_in(folder).read_bytes() == kept


# --- sweep bonuses ------------------------------------------------------------------------------


@pytest.mark.parametrize("call", [endgame_table, ask])
@pytest.mark.parametrize("sweep_bonus", [5, -10, 1010, "50", True, False, 50.0, None])
def test_bad_sweep_bonus_is_named(call: Any, sweep_bonus: Any, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=f"^sweep_bonus: {sweep_bonus!r} is not allowed"):
        call(sweep_bonus, tmp_path)
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize(("good", "bad"), [(0, False), (50, 50.0)])
def test_bad_sweep_bonus_is_named_even_if_a_good_one_is_equal(
    good: int, bad: Any, tmp_path: Path
) -> None:
    endgame_table(good, tmp_path)
    with pytest.raises(ValueError, match="^sweep_bonus: "):
        endgame_table(bad, tmp_path)
