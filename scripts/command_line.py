"""What the command lines have in common: one sentence for what is wrong, and exit codes."""

import os
import signal
import sys
from collections.abc import Callable, Sequence
from functools import wraps

from absl import flags

BAD_INPUT, STOPPED = 2, 130
"""Exit codes: for input that is not allowed, and after Ctrl-C."""

Main = Callable[[Sequence[str]], int]


def complain(program: str, error: Exception) -> None:
    """Says what is wrong in one line on stderr."""
    sys.stdout.flush()
    print(f"{program}: {' '.join(str(error).split())}", file=sys.stderr)


def refuses(program: str, *errors: type[Exception]) -> Callable[[Main], Main]:
    """Makes a function of a command line, which gives an exit code, end well in any case.

    A ValueError or another one of `errors` is a sentence and exit code BAD_INPUT, Ctrl-C is exit
    code STOPPED. Nothing happens if whoever reads the output has seen enough.
    """

    refused: tuple[type[Exception], ...] = (ValueError, *errors)

    def decorate(main: Main) -> Main:
        @wraps(main)
        def run(argv: Sequence[str]) -> int:
            try:
                code = main(argv)
                sys.stdout.flush()
                return code
            except BrokenPipeError:  # nothing is left to be flushed at exit
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
                return 0
            except refused as error:
                complain(program, error)
                return BAD_INPUT
            except KeyboardInterrupt:
                return STOPPED

        return run

    return decorate


class StopSign:
    """Ctrl-C sets it, so that work can end where it can go on later; a second one ends it at once.

    Attributes:
      is_set: whether it was pressed.
    """

    def __init__(self) -> None:
        """Not set."""
        self.is_set = False

    def __enter__(self) -> "StopSign":
        self._before = signal.signal(signal.SIGINT, self._hear)
        return self

    def __exit__(self, *_: object) -> None:
        signal.signal(signal.SIGINT, self._before)

    def _hear(self, *_: object) -> None:
        if self.is_set:
            raise KeyboardInterrupt
        self.is_set = True


def flags_parser(
    program: str, values: flags.FlagValues = flags.FLAGS
) -> Callable[[Sequence[str]], list[str]]:
    """A function that gives what is left of a command line without its flags.

    A wrong flag ends the program with a sentence and exit code BAD_INPUT.
    """

    def parse(argv: Sequence[str]) -> list[str]:
        try:
            rest: list[str] = values(list(argv))
            return rest
        except flags.Error as error:
            complain(program, error)
            sys.exit(BAD_INPUT)

    return parse
