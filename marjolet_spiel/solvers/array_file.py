"""Arrays on disk: ``.npz`` files without pickle and with a checksum, there whole or not at all.

A file is written beside its place and moved there in one step. What is read is checked to be of the
expected format, to belong to what it should, and each array to be of the expected type.

Beside its own arrays a file has ``format``, int64 []; a text that says what it belongs to; and
``checksum``, a text, of all others.
"""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from marjolet_spiel.whole_files import replacing

Arrays = Mapping[str, NDArray[Any]]
Kinds = Mapping[str, tuple[Any, int]]
"""The numpy type and the number of dimensions of each array."""

Found = TypeVar("Found")


@dataclass(frozen=True)
class ArrayFile:
    """A kind of file.

    Attributes:
      label: what such a file is called, for errors.
      what: what it holds, for errors.
      version: its format, which changes whenever older files can no longer be read.
      owner: the name of the text that says what a file belongs to.
      foreign: what is wrong with a file that belongs to something else, with places for ``found``
        and ``wanted``.
      kinds: its own arrays, in the order of the checksum.
      compress: whether it is to take less space rather than less time.
      scalar_shape: how the shape of a single number stands in the checksum.
      unsealed: whether files without a checksum are read too.
    """

    label: str
    what: str
    version: int
    owner: str
    foreign: str
    kinds: Kinds
    compress: bool = True
    scalar_shape: str = "()"
    unsealed: bool = False

    def write(self, path: str | Path, owner: str, arrays: Mapping[str, Any]) -> None:
        """Writes the arrays of `kinds` in place of what is there, or nothing.

        Args:
          path: the file; its folder must be there.
          owner: what it belongs to.
          arrays: the arrays by name.

        Raises:
          OSError: the file cannot be written.
        """
        version = np.array(self.version, dtype=np.int64)
        whole = {**arrays, "format": version, self.owner: np.array(owner)}
        whole["checksum"] = np.array(self.checksum(whole))
        save: Any = np.savez_compressed if self.compress else np.savez
        with replacing(Path(path), durable=True) as file:
            save(file, **whole)

    def read(self, path: str | Path, owner: str, make: Callable[[Arrays], Found]) -> Found:
        """What is made of the arrays of a file.

        Args:
          path: the file.
          owner: what it must belong to.
          make: makes something of the arrays; ValueError if they do not fit together.

        Raises:
          ValueError: it is missing, damaged, of another format or belongs to something else; the
            message is one sentence that names the file.
        """
        try:
            return make(self._arrays(Path(path), owner))
        except ValueError as error:
            raise ValueError(f"{self.label} {str(path)!r}: {error}") from None

    def checksum(self, arrays: Mapping[str, Any]) -> str:
        """The checksum of all arrays but itself."""
        digest = hashlib.blake2b(digest_size=16)
        for name in ("format", self.owner, *self.kinds):
            array = np.asarray(arrays[name])
            shape = str(array.shape) if array.ndim else self.scalar_shape
            digest.update(f"{name} {array.dtype} {shape} ".encode())
            digest.update(np.ascontiguousarray(array).data if array.size > 1 else array.tobytes())
        return digest.hexdigest()

    def _arrays(self, path: Path, owner: str) -> Arrays:
        arrays = _read(path)
        self._check_format(arrays.get("format"))
        kinds = {self.owner: (np.str_, 0), **self.kinds, "checksum": (np.str_, 0)}
        if self.unsealed and "checksum" not in arrays:
            del kinds["checksum"]
        for name, (kind, dimensions) in kinds.items():
            array = arrays.get(name)
            if array is None or array.dtype.type is not kind or array.ndim != dimensions:
                raise ValueError(f"it is damaged: its array {name!r} is missing or of a wrong type")
        if str(arrays[self.owner]) != owner:
            raise ValueError(self.foreign.format(found=arrays[self.owner], wanted=owner))
        if "checksum" in kinds and str(arrays["checksum"]) != self.checksum(arrays):
            raise ValueError("it is damaged: its checksum is wrong")
        return arrays

    def _check_format(self, found: NDArray[Any] | None) -> None:
        if found is None or found.shape or found.dtype.kind != "i":
            raise ValueError(f"it holds no {self.what}")
        if found != self.version:
            raise ValueError(f"it has format {found}, but only format {self.version} can be read")


def _read(path: Path) -> dict[str, NDArray[Any]]:
    if not path.is_file():
        raise ValueError("there is no such file")
    try:
        with np.load(path, allow_pickle=False) as data:
            return {name: data[name] for name in data.files}
    except Exception as error:  # whatever zip and numpy make of a damaged file
        raise ValueError(f"it is damaged or no .npz file ({_first_line(error)})") from None


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
