"""Files that are there whole or not at all: written beside their place, then put there."""

import os
from pathlib import Path
from uuid import uuid4


def write_whole(path: Path, content: str | bytes) -> None:
    """Writes a file in place of what is there, which stays until the new one is on disk.

    Args:
      path: the file; its folder must be there.
      content: bytes, or text; it is written as UTF-8, with escapes for halves of characters.

    Raises:
      OSError: it cannot be written; nothing has changed then.
    """
    data = content if isinstance(content, bytes) else content.encode("utf-8", "backslashreplace")
    beside = path.with_name(f".{path.name}.{uuid4().hex[:8]}.part")
    try:
        with beside.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)
