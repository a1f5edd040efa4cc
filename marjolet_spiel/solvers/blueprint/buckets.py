"""The table of buckets that full-pack CFR learns in, in compiled code."""

from typing import NamedTuple

import numpy as np

from marjolet_spiel import kernel
from marjolet_spiel.array_types import FloatRows, Floats, Vector
from marjolet_spiel.compiling import compiled
from marjolet_spiel.solvers.blueprint.abstraction import BUCKET, CANDIDATES, MAX_CLASSES, WORTH

EMPTY = -1
"""In place of a bucket where a table has none."""

# Counts, an int64 vector: buckets in the table, how often one found no place, decisions updated.
NUM_BUCKETS, NUM_REFUSED, NUM_UPDATES = range(3)
COUNTS_SIZE = 3

NOTE_SIZE = MAX_CLASSES + 1
"""Regrets of a decision, and its row; the first place of the first row counts the notes."""

_MOST_PROBES = 32
_TRUST = 50.0  # the heuristic policy counts as much as so many updates of a new bucket
_EDGE = 1.0  # what it sees in its favourite beyond its value, in points


class BucketTable(NamedTuple):
    """What is learnt.

    Attributes:
      counts: int64 [COUNTS_SIZE], what there is in the table.
      keys: int64 [rows], buckets; EMPTY in free rows.
      regrets: float64 [rows, MAX_CLASSES].
      averages: float64 [rows, MAX_CLASSES], sums of policies.
      notes: float64 [decisions in two deals + 1, NOTE_SIZE], what will be added to the regrets when
        the iteration is over, as policies do not change within one.
    """

    counts: Vector
    keys: Vector
    regrets: FloatRows
    averages: FloatRows
    notes: FloatRows


@compiled
def _home(keys: Vector, bucket: int) -> int:
    """Where the search for a bucket begins, in a table whose length is a power of two."""
    word = np.uint64(bucket) * np.uint64(0x9E3779B97F4A7C15)
    word ^= word >> np.uint64(32)
    return int(word & np.uint64(len(keys) - 1))


@compiled
def find(keys: Vector, bucket: int) -> int:
    """The row of a bucket, else a free row as -2 - row, or EMPTY if there is none in reach.

    Open addressing: a bucket stands in the first row that was free, of the next 32 after its own.
    """
    row = _home(keys, bucket)
    for _ in range(_MOST_PROBES):
        if keys[row] == bucket:
            return row
        if keys[row] == EMPTY:
            return -2 - row
        row = (row + 1) & (len(keys) - 1)
    return EMPTY


@compiled
def _begin_bucket(choice: Vector, floats: Floats, weight: float, regrets: Floats) -> None:
    """The regrets of a new bucket: what the heuristic policy thinks, as if found by some updates.

    A warm start as in Brown and Sandholm, "Strategy-based warm starting for regret minimization in
    games", 2016, but by estimated values.
    """
    best = -1e9
    for kind in range(MAX_CLASSES):
        if choice[CANDIDATES + kind] != kernel.NONE:
            best = max(best, floats[WORTH + kind])
    for kind in range(MAX_CLASSES):
        if choice[CANDIDATES + kind] != kernel.NONE:
            regrets[kind] = weight * (floats[WORTH + kind] - best + _EDGE)


@compiled
def row_for(choice: Vector, floats: Floats, weight: float, table: BucketTable) -> int:
    """The row of a bucket, which is put in if it is new; EMPTY if there is no place for it."""
    row = find(table.keys, choice[BUCKET])
    if row < EMPTY:
        row = -2 - row
        table.keys[row] = choice[BUCKET]
        table.counts[NUM_BUCKETS] += 1
        _begin_bucket(choice, floats, weight * _TRUST, table.regrets[row])
    elif row == EMPTY:
        table.counts[NUM_REFUSED] += 1
    return row
