"""Walks through all histories of a small game, and through all that a player can see of them.

The tree of *histories* is the game as `kernel.py` plays it. The tree of *views* of a player has a
node for each information state, his own and those in which he only looks on: his view of a history
is the sequence of events he saw, as in `events.view`. A view is walked with the set of all
histories that give it, its worlds, so each is met exactly once, and nothing is hashed. Recall is
perfect: the worlds of a view are equally long and agree on whether the player is to act.

Views are numbered in the order of the walk: the first child of a view follows it, and `nexts` leads
from a child to the next one, whose event is larger. Views of games that are over are left out.
"""

from marjolet_spiel import events, kernel
from marjolet_spiel.array_types import (
    FloatRows,
    Floats,
    IntRows,
    Ints,
    UnsignedShorts,
    Vector,
    VectorRows,
)
from marjolet_spiel.compiling import compiled, compiled_recursive, count, lowest
from marjolet_spiel.sampling import random_bit

# What is counted of the histories.
TERMINALS, DRAWN_GAMES, DECISIONS, FORCED_DECISIONS, CHANCES, FORCED_CHANCES = range(6)
HISTORY_COUNTS = 6

# What is counted of the views, and what the walk needs to know.
VIEWS, SETS, ENTRIES, FORCED_SETS, FIRST_ENTRY, OVERFLOW = range(6)
VIEW_COUNTS = 6

# Where the flat tree grows.
WORDS, PAYOFFS, SECOND_PLAYER = range(3)
GROWTH = 3

LOOKS_ON, FORCED = -1, -2
"""Instead of an information set: another is to act; the only legal action is FORCED less this."""

TERMINAL = -(1 << 30)
OVER = TERMINAL // 2
"""A word of the flat tree below this is `TERMINAL` plus the return of player 0."""

MAX_OUTCOMES = 33
"""One more than the most outcomes of a chance node, the radix of kinds of chance nodes."""


@compiled
def options(pos: Vector) -> int:
    """The legal actions or possible outcomes as a mask; 0 when the game is over."""
    if pos[kernel.PLAYER] == kernel.CHANCE:
        return kernel.chance_mask(pos)
    return kernel.legal_mask(pos)


@compiled
def take(pos: Vector, action: int) -> None:
    """Takes one of the `options`, in place."""
    if pos[kernel.PLAYER] == kernel.CHANCE:
        kernel.apply_chance(pos, action)
    else:
        kernel.apply_decision(pos, action)


@compiled
def copy_deal(source: Vector, target: Vector) -> None:
    """Copies a position over another of the same rules, which stand in front."""
    for field in range(kernel.PHASE, kernel.SIZE):
        target[field] = source[field]


@compiled
def seen(pos: Vector, action: int, player: int) -> int:
    """What `player` sees when one of the `options` is taken: one or two events of `events.view`.

    The second one, 8 bits up, is the last face-down card of the stock.
    """
    phase = pos[kernel.PHASE]
    if phase == kernel.DEALING:
        own = kernel.hand_being_dealt(pos) == player
        return events.DEAL + action if own else events.HIDDEN_DEAL
    if phase == kernel.DRAW:
        return events.DRAWN + action if kernel.drawer(pos) == player else events.HIDDEN_DRAW
    if action == kernel.DONE and events.ends_stock(pos):
        own = pos[kernel.LEADER] == player
        last = events.DRAWN + lowest(pos[kernel.DOWN]) if own else events.HIDDEN_DRAW
        return action | last << 8
    return events.event_base(pos) + action


@compiled_recursive
def count_histories(stack: VectorRows, depth: int, limit: int, counts: Vector) -> None:
    """Counts the histories from the position in row `depth` on, which is moved on.

    Args:
      stack: int64 [most decisions and chance nodes + 1, kernel.SIZE], the rules in every row.
      depth: the row.
      limit: nothing is counted any more once so many histories have ended without a draw.
      counts: int64 [HISTORY_COUNTS], added to.
    """
    pos = stack[depth]
    while counts[TERMINALS] - counts[DRAWN_GAMES] < limit:
        mask = options(pos)
        if mask == 0:
            counts[TERMINALS] += 1
            counts[DRAWN_GAMES] += kernel.return_of_player_0(pos) == 0
            return
        is_forced = 1 if mask & (mask - 1) == 0 else 0
        kind = CHANCES if pos[kernel.PLAYER] == kernel.CHANCE else DECISIONS
        counts[kind] += 1
        counts[kind + 1] += is_forced
        while mask & (mask - 1):
            copy_deal(pos, stack[depth + 1])
            take(stack[depth + 1], lowest(mask))
            count_histories(stack, depth + 1, limit, counts)
            mask &= mask - 1
        take(pos, lowest(mask))


@compiled
def probe(pos: Vector, rng: Vector) -> float:
    """Plays a random game in place; the product of how many ways there were at each step.

    Its mean is the number of terminal histories (Knuth, "Estimating the efficiency of backtrack
    programs", 1975).
    """
    ways = 1.0
    mask = options(pos)
    while mask:
        ways *= count(mask)
        take(pos, random_bit(rng, mask))
        mask = options(pos)
    return ways


@compiled
def _next_seen(
    worlds: VectorRows, masks: Vector, low: int, high: int, player: int, last: int
) -> int:
    """The least that may be seen next in some world and is more than `last`; -1 if none is."""
    least = -1
    for row in range(low, high):
        mask = masks[row]
        while mask:
            code = seen(worlds[row], lowest(mask), player)
            mask &= mask - 1
            if code > last and (least == -1 or code < least):
                least = code
    return least


@compiled
def _worlds_after(
    worlds: VectorRows, masks: Vector, low: int, high: int, player: int, code: int
) -> int:
    """Writes the worlds where `code` was seen next from row `high` on; their end, -1 if full."""
    top = high
    for row in range(low, high):
        mask = masks[row]
        while mask:
            action = lowest(mask)
            mask &= mask - 1
            if seen(worlds[row], action, player) == code:
                if top == len(worlds):
                    return -1
                copy_deal(worlds[row], worlds[top])
                take(worlds[top], action)
                top += 1
    return top


@compiled_recursive
def walk_views(
    worlds: VectorRows,
    masks: Vector,
    low: int,
    high: int,
    player: int,
    code: int,
    sequence: int,
    events_seen: UnsignedShorts,
    nexts: Ints,
    sets: Ints,
    first: Vector,
    parents: Ints,
    legal: Vector,
    counts: Vector,
) -> None:
    """Walks through the views of a player from one of them on; counts them and writes them down.

    Args:
      worlds: int64 [size, kernel.SIZE], the rules in every row; the worlds of the view are in the
        rows from `low` to `high`, those behind are scratch space.
      masks: int64 [size], scratch space.
      low: see `worlds`.
      high: see `worlds`.
      player: whose views.
      code: what was seen last (see `seen`).
      sequence: his last choice on the way (0 none; else from 1, in the order of the walk).
      events_seen: uint16 [views], `code` by view; length 0 to count only, as for all arrays below.
      nexts: int32 [views], the next child of the same parent; 0 if there is none.
      sets: int32 [views], the information set, or `LOOKS_ON`, or `FORCED` less the action.
      first: int64 [sets], the first entry of the information set: it has one for each action.
      parents: int32 [sets], the `sequence` that leads to it.
      legal: int64 [sets], its actions as a mask.
      counts: int64 [VIEW_COUNTS], added to; FIRST_ENTRY is ENTRIES where the walk of this player
        began, OVERFLOW is set if there is not enough room for the worlds.
    """
    writes = len(events_seen) > 0
    view = counts[VIEWS]
    counts[VIEWS] += 1
    for row in range(low, high):
        masks[row] = options(worlds[row])
    kind, entry = LOOKS_ON, 0
    if worlds[low, kernel.PLAYER] == player:
        if masks[low] & (masks[low] - 1) == 0:
            kind = FORCED - lowest(masks[low])
            counts[FORCED_SETS] += 1
        else:
            kind = counts[SETS]
            counts[SETS] += 1
            entry = counts[ENTRIES]
            if writes:
                first[kind] = entry
                parents[kind] = sequence
                legal[kind] = masks[low]
            counts[ENTRIES] += count(masks[low])
    if writes:
        events_seen[view] = code
        sets[view] = kind
        nexts[view] = 0
    previous = 0
    code = _next_seen(worlds, masks, low, high, player, -1)
    while code >= 0:
        end = _worlds_after(worlds, masks, low, high, player, code)
        if end < 0:
            counts[OVERFLOW] = 1
            return
        if worlds[high, kernel.PHASE] != kernel.OVER:
            child = counts[VIEWS]
            if writes and previous:
                nexts[previous] = child
            previous = child
            after = sequence
            if kind >= 0:  # closing the last window shows a card, so it may be seen in many ways
                number = count(masks[low] & ((1 << (code & 0xFF)) - 1))
                after = 1 + entry - counts[FIRST_ENTRY] + number
            walk_views(
                worlds,
                masks,
                high,
                end,
                player,
                code,
                after,
                events_seen,
                nexts,
                sets,
                first,
                parents,
                legal,
                counts,
            )
            if counts[OVERFLOW]:
                return
        code = _next_seen(worlds, masks, low, high, player, code)


@compiled
def _view_after(events_seen: UnsignedShorts, nexts: Ints, view: int, code: int) -> int:
    """The view in which `code` was seen after `view`."""
    child = view + 1
    while events_seen[child] != code:
        child = nexts[child]
    return child


@compiled
def chance_kind(pos: Vector) -> int:
    """Which distribution a chance node has: the row of `shares` in `flatten`."""
    outcomes = count(kernel.chance_mask(pos))
    if pos[kernel.PHASE] != kernel.DEALING:
        return outcomes
    need = pos[kernel.HAND_SIZE] - count(pos[kernel.HAND0 + kernel.hand_being_dealt(pos)])
    return need * MAX_OUTCOMES + outcomes


@compiled_recursive
def flatten(
    stack: VectorRows,
    depth: int,
    view0: int,
    view1: int,
    code0: int,
    code1: int,
    sequence0: int,
    sequence1: int,
    chance: float,
    events_seen: UnsignedShorts,
    nexts: Ints,
    sets: Ints,
    first: Vector,
    shares: FloatRows,
    words: Ints,
    ends: IntRows,
    payoffs: Floats,
    growth: Vector,
) -> None:
    """Writes the histories from the position in row `depth` on, without forced nodes.

    Args:
      stack: as for `count_histories`.
      depth: the row.
      view0: what player 0 had seen one event before.
      view1: what player 1 had, among the same views.
      code0: what player 0 has seen since (see `seen`); -1 at the root, if it was nothing.
      code1: what player 1 has.
      sequence0: the last choice of player 0 (see `walk_views`).
      sequence1: that of player 1.
      chance: the probability that chance does its part.
      events_seen: uint16 [views], see `walk_views`; so are `nexts`, `sets` and `first`.
      nexts: int32 [views].
      sets: int32 [views].
      first: int64 [sets].
      shares: float64 [kinds, outcomes], the distributions of chance nodes (`chance_kind`).
      words: int32 [size], filled in. A history that is over is one word (`TERMINAL`), a node two:
        its information set, or for chance -1 less its kind; and where what follows it ends.
      ends: int32 [2, payoffs], filled in: the last choices at each end that is no draw.
      payoffs: float64 [payoffs], filled in: the return of player 0 there times `chance`.
      growth: int64 [GROWTH]: how many words and payoffs there are, and the first entry of player 1.
    """
    pos = stack[depth]
    mask = options(pos)
    while mask:
        if code0 >= 0:
            view0 = _view_after(events_seen, nexts, view0, code0)
            view1 = _view_after(events_seen, nexts, view1, code1)
        if mask & (mask - 1):
            break
        code0, code1 = seen(pos, lowest(mask), 0), seen(pos, lowest(mask), 1)
        take(pos, lowest(mask))
        mask = options(pos)
    word = growth[WORDS]
    if mask == 0:
        value = kernel.return_of_player_0(pos)
        words[word] = TERMINAL + value
        growth[WORDS] += 1
        if value != 0:
            end = growth[PAYOFFS]
            growth[PAYOFFS] += 1
            ends[0, end] = sequence0
            ends[1, end] = sequence1
            payoffs[end] = chance * value
        return
    growth[WORDS] += 2
    player = pos[kernel.PLAYER]
    kind = 0
    if player == kernel.CHANCE:
        kind = chance_kind(pos)
        words[word] = -1 - kind
    else:
        words[word] = sets[view0 if player == 0 else view1]
        entry = first[words[word]]
        if player == 0:
            sequence0 = 1 + entry
        else:
            sequence1 = 1 + entry - growth[SECOND_PLAYER]
    number = 0
    while mask:
        action = lowest(mask)
        mask &= mask - 1
        share = shares[kind, number] if player == kernel.CHANCE else 1.0
        code0, code1 = seen(pos, action, 0), seen(pos, action, 1)
        copy_deal(pos, stack[depth + 1])
        take(stack[depth + 1], action)
        flatten(
            stack,
            depth + 1,
            view0,
            view1,
            code0,
            code1,
            sequence0 + (number if player == 0 else 0),
            sequence1 + (number if player == 1 else 0),
            chance * share,
            events_seen,
            nexts,
            sets,
            first,
            shares,
            words,
            ends,
            payoffs,
            growth,
        )
        number += 1
    words[word + 1] = growth[WORDS]


@compiled
def next_sibling(words: Ints, at: int) -> int:
    """The place in a flat tree behind the subtree at `at`."""
    return at + 1 if words[at] < OVER else int(words[at + 1])
