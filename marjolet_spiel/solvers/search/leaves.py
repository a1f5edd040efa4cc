"""What a simulation is worth once the stock is gone, in compiled code."""

from marjolet_spiel import kernel
from marjolet_spiel.array_types import Vector
from marjolet_spiel.cards import BRISQUES
from marjolet_spiel.compiling import compiled, compiled_recursive, count
from marjolet_spiel.kernel import copy_to, deal_points
from marjolet_spiel.solvers.endgame.alpha_beta import (
    GENERATION,
    INFINITE,
    EndgameArrays,
    alpha_beta,
)
from marjolet_spiel.solvers.endgame.index import MAX_CARDS
from marjolet_spiel.solvers.endgame.lookup import dix_to_come, fits, table_value
from marjolet_spiel.solvers.endgame.match_equity import UNIT, match_equity


@compiled
def solvable(pos: Vector) -> bool:
    """Whether the rest of the deal is searched to its end: endgames of not too many cards."""
    if pos[kernel.TRICK] <= pos[kernel.STOCK_TRICKS] or pos[kernel.PLAYER] < 0:
        return False
    return max(count(pos[kernel.HAND0]), count(pos[kernel.HAND1])) <= MAX_CARDS


@compiled
def _points_to_come(pos: Vector) -> int:
    """What both players together will score in the endgame, without melds and the sweep."""
    taken = pos[kernel.CAPTURED0] | pos[kernel.CAPTURED1]
    brisques = 10 * count(pos[kernel.PACK] & BRISQUES & ~taken)
    return brisques + 10 + abs(dix_to_come(pos))


@compiled
def _decided_in_this_deal(pos: Vector) -> bool:
    """Whether somebody may reach the target of the match in this deal."""
    most = _points_to_come(pos) + pos[kernel.SWEEP_BONUS]
    total0 = pos[kernel.SCORE0] + deal_points(pos, 0)
    total1 = pos[kernel.SCORE1] + deal_points(pos, 1)
    return (
        max(total0, total1) + most >= pos[kernel.TARGET]
        or pos[kernel.DEAL] >= pos[kernel.MAX_DEALS]
    )


@compiled
def equity_after(pos: Vector, difference: int) -> int:
    """`UNIT` times the equity of player 0 if the deal ends with `difference`."""
    both = deal_points(pos, 0) + deal_points(pos, 1) + _points_to_come(pos)
    score0 = pos[kernel.SCORE0] + ((both + difference) >> 1)
    score1 = pos[kernel.SCORE1] + ((both - difference) >> 1)
    return int(UNIT * match_equity(score0, score1, pos[kernel.TARGET]))


@compiled_recursive
def exact_leaf(pos: Vector, endgame: EndgameArrays) -> int:
    """The pay-off of player 0 (`match_equity.payoff`) in a position that is `solvable`.

    By one look-up where that is possible, else by alpha-beta. A match that cannot end in this deal
    is played for points; its chances afterwards are estimated.
    """
    if fits(pos) and (pos[kernel.TARGET] == 0 or not _decided_in_this_deal(pos)):
        difference = table_value(endgame.cell_index, endgame.values, pos, endgame.stack[0])
        return difference if pos[kernel.TARGET] == 0 else equity_after(pos, difference)
    endgame.scratch[GENERATION] += 1
    copy_to(pos, endgame.stack[0])
    deal = pos[kernel.DEAL]
    return alpha_beta(endgame, 0, deal, -INFINITE, INFINITE)
