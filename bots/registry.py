"""Bots by name: text such as "greedy" or "random:seed=3" becomes a bot.

A specification reads ``NAME`` or ``NAME:OPTION=VALUE,OPTION=VALUE``. To add a bot, write an `Entry`
with its options and a function that makes it, and put it into `ENTRIES`.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyspiel

from bots.greedy import GreedyBot
from bots.random_bot import RandomBot
from marjolet_spiel.game import MarjoletBaseGame

Value = int | float | str
Options = Mapping[str, Value | None]
Factory = Callable[[Any, int, int, Options], Any]
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
            text += f" from {self.least:g}"
        return text if self.most is None else f"{text} to {self.most:g}"

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
    """

    name: str
    help: str
    factory: Factory
    options: tuple[Option, ...] = ()

    @cached_property
    def all_options(self) -> dict[str, Option]:
        """Its options by name, the seed last."""
        return {option.name: option for option in (*self.options, SEED)}


ENTRIES: dict[str, Entry] = {
    entry.name: entry
    for entry in (
        Entry(
            "random",
            "any legal action with the same probability",
            lambda game, player, seed, options: RandomBot(player, seed),
        ),
        Entry(
            "greedy",
            "rules of thumb: melds at once, takes points cheaply, counts the last tricks",
            lambda game, player, seed, options: GreedyBot(game.rules, player),
        ),
    )
}
"""All bots by name."""


@dataclass(frozen=True)
class BotSpec:
    """A bot and its options. `str` gives its text, in which equal bots are equal.

    Attributes:
      name: the name of the bot.
      options: the options that differ from their defaults with their values, in the order in
        which the bot lists them.
    """

    name: str
    options: tuple[tuple[str, Value], ...] = ()

    def __str__(self) -> str:
        if not self.options:
            return self.name
        return f"{self.name}:" + ",".join(f"{name}={value}" for name, value in self.options)


def parse_spec(text: str) -> BotSpec:
    """The specification that a text stands for.

    Raises:
      ValueError: names the bot or option that is wrong, its value, and what is allowed.
    """
    name, colon, rest = text.strip().partition(":")
    entry = ENTRIES.get(name)
    if entry is None:
        raise ValueError(f"bot: {name!r} is unknown; the bots are {', '.join(ENTRIES)}")
    given: dict[str, Value] = {}
    for part in rest.split(",") if colon else []:
        option, value = _parse_option(text, entry, part)
        if option.name in given:
            raise ValueError(f"bot {text!r}: option {option.name!r} is given twice")
        given[option.name] = value
    options = entry.all_options.values()
    chosen = [(o.name, given[o.name]) for o in options if given.get(o.name, o.default) != o.default]
    return BotSpec(name, tuple(chosen))


def _parse_option(text: str, entry: Entry, part: str) -> tuple[Option, Value]:
    name, equals, value = (piece.strip() for piece in part.partition("="))
    if not equals or not name:
        raise ValueError(f"bot {text!r}: {part!r} is not allowed; options read NAME=VALUE")
    option = entry.all_options.get(name)
    if option is None:
        allowed = ", ".join(entry.all_options)
        raise ValueError(f"bot {text!r}: option {name!r} is unknown; its options are {allowed}")
    try:
        return option, option.parse(value)
    except ValueError as error:
        raise ValueError(f"bot {text!r}: {error}") from None


def make_bot(spec: str | BotSpec, game: Any, player: int, seed: int) -> pyspiel.Bot:
    """A bot for one seat of a game.

    Args:
      spec: what bot, as text or parsed.
      game: a game of this package, loaded.
      player: the seat, 0 or 1.
      seed: a whole number from 0; a ``seed`` in `spec` is mixed in, so that two bots that differ
        in it alone choose differently.

    Raises:
      ValueError: an argument is not what is asked for.
    """
    parsed = parse_spec(str(spec))
    if not isinstance(game, MarjoletBaseGame):
        raise ValueError(f"game: {game!s} is not allowed; the bots play python_marjolet alone")
    if player not in (0, 1):
        raise ValueError(f"player: {player!r} is not allowed; it must be 0 or 1")
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise ValueError(f"seed: {seed!r} is not allowed; it must be a whole number from 0")
    entry = ENTRIES[parsed.name]
    options = {option.name: option.default for option in entry.options} | dict(parsed.options)
    own_seed = options.pop("seed", None)
    return entry.factory(game, player, _mixed(int(seed), own_seed), options)


def _mixed(seed: int, own_seed: Value | None) -> int:
    """The seed of a game and that of a specification as one."""
    if own_seed is None:
        return seed
    mixed = np.random.SeedSequence([seed, int(own_seed)]).generate_state(1, np.uint64)
    return int(mixed[0])
