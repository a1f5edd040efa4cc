"""Exact play of the endgame by alpha-beta, whatever the rules pay for.

::

    solution = solve(state)
    solution.value  # the return of player 0 under best play
    solution.moves  # the return of the player on turn after each legal action
    solution.line  # best play to the end, as text
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from marjolet_spiel import kernel
from marjolet_spiel.array_types import Vector
from marjolet_spiel.cards import bits
from marjolet_spiel.first_use import say_when_compiling
from marjolet_spiel.positions import position_of

with say_when_compiling():
    from marjolet_spiel.solvers.endgame.alpha_beta import (
        ESTIMATES,
        GENERATION,
        INFINITE,
        MAX_DEPTH,
        NODES,
        SCRATCH_SIZE,
        EndgameArrays,
        alpha_beta,
        solve_moves,
    )
    from marjolet_spiel.solvers.endgame.line import line_text
    from marjolet_spiel.solvers.endgame.match_equity import UNIT
    from marjolet_spiel.solvers.endgame.table import EndgameTable, endgame_table

MAX_SOLVED_CARDS = 12
"""Longer hands take too long: each card more makes the search about five times as long."""

_NO_INDEX = np.zeros(0, dtype=np.int32)
_NO_VALUES = np.zeros((0, 0), dtype=np.int8)


@dataclass(frozen=True)
class Solution:
    """The value of a position of the endgame.

    Attributes:
      player: who is on turn, 0 or 1.
      value: the return of player 0 under best play: points, in a match from -1 to 1.
      moves: for each legal action, ascending, the return of the player on turn after it.
      line: best play to the end of the deal as text (see `lines.py`).
      nodes: positions that the search looked at.
      exact: False if the match may go on with another deal, whose chances are then estimated
        (`match_equity.py`).
    """

    player: int
    value: float
    moves: dict[int, float]
    line: str
    nodes: int
    exact: bool

    @property
    def best_moves(self) -> list[int]:
        """The best legal actions, ascending."""
        best = max(self.moves.values())
        return [action for action, value in self.moves.items() if value == best]


class Solver:
    """Alpha-beta with its scratch, for one thread.

    Attributes:
      table: the endgame table that is used as a leaf, or None.
      nodes: positions that searches have looked at so far.
    """

    def __init__(self, table: EndgameTable | None = None) -> None:
        """A solver, with a table or without."""
        self.table = table
        stack = np.zeros((MAX_DEPTH, kernel.SIZE), dtype=np.int64)
        scratch = np.zeros(SCRATCH_SIZE, dtype=np.int64)
        alone = EndgameArrays(stack, scratch, _NO_INDEX, _NO_VALUES)
        self._endgame = alone if table is None else table.arrays()
        self._out = np.zeros(kernel.NUM_ACTIONS, dtype=np.int64)

    @property
    def nodes(self) -> int:
        """Positions that searches have looked at so far."""
        return int(self._endgame.scratch[NODES])

    @property
    def estimates(self) -> int:
        """How often searches have ended at a match that goes on with another deal."""
        return int(self._endgame.scratch[ESTIMATES])

    def moves(self, pos: Vector) -> dict[int, int]:
        """The pay-off of player 0 (`match_equity.payoff`) after each legal action.

        `pos` must be one of the endgame in which a player is on turn.
        """
        self._endgame.scratch[GENERATION] += 1
        solve_moves(pos, self._endgame, self._out)
        return {action: int(self._out[action]) for action in bits(int(kernel.legal_mask(pos)))}

    def value(self, pos: Vector) -> int:
        """The pay-off of player 0 under best play; `pos` as for `moves`."""
        self._endgame.scratch[GENERATION] += 1
        self._endgame.stack[0] = pos
        return int(alpha_beta(self._endgame, 0, int(pos[kernel.DEAL]), -INFINITE, INFINITE))

    def best_move(self, pos: Vector) -> int:
        """The lowest of the best legal actions of the player on turn."""
        sign = 1 if pos[kernel.PLAYER] == 0 else -1
        moves = self.moves(pos)
        return max(moves, key=lambda action: (sign * moves[action], -action))


def solve(position: Any, use_table: bool = True) -> Solution:
    """Solves a position of the endgame.

    Args:
      position: a state of either game, or a kernel vector, in which a player is on turn and the
        stock is gone.
      use_table: whether the endgame table may serve as a leaf where it applies.

    Raises:
      ValueError: the position is something else.
    """
    pos = position_of(position)
    if pos[kernel.PLAYER] not in (0, 1) or pos[kernel.TRICK] <= pos[kernel.STOCK_TRICKS]:
        phase = kernel.PHASE_NAMES[pos[kernel.PHASE]]
        raise ValueError(
            f"position: trick {pos[kernel.TRICK]}, phase {phase} is not allowed; a player must be "
            f"on turn after the last stock trick, {pos[kernel.STOCK_TRICKS]}"
        )
    cards = max(int(pos[kernel.HAND0 + p]).bit_count() for p in range(2))
    if cards > MAX_SOLVED_CARDS:
        raise ValueError(
            f"position: hands of {cards} cards are too many; {MAX_SOLVED_CARDS} can be solved"
        )
    solver = Solver(endgame_table(int(pos[kernel.SWEEP_BONUS])) if use_table else None)
    player, is_match = int(pos[kernel.PLAYER]), pos[kernel.TARGET] > 0
    unit = (UNIT if is_match else 1) * (1 if player == 0 else -1)
    moves = {action: value / unit + 0.0 for action, value in solver.moves(pos).items()}
    exact, nodes = solver.estimates == 0, solver.nodes
    best = max(moves.values())
    line = line_text(pos.copy(), solver.best_move)
    return Solution(player, best if player == 0 else 0.0 - best, moves, line, nodes, exact)
