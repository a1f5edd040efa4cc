"""Builds the endgame table: the value of every position of the endgame, from below.

A position of n cards follows from those of n - 1: each lead, each answer, the trick's points, and
what is left. The rules are those of `kernel.py`, applied to the canonical cards of each cell.
"""

from marjolet_spiel import cards
from marjolet_spiel.array_types import ByteRows, Ints
from marjolet_spiel.compiling import compiled, count, lowest
from marjolet_spiel.kernel import follower_wins, strict_answers
from marjolet_spiel.solvers.endgame.index import (
    NUM_TYPES,
    canonical_masks,
    cell_of,
    code_range,
    last_type,
)

# What may still come of the sweep decides between three values of a cell.
NO_SWEEP, LEADER_SWEEPS, BOTH_MAY = range(3)
LAYERS = 3

_TRUMP = 0  # the suit of trumps in canonical positions
_NOT_TOP = ~(0x05050505) & 0xFFFFFFFF  # aces and kings begin a run of equals


@compiled
def _distinct(playable: int) -> int:
    """One card of each run of equals: neighbours in one hand, both brisques or both not."""
    return playable & ~((playable << 1) & _NOT_TOP)


@compiled
def _fill_cell(
    index: Ints, values: ByteRows, cell: int, leaders: int, others: int, last: int
) -> None:
    """The values of a cell, in tens of points for the leader; `last` is 1 in the last trick."""
    best0, best1, best2 = -128, -128, -128
    leads = _distinct(leaders)
    while leads:
        lead = lowest(leads)
        leads &= leads - 1
        worst0, worst1, worst2 = 127, 127, 127
        answers = _distinct(strict_answers(others, lead, _TRUMP))
        while answers:
            answer = lowest(answers)
            answers &= answers - 1
            both = (1 << lead) | (1 << answer)
            points = count(both & cards.BRISQUES) + last
            own, his = leaders & ~both, others & ~both
            if follower_wins(lead, answer, _TRUMP):
                after = cell_of(index, his, own, _TRUMP)
                value0 = value1 = -points - values[NO_SWEEP, after]
                value2 = -points - values[LEADER_SWEEPS, after]
            else:
                after = cell_of(index, own, his, _TRUMP)
                value0 = points + values[NO_SWEEP, after]
                value1 = value2 = points + values[LEADER_SWEEPS, after]
            worst0, worst1, worst2 = min(worst0, value0), min(worst1, value1), min(worst2, value2)
        best0, best1, best2 = max(best0, worst0), max(best1, worst1), max(best2, worst2)
    values[NO_SWEEP, cell] = best0
    values[LEADER_SWEEPS, cell] = best1
    values[BOTH_MAY, cell] = best2


@compiled
def _fill_types(index: Ints, values: ByteRows, n: int, t0: int, t1: int, t2: int, t3: int) -> None:
    first0, end0 = code_range(index, t0)
    first1, end1 = code_range(index, t1)
    first2, end2 = code_range(index, t2)
    first3, end3 = code_range(index, t3)
    for code0 in range(first0, end0):
        own0, his0 = canonical_masks(index, code0)
        for code1 in range(first1, end1):
            own1, his1 = canonical_masks(index, code1)
            for code2 in range(max(first2, code1), end2):
                own2, his2 = canonical_masks(index, code2)
                for code3 in range(max(first3, code2), end3):
                    own3, his3 = canonical_masks(index, code3)
                    leaders = own0 | (own1 << 8) | (own2 << 16) | (own3 << 24)
                    others = his0 | (his1 << 8) | (his2 << 16) | (his3 << 24)
                    cell = cell_of(index, leaders, others, _TRUMP)
                    _fill_cell(index, values, cell, leaders, others, 1 if n == 1 else 0)


@compiled
def fill(index: Ints, values: ByteRows, n: int, t0: int) -> None:
    """Fills in the cells of `n` cards a hand whose trump suit is of type `t0`.

    Those of n - 1 cards are there already. Parts with different `t0` may be filled side by side.
    """
    for t1 in range(NUM_TYPES):
        for t2 in range(t1, NUM_TYPES):
            t3 = last_type(index, n, t0, t1, t2, t2)
            if t3 >= 0:
                _fill_types(index, values, n, t0, t1, t2, t3)
