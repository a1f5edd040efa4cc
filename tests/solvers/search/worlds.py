"""Exact and shallow values of worlds with open cards, for the tests of bots."""

from typing import Any

import numpy as np

from marjolet_spiel import kernel
from marjolet_spiel.array_types import Vector
from marjolet_spiel.rules import Rules
from marjolet_spiel.sampling import generator, put_order
from marjolet_spiel.solvers.endgame.alpha_beta import MAX_DEPTH, SPACE_SIZE
from marjolet_spiel.solvers.endgame.table import endgame_table
from marjolet_spiel.solvers.search.evaluation import SENSE_SIZE
from marjolet_spiel.solvers.search.world_search import MAX_ROWS, world_value


class Searcher:
    """`world_search.world_value` with its work space."""

    def __init__(self, rules: Rules) -> None:
        """One for games under some rules."""
        self.table = endgame_table(rules.sweep_bonus)
        self.sense = np.zeros(SENSE_SIZE, dtype=np.float64)
        self.stack = np.zeros((MAX_DEPTH + 1, kernel.SIZE), dtype=np.int64)
        self.space = np.zeros(SPACE_SIZE, dtype=np.int64)
        self._rows = np.zeros((MAX_ROWS, kernel.SIZE), dtype=np.int64)

    def value(self, world: Any, depth: int = 40, alpha: float = -1e18, beta: float = 1e18) -> float:
        """The value for player 0 of a state of the open game."""
        self._rows[0] = world.core.pos
        order = order_of(world)
        deal = int(world.core.pos[kernel.DEAL])
        more = (order, self.sense, self.stack, self.space, self.table.index, self.table.values)
        return float(world_value(self._rows, 0, depth, alpha, beta, deal, *more))


def order_of(world: Any) -> Vector:
    """A generator that holds the order of the stock of a state of the open game."""
    rng = generator(0)
    put_order(rng, world.core.pos, world.stock_order())
    return rng
