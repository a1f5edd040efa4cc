"""Bots of others that do what bots should not, each named by an import path."""

import asyncio
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import pyspiel
from numba import njit

from marjolet_spiel import kernel
from tests.scripts.players import Player, first_action

PATH = "tests.scripts.rogues"

_hoard: list[bytes] = []


@njit("int64(int64)", cache=True)  # type: ignore[untyped-decorator]
def _spin(number: int) -> int:
    """Never comes back, and never lets go of the interpreter."""
    while number != 0:
        number = (number * 5 + 1) | 1
    return number


class Rogue(Player):
    """Plays the first legal action until the second trick, and then misbehaves."""

    def __init__(self, misbehave: Callable[[Any], Any]) -> None:
        super().__init__(first_action)
        self._misbehave = misbehave

    def step(self, state: Any) -> Any:
        """The first legal action, or worse."""
        if state.core.pos[kernel.TRICK] > 1:
            return self._misbehave(state)
        return first_action(state)


def _sleep(state: Any) -> None:
    time.sleep(3600)


def _late(state: Any) -> int:
    time.sleep(0.5)
    return first_action(state)


def _hoards(state: Any) -> None:
    while True:
        _hoard.append(bytes(10_000_000))  # asked for and never touched


def _changes(state: Any) -> int:
    action = first_action(state)
    state.apply_action(action)
    return action


def _edits(state: Any) -> int:
    state.core.pos[kernel.MELD_POINTS0] = 1000
    return first_action(state)


def peeks(state: Any) -> int:
    """The lowest or the highest legal action, as the other hand has it."""
    hidden = int(state.core.pos[kernel.HAND1 - state.current_player()])
    legal = state.legal_actions()
    return legal[hidden.bit_length() % 2 * (len(legal) - 1)]


def _dies(state: Any) -> None:
    os._exit(7)


def _sometimes_dies(state: Any) -> int:
    if state.core.pos[kernel.TURN_UP] % 2 == 0:
        os._exit(7)
    return first_action(state)


def _is_killed(state: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _prints(state: Any) -> int:
    print('{"value": 1}')
    print("Łódź \ud800", flush=True)
    sys.stdout.write("no line")
    assert sys.stdin.read() == ""
    return first_action(state)


def _unseeded(state: Any) -> int:
    action: int = random.SystemRandom().choice(state.legal_actions())
    return action


class OwnError(BaseException):
    """An error that `except Exception` does not see."""


def _raises_own(state: Any) -> None:
    raise OwnError("of its own")


def _cancels(state: Any) -> None:
    raise asyncio.CancelledError


def _raises_interrupt(state: Any) -> None:
    raise KeyboardInterrupt


def _interrupts(state: Any) -> int:
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(1)
    return first_action(state)


def _exits(state: Any) -> None:
    sys.exit("enough")


def _says_anything(state: Any) -> None:
    raise ValueError("a \ud800 lone surrogate, a \x1b[31m colour, a \x00 nothing")


class MuteError(Exception):
    """An error that cannot even be told."""

    def __str__(self) -> str:
        raise KeyboardInterrupt


def _is_mute(state: Any) -> None:
    raise MuteError


def _forks(state: Any) -> int:
    os.fork()
    return first_action(state)


def _forks_late(state: Any) -> int:
    if os.fork() == 0:
        time.sleep(0.2)
    return first_action(state)


def _bombs(state: Any) -> None:
    for _ in range(200):  # bounded, whatever becomes of the limit
        if os.fork() == 0:
            time.sleep(20)
            os._exit(0)
    time.sleep(20)


def _escapes(state: Any) -> None:
    """Leaves a process behind that is in no group of anybody's, and dies."""
    if os.fork() == 0:
        os.setsid()
        time.sleep(60)
        os._exit(0)
    os._exit(7)


MISDEEDS = {
    "raises_own": _raises_own,
    "cancels": _cancels,
    "raises_interrupt": _raises_interrupt,
    "interrupts": _interrupts,
    "exits": _exits,
    "says_anything": _says_anything,
    "is_mute": _is_mute,
    "forks": _forks,
    "forks_late": _forks_late,
    "bombs": _bombs,
    "escapes": _escapes,
    "illegal": lambda state: 9999,
    "text": lambda state: "play AS",
    "raises": lambda state: 1 // 0,
    "unseeded": _unseeded,
    "first": first_action,
    "sleeps": _sleep,
    "spins": lambda state: _spin(3),
    "late": _late,
    "hoards": _hoards,
    "changes": _changes,
    "edits": _edits,
    "peeks": peeks,
    "dies": _dies,
    "sometimes_dies": _sometimes_dies,
    "is_killed": _is_killed,
    "prints": _prints,
}


class LateOnce(Player):
    """Takes its time for its first answer in a process, as if something were compiled."""

    is_ready = False

    def step(self, state: Any) -> Any:
        """The first legal action."""
        if not LateOnce.is_ready:
            time.sleep(0.6)
            LateOnce.is_ready = True
        return first_action(state)


class SecondGame(Player):
    """Does something else in its second game."""

    def __init__(self, gives_up: bool) -> None:
        super().__init__(first_action)
        self._gives_up = gives_up
        self._games = 1

    def restart(self) -> None:
        """Counts games."""
        self._games += 1

    def step(self, state: Any) -> Any:
        """The first legal action, in the second game the last one or an error."""
        if self._games == 1:
            return first_action(state)
        if self._gives_up:
            raise RuntimeError("a second game")
        return state.legal_actions()[-1]


class BadPolicy(Player):
    """Provides policies that are none."""

    def __init__(self, does: str) -> None:
        super().__init__(first_action)
        self._does = does

    def provides_policy(self) -> bool:
        """It says so."""
        return True

    def get_policy(self, state: Any) -> list[tuple[int, float]]:
        """Pairs of an action and its probability, or so."""
        if self._does == "fails":
            raise RuntimeError("no idea")
        return [(9999, 1.0)] if self._does == "beyond" else [(first_action(state), 0.5)]


def make_policy(game: Any, player: int, seed: int, does: str) -> pyspiel.Bot:
    """A bot with bad policies."""
    return BadPolicy(does)


def make(game: Any, player: int, seed: int, does: str = "") -> pyspiel.Bot:
    """A bot that does one of MISDEEDS, or nothing but play the first legal action."""
    if does in ("gives_up", "remembers"):
        return SecondGame(does == "gives_up")
    if does == "late_first":
        return LateOnce(first_action)
    return Rogue(MISDEEDS.get(does, first_action))


class OnlySteps:
    """All that a bot needs."""

    def step(self, state: Any) -> int:
        """The first legal action."""
        return first_action(state)


def make_only_steps(game: Any, player: int, seed: int) -> OnlySteps:
    """A bot that can do nothing else, and is no `pyspiel.Bot`."""
    return OnlySteps()


def make_nothing(game: Any, player: int, seed: int, what: str = "none") -> Any:
    """What is no bot."""
    return {"none": None, "number": 3, "text": "greedy"}[what]


class WithEngine:
    """Asks an engine of its own, as a child process or over a pipe."""

    def __init__(self, kind: str) -> None:
        self._kind = kind
        if kind == "pipe":
            code = "while True: print(min(map(int, input().split())), flush=True)"
            self._engine = subprocess.Popen(
                [sys.executable, "-c", code],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        else:
            context: Any = multiprocessing.get_context("fork")
            self._pool = context.Pool(1)

    def step(self, state: Any) -> int:
        """The lowest legal action, as the engine finds it."""
        legal: list[int] = state.legal_actions()
        if self._kind != "pipe":
            return int(self._pool.apply(min, (legal,)))
        assert self._engine.stdin is not None
        assert self._engine.stdout is not None
        self._engine.stdin.write(" ".join(map(str, legal)) + "\n")
        self._engine.stdin.flush()
        return int(self._engine.stdout.readline())


_engines: dict[str, WithEngine] = {}


def make_with_engine(game: Any, player: int, seed: int, kind: str) -> WithEngine:
    """A bot with an engine that is started once in a process."""
    if kind not in _engines:
        _engines[kind] = WithEngine(kind)
    return _engines[kind]


class Listener(Player):
    """Plays the first or the last legal action, as the state has it that it was last told of."""

    listens = True

    def __init__(self, player: int, peeks: bool) -> None:
        super().__init__(first_action)
        self._player, self._peeks = player, peeks
        self._choice = 0

    def inform_action(self, state: Any, player_id: int, action: int) -> None:
        """Looks at the hand of the other player, or not."""
        hidden = int(state.core.pos[kernel.HAND1 - self._player])
        self._choice = -(hidden.bit_length() % 2) if self._peeks else -(action % 2)

    def step(self, state: Any) -> Any:
        """The first or the last legal action."""
        return state.legal_actions()[self._choice]


def make_listener(game: Any, player: int, seed: int, peeks: int) -> pyspiel.Bot:
    """A bot that decides from what it is told."""
    return Listener(player, bool(peeks))


def make_none(game: Any, player: int, seed: int) -> None:
    """Ends the process instead."""
    os._exit(5)


def make_late(game: Any, player: int, seed: int) -> None:
    """Never comes back."""
    time.sleep(3600)


def fail(game: Any, player: int, seed: int) -> None:
    """Cannot make a bot."""
    raise RuntimeError("out of order")


# For processes without bots.


def die_between(clock: Any, wait: float) -> Iterator[int]:
    """Ends the process while no bot is asked."""
    time.sleep(wait)
    yield 1
    os._exit(9)


def divide(clock: Any, number: int) -> Iterator[float]:
    """Fails on 0."""
    yield 1 / number
