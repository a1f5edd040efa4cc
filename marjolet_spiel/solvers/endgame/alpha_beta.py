"""Alpha-beta on the endgame, in compiled code: exact for whatever is played for.

It plays by `kernel.py` alone, so it knows endgame melds, matches that end on the spot, and wins and
losses near a target, which the endgame table does not hold. Where the table holds a position it
may be used as a leaf; without it this is an independent check of the table.

The search is fail-soft with a transposition table at the beginning of tricks (Knuth and Moore,
"An analysis of alpha-beta pruning", 1975; Breuker, "Memory versus search in games", 1998).
"""

from typing import NamedTuple

from marjolet_spiel import kernel
from marjolet_spiel.array_types import ByteRows, Ints, Vector, VectorRows
from marjolet_spiel.cards import BRISQUES
from marjolet_spiel.compiling import compiled, compiled_recursive, highest_bit, lowest
from marjolet_spiel.kernel import copy_to, deal_points
from marjolet_spiel.solvers.endgame.lookup import fits, table_value
from marjolet_spiel.solvers.endgame.match_equity import payoff

INFINITE = 1 << 40

# The scratch: an int64 vector of counters, the transposition table behind them.
NODES, GENERATION, ESTIMATES, _TT = 0, 1, 2, 3
_TT_BITS = 12
_TT_ENTRY = 3  # key, value, kind of bound
SCRATCH_SIZE = _TT + _TT_ENTRY * (1 << _TT_BITS)
MAX_DEPTH = 96
"""Rows of the stack of positions: more than the decisions of the endgame of any pack."""


class EndgameArrays(NamedTuple):
    """The endgame table, and the scratch of a search where it does not suffice.

    Attributes:
      stack: int64 [MAX_DEPTH or more, kernel.SIZE]; a caller may use the rows beyond.
      scratch: int64 [SCRATCH_SIZE]; its counters are kept up to date.
      cell_index: of the table; of length 0 to search without it.
      values: int8 [LAYERS, cells], of the table.
    """

    stack: VectorRows
    scratch: Vector
    cell_index: Ints
    values: ByteRows


_EXACT, _AT_LEAST, _AT_MOST = 1, 2, 3
_HASH1 = -7046029254386353131
_HASH2 = -4417276706812531889


@compiled
def _mixed(key: int, word: int) -> int:
    key = (key ^ word) * _HASH1
    key ^= (key >> 29) & 0x7FFFFFFFF
    key *= _HASH2
    return key ^ ((key >> 32) & 0xFFFFFFFF)


@compiled
def _key(pos: Vector, scratch: Vector) -> int:
    """A hash of what decides the value of a position at the beginning of a trick."""
    key = _mixed(0, scratch[GENERATION])
    key = _mixed(key, pos[kernel.HAND0] | (pos[kernel.HAND1] << 32))
    played = pos[kernel.TRICK] - 1 - pos[kernel.STOCK_TRICKS]
    sweeps = 1 if pos[kernel.WINS0] == played else (2 if pos[kernel.WINS1] == played else 0)
    declared = pos[kernel.DECLARED0] | pos[kernel.DECLARED1]
    key = _mixed(key, (declared << 8) | (sweeps << 4) | pos[kernel.LEADER])
    if pos[kernel.TARGET] != 0:
        key = _mixed(key, (deal_points(pos, 0) << 32) | deal_points(pos, 1))
    return key


@compiled
def _without_equals(pos: Vector, playable: int) -> int:
    """One card of each run of cards that make no difference, where melds make none either."""
    in_play = pos[kernel.HAND0] | pos[kernel.HAND1]
    if pos[kernel.LED] != kernel.NONE:
        in_play |= 1 << pos[kernel.LED]
    kept = 0
    while playable:
        card = lowest(playable)
        bit = 1 << card
        above = highest_bit(in_play & (0xFF << (card & 24)) & (bit - 1))
        hand = pos[kernel.HAND0 + pos[kernel.PLAYER]]
        if above & hand == 0 or (above & BRISQUES != 0) != (bit & BRISQUES != 0):
            kept |= bit
        playable &= playable - 1
    return kept


@compiled
def _moves(pos: Vector) -> int:
    """The legal actions worth a try, as a mask."""
    mask = kernel.legal_mask(pos)
    if pos[kernel.PHASE] == kernel.DECLARE or pos[kernel.ENDGAME_MELDS] or pos[kernel.IMMEDIATE]:
        return mask
    return _without_equals(pos, mask >> kernel.FIRST_PLAY) << kernel.FIRST_PLAY


@compiled
def _next_move(pos: Vector, moves: int) -> int:
    """The move to try next: high leads, low answers; melds before closing a window."""
    if pos[kernel.PHASE] == kernel.FOLLOW:
        low, high = moves & 0x1FFFFFFFE, moves >> 33
        return lowest(highest_bit(low)) if high == 0 else lowest(highest_bit(high)) + 33
    return lowest(moves)


@compiled
def deal_is_over(pos: Vector, deal: int) -> bool:
    """Whether deal number `deal` has been played out in `pos`."""
    return pos[kernel.PHASE] == kernel.OVER or pos[kernel.DEAL] != deal


@compiled
def act(pos: Vector, action: int) -> None:
    """Applies an action, and closes the window after it if nothing else is possible there."""
    kernel.apply_decision(pos, action)
    while pos[kernel.PHASE] == kernel.DECLARE and kernel.legal_mask(pos) == 1 << kernel.DONE:
        kernel.apply_decision(pos, kernel.DONE)


@compiled
def _offset(pos: Vector, scratch: Vector) -> int:
    """What is taken off a value before it is remembered: points made so far in a single deal."""
    if pos[kernel.TARGET] != 0:
        return 0
    return deal_points(pos, 0) - deal_points(pos, 1)


@compiled_recursive
def alpha_beta(endgame: EndgameArrays, depth: int, deal: int, alpha: int, beta: int) -> int:
    """The pay-off (`match_equity.payoff`) of the position in row `depth` under best play.

    Args:
      endgame: the arrays; rows of the stack below `depth` are worked in.
      depth: the row of the position, one of the endgame or the end of the deal.
      deal: the number of the deal that is being played.
      alpha: values up to it need not be exact: what comes back is an upper bound then.
      beta: values from it on need not be exact: what comes back is a lower bound then.
    """
    pos, scratch = endgame.stack[depth], endgame.scratch
    if deal_is_over(pos, deal):
        if pos[kernel.PHASE] != kernel.OVER:
            scratch[ESTIMATES] += 1
        return payoff(pos)
    scratch[NODES] += 1
    if len(endgame.cell_index) > 0 and pos[kernel.TARGET] == 0 and fits(pos):
        return table_value(endgame.cell_index, endgame.values, pos, endgame.stack[depth + 1])
    entry, key, offset = 0, 0, 0
    at_start = pos[kernel.PHASE] == kernel.LEAD
    if at_start:
        key = _key(pos, scratch)
        offset = _offset(pos, scratch)
        entry = _TT + _TT_ENTRY * (key & ((1 << _TT_BITS) - 1))
        if scratch[entry] == key:
            value, bound = scratch[entry + 1] + offset, scratch[entry + 2]
            if bound == _EXACT:
                return value
            if (bound == _AT_LEAST and value >= beta) or (bound == _AT_MOST and value <= alpha):
                return value
    maximizes = pos[kernel.PLAYER] == 0
    best = -INFINITE if maximizes else INFINITE
    low, high = alpha, beta
    moves = _moves(pos)
    while moves and low < high:
        move = _next_move(pos, moves)
        moves &= ~(1 << move)
        copy_to(pos, endgame.stack[depth + 1])
        act(endgame.stack[depth + 1], move)
        value = alpha_beta(endgame, depth + 1, deal, low, high)
        if maximizes:
            best = max(best, value)
            low = max(low, best)
        else:
            best = min(best, value)
            high = min(high, best)
    if at_start:
        scratch[entry] = key
        scratch[entry + 1] = best - offset
        scratch[entry + 2] = _AT_MOST if best <= alpha else (_AT_LEAST if best >= beta else _EXACT)
    return best


@compiled_recursive
def solve_moves(pos: Vector, endgame: EndgameArrays, out: Vector) -> None:
    """The exact pay-off after each legal action, into ``out[action]``. See `alpha_beta`."""
    deal = pos[kernel.DEAL]
    moves = kernel.legal_mask(pos)
    while moves:
        move = lowest(moves)
        moves &= moves - 1
        copy_to(pos, endgame.stack[0])
        act(endgame.stack[0], move)
        out[move] = alpha_beta(endgame, 0, deal, -INFINITE, INFINITE)
