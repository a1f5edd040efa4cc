"""Rule-of-thumb play of the tricks after the stock, when both hands are known by counting.

One trick is looked ahead exactly: each card that may be played, each answer that the strict rules
leave the opponent. What is left after it is weighed by signs of strength, not searched.
"""

from bots.greedy.melds import MeldBook
from bots.view import SeatView
from marjolet_spiel.cards import BRISQUES, bits
from marjolet_spiel.kernel import NONE, follower_wins, strict_answers
from marjolet_spiel.rules import Rules

_SUIT = 0xFF

# What signs of strength are worth, in points.
_WINNER = 6.0  # a card that the other hand cannot beat
_SAFE_BRISQUE = 9.0  # more for an ace or ten among them
_TRUMP = 6.0  # a trump
_LEAD = 1.0  # being on lead
_MELD_LATER = 0.5  # a point of melds in hand that a later win would score


def winners(hand: int, other: int, trump: int) -> int:
    """The cards of `hand` that win if led now, whatever `other` answers, as a mask."""
    ruffs = other & (_SUIT << (trump << 3))
    found = 0
    for shift in (0, 8, 16, 24):
        suit = _SUIT << shift
        against = other & suit
        if against:
            found |= hand & suit & ((against & -against) - 1)
        elif not ruffs:
            found |= hand & suit
    return found


def _strength(hand: int, other: int, trump: int) -> float:
    sure = winners(hand, other, trump)
    trumps = hand & (_SUIT << (trump << 3))
    return (
        _WINNER * sure.bit_count()
        + _SAFE_BRISQUE * (sure & BRISQUES).bit_count()
        + _TRUMP * trumps.bit_count()
    )


class EndgameHeuristic:
    """Plays the tricks after the stock under some rules."""

    def __init__(self, rules: Rules, book: MeldBook) -> None:
        """A player for some rules; `book` holds their melds."""
        self._book = book
        self._hand_size = rules.hand_size
        self._sweep_bonus = rules.sweep_bonus

    def card(self, view: SeatView, playable: int) -> int:
        """The best of the cards that may be played, the lowest of those that are as good."""
        choices = reversed(bits(playable))
        if view.led == NONE:
            return max(choices, key=lambda card: self._lead(view, card))
        return max(choices, key=lambda card: self._after(view, card, view.led, False))

    def _lead(self, view: SeatView, card: int) -> float:
        """What leading `card` is worth against the best answer."""
        replies = strict_answers(view.his_hand, card, view.trump)
        return min(self._after(view, card, reply, True) for reply in bits(replies))

    def _after(self, view: SeatView, own_card: int, his_card: int, leads: bool) -> float:
        """What a trick is worth, and what is left after it."""
        trump = view.trump
        if leads:
            wins = not follower_wins(own_card, his_card, trump)
        else:
            wins = follower_wins(his_card, own_card, trump)
        both = 1 << own_card | 1 << his_card
        own, his = view.hand & ~both, view.his_hand & ~both
        points = 10.0 * (both & BRISQUES).bit_count()
        if not own:
            points += 10  # the last trick
        value = points if wins else -points
        value += self._sweep(view.own_wins + wins, view.his_wins + (not wins))
        if own:
            value += _LEAD if wins else -_LEAD
            value += _strength(own, his, trump) - _strength(his, own, trump)
            if self._book.in_endgame:
                value += self._melds(view, own, his, wins)
        return value

    def _sweep(self, own_wins: int, his_wins: int) -> float:
        """What the sweep bonus is worth while one side has won all tricks after the stock."""
        if own_wins and his_wins:
            return 0.0
        share = (own_wins - his_wins) / self._hand_size
        return self._sweep_bonus * share * abs(share)

    def _melds(self, view: SeatView, own: int, his: int, wins: bool) -> float:
        """What windows after this trick are worth: the winner declares at once."""
        own_points = self._book.points_in_hand(view, own)
        his_points = self._book.points_in_hand(view, his)
        if wins:
            return own_points - _MELD_LATER * his_points
        return _MELD_LATER * own_points - his_points
