"""Runs, what they leave on disk, and how they go on."""

import errno
import json
import os
import pickle
from pathlib import Path

import pytest

from scripts.arena.plan import pairings
from scripts.arena.plan.config import make_config
from scripts.arena.plan.pairings import Block, Plan
from scripts.arena.play import runner
from scripts.arena.play.runner import missing_blocks, play_block, run
from scripts.arena.stats.stopping import Stopping
from scripts.arena.store.manifest import MANIFEST, StoreError
from scripts.arena.store.reading import BLOCKS
from scripts.arena.store.records import BlockRecord, GameRecord, PlayedBlock
from scripts.arena.store.sealed import seal
from scripts.arena.store.store import Store

BOTS = ["random", "greedy", "random:seed=2"]


def plan(seed: int = 1) -> Plan:
    """Nine small blocks."""
    return Plan(make_config("python_marjolet(profile=dutch)", BOTS, 5, seed, block_pairs=2))


def run_in(folder: Path, played: Plan | None = None) -> bytes:
    """Plays what is missing in a folder; the results."""
    played = plan() if played is None else played
    with Store(folder, played, ["command"]) as store:
        assert run(played, store)
        assert missing_blocks(played, store, Stopping(played)) == []
    return (folder / BLOCKS).read_bytes()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The results of an uninterrupted run."""
    return run_in(tmp_path_factory.mktemp("whole"))


def test_same_plan_gives_the_same_bytes(whole: bytes, tmp_path: Path) -> None:
    assert run_in(tmp_path / "again") == whole
    assert run_in(tmp_path / "other", plan(seed=2)) != whole


def test_order_of_blocks_does_not_matter(whole: bytes) -> None:
    played = {block.index: play_block(plan(), block) for block in reversed(plan().blocks)}
    lines = [played[block.index].record.to_line(plan()) for block in plan().blocks]
    assert "\n".join(lines) + "\n" == whole.decode()


def test_blocks_can_be_played_elsewhere(whole: bytes) -> None:
    work, there = pickle.loads(pickle.dumps((play_block, (plan(), plan().blocks[4]))))
    assert pickle.loads(pickle.dumps(work(*there))).record.to_line(plan()) in whole.decode()


def test_more_bots_or_pairs_do_not_change_games(whole: bytes) -> None:
    two = Plan(make_config("python_marjolet(profile=dutch)", BOTS[:2], 7, 1, block_pairs=2))
    ours, theirs = play_block(plan(), plan().blocks[0]), play_block(two, two.blocks[0])
    assert (ours.record, ours.histories) == (theirs.record, theirs.histories)


def test_manifest_says_what_was_played(tmp_path: Path) -> None:
    run_in(tmp_path / "deep" / "down")
    manifest = json.loads((tmp_path / "deep" / "down" / MANIFEST).read_text())
    assert manifest["plan_hash"] == plan().hash
    assert manifest["config"]["bots"] == BOTS
    assert manifest["config"]["pairs"] == 5
    assert manifest["command"] == ["command"]
    assert manifest["rules_version"] == 1
    wanted = {"marjolet_spiel", "open_spiel", "numpy", "numba", "python"}
    assert set(manifest["versions"]) == wanted


def test_finished_blocks_are_not_played_again(
    whole: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_in(tmp_path)
    monkeypatch.setattr(runner, "play_block", None)
    assert run_in(tmp_path) == whole


@pytest.mark.parametrize("lost", [1, 2, 40, 500, 2000])
def test_torn_last_line_is_dropped_and_played_again(
    whole: bytes, tmp_path: Path, lost: int
) -> None:
    run_in(tmp_path)
    (tmp_path / BLOCKS).write_bytes(whole[:-lost])
    with Store(tmp_path, plan()) as store:
        assert len(store.records) == whole[:-lost].count(b"\n")
    assert run_in(tmp_path) == whole


def test_empty_results_are_begun_anew(whole: bytes, tmp_path: Path) -> None:
    run_in(tmp_path)
    (tmp_path / BLOCKS).write_bytes(b"")
    assert run_in(tmp_path) == whole


def test_missing_blocks_are_filled_in(whole: bytes, tmp_path: Path) -> None:
    run_in(tmp_path)
    lines = whole.splitlines(keepends=True)
    (tmp_path / BLOCKS).write_bytes(b"".join(lines[:2] + lines[5:]))
    assert sorted(run_in(tmp_path).splitlines()) == sorted(whole.splitlines())


def test_stopping_keeps_finished_blocks(
    whole: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop_at_four(played: Plan, block: Block) -> PlayedBlock:
        if block.index == 4:
            raise KeyboardInterrupt
        return play_block(played, block)

    with monkeypatch.context() as patch, Store(tmp_path, plan()) as store:
        patch.setattr(runner, "play_block", stop_at_four)
        assert not run(plan(), store)
    assert (tmp_path / BLOCKS).read_bytes().count(b"\n") == 4
    assert run_in(tmp_path) == whole


def test_nothing_is_printed_where_there_is_no_terminal(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    run_in(tmp_path)
    assert capfd.readouterr() == ("", "")


# --- stores that cannot be used -----------------------------------------------------------------


def test_store_of_another_plan_is_refused(tmp_path: Path) -> None:
    run_in(tmp_path)
    with pytest.raises(StoreError, match=r"--seed: .* were made with 1, not with 2; give it as it"):
        Store(tmp_path, plan(seed=2))


def test_store_of_another_version_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_in(tmp_path)
    before = plan().hash
    monkeypatch.setattr(pairings, "PLAN_VERSION", 99)
    with pytest.raises(StoreError) as caught:
        Store(tmp_path, plan())
    assert before in str(caught.value)
    assert plan().hash in str(caught.value)
    assert plan().hash != before


EDITS = {
    "margin": (b'"margin":', b'"margin":1', "its checksum is wrong"),
    "bots": (b'"random"', b'"randon"', "its checksum is wrong"),
    "no json": (b"{", b"", "it is no block"),
    "no block": (b'"block"', b'"black"', "its checksum is wrong"),
    "number": (b'"block":1', b'"block":99', "its checksum is wrong"),
    "before the first": (b'"block":1', b'"block":-1', "its checksum is wrong"),
    "blanks": (b'":', b'": ', "it is no block of this plan"),
    "no game": (b'"decisions"', b'"decision"', "its checksum is wrong"),
    "bytes": (b'"random"', b'"ran\xff\xfem"', "its checksum is wrong"),
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS.keys())
def test_edited_stores_are_refused(
    whole: bytes, tmp_path: Path, edit: tuple[bytes, bytes, str]
) -> None:
    old, new, why = edit
    run_in(tmp_path)
    lines = whole.splitlines(keepends=True)
    assert old in lines[1]
    lines[1] = lines[1].replace(old, new, 1)
    (tmp_path / BLOCKS).write_bytes(b"".join(lines))
    with pytest.raises(StoreError, match=f"line 2 was changed by hand: {why}"):
        Store(tmp_path, plan())


@pytest.mark.parametrize("name", ["no block", "number", "no game"])
def test_stores_that_were_edited_and_sealed_again_are_refused(
    name: str, whole: bytes, tmp_path: Path
) -> None:
    run_in(tmp_path)
    lines = whole.decode().splitlines()
    text = lines[1].rpartition(',"crc"')[0].encode().replace(*EDITS[name][:2], 1) + b"}"
    lines[1] = seal(json.loads(text))
    (tmp_path / BLOCKS).write_text("".join(line + "\n" for line in lines))
    with pytest.raises(StoreError, match="line 2 was changed by hand: it is no block"):
        Store(tmp_path, plan())


def test_blocks_that_are_there_twice_are_refused(whole: bytes, tmp_path: Path) -> None:
    run_in(tmp_path)
    (tmp_path / BLOCKS).write_bytes(whole + whole.splitlines(keepends=True)[3])
    with pytest.raises(StoreError, match="line 10 was changed by hand: it is there twice"):
        Store(tmp_path, plan())


def test_other_folders_are_refused(whole: bytes, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="file: cannot be used for results"):
        Store(tmp_path / "file", plan())
    (tmp_path / BLOCKS).write_bytes(whole)
    with pytest.raises(StoreError, match="there is a blocks.jsonl without its manifest.json"):
        Store(tmp_path, plan())
    for text in ("", "{}", "[1]", '{"plan_hash": 1, "versions": 3}'):
        (tmp_path / MANIFEST).write_text(text)
        with pytest.raises(StoreError, match="this is no manifest of a tournament"):
            Store(tmp_path, plan())


def test_full_disks_are_an_error_of_the_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(number: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StoreError, match=r"cannot be used for results \(No space left on device"):
        run_in(tmp_path)


def test_other_versions_are_noticed(tmp_path: Path) -> None:
    run_in(tmp_path)
    manifest = json.loads((tmp_path / MANIFEST).read_text())
    manifest["versions"]["numpy"] = "1.0"
    (tmp_path / MANIFEST).write_text(json.dumps(manifest))
    with Store(tmp_path, plan()) as store:
        assert store.older_versions == {"numpy": "1.0"}


def test_records_of_forfeits_are_kept() -> None:
    games = [GameRecord(pair, seating, 3, 10.0) for pair in range(2) for seating in range(2)]
    games[2] = GameRecord(1, 0, 7, None, 1, 'it said "é"\u2028')
    record = BlockRecord(plan().blocks[0], tuple(games))
    line = record.to_line(plan())
    assert line.isascii()
    assert BlockRecord.from_line(line, plan()) == record
