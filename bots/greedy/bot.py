"""A deterministic rule-of-thumb player.

It swaps and melds as soon as it may. While the stock lasts it weighs, card by card, the points of
the trick, what a win would let it declare, and what the card is worth in the hand: for melds that
it may still complete, and for the endgame. That it plays by counting (`endgame.py`).
"""

from math import comb

from bots.greedy.endgame import EndgameHeuristic
from bots.greedy.melds import MeldBook
from bots.seat_bot import SeatBot
from bots.view import SeatView
from marjolet_spiel import cards
from marjolet_spiel.cards import BRISQUES
from marjolet_spiel.kernel import DECLARE, DONE, FIRST_MELD, FIRST_PLAY, NONE, SWAP, follower_wins
from marjolet_spiel.rules import Rules

# What a card in hand is worth for the tricks to come, in points, by rank from ace to seven. These
# and the numbers below were set by play against itself: trumps decide the endgame.
_PLAIN_WORTH = (8.0, 2.0, 1.5, 1.2, 1.0, 0.5, 0.2, 0.0)
_TRUMP_WORTH = (25.0, 22.0, 16.0, 14.0, 12.0, 10.0, 9.5, 9.0)
_MISS = 0.3  # how likely a player who wants a window does not get one in one trick
_WIN_WORTH = -4.0  # winning a trick of the stock, apart from what it brings at once: the next lead
_TAKES = 0.2  # how likely the opponent beats a card without points when he can


class GreedyBot(SeatBot):
    """Plays by rules of thumb. It uses no random numbers."""

    def __init__(self, rules: Rules, player: int) -> None:
        """A bot for seat `player` under some rules."""
        super().__init__(player, rules)
        self._book = MeldBook(rules)
        self._endgame = EndgameHeuristic(rules, self._book)
        self._dix_pays_twice = rules.dix_play == "always"
        self._stock_end = -10.0 if rules.stock_end_bonus == "loser" else 10.0

    def decide(self, view: SeatView) -> int:
        """The action that the rules of thumb say."""
        legal = view.legal
        if legal & (legal - 1) == 0:
            return legal.bit_length() - 1
        if view.phase == DECLARE:
            return self._window(view)
        playable = legal >> FIRST_PLAY
        if not view.stock_open:
            return FIRST_PLAY + self._endgame.card(view, playable)
        worth = self._lead if view.led == NONE else self._follow
        costs = self._costs(view)
        return FIRST_PLAY + max(reversed(costs), key=lambda card: worth(view, card) - costs[card])

    def _window(self, view: SeatView) -> int:
        if view.legal >> SWAP & 1:
            return SWAP
        meld = self._book.next_meld(view)
        return DONE if meld == NONE else FIRST_MELD + meld

    # While the stock lasts.

    def _again(self, view: SeatView) -> float:
        """How likely the seat gets a window after the one of this trick."""
        return 1.0 - _MISS ** self._book.windows_to_come(view)

    def _swap_card(self, view: SeatView) -> int:
        """The indicator as a mask if the hand can swap for it at its next win, else 0."""
        if view.indicator == NONE or not view.hand >> _dix(view) & 1:
            return 0
        return 1 << view.indicator

    def _swap_gain(self, view: SeatView) -> float:
        """What swapping is worth, apart from melds with the card taken."""
        paid = 10.0 if self._dix_pays_twice else 0.0
        return paid + _TRUMP_WORTH[view.indicator & 7] - _TRUMP_WORTH[cards.SEVEN]

    def _costs(self, view: SeatView) -> dict[int, float]:
        """What each card of the hand is worth if it is kept."""
        again = self._again(view)
        extra = self._swap_card(view)
        costs = {card: _worth(card, view.trump) for card in cards.bits(view.hand)}
        for needed, value in self._book.prospects(view, extra, again):
            for card in cards.bits(needed & view.hand):
                costs[card] += value
            if needed & extra:
                costs[_dix(view)] += value
        if extra:
            costs[_dix(view)] += again * self._swap_gain(view)
        return costs

    def _win_worth(self, view: SeatView, card: int) -> float:
        """What it is worth to win the trick with `card`, apart from the points in it.

        What the window would score counts as far as a later one would not.
        """
        hand = view.hand & ~(1 << card)
        value = _WIN_WORTH
        now = 1.0 - self._again(view)
        if view.indicator != NONE and hand >> _dix(view) & 1:
            hand ^= 1 << _dix(view) | 1 << view.indicator
            value += now * self._swap_gain(view)
        value += now * self._book.points_in_hand(view, hand)
        if view.trick == view.stock_tricks:
            value += 2 * self._stock_end - _worth(view.indicator, view.trump)
        return value

    def _follow(self, view: SeatView, card: int) -> float:
        """What answering with `card` brings at once."""
        points = 10.0 * ((1 << card | 1 << view.led) & BRISQUES).bit_count()
        if follower_wins(view.led, card, view.trump):
            return points + self._win_worth(view, card)
        return -points

    def _lead(self, view: SeatView, card: int) -> float:
        """What leading `card` may be expected to bring at once."""
        lost = _chance_to_hold(view, _beaters(card, view.trump))
        if 1 << card & BRISQUES:
            points = 10.0 - 20.0 * lost
        else:
            takers = _beaters(card, NONE) & BRISQUES
            points = -10.0 * _chance_to_hold(view, takers)
            lost *= _TAKES
        return points + (1.0 - lost) * self._win_worth(view, card)


def _dix(view: SeatView) -> int:
    return view.trump * cards.SUIT_SIZE + cards.SEVEN


def _worth(card: int, trump: int) -> float:
    return (_TRUMP_WORTH if card >> 3 == trump else _PLAIN_WORTH)[card & 7]


def _beaters(card: int, trump: int) -> int:
    """The cards that beat `card` when it is led, as a mask; without trumps for NONE."""
    higher = (1 << card) - 1 & (0xFF << (card & 24))
    return higher if trump in (NONE, card >> 3) else higher | 0xFF << (trump << 3)


def _chance_to_hold(view: SeatView, wanted: int) -> float:
    """How likely the opponent holds one of the wanted cards, by what the seat has seen."""
    if view.his_known & wanted:
        return 1.0
    unseen = view.unseen.bit_count()
    hidden = view.his_count - view.his_known.bit_count()
    there = (view.unseen & wanted).bit_count()
    return 1.0 - comb(unseen - there, hidden) / comb(unseen, hidden)
