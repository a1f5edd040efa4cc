"""Plays in another process, and survives whatever bots do to that.

The other process (`player`) shows in a page of memory what it asks of whom. If no answer comes in
time it is ended; if it ends by itself the bot that was being asked did that. Either way the bot
forfeits the game, and a new process goes on with the next one.
"""

import contextlib
import json
import mmap
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

from scripts.arena.plan.pairings import Block, Plan
from scripts.arena.play.clock import PAGE_SIZE, Question, too_late
from scripts.arena.store.move_times import MoveTimes
from scripts.arena.store.records import GameRecord, PlayedBlock, PlayedGame

ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "NUMBA")}
"""The environment of processes that compute in one thread each."""

GRACE = 0.5
"""Seconds by which an answer may be late before it is no longer waited for."""

MAX_PROCESSES = 64
"""How many processes bots may have at a time, their own included, where the system counts them."""

COPIED = "a copy of its process came back from it"
TOO_MANY = f"it had more than {MAX_PROCESSES} processes"

_POLL = 0.1
_MARK = "MARJOLET_PLAYER"
"""An environment variable by which all that bots have started is known."""


class PlayerError(Exception):
    """The process in which bots play failed, and no bot is to blame; the message is a sentence."""


class MisplayError(Exception):
    """A bot did not come back, ended its process or made copies of it; the message says which.

    Attributes:
      question: what was being asked.
      bot: who did it, as text; empty if it was the one that was being asked.
    """

    def __init__(self, question: Question, reason: str, bot: str = "", doing: str = "") -> None:
        super().__init__(f"{doing or question.doing}: {reason}")
        self.question = question
        self.bot = bot


class _Process:
    """A process in which bots play, and the page that it shows."""

    def __init__(self, memory: int) -> None:
        handle, self._path = tempfile.mkstemp(prefix="marjolet-")
        with os.fdopen(handle, "r+b") as file:
            file.truncate(PAGE_SIZE)
            self.page = mmap.mmap(file.fileno(), PAGE_SIZE)
        read_end, self._lifeline = os.pipe()
        inherited = () if os.name == "nt" else (read_end,)
        words = [self._path, str(read_end if inherited else -1), str(memory)]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "scripts.arena.play.player", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            env={
                **os.environ,
                **ONE_THREAD,
                "PYTHONPATH": os.pathsep.join(sys.path),
                _MARK: self._path,
            },
            pass_fds=inherited,
            start_new_session=True,  # Ctrl-C is for the process that watches
        )
        os.close(read_end)
        self.lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        reader = (self.process.stdout, self.lines)
        threading.Thread(target=_read, args=reader, daemon=True).start()

    def send(self, request: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # its end will be noticed when it is read from
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()

    def end(self) -> None:
        if os.name == "nt":
            self.process.kill()
        else:  # with all that its bots have started
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            for _ in range(_KILLING_ROUNDS):
                if not _kill_all_with(f"{_MARK}={self._path}"):
                    break
        self.process.wait()
        os.close(self._lifeline)
        self.page.close()
        with contextlib.suppress(OSError):
            os.unlink(self._path)


_KILLING_ROUNDS = 20


def _processes() -> Iterator[Path]:
    """The folders of all processes, where the system shows them."""
    with contextlib.suppress(OSError):
        yield from (path for path in Path("/proc").iterdir() if path.name.isdigit())


def _kill_all_with(variable: str) -> int:
    """Kills all processes that were started with a variable, in groups of their own too."""
    killed = 0
    for process in _processes():
        with contextlib.suppress(OSError):
            if variable.encode() in (process / "environ").read_bytes().split(b"\0"):
                os.kill(int(process.name), signal.SIGKILL)
                killed += 1  # one that has ended shows no variables any more
    return killed


def _size_of_session(leader: int) -> int:
    """How many processes belong to a session; 0 where the system does not show it."""
    found = 0
    for process in _processes():
        with contextlib.suppress(OSError, IndexError):
            found += int((process / "stat").read_bytes().rpartition(b") ")[2].split()[3]) == leader
    return found


def _read(stream: IO[str], lines: "queue.SimpleQueue[str | None]") -> None:
    for line in stream:
        lines.put(line)
    lines.put(None)


class Guard:
    """Has games played in another process, which is started when it is first needed."""

    def __init__(self, move_limit: float, memory_limit: int = 0) -> None:
        """A guard for bots that may take `move_limit` seconds a move and use so many megabytes."""
        self._move_limit = move_limit
        self._memory_limit = memory_limit
        self._known: list[tuple[str, str]] = []
        self._process: _Process | None = None

    def __enter__(self) -> "Guard":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the process, if there is one."""
        if self._process is not None:
            self._process.end()
            self._process = None

    def play_block(self, plan: Plan, block: Block) -> PlayedBlock:
        """Plays a block; whatever its bots do is in the result.

        Raises:
          PlayerError: something went wrong that no bot is to blame for.
        """
        games: list[PlayedGame] = []
        while len(games) < len(block.games):
            try:
                work = {"config": asdict(plan.config), "block": asdict(block), "start": len(games)}
                for value in self.call("scripts.arena.play.player:play", **work):
                    games.append(_asked_for(PlayedGame.from_dict(value), block, len(games)))
            except MisplayError as misplay:
                bots = [plan.config.bots[bot] for bot in (block.first, block.second)]
                if len(games) < len(block.games) and misplay.bot in ("", *bots):
                    games.append(_forfeited(misplay, bots, *block.games[len(games)]))
            if len(games) < len(block.games):
                self.close()
        return PlayedBlock.of(block, games)

    def check_bot(self, game: str, bot: str) -> None:
        """Makes a bot, so that a missing file or the like is told before the first game.

        Raises:
          ValueError: it cannot be made for the game; the message says why.
        """
        try:
            list(self.call("scripts.arena.play.player:check", game=game, bot=bot))
        except MisplayError as misplay:
            raise ValueError(f"bot {bot!r}: cannot be made ({misplay})") from misplay

    def call(self, function: str, **arguments: Any) -> Iterator[Any]:
        """The values that a function yields in the other process.

        Args:
          function: its module and name; it takes a `clock.Clock` and the arguments.
          arguments: whatever JSON can hold.

        Raises:
          ValueError: the function raised it.
          MisplayError: a bot did not come back, or ended the process.
          PlayerError: something else went wrong.
        """
        if self._process is None:
            self._process = _started(self._memory_limit)
        process = self._process
        request = {"call": function, "arguments": arguments, "limit": self._move_limit}
        process.send({**request, "known": self._known})
        try:
            for message in self._messages(process):
                if "known" in message:
                    self._known.append(message["known"])
                elif "value" in message:
                    yield message["value"]
                elif "refused" in message:
                    raise ValueError(message["refused"])
                elif "failed" in message:
                    raise PlayerError(f"the process of the bots failed: {message['failed']}")
                else:
                    return
        except BaseException as error:
            if not isinstance(error, ValueError):
                self.close()
            raise

    def _messages(self, process: _Process) -> Iterator[dict[str, Any]]:
        """What the process says, as it says it."""
        last, since = -1, 0.0
        while True:
            try:
                line = process.lines.get(timeout=min(_POLL, self._move_limit / 4))
            except queue.Empty:
                if process.process.poll() is not None:  # its children may keep the channel open
                    raise self._why_it_ended(process) from None
                question, now = Question.read(process.page), time.monotonic()
                if _size_of_session(process.process.pid) > MAX_PROCESSES:
                    raise MisplayError(question, TOO_MANY) from None
                if not question.seconds or question.number != last:
                    last, since = question.number, now
                elif now - since > question.seconds + GRACE:
                    raise MisplayError(question, too_late(question.seconds)) from None
                continue
            if line is None:
                raise self._why_it_ended(process)
            message = json.loads(line)
            if "copied" in message:
                bot, doing = message["copied"]
                raise MisplayError(Question.read(process.page), COPIED, bot, doing)
            if message["process"] == process.process.pid or os.name == "nt":
                yield message

    def _why_it_ended(self, process: _Process) -> Exception:
        code, question = process.process.wait(), Question.read(process.page)
        how = f"exit code {code}" if code >= 0 else _signal_name(-code)
        if question.seconds:
            return MisplayError(question, f"its process ended ({how})")
        return PlayerError(f"the process of the bots ended ({how}) while it asked none of them")


def _started(memory_limit: int) -> _Process:
    """A new process; PlayerError if the system has none, or no files for it."""
    try:
        return _Process(memory_limit)
    except OSError as error:
        why = error.strerror or error
        raise PlayerError(f"no process can be started for the bots ({why})") from None


def _signal_name(number: int) -> str:
    """The name of a signal, and what SIGKILL may mean."""
    try:
        name = signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
    return f"{name}, perhaps for want of memory" if name == "SIGKILL" else name


def _asked_for(game: PlayedGame, block: Block, number: int) -> PlayedGame:
    """A game, if it is the one of a block that was asked for; else PlayerError."""
    played = (game.record.pair, game.record.seating)
    if number >= len(block.games) or played != block.games[number]:
        raise PlayerError(f"the process of the bots played {played}, which nobody asked for")
    return game


def _forfeited(misplay: MisplayError, bots: Sequence[str], pair: int, seating: int) -> PlayedGame:
    """The game that a bot has ended."""
    question = misplay.question
    forfeit = bots.index(misplay.bot) if misplay.bot else question.seat ^ seating
    record = GameRecord(pair, seating, question.decisions, None, forfeit, str(misplay))
    return PlayedGame(record, question.history, (MoveTimes(), MoveTimes()))
