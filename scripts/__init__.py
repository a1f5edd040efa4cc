"""The project's command lines (``python -m scripts.NAME``)."""

import sys
from types import TracebackType


def _say_that_it_ended(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    """Ctrl-C before a command line is there to hear it: one sentence and no traceback."""
    if issubclass(kind, KeyboardInterrupt):
        print("stopped before it began", file=sys.stderr)
    else:
        sys.__excepthook__(kind, error, trace)


if sys.argv[:1] == ["-m"]:  # Python looks for the module that it is to run
    sys.excepthook = _say_that_it_ended
