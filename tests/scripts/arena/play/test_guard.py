"""Bots that hang, die or use all memory, and what a tournament makes of them."""

import errno
import os
import signal
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path

import pytest

from scripts.arena.plan.config import Watch, make_config
from scripts.arena.plan.game_text import load_game
from scripts.arena.plan.pairings import Plan
from scripts.arena.play import clock
from scripts.arena.play.clock import PAGE_SIZE, Clock, LateError, Question
from scripts.arena.play.games import play_block
from scripts.arena.play.guard import Guard, MisplayError, PlayerError
from scripts.arena.store.records import GameRecord
from tests.places import ROOT
from tests.scripts.processes import processes_with
from tests.scripts.rogues import PATH
from tests.variants import mostly_slow

POSIX = pytest.mark.skipif(os.name == "nt", reason="there are no such signals")


def plan_of(
    *bots: str, pairs: int = 1, limit: float = 60.0, memory: int = 4096, seed: int = 1
) -> Plan:
    """A plan of one block with a limit for each move."""
    config = make_config(
        *("python_marjolet", bots, pairs, seed, pairs),
        watch=Watch(move_limit=limit, memory_limit=memory),
    )
    return Plan(config)


def played(plan: Plan) -> tuple[GameRecord, ...]:
    """The games of its first block, played under guard."""
    with Guard(plan.config.move_limit, plan.config.memory_limit) as watching:
        return watching.play_block(plan, plan.blocks[0]).record.games


def test_games_under_guard_are_those_without() -> None:
    plan = plan_of("greedy", "random", pairs=5)
    with Guard(60.0) as watching:
        guarded = watching.play_block(plan, plan.blocks[0])
    alone = play_block(plan, plan.blocks[0])
    assert (guarded.record, guarded.histories) == (alone.record, alone.histories)
    assert [part.moves > 20 for part in guarded.times] == [True, True]


MISDEEDS = {
    "sleeps": (0.3, "choosing: no answer within 0.3 s"),
    "spins": (0.3, "choosing: no answer within 0.3 s"),
    "late": (0.3, "choosing: no answer within 0.3 s"),
    "hoards": (60.0, "choosing: MemoryError"),
    "dies": (60.0, r"choosing: its process ended (exit code 7)"),
    "is_killed": (60.0, r"choosing: its process ended (SIGKILL, perhaps for want of memory)"),
}


def limit_of(deed: str) -> tuple[float, str]:
    """The time for a move, and the reason that is given."""
    if deed == "hoards" and sys.platform != "linux":
        pytest.skip("memory is limited on Linux only")
    return MISDEEDS[deed]


@POSIX
@pytest.mark.parametrize("deed", mostly_slow(MISDEEDS, quick=("spins", "hoards", "is_killed")))
def test_who_stops_the_process_is_found_out(deed: str) -> None:
    limit, reason = limit_of(deed)
    plan = plan_of(f"{PATH}:make:does={deed}", "greedy", limit=limit, memory=1500)
    last = {"config": asdict(plan.config), "block": asdict(plan.blocks[0]), "start": 1}
    with Guard(limit, 1500) as watching:
        try:  # who is late or takes all memory may still be stopped there, others cannot
            (game,) = watching.call("scripts.arena.play.player:play", **last)
            found, seat = game["record"]["reason"], 1 - game["record"]["forfeit"]
        except MisplayError as error:
            found, seat = str(error), error.question.seat
    assert (found, seat) == (reason, 1)


@POSIX
@pytest.mark.parametrize("deed", mostly_slow(MISDEEDS, quick=("dies",)))
def test_who_stops_the_process_forfeits_and_the_rest_goes_on(
    deed: str,
) -> None:
    """In both seats; the other games are played by a process that knows nothing of it."""
    limit, reason = limit_of(deed)
    plan = plan_of(f"{PATH}:make:does={deed}", "greedy", pairs=1, limit=limit, memory=1500)
    for game in played(plan):
        assert (game.forfeit, game.margin) == (0, None)
        assert game.reason == reason
        assert 0 < game.decisions < 40


@POSIX
@pytest.mark.parametrize(("pairs", "seed"), [(2, 4), pytest.param(6, 1, marks=pytest.mark.slow)])
def test_forfeits_of_one_block_leave_its_other_games_as_they_are(pairs: int, seed: int) -> None:
    """The bot that dies has played some games by then."""
    plan = plan_of(f"{PATH}:make:does=sometimes_dies", "random", pairs=pairs, seed=seed)
    games = played(plan)
    ended = [game.forfeit is not None for game in games]
    assert 0 < sum(ended) < len(games)
    assert [(game.pair, game.seating) for game in games] == plan.blocks[0].games
    assert played(plan) == games


def test_the_game_that_was_stopped_is_known_up_to_there() -> None:
    plan = plan_of(f"{PATH}:make:does=dies", "random")
    with Guard(60.0) as watching:
        block = watching.play_block(plan, plan.blocks[0])
    for game, history in zip(block.record.games, block.histories, strict=True):
        state, decisions = load_game("python_marjolet").new_initial_state(), 0
        for action in history:
            decisions += not state.is_chance_node()
            state.apply_action(action)
        assert decisions == game.decisions
        assert state.current_player() == game.seating
        assert "trick 2" in state.observation_string(0)


def test_what_bots_print_is_no_answer(capfd: pytest.CaptureFixture[str]) -> None:
    plan = plan_of(f"{PATH}:make:does=prints", f"{PATH}:make")
    assert all(game.forfeit is None for game in played(plan))
    out, err = capfd.readouterr()
    assert out == ""
    assert '{"value": 1}' in err


@pytest.mark.parametrize(
    ("maker", "why"),
    [
        ("fail", r"cannot be made \(RuntimeError: out of order\)"),
        ("make_none", r"cannot be made \(setting up: its process ended \(exit code 5\)\)"),
        ("make_late", r"cannot be made \(setting up: no answer within 0\.2 s\)"),
        ("nobody", "has no function 'nobody'"),
        ("make:colour=3", "TypeError"),
    ],
)
def test_bots_that_cannot_be_made_are_told(maker: str, why: str, kept_guard: type[Guard]) -> None:
    with kept_guard(0.2) as watching:
        watching._known = [(f"{PATH}:{maker}", "setting up")]
        with pytest.raises(ValueError, match=why):
            watching.check_bot("python_marjolet", f"{PATH}:{maker}")


@POSIX
def test_the_first_answer_may_take_longer() -> None:
    """Something may be compiled then; but who has had that time gets no more in a new process."""
    rogue = f"{PATH}:make:does=late_first"
    plan = plan_of(rogue, "greedy", limit=0.3)
    assert [game.forfeit for game in played(plan)] == [None, None]
    with Guard(0.3) as watching:
        watching._known = [(rogue, "choosing")]
        games = watching.play_block(plan, plan.blocks[0]).record.games
    assert [game.reason for game in games] == ["choosing: no answer within 0.3 s", ""]


@POSIX
def test_a_process_that_dies_without_a_bot_is_no_forfeit() -> None:
    watching = Guard(60.0)
    with watching:
        running = watching.call("tests.scripts.rogues:die_between", wait=0)
        with pytest.raises(PlayerError, match=r"ended \(exit code 9\) while it asked none of them"):
            list(running)
        with pytest.raises(PlayerError, match="ZeroDivisionError"):
            list(watching.call("tests.scripts.rogues:divide", number=0))
        assert list(watching.call("tests.scripts.rogues:divide", number=4)) == [0.25]


@POSIX
def test_nothing_is_left_of_a_guard_that_is_killed(tmp_path: Path) -> None:
    """Even if its bot is in compiled code that never comes back."""
    script = (
        "from scripts.arena.play.guard import Guard\n"
        "from tests.scripts.arena.play.test_guard import plan_of, PATH\n"
        "plan = plan_of(f'{PATH}:make:does=spins', 'random')\n"
        "Guard(600.0).play_block(plan, plan.blocks[0])\n"
    )
    mark = f"STARTED_IN={tmp_path}"
    environment = {**os.environ, "STARTED_IN": str(tmp_path)}
    with subprocess.Popen([sys.executable, "-c", script], cwd=ROOT, env=environment) as process:
        deadline = time.monotonic() + 60
        while len(processes_with(mark)) < 2:
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.1)
        process.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + 10
    while processes_with(mark):
        assert time.monotonic() < deadline, f"still running: {processes_with(mark)}"
        time.sleep(0.05)


# --- the clock ----------------------------------------------------------------------------------


def test_clock_shows_what_it_asks() -> None:
    page = bytearray(PAGE_SIZE)
    shown: list[Question] = []
    asker = Clock(2.0, page, known=[("bot", "choosing")])
    asker.begin()
    for action, is_decision in ((3, False), (200, True)):
        asker.note(action, is_decision)
    assert Question.read(page).seconds == 0

    def answer_eight() -> int:
        shown.append(Question.read(page))
        return 8

    answer, seconds = asker.ask("bot", 1, "choosing", answer_eight)
    assert answer == 8
    assert seconds is not None
    assert shown == [Question(1, 2.0, 1, "choosing", 1, (3, 200))]
    assert Question.read(page).seconds == 0


def test_clock_gives_more_time_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "FIRST_SECONDS", 0.2)
    told: list[tuple[str, str]] = []
    asker = Clock(0.01, tell=lambda *first: told.append(first))
    assert asker.ask("bot", 0, "choosing", time.sleep, 0.05) == (None, None)
    with pytest.raises(LateError, match=r"no answer within 0\.01 s"):
        asker.ask("bot", 0, "choosing", time.sleep, 0.05)
    with pytest.raises(LateError, match=r"no answer within 0\.21 s"):
        asker.ask("other", 0, "choosing", time.sleep, 0.25)
    assert told == [("bot", "choosing"), ("other", "choosing")]
    assert Clock().ask("bot", 0, "choosing", time.sleep, 0.05) == (None, None)


def test_question_is_over_when_the_bot_fails() -> None:
    page = bytearray(PAGE_SIZE)
    with pytest.raises(ZeroDivisionError):
        Clock(5.0, page).ask("bot", 0, "listening", lambda: 1 / 0)
    assert Question.read(page).seconds == 0


def test_system_without_files_or_processes_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def too_many(*_: object, **__: object) -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(subprocess, "Popen", too_many)
    with Guard(60.0) as guard, pytest.raises(PlayerError, match=r"\(Too many open files"):
        guard.check_bot("python_marjolet", "random")
