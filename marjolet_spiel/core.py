"""The inside of a state: a position and how it came about.

OpenSpiel clones a Python state by deep-copying its attributes one by one, so our states have one. A
core that was "copied" is shared and from then on never changed: the next action of each state that
holds it makes a core of its own. A core that nobody else holds is moved on in place.
"""

import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

from marjolet_spiel import kernel
from marjolet_spiel.array_types import Vector
from marjolet_spiel.events import EVENT_BYTES, apply_event, log_array, node, replay
from marjolet_spiel.rules import RULES_VERSION


class Core:
    """A position, the log of events that led to it, and the position the log starts from.

    Attributes:
      start: int64 [kernel.SIZE]. Never changed.
      log: the events since `start`, a byte each (see `events.py`).
      pos: int64 [kernel.SIZE], where the log leads.
      player: who is to act: 0, 1, -1 for chance, -4 when the game is over.
      mask: the legal actions, or the possible outcomes at a chance node, as a mask.
      need: how many cards the hand being dealt still needs, 0 if none is.
      order: the open game only: the cards of the current deal in the order in which they leave
        the pack, a byte each.
      shared: whether others may hold this core too, so that it must not be changed.
    """

    __slots__ = ("log", "mask", "need", "order", "player", "pos", "shared", "start")

    def __init__(
        self, start: Vector, log: bytes, pos: Vector, order: bytes, word: int, mask: int
    ) -> None:
        """Made from its parts; `word` and `mask` are what `events.node` says of `pos`."""
        self.start = start
        self.log = log
        self.pos = pos
        self.order = order
        self.player = word >> 16
        self.need = word >> 8 & 255
        self.mask = mask
        self.shared = False

    def after(self, action: int) -> "Core":
        """The core after a possible action or outcome: this one, changed, unless it is shared."""
        core = self
        if self.shared:
            word = self.player << 16 | self.need << 8
            core = Core(self.start, self.log, self.pos.copy(), self.order, word, self.mask)
        word, core.mask = apply_event(core.pos, action)
        core.log += EVENT_BYTES[word & 255]
        core.player = word >> 16
        core.need = word >> 8 & 255
        return core

    def __deepcopy__(self, memo: Any) -> "Core":
        self.shared = True
        return self

    def __copy__(self) -> "Core":
        self.shared = True
        return self

    def _contents(self) -> tuple[bytes, bytes, bytes]:
        return self.start.tobytes(), self.log, self.order

    def __reduce__(self) -> tuple[Callable[..., "Core"], tuple[Any, ...]]:
        contents = self._contents()
        return restore, (RULES_VERSION, _checksum(contents), *contents)


def core_from(start: Vector, log: bytes = b"", order: bytes = b"") -> Core:
    """A core from a start and a log.

    Raises:
      ValueError: the log is not legal.
    """
    pos = start.copy()
    if replay(pos, log_array(log)) != len(log):
        raise ValueError("state: the history is not legal")
    return Core(start, log, pos, order, *node(pos, 0))


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
    return core_from(first, log, order)
