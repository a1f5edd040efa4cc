"""Bots as they come: that offer nothing but `step`, raise anything, or start processes."""

import os
import time

import pytest

from bots.registry import make_bot
from scripts import check_bot
from scripts.arena.plan.config import Watch, make_config
from scripts.arena.plan.game_text import load_game
from scripts.arena.plan.pairings import Plan
from scripts.arena.play.clock import PAGE_SIZE, Clock
from scripts.arena.play.games import play_games
from scripts.arena.play.guard import COPIED, MAX_PROCESSES, TOO_MANY, Guard, _kill_all_with
from scripts.arena.store.records import GameRecord
from tests.scripts.arena.play.test_workers import processes_with
from tests.scripts.front_ends import call_main
from tests.scripts.rogues import PATH
from tests.variants import mostly_slow

POSIX = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
LINUX = pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="nobody counts processes")


def plan_of(*bots: str, pairs: int = 1) -> Plan:
    """A plan of one block."""
    return Plan(make_config("python_marjolet", bots, pairs, 1, pairs, watch=Watch(move_limit=60.0)))


def played_here(plan: Plan) -> list[GameRecord]:
    """The games of its first block, played in this process as in one that is watched."""
    clock = Clock(60.0, bytearray(PAGE_SIZE))
    return [game.record for game in play_games(plan, plan.blocks[0], 0, clock)]


# --- what a bot is ------------------------------------------------------------------------------


def test_any_object_with_a_step_is_a_bot() -> None:
    plan = plan_of(f"{PATH}:make_only_steps", f"{PATH}:make:does=first")
    assert [game.forfeit for game in played_here(plan)] == [None, None]
    named = plan_of(f"{PATH}:make", f"{PATH}:make:does=first")
    for bare, full in zip(played_here(plan), played_here(named), strict=True):
        assert (bare.margin, bare.decisions) == (full.margin, full.decisions)


def test_bots_without_restart_and_policy_pass_the_check(
    capsys: pytest.CaptureFixture[str], one_process: None
) -> None:
    assert call_main(check_bot, f"--bot={PATH}:make_only_steps", "--deals=1") == 0
    said = capsys.readouterr().out
    assert (
        "it plays a second game after restart(): it has none, so each game gets a new one" in said
    )
    assert "it provides none" in said


@pytest.mark.parametrize(
    ("what", "returned"),
    [("none", "None"), ("number", "an object of type int"), ("text", "an object of type str")],
)
def test_what_cannot_step_is_no_bot(what: str, returned: str) -> None:
    why = rf"cannot be made; its maker returned {returned}, which has no step\(state\)"
    with pytest.raises(ValueError, match=why):
        make_bot(f"{PATH}:make_nothing:what={what}", load_game("python_marjolet"), 0, 0)


# --- whatever it raises -------------------------------------------------------------------------

RAISED = {
    "raises_own": "OwnError: of its own",
    "cancels": "CancelledError",
    "raises_interrupt": "KeyboardInterrupt",
    "interrupts": "KeyboardInterrupt",
    "exits": "SystemExit: enough",
    "is_mute": "MuteError",
    "says_anything": r"ValueError: a \ud800 lone surrogate, a \x1b[31m colour, a \x00 nothing",
}


@POSIX
@pytest.mark.parametrize("deed", RAISED)
def test_whatever_a_bot_raises_forfeits_that_game(deed: str) -> None:
    for game in played_here(plan_of(f"{PATH}:make:does={deed}", "random")):
        assert (game.forfeit, game.reason) == (0, f"choosing: {RAISED[deed]}")


def test_ctrl_c_where_nobody_watches_is_somebodys() -> None:
    plan = plan_of(f"{PATH}:make:does=raises_interrupt", "random")
    with pytest.raises(KeyboardInterrupt):
        list(play_games(plan, plan.blocks[0]))


@POSIX
@pytest.mark.slow
@pytest.mark.parametrize("deed", RAISED)
def test_whatever_a_bot_raises_forfeits_that_game_under_guard(deed: str) -> None:
    plan = plan_of(f"{PATH}:make:does={deed}", "greedy")
    with Guard(60.0) as watching:
        for game in watching.play_block(plan, plan.blocks[0]).record.games:
            assert (game.forfeit, game.reason) == (0, f"choosing: {RAISED[deed]}")


# --- the processes it starts --------------------------------------------------------------------


@POSIX
@pytest.mark.parametrize("deed", mostly_slow(("forks", "forks_late"), quick=("forks",)))
def test_a_copy_that_comes_back_forfeits_and_there_are_as_many_records_as_games(deed: str) -> None:
    plan = plan_of(f"{PATH}:make:does={deed}", "greedy")
    with Guard(60.0) as watching:
        record = watching.play_block(plan, plan.blocks[0]).record
    assert [(game.pair, game.seating) for game in record.games] == plan.blocks[0].games
    assert [(game.forfeit, game.reason) for game in record.games] == 2 * [
        (0, f"choosing: {COPIED}")
    ]


@LINUX
@pytest.mark.slow
def test_too_many_processes_forfeit() -> None:
    plan = plan_of(f"{PATH}:make:does=bombs", "greedy")
    with Guard(60.0) as watching:
        games = watching.play_block(plan, plan.blocks[0]).record.games
    assert [(game.forfeit, game.reason) for game in games] == 2 * [(0, f"choosing: {TOO_MANY}")]
    assert MAX_PROCESSES < 200


@LINUX
@pytest.mark.slow
@pytest.mark.parametrize("deed", ["escapes", "forks_late", "bombs"])
def test_nothing_that_a_bot_has_started_outlives_the_guard(
    deed: str, monkeypatch: pytest.MonkeyPatch, tmp_path: os.PathLike[str]
) -> None:
    monkeypatch.setenv("STARTED_IN", str(tmp_path))
    plan = plan_of(f"{PATH}:make:does={deed}", "greedy")
    with Guard(60.0) as watching:
        watching.play_block(plan, plan.blocks[0])
    deadline = time.monotonic() + 10
    while left := processes_with(f"STARTED_IN={tmp_path}"):
        assert time.monotonic() < deadline, f"still running: {left}"
        time.sleep(0.05)


@LINUX
def test_a_process_in_a_session_of_its_own_is_found_by_its_mark(tmp_path: os.PathLike[str]) -> None:
    mark = f"MARK_OF_A_TEST={tmp_path}"
    pid = os.posix_spawn(
        "/bin/sleep", ["sleep", "60"], {"MARK_OF_A_TEST": str(tmp_path)}, setpgroup=0
    )
    deadline = time.monotonic() + 10
    while not processes_with(mark):  # the system shows variables a moment after the start
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert _kill_all_with(mark) == 1
    os.waitpid(pid, 0)
    assert _kill_all_with(mark) == 0


@POSIX
@pytest.mark.parametrize("kind", mostly_slow(("pipe", "fork"), quick=()))
def test_bots_may_have_engines_of_their_own(kind: str) -> None:
    """They play as the bot does that chooses by itself."""
    engine = plan_of(f"{PATH}:make_with_engine:kind={kind}", "random")
    alone = plan_of(f"{PATH}:make:does=first", "random")
    with Guard(60.0) as watching:
        found = watching.play_block(engine, engine.blocks[0])
        assert found.histories == watching.play_block(alone, alone.blocks[0]).histories
