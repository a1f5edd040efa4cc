"""A bot that takes any legal action with the same probability."""

import numpy as np

from bots.openspiel_bot import Policy
from bots.seat_bot import SeatBot
from bots.view import SeatView
from marjolet_spiel.cards import bits


class RandomBot(SeatBot):
    """Uniformly random legal actions, from a generator of its own."""

    def __init__(self, player: int, seed: int) -> None:
        """A bot for seat `player`; `seed` is a whole number from 0."""
        super().__init__(player)
        self._rng = np.random.default_rng(seed)

    def decide(self, view: SeatView) -> int:
        """A random legal action."""
        actions = bits(view.legal)
        if len(actions) == 1:
            return actions[0]
        return actions[int(self._rng.integers(len(actions)))]

    def distribution(self, view: SeatView) -> Policy:
        """All legal actions, equally likely."""
        actions = bits(view.legal)
        return [(action, 1.0 / len(actions)) for action in actions]
