"""Bots of others, named by where their maker is imported from.

``my_package.my_module:make_bot`` is the function ``make_bot`` of a module that Python finds, in the
current folder for one. It is called as ``make_bot(game, player, seed, **options)`` for each game,
so what takes long to load is best kept by the module. The options of a specification such as
``my_package.my_module:make_bot:depth=3,style=bold`` reach it as numbers where they read as such,
and as words otherwise; ``seed=`` is mixed into the seed, as for every bot.
"""

import hashlib
import re
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from bots.registry.options import SEED, Value

IMPORT_PATH = "my_package.my_module:make_bot"

_PATH = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*", re.ASCII)
_NAME = re.compile(r"[^\W\d]\w*", re.ASCII)


def is_import_path(text: str) -> bool:
    """Whether a text reads as the path of a maker."""
    return _PATH.fullmatch(text) is not None


def parse_options(text: str, rest: str | None) -> tuple[tuple[str, Value], ...]:
    """The options of an imported bot in alphabetical order.

    Args:
      text: the whole specification, for errors.
      rest: the part of it that holds options; None if there is none.

    Raises:
      ValueError: names the part that is wrong.
    """
    options: dict[str, Value] = {}
    for part in [] if rest is None else rest.split(","):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not value or _NAME.fullmatch(name) is None:
            raise ValueError(f"bot {text!r}: {part!r} is not allowed; options read NAME=VALUE")
        if name in options:
            raise ValueError(f"bot {text!r}: option {name!r} is given twice")
        try:
            options[name] = SEED.parse(value) if name == SEED.name else _value(value)
        except ValueError as error:
            raise ValueError(f"bot {text!r}: {error}") from None
    return tuple(sorted(options.items()))


def _value(text: str) -> Value:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def import_maker(path: str) -> Callable[..., Any]:
    """The maker at a path; ValueError says why there is none."""
    module_name, _, name = path.partition(":")
    try:
        module = import_module(module_name)
    except BaseException as error:  # whatever a module of others does when it is imported
        why = f"{type(error).__name__}: {error}"
        raise ValueError(f"bot {path!r}: {module_name} cannot be imported ({why})") from error
    maker = getattr(module, name, None)
    if not callable(maker):
        raise ValueError(f"bot {path!r}: {module_name} has no function {name!r}")
    return maker


def module_digest(path: str) -> str:
    """The beginning of the SHA-256 of the file that an imported bot is in; "unknown" without one.

    It tells versions of a bot apart, as long as just this file changes.
    """
    try:
        found = find_spec(path.partition(":")[0])
        data = Path(found.origin or "").read_bytes() if found else b""
    except (Exception, SystemExit):  # its package runs when it is looked for
        return "unknown"
    return hashlib.sha256(data).hexdigest()[:12] if data else "unknown"
