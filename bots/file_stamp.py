"""When a file changed, so that bots read it once, and again when it is another."""

import os
from pathlib import Path

Stamp = tuple[int, int]


def stamp_of(path: str | Path) -> Stamp:
    """The time at which a file was changed last, in nanoseconds, and its size in bytes.

    A file that cannot be looked at has zeros: what is wrong with it is said when it is read.
    """
    try:
        status = os.stat(path)
    except OSError:
        return 0, 0
    return status.st_mtime_ns, status.st_size
