"""What can be played: gauntlets, sequential tests, dry runs, flag files, recorded games."""

import json
import os
import re
import shlex
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from scripts.arena.plan.config import Config, Watch, make_config
from scripts.arena.plan.game_text import load_game
from scripts.arena.plan.pairings import Block, Plan
from scripts.arena.play import runner
from scripts.arena.play.games import play_block
from scripts.arena.report.forecast import forecast
from scripts.arena.stats.stopping import Stopping
from scripts.arena.store.manifest import MANIFEST, StoreError
from scripts.arena.store.move_times import MoveTimes
from scripts.arena.store.reading import BLOCKS, TIMES
from scripts.arena.store.recorded import GAMES, read_games
from scripts.arena.store.records import BlockRecord, GameRecord, PlayedBlock
from scripts.arena.store.store import Store
from tests.bots.quick import PLAYERS
from tests.places import ROOT
from tests.scripts.front_ends import assert_refused
from tests.scripts.rogues import PATH
from tests.scripts.test_tournament import call
from tests.variants import PROFILES, mostly_slow

FAST = "--move_limit=0"


def last_command(out: str) -> list[str]:
    """The words after the interpreter, module and all, of the command that is printed last."""
    return shlex.split(out.rstrip().splitlines()[-1])[3:]


# --- gauntlets ----------------------------------------------------------------------------------


@pytest.mark.parametrize("bots", ["random:seed=2 greedy random", "random:seed=2 random"])
def test_gauntlet_is_one_bot_against_each_other_one(
    bots: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whether it is among the bots or not."""
    words = ["--gauntlet=greedy", f"--bots={bots}", "--pairs=6", FAST, f"--output={tmp_path}"]
    assert call(*words) == 0
    out = capsys.readouterr().out
    assert "gauntlet of greedy against random:seed=2, random" in out
    assert "24 games" in out
    pairings = re.findall(r"^(\S+ vs \S+) .*/", out, re.MULTILINE)
    assert pairings == ["greedy vs random:seed=2", "greedy vs random"]
    assert "No meta-game" in out
    assert call(*last_command(out)) == 0
    assert "(2 of 2 blocks are there)" in capsys.readouterr().out


def test_games_of_a_gauntlet_are_those_of_a_round_robin_with_the_same_bots() -> None:
    bots = ["greedy", "random", "random:seed=2"]
    all_play = Plan(make_config("python_marjolet", bots, 3))
    gauntlet = Plan(make_config("python_marjolet", bots, 3, gauntlet="greedy"))
    assert [play_block(gauntlet, b).record.games for b in gauntlet.blocks] == [
        play_block(all_play, b).record.games for b in all_play.blocks[:2]
    ]


# --- sequential tests ---------------------------------------------------------------------------

SPRT = ["--bots=greedy random", "--sprt=0,40", "--block_pairs=5", "--pairs=200", FAST]


@pytest.mark.parametrize("numbers", mostly_slow([(1,), (1, 2)], quick=[(1,)]))
def test_sequential_test_stops_at_the_same_place_for_any_number_of_workers(
    numbers: tuple[int, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results = []
    for jobs in numbers:
        folder = tmp_path / str(jobs)
        assert call(*SPRT, f"--n_jobs={jobs}", f"--output={folder}", "--record") == 0
        out = capsys.readouterr().out
        assert "at most 200 duplicate pairs a pairing" in out
        assert re.search(r"H1 is accepted after \d+ pairs \(log-likelihood ratio \+", out)
        results.append(tuple((folder / name).read_bytes() for name in (BLOCKS, GAMES)))
    assert len(set(results)) == 1
    assert 6 <= results[0][0].count(b"\n") < 40
    assert len(list(read_games(tmp_path / "1"))) == 10 * results[0][0].count(b"\n")
    assert call(*last_command(out)) == 0
    assert (tmp_path / str(jobs) / BLOCKS).read_bytes() == results[0][0]


def test_only_the_contiguous_beginning_counts(tmp_path: Path) -> None:
    """Whatever has been finished beyond it, and it goes when the test has decided."""
    config = make_config("python_marjolet", ["greedy", "random"], 200, 1, 5, sprt="0,40")
    plan = Plan(config)
    with Store(tmp_path, plan) as store:
        for block in plan.blocks[1:30]:
            store.append(play_block(plan, block))
        assert len(runner.missing_blocks(plan, store, Stopping(plan))) == 11
        assert runner.run(plan, store)
        assert list(store.records) == list(range(len(store.records)))
        assert len(store.records) < 30
        assert runner.missing_blocks(plan, store, Stopping(plan)) == []


def test_sequential_test_may_stay_undecided(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--bots=random random:seed=2", "--sprt=-1,1", "--pairs=10", FAST]
    assert call(*words, f"--output={tmp_path}") == 0
    assert "undecided after 10 pairs" in capsys.readouterr().out


# --- dry runs and flag files --------------------------------------------------------------------


def test_dry_run_says_what_and_how_long_and_stores_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    small = "--game=python_marjolet(num_suits=2,ranks=KQJ7,hand_size=3)"
    assert call("--bots=random greedy random:seed=2", small, "--dry_run", FAST) == 0
    out = capsys.readouterr().out
    assert "15000 games" in out
    assert re.search(r"^greedy +0\.\d+$", out, re.MULTILINE)
    assert re.search(r"about [\d.]+ (seconds|minutes), judging by a few games; nothing", out)
    assert list(tmp_path.iterdir()) == []


def test_forecast_adds_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Known times: 1 s a move of one bot, 3 s of the other, 0.5 s beside each."""
    now = [0.0]
    monkeypatch.setattr("scripts.arena.report.forecast.time.perf_counter", lambda: now[0])

    def play(plan: Plan, block: Block) -> PlayedBlock:
        times = [MoveTimes(), MoveTimes()]
        for bot, part in enumerate(times):
            for _ in range(10):
                part.add(3.0 if plan.config.bots[bot] == "greedy" else 1.0)
        now[0] += sum(part.seconds for part in times) + 20 * 0.5
        games = tuple(GameRecord(pair, seating, 10, 0.0) for pair, seating in block.games)
        return PlayedBlock(BlockRecord(block, games), ((), ()), (times[0], times[1]))

    config = make_config("python_marjolet", ["random", "greedy"], 7)
    found = forecast(config, play)
    assert found.move_seconds == (1.0, 3.0)
    assert found.seconds == pytest.approx(7 * 2 * 10 * 2.5)
    assert found.worker_seconds == found.seconds
    three = make_config("python_marjolet", ["random", "greedy", "random:seed=2"], 7)
    assert forecast(three, play).seconds == pytest.approx(7 * 2 * 10 * (2.5 + 1.5 + 2.5))
    gauntlet = make_config("python_marjolet", three.bots, 7, gauntlet="greedy")
    assert forecast(gauntlet, play).seconds == pytest.approx(7 * 2 * 10 * (2.5 + 2.5))


def test_flags_may_come_from_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "my.flags"
    path.write_text(f"# a small tournament\n--bots=random;greedy\n--pairs=3\n{FAST}\n--seed=4\n")
    assert call(f"--flagfile={path}", f"--output={tmp_path}/one") == 0
    assert "3 duplicate pairs a pairing, 6 games, seed 4" in capsys.readouterr().out
    assert call(f"--flagfile={tmp_path}/none") == 2
    err = capsys.readouterr().err
    assert err.startswith("tournament: ")
    assert f"{tmp_path}/none" in err
    assert err.count("\n") == 1


# --- bots of others -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("deed", "reason"),
    [
        ("raises", "ZeroDivisionError: "),
        pytest.param("dies", "its process ended (exit code 7)", marks=pytest.mark.slow),
    ],
)
def test_forfeits_are_in_the_table_and_strict_says_so(
    deed: str, reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bots = f"--bots={PATH}:make:does={deed} greedy random"
    words = [bots, "--pairs=2", f"--output={tmp_path}"]
    assert call(*words, "--strict") == 3
    out = capsys.readouterr().out
    for other in ("greedy", "random"):
        assert f"against {other}, 4 games: choosing: {reason}" in out
    assert re.search(r"greedy vs random .*\s0/0$", out, re.MULTILINE)
    assert last_command(out)[-1] == "--strict"
    assert call(*words) == 0
    manifest = json.loads((tmp_path / MANIFEST).read_text())
    assert re.fullmatch(r"[0-9a-f]{12}", manifest["versions"][f"{PATH}:make"])


def test_peeking_forfeits_the_audited_games_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [f"--bots={PATH}:make:does=peeks random", "--pairs=5", FAST, "--audit_pairs=2"]
    assert call(*words, f"--output={tmp_path}") == 0
    out = capsys.readouterr().out
    found = re.findall(r"(\d) games?: choosing: decision \d+ depends on cards that it can", out)
    assert sum(map(int, found)) == 4
    assert re.search(r" 3 +\S+ +4/0$", out, re.MULTILINE)
    assert "--audit_pairs=2" in last_command(out)


@pytest.mark.parametrize("profile", mostly_slow(PROFILES, quick=("dutch",)))
def test_audits_change_no_game_of_honest_bots(profile: str) -> None:
    players = [bot for bot in PLAYERS if not bot.startswith("os_")]
    for first, second in pairwise([*players, "random"]):
        games = []
        for audit_pairs in (0, 1):
            config = make_config(
                *(f"python_marjolet(profile={profile})", sorted({first, second}), 1),
                watch=Watch(audit_pairs, allow_cheating=True),
            )
            plan = Plan(config)
            games.append(play_block(plan, plan.blocks[0]).record.games)
        assert games[0] == games[1]
        assert all(game.forfeit is None for game in games[0])


def test_bots_that_listen_are_audited_too() -> None:
    bots = [f"{PATH}:make_listener:peeks=0", f"{PATH}:make_listener:peeks=1"]
    plan = Plan(make_config("python_marjolet", bots, 1))
    games = play_block(plan, plan.blocks[0]).record.games
    assert {game.forfeit for game in games} == {1}
    assert all("depends on cards that it cannot see" in game.reason for game in games)


# --- recorded games -----------------------------------------------------------------------------


def test_recorded_games_lead_to_their_results(tmp_path: Path) -> None:
    words = ["--pairs=4", "--block_pairs=2", "--game=python_marjolet(profile=dutch,target=150)"]
    assert call(*words, "--record", FAST, f"--output={tmp_path}") == 0
    games = [game for _, game in read_games(tmp_path)]
    assert [(game.pair, game.seating) for game in games] == [(i // 2, i % 2) for i in range(8)]
    lines = (tmp_path / BLOCKS).read_text().splitlines()
    margins = [game["margin"] for line in lines for game in json.loads(line)["games"]]
    for game, margin in zip(games, margins, strict=True):
        assert game.returns is not None
        assert game.returns[game.seating] == margin
        assert game.bots[game.seating] == "random"
        state = load_game(game.game).new_initial_state()
        for action in game.history:
            assert action in state.legal_actions()
            state.apply_action(action)
        assert state.is_terminal()
        assert tuple(state.returns()) == game.returns


def test_recording_is_taken_up_where_it_was_stopped(tmp_path: Path) -> None:
    words = ["--pairs=6", "--block_pairs=2", "--record", FAST]
    assert call(*words, f"--output={tmp_path}/whole") == 0
    whole = (tmp_path / "whole" / GAMES).read_bytes()
    assert call(*words, f"--output={tmp_path}/cut") == 0
    blocks = tmp_path / "cut" / BLOCKS
    lines = blocks.read_bytes().splitlines(keepends=True)
    blocks.write_bytes(b"".join(lines[:2]))
    (tmp_path / "cut" / GAMES).write_bytes(whole[:-50])
    assert call(*words[:-2], FAST, f"--output={tmp_path}/cut") == 0  # without the flag
    assert (tmp_path / "cut" / GAMES).read_bytes() == whole
    assert blocks.read_bytes() == b"".join(lines)


def test_recording_cannot_begin_in_the_middle(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--pairs=2", FAST, f"--output={tmp_path}"]
    assert call(*words) == 0
    assert call(*words, "--record") == 2
    assert "block 0 was played without --record" in capsys.readouterr().err


def test_times_are_kept_for_each_bot(tmp_path: Path) -> None:
    assert call("--pairs=4", "--block_pairs=2", f"--output={tmp_path}") == 0
    with Store(tmp_path, Plan(read_config(tmp_path))) as store:
        assert sorted(store.times) == [0, 1]
        assert all(part.moves > 20 for both in store.times.values() for part in both)
    (tmp_path / TIMES).write_text('{"block": 0}\n')
    with pytest.raises(StoreError, match="times.jsonl: line 1 was changed by hand"):
        Store(tmp_path, Plan(read_config(tmp_path)))


def read_config(folder: Path) -> Config:
    """The configuration of a store."""
    fields = json.loads((folder / MANIFEST).read_text())["config"]
    return Config(**{**fields, "bots": tuple(fields["bots"])})


# --- disks --------------------------------------------------------------------------------------


def test_disk_without_room_is_told_before_the_first_game(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "scripts.arena.store.store.shutil.disk_usage",
        lambda path: type("Usage", (), {"free": 100_000})(),
    )
    assert call("--pairs=1000000", f"--output={tmp_path}") == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "2000000 games take about 200.0 MB, but only 0.1 MB are free there" in err


@pytest.mark.skipif(os.name == "nt", reason="files cannot be limited there")
@pytest.mark.parametrize(
    "words", mostly_slow([[], ["--record"], ["--n_jobs=2"]], quick=[["--record"]])
)
def test_disk_that_gets_full_loses_no_finished_block(tmp_path: Path, words: list[str]) -> None:
    """With a real limit on the size of files."""
    flags = ["--pairs=60", "--block_pairs=2", "--noreport", f"--output={tmp_path}/out", *words]
    script = (
        "import resource, sys\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4000, resource.RLIM_INFINITY))\n"
        "from scripts import tournament\n"
        "code = tournament.main(tournament.parse_flags(['tournament', *sys.argv[1:]]))\n"
        "sys.stdout.flush()\n"
        "sys.exit(code)\n"
    )
    limited = [sys.executable, "-c", script, *flags, FAST]
    run = subprocess.run(limited, capture_output=True, text=True, check=False, cwd=ROOT)
    assert run.returncode == 2, run.stderr
    last = run.stderr.splitlines()[-1]
    assert last == f"tournament: {tmp_path}/out: cannot be used for results (File too large)"
    before = (tmp_path / "out" / BLOCKS).read_bytes()
    assert call(*flags, FAST) == 0
    whole = (tmp_path / "out" / BLOCKS).read_bytes()
    kept = before[: before.rfind(b"\n") + 1]
    assert kept
    assert set(kept.splitlines()) <= set(whole.splitlines())
    assert call("--pairs=60", "--block_pairs=2", FAST, f"--output={tmp_path}/other") == 0
    assert (tmp_path / "other" / BLOCKS).read_bytes() == whole


# --- flags that do not fit ----------------------------------------------------------------------

WRONG = {
    "gauntlet": (["--gauntlet=gredy"], "bot: 'gredy' is unknown"),
    "gauntlet alone": (["--gauntlet=greedy", "--bots=greedy"], "'greedy' alone is not enough"),
    "no hypotheses": (["--sprt=5"], "sprt: '5' is not allowed; it reads t0,t1 with two numbers"),
    "order": (["--sprt=5,0"], "sprt: '5,0' is not allowed"),
    "far": (["--sprt=0,1000"], "mean margins of this game lie between -650 and 650"),
    "sprt of three": (["--sprt=0,5", "--bots=random greedy random:seed=2"], "3 bots are to play"),
    "sprt and shard": (["--sprt=0,5", "--shard=1/2"], "shard: '1/2' cannot be given together"),
    "audit": (["--audit_pairs=-1"], "audit_pairs: -1 is not allowed"),
    "limit": (["--move_limit=0.001"], "move_limit: 0.001 is not allowed; it must be a number"),
    "no number": (["--move_limit=nan"], "move_limit: nan is not allowed"),
    "memory": (["--memory=-1"], "--memory: -1.0 is not allowed"),
    "memory alone": (["--move_limit=0", "--memory=0.1"], "cannot be kept with --move_limit=0"),
    "module": (["--bots=no_such_module:make random"], "no_such_module cannot be imported"),
    "maker": ([f"--bots={PATH}:nobody random"], "has no function 'nobody'"),
    "option": ([f"--bots={PATH}:make:does random"], "'does' is not allowed; options read NAME=VAL"),
    "failing": ([f"--bots={PATH}:fail random"], "cannot be made (RuntimeError: out of order)"),
}


@pytest.mark.parametrize(("words", "why"), WRONG.values(), ids=WRONG.keys())
def test_bad_flags(
    words: list[str], why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert_refused(call(*words, f"--output={tmp_path}/out"), why, "tournament", capsys)
    assert list(tmp_path.iterdir()) == []
