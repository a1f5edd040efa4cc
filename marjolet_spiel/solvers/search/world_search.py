"""Alpha-beta on determinized worlds in compiled code.

In a world the hands and the order of the stock are known, so a search to some depth is plain
alpha-beta, with exact values where the stock is gone (`leaves.py`) and the static evaluation
elsewhere (`evaluation`). The values of many worlds are put together in the Monte Carlo way (Levy,
"The million pound bridge program", 1989; Ginsberg, "GIB: steps toward an expert-level
bridge-playing program", 1999).

The known fault is strategy fusion: in each world the searching player plays as if he knew it. So
the first decisions may be *postponed*: taken without knowing the world, one choice for all worlds
that he cannot tell apart, and only what follows is searched world by world (Arjonilla, Saffidine
and Cazenave, "Perfect information Monte Carlo with postponing reasoning", 2024). The opponent is
left his choice in each world.
"""

from typing import NamedTuple

import numpy as np

from marjolet_spiel import kernel
from marjolet_spiel.array_types import (
    FloatRows,
    Floats,
    UnsignedByteRows,
    UnsignedBytes,
    Vector,
    VectorGrids,
    VectorRows,
)
from marjolet_spiel.compiling import compiled, compiled_recursive, lowest
from marjolet_spiel.kernel import copy_to
from marjolet_spiel.sampling import order_stock
from marjolet_spiel.solvers.endgame.alpha_beta import EndgameArrays, deal_is_over
from marjolet_spiel.solvers.endgame.match_equity import payoff
from marjolet_spiel.solvers.endgame.table import EndgameTable
from marjolet_spiel.solvers.search.evaluation import HEURISTIC_SIZE, static_evaluation
from marjolet_spiel.solvers.search.leaves import exact_leaf, solvable
from marjolet_spiel.solvers.search.rollouts import next_card

_INFINITE = 1e18
MAX_ROWS = 128
"""Rows for a search in one world: card plays and windows one below the other."""


class WorldArrays(NamedTuple):
    """What a search in one world works in.

    Attributes:
      rows: int64 [MAX_ROWS, kernel.SIZE], positions one below the other.
      scratch: float64 [HEURISTIC_SIZE], for the static evaluation.
      endgame: for exact leaves.
    """

    rows: VectorRows
    scratch: Floats
    endgame: EndgameArrays


def world_arrays(table: EndgameTable) -> WorldArrays:
    """Arrays of its own for a search in one world after the other."""
    rows = np.zeros((MAX_ROWS, kernel.SIZE), dtype=np.int64)
    return WorldArrays(rows, np.zeros(HEURISTIC_SIZE, dtype=np.float64), table.arrays())


class SampledWorlds(NamedTuple):
    """Several worlds that a player cannot tell apart, on some levels of play.

    Attributes:
      worlds: int64 [levels, worlds, kernel.SIZE].
      members: uint8 [3 x levels, worlds]; row 3 x level says which worlds take part.
      orders: int64 [worlds, GENERATOR_SIZE], the order of each stock.
      values: float64 [levels, worlds], filled in.
    """

    worlds: VectorGrids
    members: UnsignedByteRows
    orders: VectorRows
    values: FloatRows


@compiled
def _is_leaf(pos: Vector, deal: int) -> bool:
    return deal_is_over(pos, deal) or solvable(pos)


@compiled
def _leaf_value(pos: Vector, deal: int, endgame: EndgameArrays) -> float:
    if deal_is_over(pos, deal):
        return float(payoff(pos))
    return float(exact_leaf(pos, endgame))


@compiled
def _settle(pos: Vector, order: Vector, deal: int, windows: bool) -> bool:
    """Draws, and closes windows without a choice; with `windows` declares whatever it may.

    Returns whether the position is a leaf: the stock or the deal is over.
    """
    while not _is_leaf(pos, deal):
        if pos[kernel.PLAYER] == kernel.CHANCE:
            kernel.apply_chance(pos, next_card(pos, order))
        elif pos[kernel.PHASE] == kernel.DECLARE:
            legal = kernel.legal_mask(pos)
            if not windows and legal & (legal - 1):
                return False
            kernel.apply_decision(pos, lowest(legal))
        else:
            return False
    return True


@compiled_recursive
def world_value(
    arrays: WorldArrays,
    row: int,
    depth: int,
    alpha: float,
    beta: float,
    deal: int,
    order: Vector,
) -> float:
    """The value for player 0 of the position in a row of ``arrays.rows``, by alpha-beta.

    `depth` cards are played at most; a trick that has begun is finished. `order` holds the order
    of the stock.
    """
    rows, scratch, endgame = arrays
    pos = rows[row]
    if _settle(pos, order, deal, depth <= 0):
        return _leaf_value(pos, deal, endgame)
    if depth <= 0 and pos[kernel.PHASE] == kernel.LEAD:
        return static_evaluation(pos, scratch, endgame.cell_index, endgame.values)
    maximizes = pos[kernel.PLAYER] == 0
    best = -_INFINITE if maximizes else _INFINITE
    moves = kernel.legal_mask(pos)
    after = depth if pos[kernel.PHASE] == kernel.DECLARE else depth - 1
    while moves and alpha < beta:
        move = lowest(moves)
        moves &= moves - 1
        copy_to(pos, rows[row + 1])
        kernel.apply_decision(rows[row + 1], move)
        value = world_value(arrays, row + 1, after, alpha, beta, deal, order)
        if maximizes:
            best = max(best, value)
            alpha = max(alpha, best)
        else:
            best = min(best, value)
            beta = min(beta, best)
    return best


@compiled
def _first(members: UnsignedBytes) -> int:
    """The first world among the members, or their number if there is none."""
    w = 0
    while w < len(members) and members[w] == 0:
        w += 1
    return w


@compiled_recursive
def postponed(
    sampled: SampledWorlds,
    level: int,
    blind: int,
    depth: int,
    deal: int,
    player: int,
    arrays: WorldArrays,
) -> None:
    """The value for player 0 of each world of a level, into ``sampled.values[level]``.

    Windows in which several things may be done are played by declaring everything.

    Args:
      sampled: the worlds; what was played is the same in all.
      level: the level; rows of the next ones are worked in.
      blind: how many more cards are played without knowing the world.
      depth: how many cards are played in all.
      deal: the number of the deal.
      player: who does not know the world.
      arrays: for the search in one world.
    """
    worlds, members, orders, out = sampled
    left, group, taken = members[3 * level], members[3 * level + 1], members[3 * level + 2]
    for w in range(len(left)):
        if left[w] and (_settle(worlds[level, w], orders[w], deal, blind > 0) or blind == 0):
            copy_to(worlds[level, w], arrays.rows[0])
            out[level, w] = world_value(arrays, 0, depth, -_INFINITE, _INFINITE, deal, orders[w])
            left[w] = 0
    first = _first(left)
    while first < len(left):
        mover = worlds[level, first, kernel.PLAYER]
        hand = worlds[level, first, kernel.HAND0 + player]
        actions = 0
        for w in range(len(left)):
            group[w] = 1 if left[w] and worlds[level, w, kernel.HAND0 + player] == hand else 0
            if group[w]:
                left[w] = 0
                actions |= kernel.legal_mask(worlds[level, w])
                out[level, w] = -_INFINITE if mover == 0 else _INFINITE
        best = -_INFINITE
        while actions:
            action = lowest(actions)
            actions &= actions - 1
            for w in range(len(left)):
                legal = group[w] and (kernel.legal_mask(worlds[level, w]) >> action) & 1
                taken[w] = members[3 * level + 3, w] = 1 if legal else 0
                if legal:
                    copy_to(worlds[level, w], worlds[level + 1, w])
                    kernel.apply_decision(worlds[level + 1, w], action)
            postponed(sampled, level + 1, blind - 1, depth - 1, deal, player, arrays)
            total = 0.0
            for w in range(len(left)):
                if taken[w]:
                    total += out[level + 1, w] * (1 - 2 * player)
            for w in range(len(left)):
                if taken[w]:
                    value = out[level + 1, w]
                    if mover == player:
                        out[level, w] = value if total > best else out[level, w]
                    elif mover == 0:
                        out[level, w] = max(out[level, w], value)
                    else:
                        out[level, w] = min(out[level, w], value)
            best = max(best, total)
        first = _first(left)


@compiled
def order_worlds(worlds: VectorRows, orders: VectorRows, rng: Vector) -> None:
    """Draws the order of the stock of each world."""
    for w in range(len(worlds)):
        order_stock(worlds[w], rng)
        copy_to(rng, orders[w])
