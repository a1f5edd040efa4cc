"""The clairvoyant bot: the same search, but it sees all cards. An upper bound, not a player."""

from typing import Any

import numpy as np

from bots.ismcts import Evaluation, SearchBase
from bots.openspiel_bot import decision_seed
from marjolet_spiel import kernel
from marjolet_spiel.kernel import Vector
from marjolet_spiel.open_game import MarjoletOpenState
from marjolet_spiel.sampling import CARDS, generator

Sight = tuple[Vector, list[int] | None]
"""The position, and the face-down cards in drawing order if that is settled already."""


class CheatBot(SearchBase[Sight]):
    """Tree search in the true world.

    Of a state of `python_marjolet_open` it sees the order of the stock too. Of one of
    `python_marjolet` it sees both hands; what will be drawn is not settled there, so each
    simulation has an order of its own.
    """

    def look(self, state: Any) -> Sight:
        """The true position."""
        order = state.stock_order() if isinstance(state, MarjoletOpenState) else None
        return state.core.pos.copy(), order

    def position(self, view: Sight) -> Vector:
        """The true position."""
        return view[0]

    def search(self, view: Sight) -> Evaluation:
        """Searches the true world."""
        pos, order = view
        rng = generator(decision_seed(self._seed, pos.tobytes() + bytes(order or [])))
        self.set_known(1 if order is None else 2)
        if order is not None:
            first = CARDS + int(pos[kernel.NUM_CARDS]) - len(order)
            rng[first : first + len(order)] = np.array(order, dtype=np.int64)
        return self.search_position(pos, rng)
