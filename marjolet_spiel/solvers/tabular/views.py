"""Walks through all that a player can see of the histories of a small game.

The tree of *views* of a player has a node for each information state, his own and those in which he
only looks on: his view of a history is the sequence of events he saw, as in `events.view`. A view
is walked with the set of all histories that give it, its worlds, so each is met exactly once, and
nothing is hashed. Recall is perfect: the worlds of a view are equally long and agree on whether the
player is to act.

Views are numbered in the order of the walk: the first child of a view follows it, and `nexts` leads
from a child to the next one, whose event is larger. Views of games that are over are left out.
"""

from typing import NamedTuple

import numpy as np

from marjolet_spiel import kernel
from marjolet_spiel.array_types import Ints, UnsignedShorts, Vector, VectorRows
from marjolet_spiel.compiling import compiled, compiled_recursive, count, lowest
from marjolet_spiel.solvers.tabular.walk import copy_deal, options, seen, take

# What is counted of the views, and what the walk needs to know.
VIEWS, SETS, ENTRIES, FORCED_SETS, FIRST_ENTRY, OVERFLOW = range(6)
VIEW_COUNTS = 6

LOOKS_ON, FORCED = -1, -2
"""Instead of an information set: another is to act; the only legal action is FORCED less this."""


class Worlds(NamedTuple):
    """The histories that give a view, and room for those of the views after it.

    Attributes:
      positions: int64 [size, kernel.SIZE], the rules in every row.
      masks: int64 [size], scratch: what may be done in each.
    """

    positions: VectorRows
    masks: Vector


class Views(NamedTuple):
    """What there is to know of the views of both players; of length 0 to count only.

    Attributes:
      events_seen: uint16 [views], what was seen last (`walk.seen`).
      nexts: int32 [views], the next child of the same parent; 0 if there is none.
      sets: int32 [views], the information set, or `LOOKS_ON`, or `FORCED` less the action.
      first: int64 [sets or more], the first entry of the information set: it has one an action.
      parents: int32 [sets], the last choice (`walk_views`) that leads to it.
      legal: int64 [sets], its actions as a mask.
    """

    events_seen: UnsignedShorts
    nexts: Ints
    sets: Ints
    first: Vector
    parents: Ints
    legal: Vector


def empty_views(views: int, sets: int) -> Views:
    """Arrays for so many views and information sets, to be filled in."""
    return Views(
        np.empty(views, dtype=np.uint16),
        np.empty(views, dtype=np.int32),
        np.empty(views, dtype=np.int32),
        np.empty(sets + 1, dtype=np.int64),
        np.empty(sets, dtype=np.int32),
        np.empty(sets, dtype=np.int64),
    )


@compiled
def _next_seen(worlds: Worlds, low: int, high: int, player: int, last: int) -> int:
    """The least that may be seen next in some world and is more than `last`; -1 if none is."""
    least = -1
    for row in range(low, high):
        mask = worlds.masks[row]
        while mask:
            code = seen(worlds.positions[row], lowest(mask), player)
            mask &= mask - 1
            if code > last and (least == -1 or code < least):
                least = code
    return least


@compiled
def _worlds_after(worlds: Worlds, low: int, high: int, player: int, code: int) -> int:
    """Writes the worlds where `code` was seen next from row `high` on; their end, -1 if full."""
    positions, top = worlds.positions, high
    for row in range(low, high):
        mask = worlds.masks[row]
        while mask:
            action = lowest(mask)
            mask &= mask - 1
            if seen(positions[row], action, player) == code:
                if top == len(positions):
                    return -1
                copy_deal(positions[row], positions[top])
                take(positions[top], action)
                top += 1
    return top


@compiled_recursive
def walk_views(
    worlds: Worlds,
    low: int,
    high: int,
    player: int,
    code: int,
    sequence: int,
    views: Views,
    counts: Vector,
) -> None:
    """Walks through the views of a player from one of them on; counts them and writes them down.

    Args:
      worlds: those of the view are in the rows from `low` to `high`; those behind are worked in.
      low: see `worlds`.
      high: see `worlds`.
      player: whose views.
      code: what was seen last (`walk.seen`).
      sequence: his last choice on the way (0 none; else from 1, in the order of the walk).
      views: written at the places that `counts` tells.
      counts: int64 [VIEW_COUNTS], added to; FIRST_ENTRY is ENTRIES where the walk of this player
        began, OVERFLOW is set if there is not enough room for the worlds.
    """
    masks, writes = worlds.masks, len(views.events_seen) > 0
    view = counts[VIEWS]
    counts[VIEWS] += 1
    for row in range(low, high):
        masks[row] = options(worlds.positions[row])
    kind, entry = LOOKS_ON, 0
    if worlds.positions[low, kernel.PLAYER] == player:
        if masks[low] & (masks[low] - 1) == 0:
            kind = FORCED - lowest(masks[low])
            counts[FORCED_SETS] += 1
        else:
            kind = counts[SETS]
            counts[SETS] += 1
            entry = counts[ENTRIES]
            if writes:
                views.first[kind] = entry
                views.parents[kind] = sequence
                views.legal[kind] = masks[low]
            counts[ENTRIES] += count(masks[low])
    if writes:
        views.events_seen[view] = code
        views.sets[view] = kind
        views.nexts[view] = 0
    previous = 0
    code = _next_seen(worlds, low, high, player, -1)
    while code >= 0:
        end = _worlds_after(worlds, low, high, player, code)
        if end < 0:
            counts[OVERFLOW] = 1
            return
        if worlds.positions[high, kernel.PHASE] != kernel.OVER:
            child = counts[VIEWS]
            if writes and previous:
                views.nexts[previous] = child
            previous = child
            after = sequence
            if kind >= 0:  # closing the last window shows a card, so it may be seen in many ways
                number = count(masks[low] & ((1 << (code & 0xFF)) - 1))
                after = 1 + entry - counts[FIRST_ENTRY] + number
            walk_views(worlds, high, end, player, code, after, views, counts)
            if counts[OVERFLOW]:
                return
        code = _next_seen(worlds, low, high, player, code)


@compiled
def view_after(events_seen: UnsignedShorts, nexts: Ints, view: int, code: int) -> int:
    """The view in which `code` was seen after `view`."""
    child = view + 1
    while events_seen[child] != code:
        child = nexts[child]
    return child
