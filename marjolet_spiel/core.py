"""The immutable inside of a state: a position and how it came about.

OpenSpiel clones a Python state by deep-copying its attributes one by one, so our states have one,
which is never changed and stands for its own copy.
"""

import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

from marjolet_spiel import kernel
from marjolet_spiel.events import EVENT_BYTES, ILLEGAL, apply_event, log_array, node, replay
from marjolet_spiel.kernel import Vector
from marjolet_spiel.rules import RULES_VERSION


class Core:
    """A position, the log of events that led to it, and the position the log starts from.

    Attributes:
      start: int64 [kernel.SIZE]. Never changed.
      log: the events since `start`, a byte each (see `events.py`).
      pos: int64 [kernel.SIZE], where the log leads. Never changed.
      player: who is to act: 0, 1, -1 for chance, -4 when the game is over.
      mask: the legal actions, or the possible outcomes at a chance node, as a mask.
      need: how many cards the hand being dealt still needs, 0 if none is.
      order: the open game only: the cards of the current deal in the order in which they leave
        the pack, a byte each.
    """

    __slots__ = ("log", "mask", "need", "order", "player", "pos", "start")

    def __init__(
        self,
        start: Vector,
        log: bytes,
        pos: Vector,
        order: bytes = b"",
        at: tuple[int, int] | None = None,
    ) -> None:
        """Made from its parts; `at` is what `events.node` says of `pos`, if that is known."""
        word, mask = node(pos, 0) if at is None else at
        self.mask: int = mask
        self.player = word >> 16
        self.need = word >> 8 & 255
        self.start = start
        self.log = log
        self.pos = pos
        self.order = order

    def after(self, action: int) -> "Core | None":
        """The core after an action or a chance outcome, None if that is not possible."""
        pos = self.pos.copy()
        at = apply_event(pos, action)
        if at[0] == ILLEGAL:
            return None
        return Core(self.start, self.log + EVENT_BYTES[at[0] & 255], pos, self.order, at)

    def __deepcopy__(self, memo: Any) -> "Core":
        return self

    def __copy__(self) -> "Core":
        return self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Core) and self._contents() == other._contents()

    def __hash__(self) -> int:
        return hash(self._contents())

    def _contents(self) -> tuple[bytes, bytes, bytes]:
        return self.start.tobytes(), self.log, self.order

    def __reduce__(self) -> tuple[Callable[..., "Core"], tuple[Any, ...]]:
        contents = self._contents()
        return restore, (RULES_VERSION, _checksum(contents), *contents)


def core_at(start: Vector, order: bytes = b"") -> Core:
    """A core whose log is empty."""
    return Core(start, b"", start, order)


def _checksum(contents: tuple[bytes, bytes, bytes]) -> int:
    return zlib.crc32(b"|".join(contents))


def restore(version: int, checksum: int, start: bytes, log: bytes, order: bytes) -> Core:
    """A core from what `Core.__reduce__` saved; the log is replayed and must be legal.

    Raises:
      ValueError: it was saved under another version of the rules, or is damaged.
    """
    if version != RULES_VERSION:
        raise ValueError(f"state: saved under rules version {version!r}, not {RULES_VERSION}")
    contents = (start, log, order)
    if _checksum(contents) != checksum or len(start) != 8 * kernel.SIZE:
        raise ValueError("state: the saved state is damaged (its checksum is wrong)")
    first = np.frombuffer(start, dtype=np.int64).copy()
    pos = first.copy()
    if replay(pos, log_array(log)) != len(log):
        raise ValueError("state: the saved state has an illegal history")
    return Core(first, log, pos, order)
