"""What the command lines have in common: help, one sentence for what is wrong, and exit codes."""

import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from functools import wraps
from textwrap import fill

from absl import flags

from scripts.streams import OutputError, steady_streams

BAD_INPUT, STOPPED = 2, 130
"""Exit codes: for input that is not allowed, and after Ctrl-C."""

WIDTH = 100
"""Characters of a line of help."""

_HELP = ("--help", "-help", "-h", "--helpshort", "--helpfull")
_REPEAT = ";\n    repeat this option"  # what absl adds to the help of flags with several values
_KINDS = {"int": "a whole number", "float": "a number", "bool": "true or false"}

Main = Callable[[Sequence[str]], int]


def complain(program: str, error: Exception) -> None:
    """Says what is wrong in one line on stderr."""
    sys.stdout.flush()
    print(f"{program}: {' '.join(_sentence(error).split())}", file=sys.stderr)


def _sentence(error: Exception) -> str:
    """What an error says; of one of the system the file and what is wrong with it."""
    if not isinstance(error, OSError) or error.strerror is None:
        return str(error)
    files = [str(file) for file in (error.filename, error.filename2) if file is not None]
    return ": ".join([" and ".join(files), error.strerror]) if files else error.strerror


def refuses(
    program: str, *errors: type[Exception], only_prints: bool = False
) -> Callable[[Main], Main]:
    """Makes a function of a command line, which gives an exit code, end well in any case.

    A ValueError or another one of `errors` is a sentence and exit code BAD_INPUT, Ctrl-C is exit
    code STOPPED, and so are SIGTERM and SIGHUP. If what it prints cannot be written the work
    goes on and its exit code counts.

    Args:
      program: its name.
      errors: what else is a sentence.
      only_prints: whether what it prints is all that it does: then it ends, well if whoever reads
        it has seen enough, else with a sentence and BAD_INPUT.
    """

    refused: tuple[type[Exception], ...] = (ValueError, *errors)

    def decorate(main: Main) -> Main:
        @wraps(main)
        def run(argv: Sequence[str]) -> int:
            with _ends_as_by_ctrl_c(), steady_streams(program, goes_on=not only_prints):
                try:
                    code = main(argv)
                    sys.stdout.flush()
                    return code
                except OutputError as error:
                    if isinstance(error.__cause__, BrokenPipeError):
                        return 0
                    complain(program, error)
                except refused as error:
                    complain(program, error)
                except KeyboardInterrupt:
                    return STOPPED
                return BAD_INPUT

        return run

    return decorate


def _endings() -> list[signal.Signals]:
    """The signals by which a system ends a program, but those that whoever started it shut off."""
    if threading.current_thread() is not threading.main_thread():
        return []
    names = ("SIGTERM", "SIGHUP")
    numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
    return [number for number in numbers if signal.getsignal(number) != signal.SIG_IGN]


@contextmanager
def _ends_as_by_ctrl_c() -> Iterator[None]:
    """Makes a system's order to end that of a user, so that what is finished is kept and told."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = {number: signal.signal(number, interrupt) for number in _endings()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def check_no_words(argv: Sequence[str]) -> None:
    """ValueError if a command line has more than its program and flags."""
    if len(argv) > 1:
        raise ValueError(f"unknown argument {argv[1]!r}; see --help")


class StopSign:
    """Ctrl-C sets it, so that work can end where it can go on later; a second one ends it at once.

    So do the signals by which a system ends a program.

    Attributes:
      is_set: whether it was pressed.
    """

    def __init__(self) -> None:
        """Not set."""
        self.is_set = False

    def __enter__(self) -> "StopSign":
        heard = (signal.SIGINT, *_endings())
        self._before = {number: signal.signal(number, self._hear) for number in heard}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _hear(self, *_: object) -> None:
        if self.is_set:
            raise KeyboardInterrupt
        self.is_set = True


def flags_parser(
    program: str, values: flags.FlagValues, text: str | None
) -> Callable[[Sequence[str]], list[str]]:
    """A function that gives what is left of a command line without its flags.

    ``--help`` ends the program with `help_text` on stdout. A wrong flag ends it with a sentence and
    exit code BAD_INPUT.

    Args:
      program: its name.
      values: its flags, the important ones defined first.
      text: what it does: the docstring of its module.
    """

    def parse(argv: Sequence[str]) -> list[str]:
        # Bots of other people may have absl flags of their own; they get their defaults.
        flags.FLAGS.mark_as_parsed()
        if any(word in _HELP for word in _before_dashes(argv)):
            sys.exit(say_help(argv))
        try:
            rest: list[str] = values(list(argv))
            return rest
        except (flags.Error, ValueError) as error:
            with steady_streams(program):
                complain(program, ValueError(_what_is_wrong(error, values)))
            sys.exit(BAD_INPUT)

    @refuses(program, only_prints=True)
    def say_help(argv: Sequence[str]) -> int:
        print(help_text(values, text or ""))
        return 0

    return parse


def _before_dashes(argv: Sequence[str]) -> Sequence[str]:
    """The words in which there can be flags."""
    words = argv[1:]
    return words[: words.index("--")] if "--" in words else words


def help_text(values: flags.FlagValues, text: str) -> str:
    """What a program does and all its flags, as plain text.

    Args:
      values: the flags.
      text: what it does; marks of reStructuredText are taken out.
    """
    plain = text.strip().replace("``", "").replace("::\n", ":\n")
    return "\n".join([plain, "", "Flags, the important ones first:", "", *_flag_lines(values)])


def _flag_lines(values: flags.FlagValues) -> Iterator[str]:
    for name in values._flags():  # in the order in which they were defined
        flag = values[name]
        value = "=NUMBER" if _kind(flag) in ("int", "float") else "=TEXT"
        head = f"--[no]{name}" if flag.boolean else f"--{name}{value}"
        yield f"  {head}{_default_text(flag)}"
        text = flag.help.partition(_REPEAT)[0]
        yield fill(text, WIDTH, initial_indent=" " * 6, subsequent_indent=" " * 6)


def _kind(flag: "flags.Flag[object]") -> str:
    """What the value of a flag, or each of its values, is: int, float, bool or another word."""
    return flag.flag_type().removeprefix("multi ")


def _default_text(flag: "flags.Flag[object]") -> str:
    if flag.default in (None, "", []):
        return ""
    if isinstance(flag.default, bool):
        return f"  (default: {'yes' if flag.default else 'no'})"
    parts = flag.default if isinstance(flag.default, list) else [flag.default]
    return f"  (default: {' '.join(map(str, parts))})"


def _what_is_wrong(error: Exception, values: flags.FlagValues) -> str:
    """What absl says of a wrong flag, in a sentence that says what is allowed."""
    if isinstance(error, flags.UnrecognizedFlagError):
        near = get_close_matches(error.flagname, list(values), 1)
        hint = f"did you mean --{near[0]}? " if near else ""
        return f"--{error.flagname}: there is no such flag; {hint}see --help"
    text, cause = str(error), error.__context__
    if isinstance(cause, OSError):
        return f"--flagfile: {cause.filename!r} cannot be read ({cause.strerror})"
    missing = text.removeprefix("Missing value for flag --")
    if missing != text:
        return f"--{missing}: its value is missing; it reads --{missing}=VALUE"
    name, _, value = text.removeprefix("flag --").partition("=")
    if not text.startswith("flag --") or name not in values:
        return text
    value = value.removesuffix(f": {cause}")
    kind = _KINDS.get(_kind(values[name]))
    return f"--{name}: {value!r} is not allowed; it must be {kind}" if kind else text
