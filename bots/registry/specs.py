"""Bots by name: text such as "greedy" or "ismcts:sims=400" becomes a bot.

A specification reads ``NAME`` or ``NAME:OPTION=VALUE,OPTION=VALUE``. The bots are listed in
`catalogue.py`; those of others are named by where their maker is imported from, such as
``my_package.my_module:make_bot`` (`imported.py`).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyspiel

from bots.registry.catalogue import ENTRIES
from bots.registry.imported import IMPORT_PATH, import_maker, is_import_path, parse_options
from bots.registry.options import Entry, Option, Value
from marjolet_spiel.base_game import MarjoletBaseGame


@dataclass(frozen=True)
class BotSpec:
    """A bot and its options. `str` gives its text, in which equal bots are equal.

    Attributes:
      name: the name of the bot; of one that is imported its module, a colon and its maker.
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
    name, rest = _split(text.strip())
    if name not in ENTRIES:
        if is_import_path(name):
            return BotSpec(name, parse_options(text, rest))
        raise ValueError(
            f"bot: {name!r} is unknown; the bots are {', '.join(ENTRIES)}, and your own by "
            f"{IMPORT_PATH}"
        )
    entry = ENTRIES[name]
    given: dict[str, Value] = {}
    for part in [] if rest is None else rest.split(","):
        option, value = _parse_option(text, entry, part)
        if option.name in given:
            raise ValueError(f"bot {text!r}: option {option.name!r} is given twice")
        given[option.name] = value
    options = entry.all_options.values()
    try:
        entry.check(given)
    except ValueError as error:
        raise ValueError(f"bot {text!r}: {error}") from None
    chosen = [(o.name, given[o.name]) for o in options if given.get(o.name, o.default) != o.default]
    return BotSpec(name, tuple(chosen))


def _split(text: str) -> tuple[str, str | None]:
    """The name in a specification, and the text of its options; None if there is none."""
    name, colon, rest = text.partition(":")
    maker, second, options = rest.partition(":")
    if name not in ENTRIES and is_import_path(f"{name}:{maker}"):
        return f"{name}:{maker}", options if second else None
    return name, rest if colon else None


def split_specs(texts: Sequence[str]) -> list[str]:
    """The specifications in some texts.

    They are separated by blanks or ``;``, or by commas if none of a text has options.
    """
    pieces = [piece for text in texts for piece in re.split(r"[\s;]+", text)]
    named = [[piece] if ":" in piece else piece.split(",") for piece in pieces]
    return [name for names in named for name in names if name]


def _parse_option(text: str, entry: Entry, part: str) -> tuple[Option, Value]:
    name, equals, value = (piece.strip() for piece in part.partition("="))
    if name and not equals and entry.positional:
        name, equals, value = entry.positional, "=", name
    if not equals or not name:
        hint = "; a ';' or a blank separates bots of which one has options" if name else ""
        raise ValueError(f"bot {text!r}: {part!r} is not allowed; options read NAME=VALUE{hint}")
    option = entry.all_options.get(name)
    if option is None:
        allowed = ", ".join(entry.all_options)
        raise ValueError(f"bot {text!r}: option {name!r} is unknown; its options are {allowed}")
    try:
        return option, option.parse(value)
    except ValueError as error:
        raise ValueError(f"bot {text!r}: {error}") from None


def sees_all(spec: str | BotSpec) -> bool:
    """Whether a bot looks at hidden cards; ValueError if there is no such bot."""
    name = parse_spec(str(spec)).name
    return name in ENTRIES and ENTRIES[name].sees_all


def make_bot(spec: str | BotSpec, game: Any, player: int, seed: int) -> pyspiel.Bot:
    """A bot for one seat of a game.

    Args:
      spec: what bot, as text or parsed.
      game: a game of this package, loaded.
      player: the seat, 0 or 1.
      seed: a whole number from 0; a ``seed`` in `spec` is mixed in, so that two bots that differ
        in it alone choose differently.

    Raises:
      ValueError: an argument is not what is asked for, or a bot cannot be imported.
      Exception: whatever the maker of an imported bot raises.
    """
    parsed = parse_spec(str(spec))
    if not isinstance(game, MarjoletBaseGame):
        raise ValueError(f"game: {game!s} is not allowed; the bots play python_marjolet alone")
    if player not in (0, 1):
        raise ValueError(f"player: {player!r} is not allowed; it must be 0 or 1")
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise ValueError(f"seed: {seed!r} is not allowed; it must be a whole number from 0")
    if parsed.name not in ENTRIES:
        own = dict(parsed.options)
        mixed = _mixed(int(seed), own.pop("seed", None))
        return _checked(parsed.name, import_maker(parsed.name)(game, player, mixed, **own))
    entry = ENTRIES[parsed.name]
    options = {option.name: option.default for option in entry.options} | dict(parsed.options)
    own_seed = options.pop("seed", None)
    return entry.factory(game, player, _mixed(int(seed), own_seed), options)


def _checked(path: str, bot: Any) -> Any:
    """What a maker returned, if it is a bot: any object with a method `step`."""
    if callable(getattr(bot, "step", None)):
        return bot
    what = "None" if bot is None else f"an object of type {type(bot).__name__}"
    raise ValueError(
        f"bot {path!r}: cannot be made; its maker returned {what}, which has no step(state)"
    )


def _mixed(seed: int, own_seed: Value | None) -> int:
    """The seed of a game and that of a specification as one."""
    if own_seed is None:
        return seed
    mixed = np.random.SeedSequence([seed, int(own_seed)]).generate_state(1, np.uint64)
    return int(mixed[0])
