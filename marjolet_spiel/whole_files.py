"""Files that are there whole or not at all: written beside their place, then put there."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4


@contextmanager
def replacing(path: Path, durable: bool = False) -> Iterator[BinaryIO]:
    """A new file, which takes the place of what is there when the block ends without an error.

    Processes that do so at the same time do not disturb each other: the last one wins.

    Args:
      path: where it goes; its folder must be there.
      durable: whether it is to be on disk before it takes its place, so that not even a machine
        that stops leaves anything else than the old or the new file.

    Raises:
      OSError: it cannot be written; nothing has changed then.
    """
    beside = path.with_name(f".{path.name}.{uuid4().hex}.part")
    try:
        with beside.open("xb") as file:
            yield file
            if durable:
                file.flush()
                os.fsync(file.fileno())
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)
