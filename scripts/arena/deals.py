"""The cards and the seeds of a duplicate pair.

All randomness comes from one root by `numpy.random.SeedSequence` with a key for each use, the kind
of use first: cards never depend on what bots draw, nor the other way round. Cards depend on the
number of the pair and of the deal alone, so every pairing and both seatings get the same.
"""

from typing import Any

import numpy as np

from marjolet_spiel import kernel
from marjolet_spiel.cards import cards_of

_DEALS, _BOTS, _WORLDS = range(3)
_SEED_BITS = 63


def _sequence(root: int, *key: int) -> np.random.SeedSequence:
    return np.random.SeedSequence(root, spawn_key=key)


def bot_seed(root: int, pair: int, seating: int, bot: int, opponent: int) -> int:
    """The seed of a bot in one game; bots are given as their indices in the configuration."""
    word = _sequence(root, _BOTS, pair, seating, bot, opponent).generate_state(1, np.uint64)[0]
    return int(word) & ((1 << _SEED_BITS) - 1)


def world_generator(root: int, pair: int, seating: int, bot: int, opponent: int) -> Any:
    """The numpy generator of the worlds that the referee shows to the bots of one game."""
    return np.random.default_rng(_sequence(root, _WORLDS, pair, seating, bot, opponent))


class PairDeals:
    """What chance does in both games of a pair, whatever the players do.

    Attributes:
      dealer: who deals first, if that is drawn by lot.
    """

    def __init__(self, root: int, pair: int, pack: int) -> None:
        """The deals of a pair from a pack of cards, given as a mask."""
        self._root, self._pair = root, pair
        self._cards = cards_of(pack)
        self._orders: dict[int, list[int]] = {}
        self.dealer = int(_sequence(root, _DEALS, pair, 0).generate_state(1)[0] & 1)

    def order(self, deal: int) -> list[int]:
        """The whole pack in the order of deal number `deal`, from 1.

        First the hand of the non-dealer, then the dealer's, the turn-up, the stock.
        """
        if deal not in self._orders:
            rng = np.random.default_rng(_sequence(self._root, _DEALS, self._pair, deal))
            self._orders[deal] = rng.permutation(self._cards).tolist()
        return self._orders[deal]

    def outcome(self, state: Any) -> int:
        """The outcome at a chance node of a game of this pair."""
        pos = state.core.pos
        phase, size = pos[kernel.PHASE], int(pos[kernel.HAND_SIZE])
        if phase == kernel.DEALER_LOT:
            return self.dealer
        order = self.order(int(pos[kernel.DEAL]))
        if phase == kernel.DEALING:
            dealt = len(order) - int(pos[kernel.DOWN]).bit_count()
            hand = sorted(order[:size]) + sorted(order[size : 2 * size])
            return hand[dealt]
        return order[len(order) - int(pos[kernel.DOWN]).bit_count()]
