"""The values of the endgame table on disk: written once, checked whenever they are read.

A file has one line of JSON, which says what it is and gives a checksum, and then the values as
bytes. Its name carries the version and the constants. A new one is written beside it and put in
its place in one step, so processes that build at the same time do not disturb each other.
"""

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import platformdirs

from marjolet_spiel.array_types import ByteRows
from marjolet_spiel.rules import RULES_VERSION
from marjolet_spiel.solvers.endgame.build import LAYERS
from marjolet_spiel.solvers.endgame.index import MAX_CARDS
from marjolet_spiel.whole_files import replacing

TABLE_VERSION = 1
"""Changes whenever cells or values mean something else."""


def cache_folder() -> Path:
    """The user's cache folder for this package."""
    return Path(platformdirs.user_cache_dir("marjolet_spiel"))


def file_name(sweep_bonus: int) -> str:
    """The name of the file for a sweep bonus."""
    return f"endgame-v{RULES_VERSION}.{TABLE_VERSION}-{MAX_CARDS}cards-sweep{sweep_bonus}.bin"


def _header(sweep_bonus: int, data: bytes) -> dict[str, Any]:
    return {
        "table": "marjolet endgame",
        "rules_version": RULES_VERSION,
        "table_version": TABLE_VERSION,
        "cards": MAX_CARDS,
        "sweep_bonus": sweep_bonus,
        "checksum": hashlib.blake2b(data, digest_size=16).hexdigest(),
    }


def write_values(path: Path, sweep_bonus: int, values: ByteRows) -> None:
    """Writes int8 [LAYERS, cells]; OSError if that is not possible."""
    data = values.tobytes()
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        file.write(json.dumps(_header(sweep_bonus, data)).encode() + b"\n" + data)


def read_values(path: Path, sweep_bonus: int, cells: int) -> ByteRows | None:
    """The values in a file; None if there is no such file or it is not exactly what it should be.

    Args:
      path: the file.
      sweep_bonus: what the table is for.
      cells: how many cells it has.
    """
    try:
        line, _, data = path.read_bytes().partition(b"\n")
        header = json.loads(line)
    except (OSError, ValueError, RecursionError):
        return None
    if len(data) != LAYERS * cells or header != _header(sweep_bonus, data):
        return None
    return np.frombuffer(bytearray(data), dtype=np.int8).reshape(LAYERS, cells)
