"""Shards, and the stores that they become."""

import itertools
import json
import shlex
from pathlib import Path

import pytest

from scripts import merge
from scripts.arena.plan.config import make_config
from scripts.arena.plan.pairings import Plan
from scripts.arena.play.games import play_block
from scripts.arena.play.runner import ALL, Shard, parse_shard
from scripts.arena.store.manifest import MANIFEST
from scripts.arena.store.reading import BLOCKS, read_times
from scripts.arena.store.recorded import GAMES
from tests.scripts.front_ends import call_main
from tests.scripts.test_tournament import call

WORDS = [
    *("--bots=random;greedy;random:seed=2", "--pairs=5", "--block_pairs=2", "--profile=dutch"),
    "--move_limit=0",
]


def call_merge(*words: object) -> int:
    """The exit code of ``python -m scripts.merge`` with these words, without a report."""
    return call_main(merge, "--noreport", *words)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store of an uninterrupted run."""
    folder = tmp_path_factory.mktemp("whole")
    assert call(*WORDS, f"--output={folder}") == 0
    return folder


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The stores of four shards."""
    folder = tmp_path_factory.mktemp("shards")
    for number in range(1, 5):
        assert call(*WORDS, f"--output={folder}/{number}", f"--shard={number}/4") == 0
    return [folder / str(number) for number in range(1, 5)]


def test_shards_are_the_parts_of_a_plan() -> None:
    blocks = Plan(make_config("python_marjolet", ["random", "greedy"], 10, block_pairs=1)).blocks
    shards = [parse_shard(f"{number}/3") for number in range(1, 4)]
    assert [[b.index for b in blocks if shard.has(b)] for shard in shards] == [
        [0, 3, 6, 9],
        [1, 4, 7],
        [2, 5, 8],
    ]
    assert all(ALL.has(block) for block in blocks)
    assert parse_shard("1/1") == ALL
    assert str(Shard(2, 3)) == "2/3"


def test_merged_shards_are_the_bytes_of_one_run(
    whole: Path, parts: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(*WORDS, f"--output={whole}") == 0
    out = capsys.readouterr().out
    table = out[out.index("Margin") : out.index("The store is")]
    for number, order in enumerate(itertools.islice(itertools.permutations(parts), 0, 24, 7)):
        output = tmp_path / str(number)
        assert call_merge(f"--output={output}", *order) == 0
        out, err = capsys.readouterr()
        assert err == ""
        assert out.startswith("9 of 9 blocks from 4 stores\n")
        assert out[out.index("Margin") : out.index("The store is")] == table
        assert (output / BLOCKS).read_bytes() == (whole / BLOCKS).read_bytes()
        manifest = (output / MANIFEST).read_text().replace(str(output), str(whole))
        assert manifest == (whole / MANIFEST).read_text()


def test_shard_says_what_it_is_and_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert call(*WORDS, "--shard=2/4") == 0
    first = capsys.readouterr().out
    assert "shard 2/4: 2 of 9 blocks\n" in first
    (folder,) = (tmp_path / "results").iterdir()
    assert folder.name.endswith("-shard2of4")
    words = shlex.split(first.rstrip().splitlines()[-1])[3:]
    assert words[-1] == "--shard=2/4"
    assert call(*words) == 0
    assert "(2 of 9 blocks are there)" in capsys.readouterr().out
    assert (folder / BLOCKS).read_text().count("\n") == 2


def test_shard_without_blocks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(*WORDS, f"--output={tmp_path}", "--shard=20/20") == 0
    assert "shard 20/20: 0 of 9 blocks\n" in capsys.readouterr().out


def test_incomplete_merges_go_on(
    whole: Path, parts: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call_merge(f"--output={tmp_path}", parts[3], parts[0]) == 0
    out = capsys.readouterr().out
    assert out.startswith("5 of 9 blocks from 2 stores\n")
    assert "to play the rest:" in out
    assert call_merge(f"--output={tmp_path}", parts[0], parts[1], whole) == 0
    assert (tmp_path / BLOCKS).read_bytes() == (whole / BLOCKS).read_bytes()
    (tmp_path / "rest").mkdir()
    assert call_merge(f"--output={tmp_path}/rest", parts[2]) == 0
    words = shlex.split(capsys.readouterr().out.rstrip().splitlines()[-1])[3:]
    assert call(*words) == 0
    assert (tmp_path / "rest" / BLOCKS).read_bytes() == (whole / BLOCKS).read_bytes()


def copy_of(store: Path, folder: Path) -> Path:
    """A copy of a store."""
    folder.mkdir()
    for name in (BLOCKS, MANIFEST):
        (folder / name).write_bytes((store / name).read_bytes())
    return folder


def test_sources_are_only_read(parts: list[Path], tmp_path: Path) -> None:
    torn = copy_of(parts[0], tmp_path / "torn")
    data = (torn / BLOCKS).read_bytes()[:-9]
    (torn / BLOCKS).write_bytes(data)
    assert call_merge(f"--output={tmp_path}/out", torn, parts[1]) == 0
    assert (torn / BLOCKS).read_bytes() == data
    assert (tmp_path / "out" / BLOCKS).read_text().count("\n") == 4


def test_stores_of_other_plans_are_refused(
    parts: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(*WORDS, f"--output={tmp_path}/other", "--seed=2", "--shard=1/9") == 0
    hashes = [
        json.loads((folder / MANIFEST).read_text())["plan_hash"]
        for folder in (parts[0], tmp_path / "other")
    ]
    capsys.readouterr()
    assert call_merge(f"--output={tmp_path}/out", parts[0], tmp_path / "other") == 2
    err = capsys.readouterr().err
    assert all(text in err for text in hashes)
    assert err.count("\n") == 1
    assert call_merge(f"--output={tmp_path}/other", parts[0]) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"merge: --seed: the results in {tmp_path}/other were made with 2, not ")
    assert err.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_blocks_that_differ_are_refused(
    whole: Path, parts: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = make_config("python_marjolet(profile=dutch)", WORDS[0][7:].split(";"), 5, 1, 2)
    plan = Plan(config)
    played = play_block(Plan(make_config(config.game, config.bots, 5, 2, 2)), plan.blocks[4])
    other = copy_of(parts[1], tmp_path / "other")
    (other / BLOCKS).write_text(played.record.to_line(plan) + "\n")
    assert call_merge(f"--output={tmp_path}/out", whole, other) == 2
    err = capsys.readouterr().err
    assert "block 4 (random vs random:seed=2, pairs 2 to 3) is not the same in" in err
    assert str(whole) in err
    assert str(other) in err
    assert not (tmp_path / "out").exists()


def test_other_versions_are_noticed(
    parts: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = copy_of(parts[1], tmp_path / "other")
    manifest = json.loads((other / MANIFEST).read_text())
    manifest["versions"]["numpy"] = "1.0"
    (other / MANIFEST).write_text(json.dumps(manifest))
    assert call_merge(f"--output={tmp_path}/out", other, parts[0]) == 0
    assert "was made with" in capsys.readouterr().err
    assert '"numpy": "1.0"' in (tmp_path / "out" / MANIFEST).read_text()


def test_bad_input_is_one_sentence_and_exit_code_2(
    parts: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    changed = copy_of(parts[0], tmp_path / "changed")
    manifest = json.loads((changed / MANIFEST).read_text())
    manifest["config"]["pairs"] = 6
    (changed / MANIFEST).write_text(json.dumps(manifest))
    edited = copy_of(parts[0], tmp_path / "edited")
    (edited / BLOCKS).write_bytes((parts[0] / BLOCKS).read_bytes().replace(b'n":', b'n":1', 1))
    output = f"--output={tmp_path}/out"
    for words, why in (
        ([parts[0]], "output: is missing"),
        ([output], "no store is named"),
        ([output, tmp_path / "none"], "none: is no store (No such file or directory)"),
        ([output, parts[0], tmp_path], "is no store"),
        ([output, changed], "its configuration does not give its plan"),
        ([output, edited], "line 1 was changed by hand"),
        ([output, "--anchor=pimc", parts[0]], "anchor: 'pimc' does not play"),
        ([output, "--bots=random", parts[0]], "--bots: there is no such flag"),
    ):
        assert call_merge(*words) == 2, why
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith("merge: ")
        assert why in err
        assert err.count("\n") == 1
        assert not (tmp_path / "out").exists()


def test_merged_stores_keep_times_and_games(tmp_path: Path) -> None:
    words = [*WORDS, "--record"]
    assert call(*words, f"--output={tmp_path}/whole") == 0
    for shard in (1, 2):
        assert call(*words, f"--shard={shard}/2", f"--output={tmp_path}/{shard}") == 0
    assert call_merge(f"--output={tmp_path}/all", tmp_path / "2", tmp_path / "1") == 0
    whole, merged = tmp_path / "whole", tmp_path / "all"
    assert (merged / GAMES).read_bytes() == (whole / GAMES).read_bytes()
    assert sorted(read_times(merged)) == list(range(9))
    (tmp_path / "1" / GAMES).unlink()
    assert call_merge(f"--output={tmp_path}/some", tmp_path / "2", tmp_path / "1") == 0
    assert not (tmp_path / "some" / GAMES).exists()


def test_merged_stores_have_a_report(parts: list[Path], tmp_path: Path) -> None:
    assert call_merge("--report", f"--output={tmp_path}/out", *parts) == 0
    assert "## Ranking" in (tmp_path / "out" / "report.md").read_text()
