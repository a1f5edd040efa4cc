"""Looking positions of the kernel up in the endgame table."""

import numpy as np

from marjolet_spiel import kernel
from marjolet_spiel.array_types import ByteRows, Ints, Vector, VectorRows
from marjolet_spiel.compiling import compiled, count, lowest
from marjolet_spiel.kernel import copy_to, deal_points
from marjolet_spiel.solvers.endgame.build import BOTH_MAY, LEADER_SWEEPS, NO_SWEEP
from marjolet_spiel.solvers.endgame.index import MAX_CARDS, cell_of

UNKNOWN = -32768
"""Stands for the value of a position that the table does not hold."""


@compiled
def melds_left(pos: Vector) -> bool:
    """Whether a window of the endgame may still bring points to anybody."""
    if pos[kernel.ENDGAME_MELDS] == 0:
        return False
    found = kernel.melds_in(pos, pos[kernel.HAND0]) | kernel.melds_in(pos, pos[kernel.HAND1])
    return found & ~(pos[kernel.DECLARED0] | pos[kernel.DECLARED1]) != 0


@compiled
def in_endgame(pos: Vector) -> bool:
    """Whether a card is to be played to one of the tricks after the stock."""
    if pos[kernel.PHASE] != kernel.LEAD and pos[kernel.PHASE] != kernel.FOLLOW:
        return False
    return pos[kernel.TRICK] > pos[kernel.STOCK_TRICKS]


@compiled
def fits(pos: Vector) -> bool:
    """Whether the table knows how the points of this deal end under best play for points."""
    if not in_endgame(pos) or melds_left(pos):
        return False
    return count(pos[kernel.HAND0 + pos[kernel.LEADER]]) <= MAX_CARDS


@compiled
def _layer(pos: Vector) -> int:
    """Which value of a cell counts for a leader who is to lead."""
    played = pos[kernel.TRICK] - 1 - pos[kernel.STOCK_TRICKS]
    if played == 0:
        return BOTH_MAY
    return LEADER_SWEEPS if pos[kernel.WINS0 + pos[kernel.LEADER]] == played else NO_SWEEP


@compiled
def dix_to_come(pos: Vector) -> int:
    """What the seven of trumps will pay when it is played, for player 0 less player 1."""
    seven = kernel.seven_of_trumps(pos)
    if not kernel.dix_pays(pos, seven):
        return 0
    held0 = (pos[kernel.HAND0] >> seven) & 1
    return 10 * (held0 - ((pos[kernel.HAND1] >> seven) & 1))


@compiled
def _lead_value(index: Ints, values: ByteRows, pos: Vector) -> int:
    leader = pos[kernel.LEADER]
    hand, other = pos[kernel.HAND0 + leader], pos[kernel.HAND1 - leader]
    cell = cell_of(index, hand, other, pos[kernel.TRUMP])
    value = 10 * np.int64(values[_layer(pos), cell])
    difference = deal_points(pos, 0) - deal_points(pos, 1) + dix_to_come(pos)
    return difference + (value if leader == 0 else -value)


@compiled
def _play_for_points(pos: Vector, card: int, after: Vector) -> None:
    """Plays a card, into `after`, as in a single deal without windows."""
    copy_to(pos, after)
    after[kernel.TARGET] = 0
    after[kernel.IMMEDIATE] = 0
    after[kernel.ENDGAME_MELDS] = 0
    kernel.apply_decision(after, kernel.FIRST_PLAY + card)


@compiled
def table_value(index: Ints, values: ByteRows, pos: Vector, scratch: Vector) -> int:
    """The points of player 0 less those of player 1 when the deal has been played out.

    Both play for points. `pos` must be one that `fits`, or the end of a deal; `scratch` has room
    for a position.
    """
    if pos[kernel.PHASE] == kernel.LEAD:
        return _lead_value(index, values, pos)
    if pos[kernel.PHASE] == kernel.OVER:
        return deal_points(pos, 0) - deal_points(pos, 1)
    best = UNKNOWN
    sign = 1 - 2 * pos[kernel.PLAYER]
    answers = kernel.playable(pos)
    while answers:
        _play_for_points(pos, lowest(answers), scratch)
        answers &= answers - 1
        if scratch[kernel.PHASE] == kernel.LEAD:
            value = _lead_value(index, values, scratch)
        else:
            value = deal_points(scratch, 0) - deal_points(scratch, 1)
        best = max(best, sign * value)
    return sign * best


@compiled
def card_values(
    index: Ints, values: ByteRows, pos: Vector, scratch: VectorRows, out: Vector
) -> None:
    """`table_value` after each card that may be played, into ``out[card]``.

    `scratch` has room for two positions. What may not be played is left as it is.
    """
    playable = kernel.playable(pos)
    while playable:
        card = lowest(playable)
        playable &= playable - 1
        _play_for_points(pos, card, scratch[0])
        out[card] = table_value(index, values, scratch[0], scratch[1])


@compiled
def table_values(
    index: Ints, values: ByteRows, positions: VectorRows, scratch: Vector, out: Vector
) -> None:
    """`table_value` of each of several positions, UNKNOWN where it does not fit."""
    for i in range(len(positions)):
        pos = positions[i]
        out[i] = table_value(index, values, pos, scratch) if fits(pos) else UNKNOWN
