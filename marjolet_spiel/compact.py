"""The compact observation: what a player sees and remembers of a deal, made for learning.

One vector for every profile and pack. It has `GLOBAL_SIZE` floats on the whole and then
`SUIT_SIZE` floats for each of four suits, trumps first, the plain suits in their order: a network
can treat plain suits alike. It tells the rules in force, so that one network can play them all.
Actions have an order of their own too, which turns with the trumps (`action_ids`).

All of it is known to the player: it is the same for all states of one information state. In a match
it tells the scores, but of the cards only those of the deal in progress.
"""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from marjolet_spiel import cards, kernel
from marjolet_spiel.array_types import SingleFloats, UnsignedBytes, Vector
from marjolet_spiel.compiling import compiled, count, lowest
from marjolet_spiel.events import DEAL, advance, log_array
from marjolet_spiel.kernel import FIRST_MELD, FIRST_PLAY, NONE
from marjolet_spiel.sampling import CARDS

# What is remembered of the plays of a deal: an int64 vector of masks of cards, then for each card
# the trick in which it was played, 0 if it was not. Of the masks player 1's come second.
LED0, LED1, ANSWERED0, ANSWERED1, TRICKS = range(5)
PLAYS_SIZE = TRICKS + cards.NUM_CARDS

PLANES = (
    *("own", "his_known", "own_captured", "his_captured", "unseen", "led", "indicator"),
    *("own_known", "winning", "own_led", "own_answered", "his_led", "his_answered", "when"),
)
"""Of each suit, eight floats each, a card each from the ace down: in the own hand; known to be in
the other's; captured by either; unseen; led to this trick; the indicator; known to be in the own
hand; would win this trick; led or answered with by either; the trick in which it was played, as a
fraction of all."""
(
    _OWN,
    _HIS_KNOWN,
    _OWN_CAPTURED,
    _HIS_CAPTURED,
    _UNSEEN,
    _LED,
    _INDICATOR,
    _OWN_KNOWN,
    _WINNING,
    _OWN_LED,
    _OWN_ANSWERED,
    _HIS_LED,
    _HIS_ANSWERED,
    _WHEN,
) = range(len(PLANES))

PAIRS = ("marriage", "queen with the jack of trumps", "queen with its own jack")
_PAIR_FACTS = 4  # declared by the player, declared by the other, points / 40, may be declared now
_PAIRS_AT = len(PLANES) * cards.SUIT_SIZE
SUIT_SIZE = _PAIRS_AT + len(PAIRS) * _PAIR_FACTS
"""Floats of a suit: `PLANES`, then four of each of `PAIRS`."""

_SETS = cards.FIRST_MARRIAGE
_SET_FACTS = (
    7  # as pairs, with points / 100; how many held / 4; can be had by the player, the other
)
_MAX_TRICKS = cards.NUM_CARDS // 2
_PHASE_AT = 0
_TRICK_AT = _PHASE_AT + 3
_COUNTS_AT = _TRICK_AT + _MAX_TRICKS
_SETS_AT = _COUNTS_AT + 10
_SCORES_AT = _SETS_AT + _SETS * _SET_FACTS
_RULES_AT = _SCORES_AT + 7
GLOBAL_SIZE = _RULES_AT + 15
"""Floats on the whole: phase, trick, counts, sets, scores, rules (see the functions below)."""

COMPACT_VERSION = 1
"""Changes whenever networks that were trained on older observations can no longer be used."""

NUM_SUITS = len(cards.SUITS)
SIZE = GLOBAL_SIZE + NUM_SUITS * SUIT_SIZE
HIDDEN_SIZE = 2 * cards.NUM_CARDS

GLOBAL_ACTIONS = 2 + _SETS
SUIT_ACTIONS = cards.SUIT_SIZE + len(PAIRS)
NUM_ACTIONS = GLOBAL_ACTIONS + NUM_SUITS * SUIT_ACTIONS


@cache
def action_ids(trump: int) -> NDArray[np.int64]:
    """The action id of each action in compact order; `NONE` where there is no such action.

    First `kernel.SWAP`, `kernel.DONE` and the sets, then of each suit in the order of the
    observation the eight cards and `PAIRS`.

    Args:
      trump: the suit of trumps, 0 to 3.

    Returns:
      int64 [NUM_ACTIONS].
    """
    ids = [kernel.SWAP, kernel.DONE, *range(FIRST_MELD, FIRST_MELD + _SETS)]
    for suit in suit_order(trump):
        ids += [FIRST_PLAY + suit * cards.SUIT_SIZE + rank for rank in range(cards.SUIT_SIZE)]
        melds = [int(_pair(suit, kind, trump)) for kind in range(len(PAIRS))]
        ids += [NONE if meld == NONE else FIRST_MELD + meld for meld in melds]
    return np.array(ids, dtype=np.int64)


def suit_order(trump: int) -> list[int]:
    """The suits in the order of the observation."""
    return [trump, *(suit for suit in range(NUM_SUITS) if suit != trump)]


@compiled
def note_play(plays: Vector, pos: Vector, action: int) -> None:
    """Remembers a card that is about to be played in `pos`; other actions are left alone."""
    if action < FIRST_PLAY or action >= FIRST_MELD:
        return
    card = action - FIRST_PLAY
    first = LED0 if pos[kernel.LED] == NONE else ANSWERED0
    plays[first + pos[kernel.PLAYER]] |= 1 << card
    plays[TRICKS + card] = pos[kernel.TRICK]


@compiled
def _remember(pos: Vector, log: UnsignedBytes, plays: Vector) -> None:
    """Fills `plays` with the deal in which a log ends; moves `pos` on from where it begins."""
    for i in range(len(log)):
        event, deal = np.int64(log[i]), pos[kernel.DEAL]
        if event < DEAL:
            note_play(plays, pos, event)
        advance(pos, event)
        if pos[kernel.DEAL] != deal:
            plays[:] = 0


@compiled
def _pair(suit: int, kind: int, trump: int) -> int:
    """The meld of one of `PAIRS` in a suit, or `NONE`."""
    if kind == 0:
        return cards.FIRST_MARRIAGE + suit
    if kind == 1:
        return cards.FIRST_JACK_QUEEN + 4 * trump + suit
    return NONE if suit == trump else cards.FIRST_JACK_QUEEN + 5 * suit


@compiled
def _put_suit(out: SingleFloats, at: int, mask: int, suit: int) -> None:
    """One plane of a suit."""
    left = (mask >> (suit << 3)) & 0xFF
    while left:
        out[at + lowest(left)] = 1.0
        left &= left - 1


@compiled
def _winning(pos: Vector, held: int) -> int:
    """Those of some cards that would win the trick that was led, as a mask."""
    winning = 0
    if pos[kernel.LED] == NONE:
        return winning
    while held:
        card = lowest(held)
        held &= held - 1
        if kernel.follower_wins(pos[kernel.LED], card, pos[kernel.TRUMP]):
            winning |= 1 << card
    return winning


@compiled
def unseen_cards(pos: Vector, player: int) -> int:
    """The cards of which the player does not know where they are, as a mask."""
    return pos[kernel.DOWN] | (pos[kernel.HAND1 - player] & ~pos[kernel.KNOWN1 - player])


@compiled
def _counts(pos: Vector, meld: int) -> bool:
    """Whether a meld counts under the trumps of the deal and fits the pack."""
    return (pos[kernel.COUNTING0 + pos[kernel.TRUMP]] >> meld) & 1 == 1


@compiled
def _write_meld(
    pos: Vector, player: int, meld: int, unit: int, legal: int, at: int, out: SingleFloats
) -> None:
    value = kernel.meld_value(pos, meld) if _counts(pos, meld) else 0
    out[at] = (pos[kernel.DECLARED0 + player] >> meld) & 1
    out[at + 1] = (pos[kernel.DECLARED1 - player] >> meld) & 1
    out[at + 2] = np.float32(value) / np.float32(unit)
    out[at + 3] = (legal >> (FIRST_MELD + meld)) & 1


@compiled
def _write_suit(
    pos: Vector, plays: Vector, player: int, suit: int, legal: int, at: int, out: SingleFloats
) -> None:
    other, trump = 1 - player, pos[kernel.TRUMP]
    hand = pos[kernel.HAND0 + player]
    led, indicator = pos[kernel.LED], pos[kernel.INDICATOR]
    for plane, mask in (
        (_OWN, hand),
        (_HIS_KNOWN, pos[kernel.KNOWN0 + other]),
        (_OWN_CAPTURED, pos[kernel.CAPTURED0 + player]),
        (_HIS_CAPTURED, pos[kernel.CAPTURED0 + other]),
        (_UNSEEN, unseen_cards(pos, player)),
        (_LED, 0 if led == NONE else 1 << led),
        (_INDICATOR, 0 if indicator == NONE else 1 << indicator),
        (_OWN_KNOWN, pos[kernel.KNOWN0 + player]),
        (_WINNING, _winning(pos, hand & (0xFF << (suit << 3)))),
        (_OWN_LED, plays[LED0 + player]),
        (_OWN_ANSWERED, plays[ANSWERED0 + player]),
        (_HIS_LED, plays[LED0 + other]),
        (_HIS_ANSWERED, plays[ANSWERED0 + other]),
    ):
        _put_suit(out, at + plane * cards.SUIT_SIZE, mask, suit)
    when, tricks = at + _WHEN * cards.SUIT_SIZE, np.float32(pos[kernel.NUM_TRICKS])
    for rank in range(cards.SUIT_SIZE):
        out[when + rank] = np.float32(plays[TRICKS + suit * cards.SUIT_SIZE + rank]) / tricks
    for kind in range(3):
        meld = _pair(suit, kind, trump)
        if meld != NONE:
            _write_meld(pos, player, meld, 40, legal, at + _PAIRS_AT + kind * _PAIR_FACTS, out)


@compiled
def _write_sets(pos: Vector, player: int, legal: int, at: int, out: SingleFloats) -> None:
    hand, unseen = pos[kernel.HAND0 + player], unseen_cards(pos, player)
    indicator = pos[kernel.INDICATOR]
    free = unseen if indicator == NONE else unseen | 1 << indicator
    for meld in range(_SETS):
        needed = kernel.cards_in_meld(pos, meld)
        _write_meld(pos, player, meld, 100, legal, at, out)
        out[at + 4] = np.float32(count(needed & hand)) / np.float32(4)
        if _counts(pos, meld):
            out[at + 5] = needed & ~(hand | free) == 0
            out[at + 6] = needed & ~(pos[kernel.KNOWN1 - player] | free) == 0
        at += _SET_FACTS


@compiled
def _write_counts(pos: Vector, player: int, legal: int, at: int, out: SingleFloats) -> None:
    """Stock, hands, hidden cards; swap and dix; melds in this window; leader, dealer."""
    his = pos[kernel.HAND1 - player]
    stock = count(pos[kernel.DOWN]) + (pos[kernel.INDICATOR] != NONE)
    out[at] = np.float32(stock) / np.float32(20)
    out[at + 1] = np.float32(count(pos[kernel.HAND0 + player])) / np.float32(8)
    out[at + 2] = np.float32(count(his)) / np.float32(8)
    out[at + 3] = np.float32(count(his & ~pos[kernel.KNOWN1 - player])) / np.float32(8)
    out[at + 4] = legal & 1
    out[at + 5] = pos[kernel.SWAPPED]
    out[at + 6] = kernel.dix_pays(pos, kernel.seven_of_trumps(pos))
    out[at + 7] = pos[kernel.WINDOW] != 0
    out[at + 8] = pos[kernel.LEADER] == player
    out[at + 9] = pos[kernel.DEALER] == player


@compiled
def _write_scores(pos: Vector, player: int, at: int, out: SingleFloats) -> None:
    """Endgame tricks won and points of this deal of either; whether a match, totals / target."""
    for place in range(2):
        who = player if place == 0 else 1 - player
        points = kernel.deal_points(pos, who)
        out[at + place] = np.float32(pos[kernel.WINS0 + who]) / np.float32(pos[kernel.HAND_SIZE])
        out[at + 2 + place] = np.float32(points) / np.float32(100)
        if pos[kernel.TARGET] > 0:
            total = np.float32(pos[kernel.SCORE0 + who] + points)
            out[at + 5 + place] = total / np.float32(pos[kernel.TARGET])
    out[at + 4] = pos[kernel.TARGET] > 0


@compiled
def _write_rules(pos: Vector, at: int, out: SingleFloats) -> None:
    out[at] = pos[kernel.DISJOINT]
    out[at + 1 + pos[kernel.DIX_PLAY]] = 1.0
    out[at + 4] = pos[kernel.STOCK_END_WINNER]
    out[at + 5 + pos[kernel.JACK_QUEEN]] = 1.0
    out[at + 8] = pos[kernel.BEZIQUE]
    out[at + 9] = pos[kernel.IMMEDIATE]
    out[at + 10] = pos[kernel.ENDGAME_MELDS]
    out[at + 11] = np.float32(pos[kernel.SWEEP_BONUS]) / np.float32(100)
    out[at + 12] = np.float32(pos[kernel.HAND_SIZE]) / np.float32(8)
    out[at + 13] = np.float32(pos[kernel.NUM_CARDS]) / np.float32(32)
    out[at + 14] = np.float32(pos[kernel.NUM_SUITS]) / np.float32(4)


@compiled
def write_compact(pos: Vector, plays: Vector, player: int, legal: int, out: SingleFloats) -> None:
    """Fills the compact observation of the player on turn.

    Args:
      pos: a position in which `player` is on turn.
      plays: what `note_play` has remembered since the deal began.
      player: 0 or 1.
      legal: the legal actions, as a mask.
      out: float32 [SIZE], all zero.
    """
    out[_PHASE_AT + pos[kernel.PHASE] - kernel.LEAD] = 1.0
    out[_TRICK_AT + pos[kernel.TRICK] - 1] = 1.0
    _write_counts(pos, player, legal, _COUNTS_AT, out)
    _write_sets(pos, player, legal, _SETS_AT, out)
    _write_scores(pos, player, _SCORES_AT, out)
    _write_rules(pos, _RULES_AT, out)
    at = GLOBAL_SIZE
    _write_suit(pos, plays, player, pos[kernel.TRUMP], legal, at, out)
    for suit in range(NUM_SUITS):
        if suit != pos[kernel.TRUMP]:
            at += SUIT_SIZE
            if suit < pos[kernel.NUM_SUITS]:
                _write_suit(pos, plays, player, suit, legal, at, out)


@compiled
def _place(card: int, trump: int) -> int:
    """Where the hidden facts of a suit begin, plus the rank of the card."""
    suit = card >> 3
    place = 0 if suit == trump else suit + 1 if suit < trump else suit
    return place * 2 * cards.SUIT_SIZE + (card & 7)


@compiled
def write_hidden(pos: Vector, order: Vector, player: int, out: SingleFloats) -> None:
    """Fills what the player on turn does not see, for critics that may see everything.

    Args:
      pos: a position.
      order: the face-down cards in drawing order are its last ones before the end of the pack,
        as `sampling.order_stock` leaves them (from `sampling.CARDS` on).
      player: 0 or 1.
      out: float32 [HIDDEN_SIZE], all zero: of each suit in the order of the compact observation
        whether each card is in the other's hand, then how soon it is drawn, 1 for the next.
    """
    hand, trump = pos[kernel.HAND1 - player], pos[kernel.TRUMP]
    for card in range(cards.NUM_CARDS):
        if (hand >> card) & 1:
            out[_place(card, trump)] = 1.0
    left = count(pos[kernel.DOWN])
    for i in range(left):
        card = order[CARDS + pos[kernel.NUM_CARDS] - left + i]
        out[_place(card, trump) + cards.SUIT_SIZE] = np.float32(left - i) / np.float32(left)


def compact_observation(state: Any) -> NDArray[np.float32]:
    """The compact observation of the player on turn in a state of python_marjolet.

    Returns:
      A new float32 [SIZE].

    Raises:
      ValueError: nobody is on turn.
    """
    core = state.core
    if core.player not in (0, 1):
        raise ValueError("state: nobody is on turn in it, so nobody observes")
    plays, out = np.zeros(PLAYS_SIZE, dtype=np.int64), np.zeros(SIZE, dtype=np.float32)
    _remember(core.start.copy(), log_array(core.log), plays)
    write_compact(core.pos, plays, core.player, core.mask, out)
    return out
