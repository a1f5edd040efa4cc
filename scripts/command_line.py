"""What the command lines have in common: one sentence for what is wrong, and exit codes."""

import sys
from collections.abc import Callable, Sequence

from absl import flags

BAD_INPUT, STOPPED = 2, 130
"""Exit codes: for input that is not allowed, and after Ctrl-C."""


def complain(program: str, error: Exception) -> None:
    """Says what is wrong in one line on stderr."""
    print(f"{program}: {' '.join(str(error).split())}", file=sys.stderr)


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
