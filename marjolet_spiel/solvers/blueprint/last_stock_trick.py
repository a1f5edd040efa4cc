"""What cards are worth at the last trick of the stock, averaged over all that may be hidden.

One card is face down then, so a player sees as many worlds as there are cards unseen, at most seven
in the whole game, each as likely as the others if what the opponent chose is left out of account.
In each of them the endgame table has the value, for points, of every end of the trick.
"""

from marjolet_spiel import kernel
from marjolet_spiel.array_types import Floats, Vector
from marjolet_spiel.compiling import compiled, compiled_recursive, count, lowest
from marjolet_spiel.kernel import copy_to
from marjolet_spiel.solvers.endgame.alpha_beta import EndgameArrays
from marjolet_spiel.solvers.endgame.index import MAX_CARDS
from marjolet_spiel.solvers.search.evaluation import VALUES, heuristic_card
from marjolet_spiel.solvers.search.leaves import exact_leaf

EXTRA_ROWS = 3
"""Rows that `weigh_last_stock_trick` needs in the stack of its endgame arrays, beyond the usual."""

HOPELESS = -10_000.0
_LEADS = 3  # weighed on lead


@compiled
def points_of(pos: Vector, melds: int) -> int:
    """What some melds are worth together."""
    points = 0
    while melds:
        points += kernel.meld_value(pos, lowest(melds))
        melds &= melds - 1
    return points


@compiled
def _are_disjoint(pos: Vector, melds: int) -> bool:
    """Whether no two of some melds share a card."""
    used = 0
    while melds:
        needed = kernel.cards_in_meld(pos, lowest(melds))
        melds &= melds - 1
        if used & needed:
            return False
        used |= needed
    return True


@compiled
def best_declaration(pos: Vector) -> int:
    """Which of the melds that may be declared score most in the open window, as a mask."""
    melds = kernel.declarable(pos)
    if pos[kernel.DISJOINT] == 0:
        return melds
    best, most, some = 0, 0, melds
    while some:
        points = points_of(pos, some)
        if points > most and _are_disjoint(pos, some):
            best, most = some, points
        some = (some - 1) & melds
    return best


@compiled
def next_declaration(pos: Vector) -> int:
    """What is to be done next in a window so that it scores most."""
    if kernel.can_swap(pos):
        return kernel.SWAP
    melds = best_declaration(pos)
    return kernel.FIRST_MELD + lowest(melds) if melds else kernel.DONE


@compiled
def is_last_stock_trick(pos: Vector) -> bool:
    """Whether a card is to be played to the last trick of the stock, and the table has the rest."""
    return pos[kernel.TRICK] == pos[kernel.STOCK_TRICKS] and pos[kernel.HAND_SIZE] <= MAX_CARDS


@compiled_recursive
def _value_of_end(pos: Vector, endgame: EndgameArrays) -> float:
    """What a deal is worth to player 0 from the window of the last trick on, moving it on."""
    while pos[kernel.PHASE] == kernel.DECLARE:
        kernel.apply_decision(pos, next_declaration(pos))
    return float(exact_leaf(pos, endgame))


@compiled_recursive
def _value_in_world(world: Vector, player: int, endgame: EndgameArrays) -> float:
    """What a deal is worth to a player who has played his card: the least after any answer."""
    sign = 1.0 - 2.0 * player
    if world[kernel.PHASE] != kernel.FOLLOW:
        return sign * _value_of_end(world, endgame)
    after, least = endgame.stack[len(endgame.stack) - 2], 1e9
    answers = world[kernel.HAND1 - player]
    while answers:
        copy_to(world, after)
        kernel.apply_decision(after, kernel.FIRST_PLAY + lowest(answers))
        answers &= answers - 1
        least = min(least, sign * _value_of_end(after, endgame))
    return least


@compiled
def _heuristic_leads(pos: Vector, scratch: Floats) -> int:
    """The cards of the hand that the heuristic policy likes best to lead, as a mask."""
    heuristic_card(pos, scratch)
    hand, found = pos[kernel.HAND0 + pos[kernel.PLAYER]], 0
    for _ in range(min(_LEADS, count(hand))):
        best, left = lowest(hand), hand
        while left:
            card = lowest(left)
            left &= left - 1
            if scratch[VALUES + card] > scratch[VALUES + best]:
                best = card
        found |= 1 << best
        hand &= ~(1 << best)
    return found


@compiled_recursive
def weigh_last_stock_trick(pos: Vector, scratch: Floats, endgame: EndgameArrays) -> None:
    """What each card of the hand is worth, in points, into ``scratch[VALUES + card]``.

    An opponent who is to answer is taken to know the world. As that takes time, on lead only those
    cards are weighed that the heuristic policy likes best; the others are worth `HOPELESS`.

    Args:
      pos: a position for which `is_last_stock_trick` holds.
      scratch: float64 [evaluation.HEURISTIC_SIZE].
      endgame: for `exact_leaf`; the last rows of its stack are worked in.
    """
    player, world = pos[kernel.PLAYER], endgame.stack[len(endgame.stack) - 1]
    his = pos[kernel.HAND1 - player]
    known = his & pos[kernel.KNOWN1 - player]
    unseen = pos[kernel.DOWN] | (his & ~known)
    hand = pos[kernel.HAND0 + player]
    weighed = _heuristic_leads(pos, scratch) if pos[kernel.PHASE] == kernel.LEAD else hand
    while hand:
        card = lowest(hand)
        hand &= hand - 1
        if (weighed >> card) & 1 == 0:
            scratch[VALUES + card] = HOPELESS
            continue
        total, left = 0.0, unseen
        while left:
            down = left & -left
            left &= left - 1
            copy_to(pos, world)
            world[kernel.TARGET] = 0
            world[kernel.IMMEDIATE] = 0
            world[kernel.DOWN] = down
            world[kernel.HAND1 - player] = known | (unseen & ~down)
            kernel.apply_decision(world, kernel.FIRST_PLAY + card)
            total += _value_in_world(world, player, endgame)
        scratch[VALUES + card] = total / count(unseen)
