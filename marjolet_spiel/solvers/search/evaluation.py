"""A quick careful player of the stock tricks, in compiled code: what rollouts are made of.

It weighs, card by card, what the trick brings and what the card is worth in the hand: for melds
that may still be completed, and for the endgame. It is what the greedy bot does, cut down to a
fraction of a microsecond, and it looks at nothing but the hand on turn and what lies open.
"""

import numpy as np

from marjolet_spiel import cards, kernel
from marjolet_spiel.array_types import ByteRows, Floats, Ints, Vector
from marjolet_spiel.cards import BRISQUES
from marjolet_spiel.compiling import compiled, count, lowest
from marjolet_spiel.kernel import deal_points, follower_wins
from marjolet_spiel.solvers.endgame.build import BOTH_MAY
from marjolet_spiel.solvers.endgame.index import MAX_CARDS, cell_of
from marjolet_spiel.solvers.endgame.lookup import dix_to_come
from marjolet_spiel.solvers.search.leaves import equity_after

# The weights, in points: cards by rank from ace to seven, plain and trumps, at the first and at the
# last stock trick (between them it is interpolated), then the rest, likewise.
(
    _PLAIN,
    _TRUMP,
    _WIN,  # winning the trick, apart from what it brings at once: the next lead
    _MELD,  # a point of melds that may still be completed
    _NOW,  # a point of melds that a win would let him declare, as far as a later one would not
    _RISK,  # a point that is lost or won when a brisque is led
    _GIVE,  # a point that the opponent may make with a brisque of the suit led
    _TAKES,  # how likely the opponent beats a card without points when he can
    _MISS,  # how likely a player who wants a window does not get one in one trick
    _GAIN,  # a point in an answered trick
    _SWAP,  # a point that the swap brings
    _LOSE,  # a point in an answered trick that is lost
    _DECLARE,  # a point that a win would let him declare
    _TOP,  # a plain card that no card unseen beats in its suit, then a trump
    _LENGTH,  # a plain card for each other card of its suit in hand
    _TRUMPS,  # a trump for each other trump in hand
    _RUFF,  # how likely a brisque led is trumped if he can
) = (0, 8, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 29, 30, 31)
_HALF = 32
_FIRST_TRICK = (
    (9.55, 1.82, 1.59, 1.29, 0.87, 0.42, 0.19, 0.21),
    (32.15, 26.52, 18.59, 14.72, 11.37, 9.83, 9.06, 6.96),
    (-2.80, 0.56, 0.99, 0.95, 0.81, 0.29, 0.65, 1.44),
    (0.86, 1.64, 0.16, 0.13, 0.05, 0.31, -0.22, 0.71),
)
_LAST_TRICK = (
    (5.48, 1.77, 1.17, 1.00, 0.96, 0.37, 0.42, 0.34),
    (28.41, 26.12, 14.66, 14.05, 14.60, 11.34, 11.52, 11.51),
    (-4.89, 0.82, 0.61, 0.80, -0.21, 0.25, 0.63, 0.51),
    (0.72, 0.73, 0.13, 1.17, 0.09, -0.16, 0.32, 0.20),
)
_WEIGHTS_BY_STAGE = np.array((np.ravel(_FIRST_TRICK), np.ravel(_LAST_TRICK)))
"""Found by an evolution strategy in play against itself: english profile, endgame exact."""

# What the rest of a deal brings: the weights of `static_evaluation`, at the first and at the last
# stock trick.
(_LEADS, _KEPT, _HELD, _NUM_TRUMPS, _NUM_BRISQUES, _NOW_OVER, _SEVEN) = range(7)
_EVALUATION_BY_STAGE = np.array(
    (
        (-1.065, 0.550, 0.187, 8.376, -1.823, -0.008, 9.237),
        (-6.871, 0.213, 0.179, 6.616, 4.414, 0.328, 5.248),
    )
)
"""Fitted by least squares to 60,000 deals of such players; they explain 39% of the variance."""
_MISS_ANY = 0.4  # as _MISS, for a player who may or may not win the trick in progress

# The scratch, float64: what keeping and what playing each card of a hand is worth, then powers
# of two chances and the weights of the trick.
COSTS = 0
VALUES = COSTS + cards.NUM_CARDS
_DRAWN = VALUES + cards.NUM_CARDS
_MISSED = _DRAWN + 8
_WEIGHTS = _MISSED + cards.NUM_CARDS
_STAGE = _WEIGHTS + _HALF  # which trick the weights are of
HEURISTIC_SIZE = _STAGE + 1


@compiled
def _stage(pos: Vector) -> float:
    """0 in the first trick, 1 from the last one of the stock on."""
    return min(1.0, (pos[kernel.TRICK] - 1) / max(1, pos[kernel.STOCK_TRICKS] - 1))


@compiled
def _set_stage(pos: Vector, scratch: Floats) -> None:
    """The weights of the trick in progress."""
    stage = float((pos[kernel.TRICK] << 8) | pos[kernel.STOCK_TRICKS])
    if scratch[_STAGE] == stage:
        return
    scratch[_STAGE] = stage
    late = _stage(pos)
    for i in range(_HALF):
        early = (1.0 - late) * _WEIGHTS_BY_STAGE[0, i]
        scratch[_WEIGHTS + i] = early + late * _WEIGHTS_BY_STAGE[1, i]


@compiled
def _worth(card: int, trump: int, scratch: Floats) -> float:
    return scratch[_WEIGHTS + (_TRUMP if card >> 3 == trump else _PLAIN) + (card & 7)]


@compiled
def _weigh_hand(pos: Vector, hand: int, unseen: int, again: float, scratch: Floats) -> None:
    """What keeping each card of a hand is worth."""
    trump = pos[kernel.TRUMP]
    left = hand
    while left:
        card = lowest(left)
        left &= left - 1
        suit = 0xFF << (card & 24)
        plain = 0 if card >> 3 == trump else 1
        value = _worth(card, trump, scratch)
        if unseen & suit & ((1 << card) - 1) == 0:
            value += scratch[_WEIGHTS + _TOP + 1 - plain]
        length = count(hand & suit) - 1
        value += length * scratch[_WEIGHTS + (_LENGTH if plain else _TRUMPS)]
        scratch[COSTS + card] = value
    stock = count(pos[kernel.DOWN]) + 1
    draws = (stock >> 1) - 1
    chance = min(1.0, max(0, draws) / max(1, count(unseen)))
    scratch[_DRAWN] = again * scratch[_WEIGHTS + _MELD]
    for i in range(1, 5):
        scratch[_DRAWN + i] = scratch[_DRAWN + i - 1] * chance
    seven = kernel.seven_of_trumps(pos)
    extra = 0
    if pos[kernel.INDICATOR] != kernel.NONE and (hand >> seven) & 1:
        extra = 1 << pos[kernel.INDICATOR]
        gain = 10.0 if pos[kernel.DIX_PLAY] == 0 else 0.0
        gain += _worth(pos[kernel.INDICATOR], trump, scratch) - _worth(seven, trump, scratch)
        scratch[COSTS + seven] += again * gain * scratch[_WEIGHTS + _SWAP]
    melds = kernel.melds_in(pos, hand | unseen | extra) & kernel.melds_touching(hand)
    melds &= ~(pos[kernel.DECLARED0] | pos[kernel.DECLARED1])
    while melds:
        meld = lowest(melds)
        melds &= melds - 1
        needed = kernel.cards_in_meld(pos, meld)
        have = needed & hand
        value = kernel.meld_value(pos, meld) * scratch[_DRAWN + count(needed & ~(hand | extra))]
        if needed & extra:
            scratch[COSTS + seven] += value
        while have:
            scratch[COSTS + lowest(have)] += value
            have &= have - 1


@compiled
def _win_worth(pos: Vector, hand: int, card: int, again: float, scratch: Floats) -> float:
    """What winning the trick with `card` is worth, apart from the points in it."""
    value = scratch[_WEIGHTS + _WIN]
    left = hand & ~(1 << card)
    now = (1.0 - again) * scratch[_WEIGHTS + _NOW] + scratch[_WEIGHTS + _DECLARE]
    melds = kernel.melds_in(pos, left) & ~(pos[kernel.DECLARED0] | pos[kernel.DECLARED1])
    while melds:
        value += now * kernel.meld_value(pos, lowest(melds))
        melds &= melds - 1
    if pos[kernel.TRICK] == pos[kernel.STOCK_TRICKS]:
        value += 20.0 if pos[kernel.STOCK_END_WINNER] else -20.0
        value -= _worth(pos[kernel.INDICATOR], pos[kernel.TRUMP], scratch)
    return value


@compiled
def _again(pos: Vector, more: int, miss: float) -> float:
    """How likely a player gets a window after this trick, or `more` windows earlier."""
    last = pos[kernel.NUM_TRICKS] - 1 if pos[kernel.ENDGAME_MELDS] else pos[kernel.STOCK_TRICKS]
    missed = 1.0
    for _ in range(last - pos[kernel.TRICK] + more):
        missed *= miss
    return 1.0 - missed


@compiled
def _over(card: int, trump: int) -> int:
    """The cards that beat `card` when it is led, as a mask; without trumps for trump NONE."""
    higher = ((1 << card) - 1) & (0xFF << (card & 24))
    if trump == kernel.NONE or trump == card >> 3:
        return higher
    return higher | (0xFF << (trump << 3))


@compiled
def heuristic_card(pos: Vector, scratch: Floats) -> int:
    """The card to play to a trick of the stock.

    Args:
      pos: a position of a stock trick in which a player is to play a card.
      scratch: float64 [HEURISTIC_SIZE] to work in; ``scratch[VALUES + card]`` is then the
        value of each card of the hand, in points.
    """
    _set_stage(pos, scratch)
    player = pos[kernel.PLAYER]
    hand, his = pos[kernel.HAND0 + player], pos[kernel.HAND1 - player]
    his_known = pos[kernel.KNOWN1 - player]
    unseen = pos[kernel.DOWN] | (his & ~his_known)
    again = _again(pos, 0, scratch[_WEIGHTS + _MISS])
    _weigh_hand(pos, hand, unseen, again, scratch)
    led, trump = pos[kernel.LED], pos[kernel.TRUMP]
    hidden = count(his & ~his_known)
    if led == kernel.NONE:
        each = 1.0 - hidden / max(1, count(unseen))
        scratch[_MISSED] = 1.0
        for i in range(1, cards.NUM_CARDS):
            scratch[_MISSED + i] = scratch[_MISSED + i - 1] * each
    best, best_value = -1, -1e9
    left = hand
    while left:
        card = lowest(left)
        left &= left - 1
        bit = 1 << card
        if led != kernel.NONE:
            points = 10.0 * count((bit | (1 << led)) & BRISQUES)
            if follower_wins(led, card, trump):
                value = points * scratch[_WEIGHTS + _GAIN]
                value += _win_worth(pos, hand, card, again, scratch)
            else:
                value = -points * scratch[_WEIGHTS + _LOSE]
        else:
            over = _over(card, kernel.NONE)
            ruffs = _over(card, trump) & ~over
            holds = 0.0 if his_known & over else scratch[_MISSED + count(unseen & over)]
            ruffed = 1.0 if his_known & ruffs else 1.0 - scratch[_MISSED + count(unseen & ruffs)]
            lost = 1.0 - holds * (1.0 - ruffed * scratch[_WEIGHTS + _RUFF])
            if bit & BRISQUES:
                points = (10.0 - 20.0 * lost) * scratch[_WEIGHTS + _RISK]
            else:
                takers = over & BRISQUES
                taken = (
                    1.0 if his_known & takers else 1.0 - scratch[_MISSED + count(unseen & takers)]
                )
                points = -10.0 * taken * scratch[_WEIGHTS + _GIVE]
                lost *= scratch[_WEIGHTS + _TAKES]
            value = points + (1.0 - lost) * _win_worth(pos, hand, card, again, scratch)
        value -= scratch[COSTS + card]
        scratch[VALUES + card] = value
        if value >= best_value:
            best, best_value = card, value
    return best


@compiled
def _evaluation_weight(late: float, feature: int) -> float:
    return (1.0 - late) * _EVALUATION_BY_STAGE[0, feature] + late * _EVALUATION_BY_STAGE[1, feature]


@compiled
def _prospects(pos: Vector, player: int, late: float, scratch: Floats) -> float:
    """What a player's hand promises at the beginning of a trick, as he sees it."""
    hand, his = pos[kernel.HAND0 + player], pos[kernel.HAND1 - player]
    unseen = pos[kernel.DOWN] | (his & ~pos[kernel.KNOWN1 - player])
    _weigh_hand(pos, hand, unseen, _again(pos, 1, _MISS_ANY), scratch)
    kept, held = 0.0, 0.0
    left = hand
    while left:
        kept += scratch[COSTS + lowest(left)]
        left &= left - 1
    melds = kernel.melds_in(pos, hand) & ~(pos[kernel.DECLARED0] | pos[kernel.DECLARED1])
    while melds:
        held += kernel.meld_value(pos, lowest(melds))
        melds &= melds - 1
    trumps = count(hand & (0xFF << (pos[kernel.TRUMP] << 3)))
    value = kept * _evaluation_weight(late, _KEPT) + held * _evaluation_weight(late, _HELD)
    value += trumps * _evaluation_weight(late, _NUM_TRUMPS)
    value += count(hand & BRISQUES) * _evaluation_weight(late, _NUM_BRISQUES)
    if (hand >> kernel.seven_of_trumps(pos)) & 1:
        value += _evaluation_weight(late, _SEVEN)
    return value


@compiled
def static_evaluation(pos: Vector, scratch: Floats, index: Ints, values: ByteRows) -> float:
    """What a deal may be expected to pay player 0 (`match_equity.payoff`).

    The points so far, what both hands promise, and what they would win if the stock were gone
    already.

    Args:
      pos: a position at the beginning of a stock trick, both hands known.
      scratch: float64 [HEURISTIC_SIZE] to work in.
      index, values: of the endgame table.
    """
    late = _stage(pos)
    _set_stage(pos, scratch)
    leader = pos[kernel.LEADER]
    own, his = pos[kernel.HAND0 + leader], pos[kernel.HAND1 - leader]
    for_leader = _evaluation_weight(late, _LEADS)
    if count(own) <= MAX_CARDS:
        cell = cell_of(index, own, his, pos[kernel.TRUMP])
        for_leader += 10.0 * values[BOTH_MAY, cell] * _evaluation_weight(late, _NOW_OVER)
    value = _prospects(pos, 0, late, scratch) - _prospects(pos, 1, late, scratch)
    value += for_leader if leader == 0 else -for_leader
    value += dix_to_come(pos) * _evaluation_weight(late, _NOW_OVER)
    value += deal_points(pos, 0) - deal_points(pos, 1)
    return value if pos[kernel.TARGET] == 0 else float(equity_after(pos, int(value)))
