"""Exact play of the endgame for searches."""

import numpy as np

from marjolet_spiel import kernel
from marjolet_spiel.array_types import Vector
from marjolet_spiel.cards import bits
from marjolet_spiel.solvers.endgame.index import MAX_CARDS
from marjolet_spiel.solvers.endgame.lookup import card_values, fits, in_endgame
from marjolet_spiel.solvers.endgame.match_equity import UNIT
from marjolet_spiel.solvers.endgame.table import EndgameTable
from marjolet_spiel.solvers.search.result import ActionValue, SearchResult
from marjolet_spiel.solvers.solve import Solver

Value = tuple[int, int]
"""The pay-off of player 0, and his points less the other's where pay-offs are equal."""


class ExactEndgame:
    """Knows the best action once the stock is gone, in single deals and matches."""

    def __init__(self, table: EndgameTable) -> None:
        """A player with an endgame table of the right sweep bonus."""
        self._table = table
        self._solver = Solver(table)
        self._scratch = np.empty((2, kernel.SIZE), dtype=np.int64)
        self._out = np.empty(kernel.NUM_ACTIONS, dtype=np.int64)

    def values(self, pos: Vector) -> dict[int, Value]:
        """The value for player 0 after each legal action of a position that is `solvable`."""
        points = self._points(pos)
        if pos[kernel.TARGET] == 0 and fits(pos):
            return {action: (value, 0) for action, value in points.items()}
        return {
            action: (value, points.get(action, 0))
            for action, value in self._solver.moves(pos).items()
        }

    def best(self, pos: Vector) -> int:
        """The best action for the player on turn, the lowest of equal ones."""
        return _best(self.values(pos), _sign(pos))

    def result(self, pos: Vector) -> SearchResult:
        """The best action, and the exact return after each; the share of the best one is 1."""
        values = self.values(pos)
        best = _best(values, _sign(pos))
        unit = _sign(pos) * (1 if pos[kernel.TARGET] == 0 else UNIT)
        found = [
            ActionValue(action, value[0] / unit + 0.0, float(action == best))
            for action, value in sorted(values.items())
        ]
        return SearchResult(best, found)

    def _points(self, pos: Vector) -> dict[int, int]:
        """The points of each card if nothing more is melded; empty where the table has no say."""
        if not in_endgame(pos) or pos[kernel.HAND0 + pos[kernel.LEADER]].bit_count() > MAX_CARDS:
            return {}
        table, out = self._table, self._out
        card_values(table.index, table.values, pos, self._scratch, out)
        first = kernel.FIRST_PLAY
        return {first + card: int(out[card]) for card in bits(int(kernel.playable(pos)))}


def _sign(pos: Vector) -> int:
    """What turns values for player 0 into values for the player on turn."""
    return 1 - 2 * int(pos[kernel.PLAYER])


def _best(values: dict[int, Value], sign: int) -> int:
    return max(values, key=lambda a: (sign * values[a][0], sign * values[a][1], -a))
