"""Games as text: "python_marjolet(profile=dutch,target=300)" and back, with all checks.

OpenSpiel can parse such text too, but prints to the terminal when it is wrong and has other words
for it.
"""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

import pyspiel

from marjolet_spiel.game import SHORT_NAME
from marjolet_spiel.rules import DEFAULT_PARAMETERS, Rules, Value, normalize_parameters


def parse_assignments(parts: Iterable[str], what: str) -> dict[str, Value]:
    """Game parameters from texts ``NAME=VALUE``, checked together.

    Args:
      parts: the texts; empty ones are passed over.
      what: where they come from, for errors.

    Raises:
      ValueError: names the parameter, its value and what is allowed.
    """
    parameters: dict[str, Value] = {}
    for part in parts:
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not part.strip():
            continue
        if not equals:
            raise ValueError(f"{what}: {part!r} is not allowed; parameters read NAME=VALUE")
        if name in parameters:
            raise ValueError(f"{what}: {name} is given twice")
        parameters[name] = _typed(name, value)
    normalize_parameters(parameters)
    return parameters


def _typed(name: str, text: str) -> Value:
    if not isinstance(DEFAULT_PARAMETERS.get(name), int):
        return text
    try:
        return int(text)
    except ValueError:
        message = f"{name}: {text!r} is not allowed; {name} must be a whole number"
        raise ValueError(message) from None


def parse_game(text: str) -> dict[str, Value]:
    """The parameters in the text of a game; ValueError if it is not one of python_marjolet."""
    match = re.fullmatch(r"\s*(\w+)\s*(?:\((.*)\))?\s*", text)
    if match is None or match[1] != SHORT_NAME:
        raise ValueError(
            f"game: {text!r} is not allowed; it must be {SHORT_NAME} or such as "
            f"'{SHORT_NAME}(profile=dutch,target=300)'"
        )
    return parse_assignments((match[2] or "").split(","), "game")


def game_text(parameters: Mapping[str, Value]) -> str:
    """The text of a game: parameters that differ from their defaults, in a fixed order."""
    full = normalize_parameters(parameters)
    given = [f"{k}={full[k]}" for k, default in DEFAULT_PARAMETERS.items() if full[k] != default]
    return f"{SHORT_NAME}({','.join(given)})" if given else SHORT_NAME


def rules_of(text: str) -> Rules:
    """The rules of the game that a text stands for."""
    return Rules.from_parameters(parse_game(text))


def kind_of_game(text: str) -> str:
    """The game that a text stands for in a few words."""
    rules = rules_of(text)
    kind = f"matches to {rules.target}" if rules.is_match else "single deals"
    return f"{rules.profile} rules, {kind}"


@lru_cache(maxsize=8)
def load_game(text: str) -> Any:
    """The game that a text stands for, once a process."""
    return pyspiel.load_game(SHORT_NAME, parse_game(text))
