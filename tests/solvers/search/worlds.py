"""Exact and shallow values of worlds with open cards, for the tests of bots."""

from typing import Any

from marjolet_spiel import kernel
from marjolet_spiel.array_types import Vector
from marjolet_spiel.rules import Rules
from marjolet_spiel.sampling import generator, put_order
from marjolet_spiel.solvers.endgame.table import endgame_table
from marjolet_spiel.solvers.search.world_search import world_arrays, world_value


class Searcher:
    """`world_search.world_value` with its scratch."""

    def __init__(self, rules: Rules) -> None:
        """One for games under some rules."""
        self.table = endgame_table(rules.sweep_bonus)
        self._arrays = world_arrays(self.table)
        self.scratch, self.endgame = self._arrays.scratch, self._arrays.endgame

    def value(self, world: Any, depth: int = 40, alpha: float = -1e18, beta: float = 1e18) -> float:
        """The value for player 0 of a state of the open game."""
        self._arrays.rows[0] = world.core.pos
        order = order_of(world)
        deal = int(world.core.pos[kernel.DEAL])
        return float(world_value(self._arrays, 0, depth, alpha, beta, deal, order))


def order_of(world: Any) -> Vector:
    """A generator that holds the order of the stock of a state of the open game."""
    rng = generator(0)
    put_order(rng, world.core.pos, world.stock_order())
    return rng
