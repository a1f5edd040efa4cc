"""The dict of a position to set up, read field by field: each value of the right kind by itself."""

from collections.abc import Mapping
from typing import Any

from marjolet_spiel import cards, kernel
from marjolet_spiel.array_types import Vector
from marjolet_spiel.cards import bits, names_of
from marjolet_spiel.kernel import NONE

REQUIRED_KEYS = (
    *("phase", "dealer", "deal_number", "trick", "leader", "led", "turn_up", "indicator"),
    *("hands", "captured", "stock", "declared", "window", "swapped", "last_tricks", "points"),
    "scores",
)
DERIVED_KEYS = ("current_player", "trump", "exposed", "known", "stock_left", "deal_points")
"""Keys that follow from the others: a set-up position may leave them out, not contradict."""

MOST = 1_000_000_000
"""No number of a position comes near it."""


class Fields:
    """A dict, and the kernel position that is made from it.

    Attributes:
      setup: the dict (`positions.position_dict`).
      pos: int64 [kernel.SIZE], with the rules and with what was read so far.
    """

    def __init__(self, start: Vector, setup: Mapping[str, Any]) -> None:
        """A dict under the rules of a position; ValueError for unknown and missing keys."""
        if not isinstance(setup, Mapping):
            raise ValueError(f"position: {setup!r} is not allowed; it must be a dict")
        self.setup = setup
        self.pos = start.copy()
        known = {*REQUIRED_KEYS, *DERIVED_KEYS}
        for key in setup:
            if key not in known:
                raise ValueError(f"position: key {key!r} is unknown; keys are {sorted(known)}")
        for key in REQUIRED_KEYS:
            if key not in setup:
                raise ValueError(f"position: key {key!r} is missing")

    def bad(self, key: str, why: str) -> ValueError:
        """The error that a key cannot have its value."""
        return ValueError(f"position: {key} = {self.setup.get(key)!r} is not possible: {why}")

    def whole(self, key: str, low: int, high: int) -> int:
        """A whole number; ValueError if it is none, or out of range."""
        value = self.setup[key]
        if type(value) is not int or not low <= value <= high:
            raise self.bad(key, f"it must be a whole number from {low} to {high}")
        return value

    def pair(self, key: str, kind: type) -> list[Any]:
        """A value for each player; ValueError if there are not two of the kind."""
        value = self.setup[key]
        if (
            not isinstance(value, list | tuple)
            or len(value) != 2
            or any(type(part) is not kind for part in value)
        ):
            raise self.bad(key, f"it must be a list of two, each a {kind.__name__}")
        if kind is int and max(abs(part) for part in value) > MOST:
            raise self.bad(key, f"numbers go up to {MOST}")
        return list(value)

    def mask(self, key: str, names: Any) -> int:
        """A list of cards as a mask; ValueError if they are none of the pack."""
        if not isinstance(names, list | tuple) or any(type(name) is not str for name in names):
            raise self.bad(key, "cards are a list of names such as 'AS'")
        try:
            mask = cards.parse_cards(names)
        except ValueError as error:
            raise self.bad(key, str(error)) from None
        if mask & ~int(self.pos[kernel.PACK]):
            foreign = names_of(mask & ~int(self.pos[kernel.PACK]))
            raise self.bad(key, f"{' '.join(foreign)} is not in the pack")
        return mask

    def one(self, key: str) -> int:
        """A card, or NONE for ""."""
        name = self.setup[key]
        return NONE if name == "" else bits(self.mask(key, [name]))[0]

    def meld(self, key: str, name: Any, suits: int) -> int:
        """A meld by its number; ValueError if it does not count."""
        try:
            meld = cards.parse_meld(name, suits)
        except ValueError as error:
            raise self.bad(key, str(error)) from None
        if self.pos[kernel.TRUMP] == NONE or not kernel.meld_value(self.pos, meld):
            raise self.bad(key, f"{name} does not count here")
        return meld

    def played(self) -> int:
        """The cards played so far, as a mask."""
        pos = self.pos
        led = 0 if pos[kernel.LED] == NONE else 1 << int(pos[kernel.LED])
        return int(pos[kernel.CAPTURED0]) | int(pos[kernel.CAPTURED1]) | led

    def stock_over(self) -> bool:
        """Whether the trick is one of the endgame."""
        pos = self.pos
        return bool(pos[kernel.TRICK] > pos[kernel.STOCK_TRICKS])
