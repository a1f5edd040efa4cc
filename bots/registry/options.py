"""What a bot that can be named is made of: its options and what makes it."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

Value = int | float | str
Options = Mapping[str, Value | None]
Factory = Callable[[Any, int, int, Any], Any]
"""Makes a bot from a game, the player it is to be, a seed and the values of its own options."""

_KINDS = {int: "a whole number", float: "a number", str: "a word"}


@dataclass(frozen=True)
class Option:
    """An option of a bot.

    Attributes:
      name: its name.
      kind: int, float or str.
      default: its value when a specification does not give it; None for "not given".
      help: one line on it.
      least: the least number allowed, if there is one.
      most: the greatest number allowed, if there is one.
      choices: the words allowed, if not any.
    """

    name: str
    kind: type[int] | type[float] | type[str]
    default: Value | None
    help: str
    least: float | None = None
    most: float | None = None
    choices: tuple[str, ...] = ()

    @property
    def allowed(self) -> str:
        """What values it takes, in words."""
        if self.choices:
            return "one of " + ", ".join(self.choices)
        text = _KINDS[self.kind]
        if self.least is not None:
            text += f" from {self.least:.12g}"
        return text if self.most is None else f"{text} to {self.most:.12g}"

    def parse(self, text: str) -> Value:
        """The value that a text stands for; ValueError if it is not allowed."""
        try:
            value = self.kind(text)
        except ValueError:
            value = None
        if value is None or not self._allows(value):
            raise ValueError(f"{self.name}: {text!r} is not allowed; it must be {self.allowed}")
        return value

    def _allows(self, value: Value) -> bool:
        if isinstance(value, str):
            return value in self.choices if self.choices else value != ""
        least, most = self.least, self.most
        return (
            math.isfinite(value)
            and (least is None or value >= least)
            and (most is None or value <= most)
        )


SEED = Option(
    "seed", int, None, "tells apart the random choices of bots that are alike otherwise", 0
)
"""An option of every bot."""


@dataclass(frozen=True)
class Entry:
    """A bot that can be named.

    Attributes:
      name: its name, without ``:=,;`` and blanks.
      help: one line on it.
      factory: what makes it.
      options: its options apart from `SEED`.
      check: raises ValueError if the options that are given, by name, do not fit together.
      positional: the option whose ``NAME=`` may be left out, if there is one.
      sees_all: whether it looks at hidden cards: no bot for fair play.
    """

    name: str
    help: str
    factory: Factory
    options: tuple[Option, ...] = ()
    check: Callable[[Any], None] = lambda options: None
    positional: str = ""
    sees_all: bool = False

    @cached_property
    def all_options(self) -> dict[str, Option]:
        """Its options by name, the seed last."""
        return {option.name: option for option in (*self.options, SEED)}
