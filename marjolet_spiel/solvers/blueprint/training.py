"""Training full-pack CFR, in bounded memory.

::

    training = Training(Rules.of(profile="dutch"), seed=1)
    training.run(100_000)
    training.margin(10_000)  # against the heuristic policy, with the half of a 95% interval
    write_policy("results/cfr.npz", training.rules, training.policy())  # plays as cfr:FILE

The same calls give the same numbers; a training that is loaded from a checkpoint goes on as if it
had never stopped.

How much is learnt, in points a deal under english rules: untrained, by the valuation of cards
alone, it beats the heuristic policy by 2.5 (95% interval +-0.1), after 1,000,000 iterations by 3.9
(+-0.4). Against greedy, which loses 16 to both, no difference could be measured.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np

from marjolet_spiel import kernel
from marjolet_spiel.rules import Rules
from marjolet_spiel.sampling import generator, seeds_for
from marjolet_spiel.solvers.blueprint.abstraction import CHOICE_SIZE, MAX_CLASSES
from marjolet_spiel.solvers.blueprint.buckets import (
    COUNTS_SIZE,
    EMPTY,
    NOTE_SIZE,
    NUM_BUCKETS,
    NUM_REFUSED,
    NUM_UPDATES,
    BucketTable,
)
from marjolet_spiel.solvers.blueprint.file import (
    CfrPolicy,
    Checkpoint,
    read_checkpoint,
    write_checkpoint,
)
from marjolet_spiel.solvers.blueprint.last_stock_trick import EXTRA_ROWS
from marjolet_spiel.solvers.blueprint.play import (
    BY_HEURISTIC,
    FLOATS_SIZE,
    PURE,
    Scratch,
    duel,
)
from marjolet_spiel.solvers.blueprint.sampling import (
    learn,
)
from marjolet_spiel.solvers.endgame.table import endgame_table
from marjolet_spiel.solvers.memory import check_memory

MIN_ROWS, DEFAULT_ROWS, MAX_ROWS = 1 << 8, 1 << 18, 1 << 22
"""Rows of the table, powers of two."""

_ROW_BYTES = 8 * (1 + 2 * MAX_CLASSES)
_FULL = 255


def table_bytes(rows: int) -> int:
    """Bytes of a table."""
    return rows * _ROW_BYTES


def check_rows(rows: int) -> None:
    """ValueError unless a table may have so many rows."""
    if not isinstance(rows, int) or not MIN_ROWS <= rows <= MAX_ROWS or rows & (rows - 1):
        raise ValueError(
            f"rows: {rows!r} is not allowed; it must be a power of two from {MIN_ROWS} to "
            f"{MAX_ROWS}"
        )


class Training:
    """A training of a policy for single deals.

    Attributes:
      rules: those it is for, as a single deal with either dealer.
      seed: the root of all that is random.
      iterations: how many were run.
    """

    def __init__(
        self, rules: Rules, seed: int = 0, rows: int = DEFAULT_ROWS, memory: int | None = None
    ) -> None:
        """A training that has not begun.

        Args:
          rules: the rules of a deal; what makes no difference within one does not count.
          seed: a whole number from 0, below 2^63.
          rows: rows of the table, a power of two. Buckets for which there is no place are played by
            the heuristic policy.
          memory: how many bytes the table may take; by default half of the memory that is free.

        Raises:
          ValueError: an argument is not what is asked for, or the table takes too much memory.
        """
        if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 1 << 63:
            raise ValueError(
                f"seed: {seed!r} is not allowed; it must be a whole number from 0, below 2^63"
            )
        check_rows(rows)
        check_memory(f"a table of {rows:,} rows", table_bytes(rows), memory)
        self.rules = replace(rules, target=0, first_dealer=-1)
        self.seed = seed
        self.iterations = 0
        self._root = int(seeds_for(seed, 1)[0])
        self._start = kernel.initial_position(self.rules)
        self._table = BucketTable(
            np.zeros(COUNTS_SIZE, dtype=np.int64),
            np.full(rows, EMPTY, dtype=np.int64),
            np.zeros((rows, MAX_CLASSES)),
            np.zeros((rows, MAX_CLASSES)),
            np.zeros((2 * self.rules.max_deal_length() + 1, NOTE_SIZE)),
        )
        self._scratch = Scratch(
            np.zeros((2, kernel.SIZE), dtype=np.int64),
            generator(0),
            np.zeros((2, CHOICE_SIZE), dtype=np.int64),
            np.zeros(FLOATS_SIZE),
        )
        self._endgame = endgame_table(rules.sweep_bonus).arrays(EXTRA_ROWS)

    @property
    def rows(self) -> int:
        """How many rows the table has."""
        return len(self._table.keys)

    @property
    def buckets(self) -> int:
        """How many buckets are in the table."""
        return int(self._table.counts[NUM_BUCKETS])

    @property
    def refused(self) -> int:
        """How often a bucket found no place."""
        return int(self._table.counts[NUM_REFUSED])

    @property
    def updates(self) -> int:
        """How many decisions were updated."""
        return int(self._table.counts[NUM_UPDATES])

    def run(self, iterations: int) -> None:
        """Runs so many iterations, at once."""
        if isinstance(iterations, bool) or not isinstance(iterations, int) or iterations < 0:
            raise ValueError(
                f"iterations: {iterations!r} is not allowed; it must be a whole number from 0"
            )
        span = (self._root, self.iterations, self.iterations + iterations)
        learn(self._start, *span, self._table, self._scratch, self._endgame)
        self.iterations += iterations

    def margin(self, pairs: int, seed: int = 0, mode: int = PURE) -> tuple[float, float]:
        """Points a deal that the average policy wins from the heuristic policy, endgame exact.

        Args:
          pairs: how many deals are played, each from both seats.
          seed: of the deals.
          mode: how the policy is played.

        Returns:
          The mean of the pairs, and half the width of its 95% interval.
        """
        margins = np.zeros(pairs)
        deals = (self._start, seeds_for(seed, pairs), mode, BY_HEURISTIC)
        duel(*deals, self._table, self._scratch, self._endgame, margins)
        return float(margins.mean()), float(1.96 * margins.std() / np.sqrt(pairs))

    def policy(self) -> CfrPolicy:
        """The average policy so far, of the buckets that were played."""
        rows = np.flatnonzero(self._table.averages.sum(axis=1) > 0)
        rows = rows[np.argsort(self._table.keys[rows])]
        averages = self._table.averages[rows]
        shares = np.rint(_FULL * averages / averages.max(axis=1, keepdims=True)).astype(np.uint8)
        return CfrPolicy(self.iterations, self._table.keys[rows], shares)

    def save(self, path: str | Path) -> None:
        """Writes a checkpoint in place of what is there; OSError if that is not possible."""
        rows = np.flatnonzero(self._table.keys != EMPTY)
        learnt = (self._table.keys[rows], self._table.regrets[rows], self._table.averages[rows])
        where = (self.seed, self.iterations, len(self._table.keys), self._table.counts, rows)
        write_checkpoint(path, self.rules, Checkpoint(*where, *learnt))

    @classmethod
    def load(cls, path: str | Path, rules: Rules, memory: int | None = None) -> "Training":
        """A training as it was when it was saved.

        Args:
          path: a file that `save` wrote.
          rules: those it must be for.
          memory: as for a new one.

        Raises:
          ValueError: the file is missing, damaged, of another version or for other rules, or the
            table takes too much memory.
        """
        found = read_checkpoint(path, rules)
        training = cls(rules, found.seed, found.size, memory)
        training.iterations = found.iterations
        training._table.counts[:] = found.counts
        training._table.keys[found.rows] = found.buckets
        training._table.regrets[found.rows] = found.regrets
        training._table.averages[found.rows] = found.averages
        return training
