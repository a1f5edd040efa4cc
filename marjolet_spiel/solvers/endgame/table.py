"""What the endgame is worth, for certain: a table of every position of up to six cards a hand.

Once the stock is gone both hands are known by counting, so the endgame is a game of perfect
information. Its values, for players who play for points, are all in one table of 2.5 million
cells (see `endgame_index.py`), which holds every pack and hand size; there is one for each sweep
bonus. It is built in less than a second when it is first asked for and kept on disk::

    table = endgame_table(sweep_bonus=50)
    table.value(state)  # points of player 0 less those of player 1 at the end of the deal
    table.moves(state)  # the same for the player on turn, after each legal action
    table.line(state)  # best play to the end, as text

Melds after the stock (as long as somebody has one left) and matches near their target are not in
it: `solve.py` searches those.
"""

import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from marjolet_spiel import kernel
from marjolet_spiel.array_types import ByteRows, Ints, Vector
from marjolet_spiel.cards import bits
from marjolet_spiel.compiling import wrap_around
from marjolet_spiel.first_use import say_when_compiling
from marjolet_spiel.positions import position_of
from marjolet_spiel.rules import MAX_SWEEP_BONUS

with say_when_compiling():
    from marjolet_spiel.solvers.endgame.alpha_beta import MAX_DEPTH, SCRATCH_SIZE, EndgameArrays
    from marjolet_spiel.solvers.endgame.build import LAYERS, LEADER_SWEEPS, fill
    from marjolet_spiel.solvers.endgame.file import (
        cache_folder,
        file_name,
        read_values,
        write_values,
    )
    from marjolet_spiel.solvers.endgame.index import MAX_CARDS, NUM_TYPES, make_index
    from marjolet_spiel.solvers.endgame.line import line_text
    from marjolet_spiel.solvers.endgame.lookup import (
        UNKNOWN,
        card_values,
        fits,
        table_value,
        table_values,
    )

_BUILDERS = 2  # threads


@cache
def _index() -> tuple[Ints, list[int]]:
    return make_index()


def check_sweep_bonus(sweep_bonus: object) -> int:
    """The sweep bonus as an int; ValueError if there can be no table for it."""
    whole = isinstance(sweep_bonus, int | np.integer) and not isinstance(sweep_bonus, bool)
    if not whole or not 0 <= sweep_bonus <= MAX_SWEEP_BONUS or sweep_bonus % 10:  # type: ignore[operator]
        raise ValueError(
            f"sweep_bonus: {sweep_bonus!r} is not allowed; it must be a multiple of 10 from 0 to "
            f"{MAX_SWEEP_BONUS}"
        )
    return int(sweep_bonus)  # type: ignore[call-overload]


def build_values(sweep_bonus: int) -> ByteRows:
    """The values of all cells: int8 [LAYERS, cells], in tens of points for the leader."""
    index, levels = _index()
    values = np.zeros((LAYERS, levels[-1]), dtype=np.int8)
    values[LEADER_SWEEPS, 0] = check_sweep_bonus(sweep_bonus) // 10
    with (
        tqdm(
            total=levels[-1],
            desc=f"endgame table, sweep {sweep_bonus}",
            unit="position",
            unit_scale=True,
            disable=None,
            leave=False,
            file=sys.stderr,
        ) as bar,
        ThreadPoolExecutor(_BUILDERS, initializer=wrap_around) as pool,
    ):
        for n in range(1, MAX_CARDS + 1):
            list(pool.map(lambda kind, n=n: fill(index, values, n, kind), range(NUM_TYPES)))
            bar.update(levels[n + 1] - levels[n])
    return values


class EndgameTable:
    """The value of every position of the endgame under best play for points.

    Positions are given as states of `python_marjolet` or `python_marjolet_open`, or as kernel
    vectors. Values are points, rewards of the whole deal: what was scored before counts too.

    Attributes:
      sweep_bonus: the bonus for winning all tricks of the endgame.
      index: what finds a cell, for compiled code.
      values: int8 [LAYERS, cells], for compiled code.
    """

    def __init__(self, sweep_bonus: int, values: ByteRows) -> None:
        """Use `endgame_table`."""
        self.sweep_bonus = sweep_bonus
        self.index: Ints = _index()[0]
        self.values = values

    def arrays(self, extra_rows: int = 0) -> EndgameArrays:
        """The table with scratch of its own, for compiled code that values the endgame.

        Args:
          extra_rows: rows of the stack beyond those that alpha-beta needs, for its caller.
        """
        stack = np.zeros((MAX_DEPTH + extra_rows, kernel.SIZE), dtype=np.int64)
        return EndgameArrays(stack, np.zeros(SCRATCH_SIZE, dtype=np.int64), self.index, self.values)

    def holds(self, position: Any) -> bool:
        """Whether the table has the value of a position."""
        return self._obstacle(position_of(position)) == ""

    def _obstacle(self, pos: Vector) -> str:
        """Why the table does not have a position; empty if it does."""
        if pos[kernel.SWEEP_BONUS] != self.sweep_bonus:
            return f"its sweep bonus is {pos[kernel.SWEEP_BONUS]}, not {self.sweep_bonus}"
        if pos[kernel.TARGET] != 0:
            return "it belongs to a match, which is not played for points"
        if pos[kernel.TRICK] <= pos[kernel.STOCK_TRICKS]:
            return "the stock is not gone yet"
        if pos[kernel.PHASE] not in (kernel.LEAD, kernel.FOLLOW):
            return f"its phase is {kernel.PHASE_NAMES[pos[kernel.PHASE]]}, not lead or follow"
        if not fits(pos):
            return f"hands have more than {MAX_CARDS} cards or melds are left to declare"
        return ""

    def _checked(self, position: Any) -> Vector:
        pos = position_of(position)
        obstacle = self._obstacle(pos)
        if obstacle:
            raise ValueError(f"position: is not in the endgame table: {obstacle}")
        return pos

    def value(self, position: Any, player: int = 0) -> int:
        """Points of `player` less those of the other at the end of the deal.

        Raises:
          ValueError: the table does not hold the position; the message says why.
        """
        if player not in (0, 1):
            raise ValueError(f"player: {player!r} is not allowed; it must be 0 or 1")
        pos = self._checked(position)
        value = table_value(self.index, self.values, pos, np.empty_like(pos))
        return int(value) if player == 0 else -int(value)

    def moves(self, position: Any) -> dict[int, int]:
        """The value for the player on turn after each legal action; ValueError as for `value`."""
        pos = self._checked(position)
        scratch = np.empty((2, kernel.SIZE), dtype=np.int64)
        out = np.empty(kernel.DONE, dtype=np.int64)
        card_values(self.index, self.values, pos, scratch, out)
        sign = 1 if pos[kernel.PLAYER] == 0 else -1
        first = kernel.FIRST_PLAY
        return {first + card: sign * int(out[card]) for card in bits(int(kernel.playable(pos)))}

    def best_moves(self, position: Any) -> list[int]:
        """The best legal actions, ascending; ValueError as for `value`."""
        moves = self.moves(position)
        return [action for action, value in moves.items() if value == max(moves.values())]

    def evaluate(self, positions: NDArray[np.int64]) -> NDArray[np.int64]:
        """The values for player 0 of many positions at once.

        Args:
          positions: int64 [n, kernel.SIZE].

        Returns:
          int64 [n]; `UNKNOWN` where the table does not hold the position.

        Raises:
          ValueError: `positions` is something else.
        """
        if (
            not isinstance(positions, np.ndarray)
            or positions.dtype != np.int64
            or positions.ndim != 2
            or positions.shape[1] != kernel.SIZE
        ):
            shape = f"{getattr(positions, 'dtype', type(positions))} {np.shape(positions)}"
            raise ValueError(
                f"positions: {shape} is not allowed; it must be int64 [n, {kernel.SIZE}]"
            )
        out = np.empty(len(positions), dtype=np.int64)
        scratch = np.empty(kernel.SIZE, dtype=np.int64)
        table_values(self.index, self.values, np.ascontiguousarray(positions), scratch, out)
        foreign = positions[:, kernel.SWEEP_BONUS] != self.sweep_bonus
        out[foreign | (positions[:, kernel.TARGET] != 0)] = UNKNOWN
        return out

    def line(self, position: Any) -> str:
        """Best play to the end as text, the lowest action id of equal ones (see `lines.py`)."""
        pos = self._checked(position).copy()
        return line_text(pos, lambda at: self.best_moves(at)[0])


def endgame_table(sweep_bonus: int = 50, folder: Path | None = None) -> EndgameTable:
    """The endgame table for a sweep bonus: from disk, or built and kept there.

    Args:
      sweep_bonus: a multiple of 10 from 0 to 1000.
      folder: where it is kept; by default the user's cache folder. If it cannot be written, the
        table is built each time, and a line on stderr says so.

    Raises:
      ValueError: there can be no such table.
    """
    return _table(check_sweep_bonus(sweep_bonus), folder or cache_folder())


@cache
def _table(sweep_bonus: int, folder: Path) -> EndgameTable:
    path = folder / file_name(sweep_bonus)
    values = read_values(path, sweep_bonus, _index()[1][-1])
    if values is None:
        values = build_values(sweep_bonus)
        try:
            write_values(path, sweep_bonus, values)
        except OSError as error:
            print(f"marjolet_spiel: the endgame table cannot be kept: {error}", file=sys.stderr)
    return EndgameTable(sweep_bonus, values)
