"""Positions as dicts, for OpenSpiel's struct API; `set_up.py` is the way back."""

from typing import Any

import numpy as np

from marjolet_spiel import cards, kernel
from marjolet_spiel.array_types import Vector
from marjolet_spiel.cards import names_of
from marjolet_spiel.kernel import NONE, PHASE_NAMES
from marjolet_spiel.notation import meld_names, stock_left
from marjolet_spiel.simulate import CATEGORIES

_PAIRS = {
    "hands": kernel.HAND0,
    "exposed": kernel.EXPOSED0,
    "known": kernel.KNOWN0,
    "captured": kernel.CAPTURED0,
}
POINT_FIELDS = {category: kernel.MELD_POINTS0 + 2 * i for i, category in enumerate(CATEGORIES[:-1])}


def card_or_none(card: int) -> str:
    """The name of a card, "" for `NONE`."""
    return "" if card == NONE else cards.CARD_NAMES[card]


def position_dict(pos: Vector) -> dict[str, Any]:
    """Everything there is to know of a position, hidden cards included.

    Keys: phase, current_player, dealer, deal_number, trick, leader, led, trump, turn_up, indicator,
    hands, exposed, known, captured, stock, stock_left, declared, window, swapped, last_tricks,
    points, deal_points, scores. ``known`` are the cards of each hand that everybody knows,
    ``window`` the melds declared in the open window, ``last_tricks`` the endgame tricks won.
    Once a trick is decided ``leader`` is its winner.
    """
    suits = int(pos[kernel.NUM_SUITS])
    trump = int(pos[kernel.TRUMP])
    pairs = {
        key: [names_of(int(pos[field])), names_of(int(pos[field + 1]))]
        for key, field in _PAIRS.items()
    }
    return {
        "phase": PHASE_NAMES[pos[kernel.PHASE]],
        "current_player": int(pos[kernel.PLAYER]),
        "dealer": int(pos[kernel.DEALER]),
        "deal_number": int(pos[kernel.DEAL]),
        "trick": int(pos[kernel.TRICK]),
        "leader": int(pos[kernel.LEADER]),
        "led": card_or_none(pos[kernel.LED]),
        "trump": "" if trump == NONE else cards.SUITS[trump],
        "turn_up": card_or_none(pos[kernel.TURN_UP]),
        "indicator": card_or_none(pos[kernel.INDICATOR]),
        **pairs,
        "stock": names_of(int(pos[kernel.DOWN])),
        "stock_left": stock_left(pos),
        "declared": [meld_names(int(pos[kernel.DECLARED0 + p]), suits) for p in range(2)],
        "window": meld_names(int(pos[kernel.WINDOW]), suits),
        "swapped": bool(pos[kernel.SWAPPED]),
        "last_tricks": [int(pos[kernel.WINS0]), int(pos[kernel.WINS1])],
        "points": [_points(pos, player) for player in range(2)],
        "deal_points": [int(kernel.deal_points(pos, player)) for player in range(2)],
        "scores": [int(pos[kernel.SCORE0]), int(pos[kernel.SCORE1])],
    }


def _points(pos: Vector, player: int) -> dict[str, int]:
    points = {category: int(pos[field + player]) for category, field in POINT_FIELDS.items()}
    return {**points, "brisques": int(kernel.brisque_points(pos, player))}


def observation_dict(pos: Vector, player: int) -> dict[str, Any]:
    """`position_dict` as `player` may see it: his opponent's hand and the stock are counts."""
    seen = position_dict(pos)
    seen["observer"] = player
    seen["hands"][1 - player] = len(seen["hands"][1 - player])
    seen["stock"] = len(seen["stock"])
    return seen


def position_of(what: Any) -> Vector:
    """The kernel position of a state of either game, or a kernel vector itself; not a copy.

    Raises:
      ValueError: it is neither.
    """
    core = getattr(what, "core", None)
    pos = what if core is None else getattr(core, "pos", None)
    if not isinstance(pos, np.ndarray) or pos.dtype != np.int64 or pos.shape != (kernel.SIZE,):
        kind = type(what).__name__
        shape = f" {what.dtype} {what.shape}" if isinstance(what, np.ndarray) else ""
        raise ValueError(
            f"position: {kind}{shape} is not allowed; it must be a state of python_marjolet or "
            f"python_marjolet_open, or an int64 vector of {kernel.SIZE}"
        )
    if not 0 <= pos[kernel.PHASE] <= kernel.OVER or pos[kernel.PACK] == 0:
        raise ValueError("position: the vector is no position of the kernel")
    return pos
