"""What users may give to environments, and how anything else is refused."""

from typing import Any

import numpy as np
import pyspiel
from numpy.typing import NDArray

from marjolet_spiel.base_game import MarjoletBaseGame
from marjolet_spiel.game import SHORT_NAME
from marjolet_spiel.rules import Rules


def rules_of(game: Any) -> Rules:
    """The rules of a game string, a game of pyspiel or `Rules` themselves.

    Raises:
      ValueError: it is something else, or another game.
    """
    if isinstance(game, Rules):
        return game
    try:
        loaded = pyspiel.load_game(game) if isinstance(game, str) else game
    except pyspiel.SpielError as error:
        raise ValueError(f"game: {game!r} is not allowed: {error}") from None
    if not isinstance(loaded, MarjoletBaseGame) or loaded.is_open:
        raise ValueError(f"game: {game!r} is not allowed; it must be a {SHORT_NAME}, or Rules")
    return loaded.rules


def check_whole(name: str, value: Any, least: int, most: int | None) -> None:
    """Raises ValueError unless the value is a whole number between two."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or value < least or (most is not None and value > most):
        to = "" if most is None else f" to {most}"
        raise ValueError(
            f"{name}: {value!r} is not allowed; it must be a whole number from {least}{to}"
        )


def check_scale(name: str, value: Any) -> None:
    """Raises ValueError unless the value is a finite number above 0."""
    number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not number or not 0 < value < np.inf:
        raise ValueError(f"{name}: {value!r} is not allowed; it must be a number above 0")


def check_word(name: str, value: Any, allowed: tuple[str, ...]) -> None:
    """Raises ValueError unless the value is one of some words."""
    if value not in allowed:
        raise ValueError(
            f"{name}: {value!r} is not allowed; it must be one of {', '.join(allowed)}"
        )


def checked_indices(name: str, given: Any, end: int) -> NDArray[np.int64]:
    """Whole numbers [k] from 0 to `end` - 1."""
    indices = np.asarray(given)
    if indices.ndim != 1 or not np.issubdtype(indices.dtype, np.integer):
        raise ValueError(f"{name}: {given!r} is not allowed; it must be whole numbers [k]")
    wrong = (indices < 0) | (indices >= end)
    if wrong.any():
        raise ValueError(
            f"{name}: {indices[wrong.argmax()]} is not allowed; it must be from 0 to {end - 1}"
        )
    return np.ascontiguousarray(indices, dtype=np.int64)


def checked_truths(name: str, given: Any, n: int) -> NDArray[np.bool_]:
    """Truth values [n]."""
    truths = np.asarray(given)
    if truths.shape != (n,) or truths.dtype != np.bool_:
        raise ValueError(
            f"{name}: {truths.dtype} {list(truths.shape)} is not allowed; it must be bool [{n}]"
        )
    return truths
