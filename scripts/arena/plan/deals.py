"""The cards and the seeds of a duplicate pair.

All randomness comes from one root by `numpy.random.SeedSequence` with a key for each use, the kind
of use first: cards never depend on what bots draw, nor the other way round. Cards depend on the
number of the pair and of the deal alone, so every pairing and both seatings get the same.
"""

from typing import Any

import numpy as np

from marjolet_spiel import kernel
from marjolet_spiel.sampling import CARDS, generator, shuffle_to_front

_DEALS, _BOTS, _WORLDS, _RESAMPLES, _AUDITS = range(5)


def _sequence(root: int, *key: int) -> np.random.SeedSequence:
    return np.random.SeedSequence(root, spawn_key=key)


def _seed(root: int, *key: int) -> int:
    """A seed below 2^63."""
    return int(_sequence(root, *key).generate_state(1, np.uint64)[0]) >> 1


def bot_seed(root: int, pair: int, seating: int, bot: int, opponent: int) -> int:
    """The seed of a bot in one game; bots are given as their indices in the configuration."""
    return _seed(root, _BOTS, pair, seating, bot, opponent)


def world_generator(root: int, pair: int, seating: int, bot: int, opponent: int) -> Any:
    """The numpy generator of the worlds that the referee shows to the bots of one game."""
    return np.random.default_rng(_sequence(root, _WORLDS, pair, seating, bot, opponent))


def audit_generator(root: int, pair: int, seating: int, bot: int, opponent: int) -> Any:
    """The numpy generator of the other worlds of an audited game."""
    return np.random.default_rng(_sequence(root, _AUDITS, pair, seating, bot, opponent))


def resample_generator(root: int) -> np.random.Generator:
    """The numpy generator with which the statistics of a tournament resample its pairs."""
    return np.random.default_rng(_sequence(root, _RESAMPLES))


class PairDeals:
    """What chance does in both games of a pair, whatever the players do.

    Attributes:
      dealer: who deals first, if that is drawn by lot.
    """

    def __init__(self, root: int, pair: int, pack: int) -> None:
        """The deals of a pair from a pack of cards, given as a mask."""
        self._root, self._pair = root, pair
        self._pack = pack
        self._orders: dict[int, list[int]] = {}
        self.dealer = _seed(root, _DEALS, pair, 0) & 1

    def order(self, deal: int) -> list[int]:
        """The whole pack in the order of deal number `deal`, from 1.

        First the hand of the non-dealer, then the dealer's, the turn-up, the stock.
        """
        if deal not in self._orders:
            rng = generator(_seed(self._root, _DEALS, self._pair, deal))
            size = self._pack.bit_count()
            shuffle_to_front(rng, self._pack, size)
            self._orders[deal] = rng[CARDS : CARDS + size].tolist()
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
