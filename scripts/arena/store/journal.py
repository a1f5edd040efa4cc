"""Files of lines to which is appended, and which a run that is stopped at any moment leaves whole.

What is appended is on disk before anything else happens; a torn last line is dropped when the file
is opened again.
"""

import os
from collections.abc import Iterable
from errno import ENOENT
from pathlib import Path


def read_lines(path: Path) -> list[str]:
    """The whole lines of a file, without their ends; none if there is no such file.

    Raises:
      OSError: it cannot be read.
    """
    if not path.exists():
        return []
    data = path.read_bytes()
    return data[: data.rfind(b"\n") + 1].decode("utf-8", errors="replace").split("\n")[:-1]


class Journal:
    """A file of lines, open until it is closed. All methods raise OSError if the disk does."""

    def __init__(self, path: Path) -> None:
        """Opens a file, or makes one when something is appended."""
        self.path = path
        self._drop_torn_line()
        self._file = open(path, "ab", buffering=0)  # noqa: SIM115  (open until `close`)

    def _drop_torn_line(self) -> None:
        if not self.path.exists():
            return
        with open(self.path, "rb+") as file:
            data = file.read()
            file.truncate(data.rfind(b"\n") + 1)

    def append(self, lines: Iterable[str]) -> None:
        """Adds lines, given without their ends."""
        left = memoryview(_bytes_of(lines))
        while left:  # a full disk takes a part, and then raises
            left = left[self._file.write(left) :]
        os.fsync(self._file.fileno())
        if os.fstat(self._file.fileno()).st_nlink == 0:
            raise FileNotFoundError(ENOENT, f"{self.path.name} was deleted meanwhile")

    def replace(self, lines: Iterable[str]) -> None:
        """Makes these its lines, at once or not at all."""
        draft = self.path.with_suffix(".tmp")
        with open(draft, "wb") as file:
            file.write(_bytes_of(lines))
            file.flush()
            os.fsync(file.fileno())
        self._file.close()
        os.replace(draft, self.path)
        self._file = open(self.path, "ab", buffering=0)  # noqa: SIM115  (open until `close`)

    def close(self) -> None:
        """Lets go of the file."""
        self._file.close()


def _bytes_of(lines: Iterable[str]) -> bytes:
    return b"".join(line.encode() + b"\n" for line in lines)
