"""How long bots think: mean and quantiles of the times of their moves, in little memory.

Times are no part of the results of a tournament: they are not reproducible.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from math import floor, log2, nan
from typing import Any

STEPS = 8
"""Classes of times from one power of two to the next: a quantile is right to 4.4 percent."""

_LEAST = 1e-7  # seconds; what is shorter counts as this


class MoveTimes:
    """The times of some moves of one bot.

    Attributes:
      seconds: all times added up.
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        self._classes: Counter[int] = Counter()

    @property
    def moves(self) -> int:
        """How many moves."""
        return sum(self._classes.values())

    @property
    def mean(self) -> float:
        """Seconds a move; nan without moves."""
        return self.seconds / self.moves if self._classes else nan

    def add(self, seconds: float) -> None:
        """Adds a move."""
        self.seconds += seconds
        self._classes[floor(STEPS * log2(max(seconds, _LEAST)))] += 1

    def quantile(self, share: float) -> float:
        """The seconds that a share of the moves does not exceed; nan without moves."""
        left = share * self.moves
        for place in sorted(self._classes):
            left -= self._classes[place]
            if left <= 0:
                return float(2 ** ((place + 0.5) / STEPS))
        return nan

    def update(self, other: "MoveTimes") -> None:
        """Adds the moves of another one."""
        self.seconds += other.seconds
        self._classes.update(other._classes)

    @classmethod
    def together(cls, parts: Iterable["MoveTimes"]) -> "MoveTimes":
        """The moves of several."""
        total = cls()
        for part in parts:
            total.update(part)
        return total

    def to_dict(self) -> dict[str, Any]:
        """What is written."""
        classes = {str(place): self._classes[place] for place in sorted(self._classes)}
        return {"seconds": round(self.seconds, 6), "classes": classes}

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> "MoveTimes":
        """What `to_dict` gave; KeyError, TypeError or ValueError if it is something else."""
        times = cls()
        times.seconds = float(fields["seconds"])
        for place, count in dict(fields["classes"]).items():
            if isinstance(count, bool) or not isinstance(count, int) or count < 1:
                raise ValueError(f"{count!r} moves")
            times._classes[int(place)] = count
        return times
