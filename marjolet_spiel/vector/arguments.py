"""What users may give to environments, and how anything else is refused."""

from typing import Any

import numpy as np
import pyspiel
from numpy.typing import NDArray

from marjolet_spiel.array_types import Vector
from marjolet_spiel.base_game import MarjoletBaseGame
from marjolet_spiel.cards import bits
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


def checked_packs(orders: Any, dealers: Any, n: int, rules: Rules) -> tuple[Vector, Vector]:
    """Packs in order, int64 [n, cards], and who deals from them, int64 [n]; 0 by default."""
    packs = whole_numbers("orders", orders, (n, rules.num_cards))
    for i, pack in enumerate(np.sort(packs, axis=1)):
        if pack.tolist() != bits(rules.pack):
            raise ValueError(
                f"orders: {packs[i].tolist()} of game {i} is not allowed; each card of the pack "
                "must be in it once"
            )
    first = whole_numbers("dealers", np.zeros(n, int) if dealers is None else dealers, (n,))
    wrong = (first != 0) & (first != 1)
    if wrong.any():
        game = wrong.argmax()
        raise ValueError(f"dealers: {first[game]} of game {game} is not allowed; it must be 0 or 1")
    return np.ascontiguousarray(packs, np.int64), np.ascontiguousarray(first, np.int64)


def whole_numbers(name: str, given: Any, shape: tuple[int, ...], what: str = "") -> NDArray[Any]:
    """An argument as an array; ValueError unless it is whole numbers of a shape."""
    array = np.asarray(given)
    if array.shape != shape or not np.issubdtype(array.dtype, np.integer):
        raise ValueError(
            f"{name}: {array.dtype} {list(array.shape)} is not allowed; it must be whole numbers "
            f"{list(shape)}{what}"
        )
    return array


def checked_truths(name: str, given: Any, n: int) -> NDArray[np.bool_]:
    """Truth values [n]."""
    truths = np.asarray(given)
    if truths.shape != (n,) or truths.dtype != np.bool_:
        raise ValueError(
            f"{name}: {truths.dtype} {list(truths.shape)} is not allowed; it must be bool [{n}]"
        )
    return truths
