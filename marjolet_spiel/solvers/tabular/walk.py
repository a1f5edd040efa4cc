"""Walks through all histories of a small game, in compiled code.

The tree of *histories* is the game as `kernel.py` plays it; what can be seen of it is walked in
`views.py`, and written down in `flat_tree.py`.
"""

from marjolet_spiel import events, kernel
from marjolet_spiel.array_types import Vector, VectorRows
from marjolet_spiel.compiling import compiled, compiled_recursive, count, lowest
from marjolet_spiel.sampling import random_bit

# What is counted of the histories.
TERMINALS, DRAWN_GAMES, DECISIONS, FORCED_DECISIONS, CHANCES, FORCED_CHANCES = range(6)
HISTORY_COUNTS = 6


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
