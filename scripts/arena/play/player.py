"""The process in which bots play, so that a bot that hangs or dies takes nothing else with it.

A `guard` starts and watches it: ``python -m scripts.arena.play.player PAGE LIFELINE MEMORY``. It
reads requests from its standard input, one line of JSON each, and writes what comes of them to its
standard output. What bots print goes to the standard error, and they have no standard input.
"""

import contextlib
import json
import mmap
import os
import signal
import sys
import threading
import traceback
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, TextIO

from scripts.arena.plan.config import config_of
from scripts.arena.plan.pairings import Block, Plan
from scripts.arena.play.clock import PAGE_SIZE, Clock, Question
from scripts.arena.play.games import check_bot, play_games
from scripts.streams import make_streams_steady

MEGABYTE = 2**20
MEMORY_ERROR = "MemoryError"


def play(
    clock: Clock, config: Mapping[str, Any], block: Mapping[str, int], start: int
) -> Iterator[Any]:
    """Plays the games of a block from one on; gives each, as `PlayedGame.to_dict` has it.

    It ends early after a bot has used all memory, which only a new process gets back.
    """
    for game in play_games(Plan(config_of(config)), Block(**block), start, clock):
        yield game.to_dict()
        if MEMORY_ERROR in game.record.reason:
            return


def check(clock: Clock, game: str, bot: str) -> Iterator[Any]:
    """Makes a bot; ValueError if it cannot be made."""
    check_bot(game, bot, clock)
    yield from ()


def serve(requests: TextIO, answers: TextIO, page: Any) -> None:
    """Answers requests until there are no more.

    A request calls a function of this or another module that yields values, with a clock and what
    the request holds as arguments.
    """

    def say(**message: Any) -> None:
        answers.write(json.dumps({**message, "process": os.getpid()}) + "\n")
        answers.flush()

    _interrupt_bots_alone(page)
    for line in requests:
        request = json.loads(line)
        module, _, name = request["call"].partition(":")
        known = [(bot, doing) for bot, doing in request["known"]]
        tells = (lambda *first: say(known=first), lambda *copied: say(copied=copied))
        clock = Clock(request["limit"], page, known, *tells)
        try:
            for value in getattr(import_module(module), name)(clock, **request["arguments"]):
                say(value=value)
            say(end=True)
        except ValueError as error:
            say(refused=str(error))
        except BaseException:
            say(failed=traceback.format_exc())


def _interrupt_bots_alone(page: Any) -> None:
    """Lets SIGINT, which nobody's Ctrl-C sends here, interrupt bots and nothing else."""

    def interrupt(number: int, frame: Any) -> None:
        if Question.read(page).seconds:
            raise KeyboardInterrupt

    signal.signal(signal.SIGINT, interrupt)


def _limit_memory(megabytes: int) -> None:
    """Lets this process have no more than that, where the system can."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        if megabytes and sys.platform == "linux":
            resource.setrlimit(resource.RLIMIT_DATA, (megabytes * MEGABYTE,) * 2)


def _end_with(lifeline: int) -> None:
    """Makes the end of the process that holds the other end of a pipe that of this one.

    It is the end of all that its bots have started too. The system does it by a signal, so that it
    works even while compiled code never comes back; a thread does it where there is no such signal.
    """
    threading.Thread(target=_end_at_end_of, args=[lifeline], daemon=True).start()
    with contextlib.suppress(ImportError, OSError, AttributeError):
        import fcntl

        signal.signal(signal.SIGIO, signal.SIG_DFL)
        fcntl.fcntl(lifeline, fcntl.F_SETOWN, -os.getpgrp())
        flags = fcntl.fcntl(lifeline, fcntl.F_GETFL)
        fcntl.fcntl(lifeline, fcntl.F_SETFL, flags | os.O_ASYNC)


def _end_at_end_of(lifeline: int) -> None:
    os.read(lifeline, 1)
    if hasattr(os, "killpg"):
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


def _own_channels() -> tuple[TextIO, TextIO]:
    """Standard input and output for this module alone."""
    requests = os.fdopen(os.dup(0), encoding="utf-8")
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    with open(os.devnull) as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    return requests, answers


def main(page_path: str, lifeline: str, memory: str) -> None:
    """Serves the process that started this one, until that closes the channel or ends."""
    if int(lifeline) >= 0:
        _end_with(int(lifeline))
    _limit_memory(int(memory))
    requests, answers = _own_channels()
    make_streams_steady()  # else a bot that prints would forfeit for want of a terminal
    with open(page_path, "r+b") as file, mmap.mmap(file.fileno(), PAGE_SIZE) as page:
        serve(requests, answers, page)


if __name__ == "__main__":
    main(*sys.argv[1:])
