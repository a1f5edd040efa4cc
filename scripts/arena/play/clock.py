"""How long bots take, and a page of memory that shows another process what is being asked of them.

A bot that never answers, in compiled code perhaps, cannot be stopped from within its process. So
the process in which it plays shows what it asks of whom before it does, and the one that started it
(`guard`) reads that and ends it when the time is over.
"""

import os
import struct
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

DOINGS = ("setting up", "choosing", "listening")
SETTING_UP, CHOOSING, LISTENING = DOINGS

FIRST_SECONDS = 120.0
"""What a bot may take longer the first time that it is asked in a process: it may compile."""

MAX_HISTORY = 2**18
"""How many actions of a game another process can see; more than a match of any sense has."""

_HEAD = struct.Struct("<QdIIII")
PAGE_SIZE = _HEAD.size + MAX_HISTORY

T = TypeVar("T")


class LateError(Exception):
    """A bot has answered, but too late; the message says within what time it did not."""


def too_late(seconds: float) -> str:
    """Why a bot forfeits that has not answered within some seconds."""
    return f"no answer within {seconds:g} s"


@dataclass(frozen=True)
class Question:
    """What is being asked of a bot, and in which game.

    Attributes:
      number: which question it is, from 1; 0 before the first one.
      seconds: how long the bot may take; 0 if nothing is being asked.
      seat: whose bot it is.
      doing: one of DOINGS.
      decisions: how many actions the players have taken.
      history: all actions, those of chance included.
    """

    number: int
    seconds: float
    seat: int
    doing: str
    decisions: int
    history: tuple[int, ...]

    @classmethod
    def read(cls, page: Any) -> "Question":
        """What a page shows."""
        number, seconds, seat, doing, decisions, length = _HEAD.unpack_from(page, 0)
        history = tuple(page[_HEAD.size : _HEAD.size + length])
        return cls(number, seconds, seat, DOINGS[doing], decisions, history)


class Clock:
    """Asks bots, and takes the time."""

    def __init__(
        self,
        limit: float = 0.0,
        page: Any = None,
        known: Iterable[tuple[str, str]] = (),
        tell: Callable[[str, str], None] = lambda bot, doing: None,
        tell_of_copy: Callable[[str, str], None] = lambda bot, doing: None,
    ) -> None:
        """A clock for the bots of one process.

        Args:
          limit: seconds for an answer; 0 is no limit.
          page: memory that another process can read, of PAGE_SIZE bytes; None if none does.
          known: bots and what they have done already, so that they get no more time for it.
          tell: is called with a bot and what it is about to do the first time.
          tell_of_copy: is called with a bot and what it did, in a copy of this process (made by
            `os.fork`) from which the bot has come back too; the copy ends then.
        """
        self._process = os.getpid()
        self._tell_of_copy = tell_of_copy
        self._limit = limit
        self._page = page
        self._known = set(known)
        self._tell = tell
        self._number = self._decisions = self._length = 0

    @property
    def is_watched(self) -> bool:
        """Whether another process watches; then nobody's Ctrl-C reaches this one."""
        return self._page is not None

    def begin(self) -> None:
        """A new game begins."""
        self._decisions = self._length = 0

    def note(self, action: int, is_decision: bool) -> None:
        """Something has happened in the game: an action of a player or of chance."""
        self._decisions += is_decision
        if self._page is not None and self._length < MAX_HISTORY:
            self._page[_HEAD.size + self._length] = action
            self._length += 1

    def ask(
        self, bot: str, seat: int, doing: str, call: Callable[..., T], *args: Any
    ) -> tuple[T, float | None]:
        """The answer of a bot, and how many seconds it took; None the first time.

        Raises:
          LateError: it took too long.
          Exception: whatever the bot raises.
        """
        first = (bot, doing) not in self._known
        if first:
            self._known.add((bot, doing))
            self._tell(bot, doing)
        allowed = self._limit + FIRST_SECONDS * first if self._limit else 0.0
        self._number += 1
        self._show(allowed, seat, doing)
        start = time.perf_counter()
        try:
            answer = call(*args)
            seconds = time.perf_counter() - start
        finally:
            if os.getpid() != self._process:
                self._end_copy(bot, doing)
            self._show(0.0, seat, doing)
        if allowed and seconds > allowed:
            raise LateError(too_late(allowed))
        return answer, None if first else seconds

    def _end_copy(self, bot: str, doing: str) -> None:
        """Ends this process, a copy that a bot has made of the one in which it plays."""
        try:
            self._tell_of_copy(bot, doing)
        finally:
            os._exit(1)

    def _show(self, seconds: float, seat: int, doing: str) -> None:
        if self._page is not None:
            place, game = DOINGS.index(doing), (self._decisions, self._length)
            _HEAD.pack_into(self._page, 0, self._number, seconds, seat, place, *game)
