"""Lines of JSON with a checksum, so that one that was damaged is found."""

import json
import zlib
from collections.abc import Mapping
from typing import Any

_KEY = "crc"


class SealError(ValueError):
    """The checksum of a line is wrong."""

    def __init__(self) -> None:
        """The error says so."""
        super().__init__("its checksum is wrong")


def seal(fields: Mapping[str, Any]) -> str:
    """One line of text without its end."""
    text = _compact(fields)
    return f'{text[:-1]},"{_KEY}":{zlib.crc32(text.encode())}}}'


def unseal(line: str, needed: bool = True) -> dict[str, Any]:
    """What `seal` was given.

    Args:
      line: the line.
      needed: whether a line without a checksum is wrong; older files have some.

    Raises:
      SealError: the line is damaged.
      ValueError, KeyError, TypeError: it is something else.
    """
    fields: dict[str, Any] = dict(json.loads(line))
    if not needed and _KEY not in fields:
        return fields
    checksum = fields.pop(_KEY)
    if zlib.crc32(_compact(fields).encode()) != checksum:
        raise SealError
    return fields


def _compact(fields: Mapping[str, Any]) -> str:
    return json.dumps(fields, separators=(",", ":"), ensure_ascii=True)
