"""Standard streams that cost no result: what they cannot take is escaped, or left out.

A terminal may lack letters, its reader may be gone, a disk may be full, or nothing may be there.
The work goes on in any case.
"""

import logging
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO

_LIBRARIES = ("absl", "asyncio", "matplotlib", "numba", "PIL")
"""Whose log lines are no part of what a command says."""


class OutputError(Exception):
    """The standard output cannot be written, for the cause that it has; a sentence."""


class SteadyStream:
    """A text stream in place of another one to which not everything can be written.

    Characters that its encoding lacks are escaped. When a write fails it is told once, and nothing
    more is written there, at the end of the process neither.
    """

    def __init__(self, stream: TextIO, failed: Callable[[OSError], None]) -> None:
        """Writes to `stream`; what `failed` raises is raised by the write."""
        self._stream = stream
        self._failed = failed

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Writes text as far as that is possible; its length."""
        encoding = getattr(self._stream, "encoding", None) or "utf-8"
        with self._steadily():
            self._stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
        return len(text)

    def writelines(self, lines: Any) -> None:
        """Writes several texts."""
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        """Pushes out what was written, as far as that is possible."""
        with self._steadily():
            self._stream.flush()

    @contextmanager
    def _steadily(self) -> Iterator[None]:
        try:
            yield
        except ValueError:  # it is closed, which the one who did it knows
            self._stream = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
        except OSError as error:
            with suppress(OSError, ValueError):
                _lead_nowhere(self._stream.fileno())
            self._failed(error)


def _lead_nowhere(descriptor: int) -> None:
    nowhere = os.open(os.devnull, os.O_RDWR)
    if nowhere != descriptor:
        os.dup2(nowhere, descriptor)
        os.close(nowhere)
    os.set_inheritable(descriptor, True)


def open_descriptors() -> None:
    """Makes sure that there are descriptors 0 to 2: else a file of results might become one."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            _lead_nowhere(descriptor)
        with suppress(OSError, AttributeError):
            os.set_blocking(descriptor, True)  # a shared terminal may be left otherwise


def hush_libraries() -> None:
    """Leaves out what libraries log on their way, unless it is an error of its own."""
    for name in _LIBRARIES:
        logging.getLogger(name).setLevel(logging.CRITICAL)


def _nobody(error: OSError) -> None:
    """Is told of failures that nobody needs to know of."""


def make_streams_steady(failed: Callable[[OSError], None] = _nobody) -> None:
    """Puts steady streams in place of the standard ones.

    Args:
      failed: is told of the first failure of the standard output.
    """
    open_descriptors()
    hush_libraries()
    sys.stdout = _steady(sys.stdout, failed)
    sys.stderr = _steady(sys.stderr, _nobody)


def _steady(stream: TextIO | None, failed: Callable[[OSError], None]) -> Any:
    if stream is None:  # so it is if nothing was there at the start
        stream = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    return SteadyStream(stream, failed)


@contextmanager
def steady_streams(program: str, goes_on: bool = True) -> Iterator[None]:
    """Has steady streams in place of the standard ones.

    Args:
      program: who says on stderr that the standard output failed, if its reader did not just leave.
      goes_on: whether the work goes on then; if not, an OutputError is raised.
    """

    def failed(error: OSError) -> None:
        sentence = f"the output cannot be written ({error.strerror or error})"
        if not goes_on:
            raise OutputError(sentence) from error
        if not isinstance(error, BrokenPipeError):
            print(f"{program}: {sentence}", file=sys.stderr)

    before = sys.stdout, sys.stderr
    make_streams_steady(failed)
    steady = sys.stdout, sys.stderr
    try:
        yield
    finally:
        goes_on = True  # what has happened is not covered by an error of the output
        for stream in steady:
            stream.flush()
        sys.stdout, sys.stderr = before
