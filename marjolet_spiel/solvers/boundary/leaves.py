"""The compiled parts of `tree.py`: what may be done, and what the endgame is worth.

Hands are given as they were at the start of the trick. What has left and joined them since (a card
played, the seven of trumps swapped for the indicator) is public, so it is the same for all deals:
two masks for each player, in a vector of four.
"""

import numpy as np

from marjolet_spiel import kernel
from marjolet_spiel.array_types import Floats, Ints, Vector, VectorRows
from marjolet_spiel.compiling import compiled, compiled_allocating, count
from marjolet_spiel.kernel import copy_to
from marjolet_spiel.solvers.endgame.alpha_beta import (
    GENERATION,
    INFINITE,
    EndgameArrays,
    alpha_beta,
    deal_is_over,
)
from marjolet_spiel.solvers.endgame.lookup import fits, table_value
from marjolet_spiel.solvers.endgame.match_equity import payoff

GONE, GOT = 0, 2  # and the same for player 1 in the next place
CHANGES_SIZE = 4


@compiled
def hand_now(hand: int, player: int, changes: Vector) -> int:
    """A hand after what has left and joined it since the start of the trick."""
    return (hand & ~changes[GONE + player]) | changes[GOT + player]


@compiled
def fill_legal(pos: Vector, hands: Vector, changes: Vector, legal: Vector, sizes: Vector) -> None:
    """Fills in the legal actions of the player on turn with each of several hands, as masks.

    Args:
      pos: the position; the hand on turn is overwritten.
      hands: int64 [n], as at the start of the trick.
      changes: int64 [CHANGES_SIZE].
      legal: int64 [n], filled in.
      sizes: int64 [n], filled in with how many actions are legal.
    """
    player = pos[kernel.PLAYER]
    for i in range(len(hands)):
        pos[kernel.HAND0 + player] = hand_now(hands[i], player, changes)
        legal[i] = kernel.legal_mask(pos)
        sizes[i] = count(legal[i])


@compiled
def follow_action(action: int, alive: Vector, legal: Vector, first: Vector, out: Ints) -> None:
    """Moves the sequences of hands on by an action, where it is a choice among several.

    Args:
      action: an action id.
      alive: int64 [n], the hands as numbers.
      legal: int64 [n], their legal actions.
      first: int64 [n], the first entries of their information sets; -1 without a choice.
      out: int32 [hands], the sequence of each hand, changed.
    """
    for i in range(len(alive)):
        if first[i] >= 0 and (legal[i] >> action) & 1:
            before = count(legal[i] & ((1 << action) - 1))
            out[alive[i]] = 1 + first[i] + before


@compiled
def _leaf(pos: Vector, deal: int, endgame: EndgameArrays) -> int:
    """The pay-off of player 0 in a position of the endgame, or at the end of a deal."""
    if deal_is_over(pos, deal):
        return payoff(pos)
    if pos[kernel.TARGET] == 0 and fits(pos):
        return table_value(endgame.cell_index, endgame.values, pos, endgame.stack[0])
    copy_to(pos, endgame.stack[0])
    return alpha_beta(endgame, 0, deal, -INFINITE, INFINITE)


@compiled_allocating
def fill_ends(
    pos: Vector,
    action: int,
    deals: VectorRows,
    chosen: Vector,
    changes: Vector,
    endgame: EndgameArrays,
    out: Floats,
) -> None:
    """Fills in the pay-off of player 0 after an action that ends the trick, deal by deal.

    What everybody knows is the same in all of them, and after the last draw so is what lies in both
    hands together: the hand of player 0 tells all, and is looked up but once.

    Args:
      pos: the position before the action; its hands do not matter.
      action: an action id.
      deals: int64 [deals, 3].
      chosen: int64 [n], some of the deals as numbers.
      changes: int64 [CHANGES_SIZE].
      endgame: table and scratch.
      out: float64 [n], filled in.
    """
    size = 4
    while size < 2 * len(chosen):
        size *= 2
    hands = np.full(size, -1, dtype=np.int64)
    found = np.empty(size, dtype=np.int64)
    now = np.empty_like(pos)
    endgame.scratch[GENERATION] += 1  # alpha-beta may remember one deal for the next
    for i in range(len(chosen)):
        deal = deals[chosen[i]]
        copy_to(pos, now)
        now[kernel.HAND0] = hand_now(deal[0], 0, changes)
        now[kernel.HAND1] = hand_now(deal[1], 1, changes)
        now[kernel.DOWN] = deal[2]
        kernel.apply_decision(now, action)
        hand = now[kernel.HAND0]
        place = ((hand * 0x9E3779B1) >> 11) & (size - 1)
        while hands[place] != -1 and hands[place] != hand:
            place = (place + 1) & (size - 1)
        if hands[place] == -1:
            hands[place] = hand
            found[place] = _leaf(now, pos[kernel.DEAL], endgame)
        out[i] = found[place]


@compiled
def add_up(first: Vector, parents: Ints, policy: Floats, values: Floats) -> None:
    """Adds to the values of sequences what the player's own choices after them are worth.

    Args:
      first: int64 [sets + 1].
      parents: int32 [sets].
      policy: float64 [entries], of the player.
      values: float64 [entries + 1], from `sequence_form.fill_values`; changed.
    """
    for i in range(len(parents) - 1, -1, -1):
        for entry in range(first[i], first[i + 1]):
            values[parents[i]] += policy[entry] * values[entry + 1]
