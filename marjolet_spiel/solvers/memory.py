"""How much memory a solver may use, asked before it is used."""

import os
from pathlib import Path

_SHARE_OF_MEMORY = 0.5


class TooLargeError(ValueError):
    """Something is too large; the message has the figure."""


def free_memory() -> int:
    """Bytes of memory that are free, or can be freed at once; all there are if nobody says."""
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return 1024 * int(line.split()[1])
    except OSError:
        pass
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def memory_limit(memory: int | None) -> int:
    """How many bytes may be used: `memory`, or half of what is free."""
    if memory is None:
        return int(_SHARE_OF_MEMORY * free_memory())
    if isinstance(memory, bool) or not isinstance(memory, int) or memory < 1:
        raise ValueError(f"memory: {memory!r} is not allowed; it must be a whole number of bytes")
    return memory


def check_memory(what: str, needed: int, memory: int | None) -> None:
    """TooLargeError if something needs more bytes than `memory_limit` allows."""
    allowed = memory_limit(memory)
    if needed > allowed:
        raise TooLargeError(
            f"memory: {what} takes {needed:,} bytes, but only {allowed:,} are allowed"
        )
