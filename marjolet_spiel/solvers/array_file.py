"""Arrays on disk: ``.npz`` files without pickle, there whole or not at all.

A file is written beside its place and moved there in one step. What is read is checked to be of the
expected format, and each array of the expected type.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

Kinds = Mapping[str, tuple[Any, int]]
"""The numpy type and the number of dimensions of each array."""


def write_arrays(path: Path, arrays: Mapping[str, Any], compress: bool = True) -> None:
    """Writes all arrays in place of what is there, or nothing.

    Args:
      path: the file; its folder must be there.
      arrays: the arrays by name; ``format`` is an int64 [].
      compress: whether it is to take less space rather than less time.

    Raises:
      OSError: the file cannot be written.
    """
    beside = path.with_name(f".{path.name}.{uuid4().hex}.part")
    save = np.savez_compressed if compress else np.savez
    try:
        with beside.open("xb") as file:
            save(file, **arrays)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)


def read_arrays(path: Path, kinds: Kinds, version: int, what: str) -> dict[str, NDArray[Any]]:
    """The arrays of a file.

    Args:
      path: the file.
      kinds: the arrays it must have.
      version: the format it must have.
      what: what it should hold, for errors.

    Raises:
      ValueError: it is missing, damaged or of another format; the message does not name the file.
    """
    if not path.is_file():
        raise ValueError("there is no such file")
    try:
        with np.load(path, allow_pickle=False) as data:
            arrays = {name: data[name] for name in data.files}
    except Exception as error:  # whatever zip and numpy make of a damaged file
        raise ValueError(f"it is damaged or no .npz file ({_first_line(error)})") from None
    found = arrays.get("format")
    if found is None or found.shape or found.dtype.kind != "i":
        raise ValueError(f"it holds no {what}")
    if found != version:
        raise ValueError(f"it has format {found}, but only format {version} can be read")
    for name, (kind, dimensions) in kinds.items():
        array = arrays.get(name)
        if array is None or array.dtype.type is not kind or array.ndim != dimensions:
            raise ValueError(f"it is damaged: its array {name!r} is missing or of a wrong type")
    return arrays


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
