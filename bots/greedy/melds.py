"""Melds as a player thinks of them: what is in the hand, and what may still come."""

from bots.view import SeatView
from marjolet_spiel import cards, kernel
from marjolet_spiel.rules import Rules

Meld = tuple[int, int, int]
"""The number of a meld, its cards as a mask, its points."""

Prospect = tuple[int, float]
"""The cards of a meld as a mask, and the points it is still good for."""

_MELD_BITS = (1 << cards.NUM_MELDS) - 1


def _table(rules: Rules, trump: int) -> list[Meld]:
    """The melds that count when suit `trump` is trumps, ascending by number."""
    return [
        (meld, cards.mask_of(cards.meld_cards(meld, rules.num_suits)), value)
        for meld in range(cards.NUM_MELDS)
        if (value := rules.meld_value(meld, trump))
    ]


def best_disjoint(melds: list[Meld]) -> tuple[int, list[int]]:
    """The most valuable choice of melds that share no card: its points and numbers, ascending."""
    best: tuple[int, list[int]] = (0, [])
    for i, (meld, needed, value) in enumerate(melds):
        points, rest = best_disjoint([m for m in melds[i + 1 :] if m[1] & needed == 0])
        if value + points > best[0]:
            best = value + points, [meld, *rest]
    return best


class MeldBook:
    """The melds of one set of rules.

    Attributes:
      shared: whether melds of one window may share cards.
      in_endgame: whether there are windows after the stock is gone.
    """

    def __init__(self, rules: Rules) -> None:
        """The book for some rules."""
        self.shared = rules.declaration == "shared"
        self.in_endgame = rules.endgame_melds == "yes"
        self._tables = [_table(rules, trump) for trump in range(rules.num_suits)]

    def windows_to_come(self, view: SeatView) -> int:
        """How many windows there will be after the one of the trick in progress."""
        last = view.num_tricks - 1 if self.in_endgame else view.stock_tricks
        return max(0, last - view.trick)

    def prospects(self, view: SeatView, extra: int, again: float) -> list[Prospect]:
        """The undeclared melds that the hand holds or may still complete, and their worth.

        Args:
          view: what the seat sees.
          extra: cards that the hand gets when it wins a trick (the indicator by a swap).
          again: how likely the seat wins a trick in time to declare.

        Returns:
          A meld in hand counts its points times `again`, one that lacks cards that times the
          chance that they are all among the cards that the seat draws before the last window.
        """
        hand = view.hand | extra
        within_reach = hand | (view.unseen if view.stock_open else 0)
        draws = view.stock_left // 2 - (not self.in_endgame)
        chance = min(1.0, max(0, draws) / max(1, view.unseen.bit_count()))
        declared = view.declared
        found = []
        for meld, needed, value in self._tables[view.trump]:
            if needed & ~within_reach == 0 and needed & hand and not declared >> meld & 1:
                missing = (needed & ~hand).bit_count()
                found.append((needed, value * again * chance**missing))
        return found

    def points_in_hand(self, view: SeatView, hand: int) -> int:
        """Points of the undeclared melds that lie wholly in `hand`, as one window scores them."""
        declared = view.declared
        found = [
            entry
            for entry in self._tables[view.trump]
            if entry[1] & ~hand == 0 and not declared >> entry[0] & 1
        ]
        if self.shared or len(found) < 2:
            return sum(value for _, _, value in found)
        return best_disjoint(found)[0]

    def next_meld(self, view: SeatView) -> int:
        """The meld to declare next, so that the open window scores most; NONE for none.

        Melds of a window come in ascending order. If they may share cards, all fit into one window;
        if not, those chosen share none, and the choice looks the same after each of them.
        """
        legal = view.legal >> kernel.FIRST_MELD & _MELD_BITS
        if not legal:
            return kernel.NONE
        if self.shared:
            return (legal & -legal).bit_length() - 1
        return best_disjoint([m for m in self._tables[view.trump] if legal >> m[0] & 1])[1][0]
