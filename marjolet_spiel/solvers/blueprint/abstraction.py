"""What full-pack CFR tells apart: buckets of information states, and classes of cards to play.

The whole game has far too many information states for a table. In a bucket are those that look
alike to a valuation of cards, whatever their suits are called: that of `evaluation.py`, and in the
last trick of the stock the exact one of `last_stock_trick.py`. Cards fall into classes by trumps,
brisques and whether they win; of each class only the card takes part that is valued most, and none
that is far behind another. In a window there are two classes: to go on with the declaration that
scores most (the swap first), and to close it. These candidates are the abstract actions. The bucket
of a card to play is made of:

- whether it is to be led or to answer;
- how many stock tricks are left, roughly;
- of each class how far its candidate is behind the best one, roughly;
- what a window would let the player declare, roughly, and whether the swap is open to him;
- on lead how many trumps he holds, and what sort of cards the cheap plain one and the cheap trump
  are; in answer what was led, and what sort of cards lose and win cheaply.

That of a window: how many tricks are left, what can be declared, and whether the swap is open. The
endgame is in no bucket, as its values are known (`leaves.py`), and neither are decisions
with one candidate. All is computed from the own hand and from what lies open.
"""

import numpy as np

from marjolet_spiel import cards, kernel
from marjolet_spiel.array_types import Floats, Vector
from marjolet_spiel.cards import BRISQUES
from marjolet_spiel.compiling import compiled, compiled_recursive, count, lowest
from marjolet_spiel.kernel import follower_wins
from marjolet_spiel.solvers.blueprint.last_stock_trick import (
    best_declaration,
    is_last_stock_trick,
    next_declaration,
    points_of,
    weigh_last_stock_trick,
)
from marjolet_spiel.solvers.endgame.alpha_beta import EndgameArrays
from marjolet_spiel.solvers.search.evaluation import HEURISTIC_SIZE, VALUES, heuristic_card

ABSTRACTION_VERSION = 1
"""Changes whenever buckets or classes mean something else."""

MAX_CLASSES = 6
"""Classes of actions at a decision."""

# What `describe` says, an int64 vector: the bucket, then the candidate of each class, or NONE.
BUCKET, CANDIDATES = range(2)
CHOICE_SIZE = CANDIDATES + MAX_CLASSES

# Its scratch, float64: what the heuristic policy thinks of each candidate, in points, then that of
# `heuristic_card`.
WORTH = 0
HEURISTIC = WORTH + MAX_CLASSES
SCRATCH_SIZE = HEURISTIC + HEURISTIC_SIZE

_LEADING, _ANSWERING, _DECLARING = range(3)

# Classes of cards to lead.
_LOW, _OTHER_LOW, _PLAIN_TEN, _PLAIN_ACE, _TRUMP, _TRUMP_BRISQUE = range(6)
# Classes of cards to answer with: those that lose, and those that win.
_LOSER, _LOST_BRISQUE, _TAKER, _TAKING_BRISQUE, _RUFF, _RUFFING_BRISQUE = range(6)
# Classes of actions in a window: the swap, or else the first meld of the best declaration; closing.
_DECLARE, _CLOSE = range(2)

# Sorts of cards without points; no plain card that is out beats a top card.
_NO_CARD, _LOW_CARD, _COURT_CARD, _TOP_CARD, _LOW_TRUMP, _COURT_TRUMP = range(6)
_SORTS = 6

_STEPS = (1.0, 4.0)  # how far behind the best candidate, in points
_LEVELS = len(_STEPS) + 2  # with none at all
_HOLDING_BACK = 6.0  # points that closing a window is behind, by the heuristic policy
_OUT = 12.0  # candidates so far behind take no part
_SHARPNESS = 2.0  # so many points make a candidate e times as likely in the heuristic policy
_GRAIN = 4096.0  # values are rounded to fractions of a point, so that the order of sums is nothing


@compiled
def _rounded(value: float) -> float:
    return np.floor(value * _GRAIN + 0.5) / _GRAIN


@compiled
def _stage(pos: Vector) -> int:
    """How many stock tricks follow the one in progress, in 5 steps."""
    left = pos[kernel.STOCK_TRICKS] - pos[kernel.TRICK]
    if left <= 1:
        return max(0, left)
    return 2 if left <= 3 else (3 if left <= 6 else 4)


@compiled
def _wish(pos: Vector) -> int:
    """What a window would bring the player on turn, in 4 steps."""
    hand = pos[kernel.HAND0 + pos[kernel.PLAYER]]
    declared = pos[kernel.DECLARED0] | pos[kernel.DECLARED1]
    points = points_of(pos, kernel.melds_in(pos, hand) & ~declared)
    if points >= 40:
        return 3
    if points > 0:
        return 2
    swap = pos[kernel.INDICATOR] != kernel.NONE and (hand >> kernel.seven_of_trumps(pos)) & 1
    return 1 if swap else 0


@compiled
def _class_to_lead(card: int, trump: int) -> int:
    if card >> 3 == trump:
        return _TRUMP_BRISQUE if (BRISQUES >> card) & 1 else _TRUMP
    if (BRISQUES >> card) & 1:
        return _PLAIN_ACE if card & 7 == cards.ACE else _PLAIN_TEN
    return _LOW


@compiled
def _class_to_answer(led: int, card: int, trump: int) -> int:
    brisque = (BRISQUES >> card) & 1
    if not follower_wins(led, card, trump):
        return _LOST_BRISQUE if brisque else _LOSER
    if card >> 3 == trump:
        return _RUFFING_BRISQUE if brisque else _RUFF
    return _TAKING_BRISQUE if brisque else _TAKER


@compiled
def _sort_of(pos: Vector, action: int) -> int:
    """What sort of card a candidate without points is."""
    if action == kernel.NONE:
        return _NO_CARD
    card, player = action - kernel.FIRST_PLAY, pos[kernel.PLAYER]
    court = cards.KING <= card & 7 <= cards.JACK
    if card >> 3 == pos[kernel.TRUMP]:
        return _COURT_TRUMP if court else _LOW_TRUMP
    out = pos[kernel.DOWN] | pos[kernel.HAND1 - player]
    if out & (0xFF << (card & 24)) & ((1 << card) - 1) == 0:
        return _TOP_CARD
    return _COURT_CARD if court else _LOW_CARD


@compiled
def _offer(pos: Vector, choice: Vector, kind: int, card: int, scratch: Floats) -> None:
    """A card becomes the candidate of a class if it is worth more than the one so far.

    Of equal ones it is the lowest in rank, then one of a higher sort, then of the last suit.
    """
    value, action = _rounded(scratch[HEURISTIC + VALUES + card]), kernel.FIRST_PLAY + card
    old = choice[CANDIDATES + kind]
    if old != kernel.NONE:
        best, rank = scratch[WORTH + kind], (old - kernel.FIRST_PLAY) & 7
        if value < best or (value == best and card & 7 < rank):
            return
        if value == best and card & 7 == rank and _sort_of(pos, action) < _sort_of(pos, old):
            return
    choice[CANDIDATES + kind] = action
    scratch[WORTH + kind] = value


@compiled
def _offer_leads(pos: Vector, playable: int, choice: Vector, scratch: Floats) -> None:
    """The candidates on lead. Low plain cards have two, of different suits."""
    left = playable
    while left:
        card = lowest(left)
        left &= left - 1
        _offer(pos, choice, _class_to_lead(card, pos[kernel.TRUMP]), card, scratch)
    first = choice[CANDIDATES + _LOW] - kernel.FIRST_PLAY
    if first < 0:
        return
    left = playable & ~BRISQUES & ~(0xFF << (first & 24)) & ~(0xFF << (pos[kernel.TRUMP] << 3))
    while left:
        _offer(pos, choice, _OTHER_LOW, lowest(left), scratch)
        left &= left - 1


@compiled
def _drop_hopeless(choice: Vector, scratch: Floats) -> int:
    """Takes away candidates far behind; how far the others are behind, all steps in a number."""
    best = -1e9
    for kind in range(MAX_CLASSES):
        if choice[CANDIDATES + kind] != kernel.NONE:
            best = max(best, scratch[WORTH + kind])
    code = 0
    for kind in range(MAX_CLASSES):
        code *= _LEVELS
        behind = best - scratch[WORTH + kind]
        if choice[CANDIDATES + kind] == kernel.NONE or behind > _OUT:
            choice[CANDIDATES + kind] = kernel.NONE
            continue
        code += 1
        for step in _STEPS:
            code += behind > step
    return code


@compiled
def _sorts(pos: Vector, choice: Vector) -> int:
    """The sorts of the cheap candidates: those that lose or lead low, and those that take."""
    first, second = choice[CANDIDATES + _LOW], choice[CANDIDATES + _TRUMP]
    if pos[kernel.LED] != kernel.NONE:
        first, second = choice[CANDIDATES + _LOSER], choice[CANDIDATES + _TAKER]
        if second == kernel.NONE:
            second = choice[CANDIDATES + _RUFF]
    return _sort_of(pos, first) * _SORTS + _sort_of(pos, second)


@compiled_recursive
def _describe_trick(
    pos: Vector,
    choice: Vector,
    scratch: Floats,
    endgame: EndgameArrays,
) -> None:
    """The candidates and the bucket where a card is to be played."""
    if is_last_stock_trick(pos):
        weigh_last_stock_trick(pos, scratch[HEURISTIC:], endgame)
    else:
        heuristic_card(pos, scratch[HEURISTIC:])
    playable, led, trump = kernel.playable(pos), pos[kernel.LED], pos[kernel.TRUMP]
    if led == kernel.NONE:
        _offer_leads(pos, playable, choice, scratch)
        hand = pos[kernel.HAND0 + pos[kernel.PLAYER]]
        detail = min(3, count(hand & (0xFF << (trump << 3))))
        bucket = _LEADING
    else:
        while playable:
            card = lowest(playable)
            playable &= playable - 1
            _offer(pos, choice, _class_to_answer(led, card, trump), card, scratch)
        detail = ((BRISQUES >> led) & 1) + 2 * (led >> 3 == trump)
        bucket = _ANSWERING
    levels = _drop_hopeless(choice, scratch)
    bucket = (bucket * 5 + _stage(pos)) * 4 + detail
    bucket = (bucket * 4 + _wish(pos)) * _SORTS * _SORTS + _sorts(pos, choice)
    choice[BUCKET] = bucket * _LEVELS**MAX_CLASSES + levels


@compiled
def _describe_window(pos: Vector, choice: Vector, scratch: Floats) -> None:
    """The candidates and the bucket in a window in which there is something to do."""
    choice[CANDIDATES + _DECLARE] = next_declaration(pos)
    choice[CANDIDATES + _CLOSE] = kernel.DONE
    scratch[WORTH + _DECLARE] = 0.0
    scratch[WORTH + _CLOSE] = -_HOLDING_BACK
    bucket = (_DECLARING * 5 + _stage(pos)) * 4 + kernel.can_swap(pos)
    points = points_of(pos, best_declaration(pos))
    bucket = bucket * 4 + min(3, (points + 19) // 20)
    choice[BUCKET] = bucket * _SORTS * _SORTS * _LEVELS**MAX_CLASSES


@compiled_recursive
def describe(
    pos: Vector,
    choice: Vector,
    scratch: Floats,
    endgame: EndgameArrays,
) -> int:
    """The bucket of a decision and the candidates for it.

    Args:
      pos: a position in which a player is to act. What he cannot see does not count.
      choice: int64 [CHOICE_SIZE], filled in. All positions of a bucket have candidates of the same
        classes.
      scratch: float64 [SCRATCH_SIZE], filled in.
      endgame: for `weigh_last_stock_trick`.

    Returns:
      How many candidates there are.
    """
    for i in range(CHOICE_SIZE):
        choice[i] = kernel.NONE
    if pos[kernel.PHASE] == kernel.DECLARE:
        _describe_window(pos, choice, scratch)
    else:
        _describe_trick(pos, choice, scratch, endgame)
    found = 0
    for kind in range(MAX_CLASSES):
        found += choice[CANDIDATES + kind] != kernel.NONE
    return found


@compiled
def heuristic_policy(choice: Vector, scratch: Floats, policy: Floats) -> None:
    """How likely a player takes each candidate who goes by the heuristic policy.

    Args:
      choice, scratch: as `describe` has filled them in.
      policy: float64 [MAX_CLASSES], filled in.
    """
    best, total = -1e9, 0.0
    for kind in range(MAX_CLASSES):
        if choice[CANDIDATES + kind] != kernel.NONE:
            best = max(best, scratch[WORTH + kind])
    for kind in range(MAX_CLASSES):
        policy[kind] = 0.0
        if choice[CANDIDATES + kind] != kernel.NONE:
            policy[kind] = np.exp((scratch[WORTH + kind] - best) / _SHARPNESS)
            total += policy[kind]
    for kind in range(MAX_CLASSES):
        policy[kind] /= total
