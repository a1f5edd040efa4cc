"""Where the last stock trick begins, and which cards may lie where then (for `boundary.py`).

What everybody knows of a position is its *public part*: the position with nothing in the hands but
the cards that all know to be there, and the rest face down. A *deal* says where these lie: both
hands and the face-down card, each as a bit mask. Positions with the same public part and the same
numbers of cards in hand have the same deals.
"""

from collections.abc import Iterator
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from marjolet_spiel import kernel
from marjolet_spiel.array_types import Floats, Vector
from marjolet_spiel.cards import bits, mask_of
from marjolet_spiel.events import advance
from marjolet_spiel.solvers.memory import TooLargeError

Deals = NDArray[np.int64]

MAX_PLAYS = 3_000_000
"""The most deals times cards led times answers; a full pack with nothing known has 432,432."""


def check_position(pos: Vector) -> None:
    """Raises ValueError unless a player is to act in the last stock trick or its window."""
    wanted = int(pos[kernel.STOCK_TRICKS])
    if pos[kernel.PLAYER] not in (0, 1) or pos[kernel.TRICK] != wanted:
        phase = kernel.PHASE_NAMES[pos[kernel.PHASE]]
        raise ValueError(
            f"position: trick {pos[kernel.TRICK]}, phase {phase} is not allowed; a player must be "
            f"on turn in the last stock trick, {wanted}, or in its window"
        )


def hidden_counts(pos: Vector) -> tuple[int, int]:
    """How many cards of each hand not everybody knows."""
    first, second = (
        int(pos[kernel.HAND0 + player] & ~pos[kernel.KNOWN0 + player]).bit_count()
        for player in range(2)
    )
    return first, second


def public_part(pos: Vector) -> Vector:
    """The public part of a position: a new int64 [kernel.SIZE]."""
    public = pos.copy()
    for player in range(2):
        hand, known = kernel.HAND0 + player, pos[kernel.KNOWN0 + player]
        public[kernel.DOWN] |= pos[hand] & ~known
        public[hand] = pos[hand] & known
    return public


def with_first_deal(pos: Vector) -> Vector:
    """The position with the first of its deals: a new int64 [kernel.SIZE].

    It is equal for all positions with the same deals.
    """
    same = public_part(pos)
    pool, place = bits(int(same[kernel.DOWN])), 0
    for player, hidden in enumerate(hidden_counts(pos)):
        same[kernel.HAND0 + player] |= mask_of(pool[place : place + hidden])
        place += hidden
    same[kernel.DOWN] = mask_of(pool[place:])
    return same


def count_deals(pos: Vector) -> int:
    """How many deals there are."""
    first, second = hidden_counts(pos)
    return comb(first + second + 1, first) * (second + 1)


def check_size(pos: Vector) -> None:
    """Raises TooLargeError if there are too many deals to go through every play of them."""
    plays = count_deals(pos)
    for player in range(2):
        plays_on = pos[kernel.PHASE] == kernel.LEAD or pos[kernel.PLAYER] == player
        if plays_on and pos[kernel.PHASE] != kernel.DECLARE:
            plays *= int(pos[kernel.HAND0 + player]).bit_count()
    if plays > MAX_PLAYS:
        raise TooLargeError(
            f"position: {count_deals(pos):,} deals with {plays:,} plays of two cards are too many; "
            f"{MAX_PLAYS:,} plays are allowed"
        )


def enumerate_deals(pos: Vector) -> Deals:
    """Every deal: int64 [deals, 3], the hands of player 0 and 1 and the face-down card.

    They are in the order of `itertools.combinations`: by the hidden cards of player 0, then of
    player 1, cards ascending.
    """
    return np.array([*_deals(pos)], dtype=np.int64).reshape(-1, 3)


def _deals(pos: Vector) -> Iterator[tuple[int, int, int]]:
    public = public_part(pos)
    known0, known1 = int(public[kernel.HAND0]), int(public[kernel.HAND1])
    pool = int(public[kernel.DOWN])
    first, second = hidden_counts(pos)
    for own in combinations(bits(pool), first):
        hand0 = mask_of(own)
        rest = pool & ~hand0
        for other in combinations(bits(rest), second):
            hand1 = mask_of(other)
            yield known0 | hand0, known1 | hand1, rest & ~hand1


def checked_weights(deals: Deals, weights: Any) -> Floats:
    """How likely each deal is: float64 [deals], which sum to 1.

    Args:
      deals: int64 [deals, 3].
      weights: None for all alike; or a function of the three masks of a deal; or a vector with a
        number for each. They need not sum to 1.

    Raises:
      ValueError: they are no weights of these deals.
    """
    if weights is None:
        return np.full(len(deals), 1.0 / len(deals))
    given = [weights(*deal) for deal in deals.tolist()] if callable(weights) else weights
    try:
        found = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError("weights: they are not allowed; each must be a number") from None
    if found.shape != (len(deals),):
        raise ValueError(
            f"weights: shape {found.shape} is not allowed; there must be one for each of the "
            f"{len(deals)} deals"
        )
    if not (np.isfinite(found).all() and (found >= 0).all() and found.sum() > 0):
        raise ValueError("weights: they are not allowed; they must be from 0 and not all 0")
    return found / found.sum()


def trick_so_far(state: Any) -> tuple[Vector, tuple[int, ...]]:
    """Where the last stock trick of a state began, and the actions since, which all have seen.

    For a position that was set up within the trick it begins there.

    Args:
      state: a state in the last stock trick or its window.

    Raises:
      ValueError: it is not.
    """
    core = state.core
    check_position(core.pos)
    pos, start, begin = core.start.copy(), core.start.copy(), 0
    deal, trick = core.pos[kernel.DEAL], core.pos[kernel.TRICK]
    for i, event in enumerate(core.log):
        advance(pos, event)
        here = pos[kernel.DEAL] == deal and pos[kernel.TRICK] == trick
        if not here or pos[kernel.PHASE] == kernel.LEAD:
            start, begin = pos.copy(), i + 1
    return start, tuple(core.log[begin:])
