"""A word to whoever waits for a first import, when numba compiles the rules or a search."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

PATIENCE_SECONDS = 3.0


@cache
def _tell() -> None:
    """Says it, once a process."""
    print(
        "marjolet_spiel: compiling for this machine; "
        "done once, the result is kept for the next time",
        file=sys.stderr,
        flush=True,
    )


@contextmanager
def say_when_compiling() -> Iterator[None]:
    """Says what is going on if the body takes longer than an import from a warm cache would."""
    timer = threading.Timer(PATIENCE_SECONDS, _tell)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
