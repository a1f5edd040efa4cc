"""The sampler of full-pack CFR against exact values of a small pack."""

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from marjolet_spiel import kernel
from marjolet_spiel.array_types import Vector
from marjolet_spiel.cards import bits, mask_of
from marjolet_spiel.rules import Rules, ladder
from marjolet_spiel.solvers.blueprint.abstraction import (
    BUCKET,
    CANDIDATES,
    CHOICE_SIZE,
    MAX_CLASSES,
    describe,
    heuristic_policy,
)
from marjolet_spiel.solvers.blueprint.abstraction import SCRATCH_SIZE as DESCRIBE_SIZE
from marjolet_spiel.solvers.blueprint.buckets import (
    COUNTS_SIZE,
    EMPTY,
    NOTE_SIZE,
    NUM_BUCKETS,
    NUM_REFUSED,
    BucketTable,
    find,
    row_for,
)
from marjolet_spiel.solvers.blueprint.last_stock_trick import EXTRA_ROWS
from marjolet_spiel.solvers.blueprint.play import (
    BY_HEURISTIC,
    CURRENT,
    guide,
    match_regrets,
)
from marjolet_spiel.solvers.blueprint.training import MIN_ROWS, Training
from marjolet_spiel.solvers.endgame.table import endgame_table
from marjolet_spiel.solvers.search.leaves import solvable

Floats = NDArray[np.float64]

SMALL = ladder()["kqj7-draws"].rules
"""Two stock tricks, so that cards are drawn and decisions follow decisions."""


class Exact:
    """All that can happen in deals by player 0, with what a fixed table says is played.

    Attributes:
      regrets: float64 [rows, MAX_CLASSES], expected regrets of both players, summed over updates.
      averages: float64 [rows, MAX_CLASSES], expected additions to the averages.
    """

    def __init__(self, training: Training) -> None:
        """Walks through every deal."""
        self._keys, self._table = training._table.keys, training._table.regrets
        self._endgame = endgame_table(SMALL.sweep_bonus)
        self._arrays = self._endgame.arrays(EXTRA_ROWS)
        self._values: dict[bytes, float] = {}
        self.regrets = np.zeros_like(self._table)
        self.averages = np.zeros_like(self._table)
        deals = [*all_deals()]
        for pos in deals:
            for player in range(2):
                self._walk(pos, player, 1 / len(deals))

    def _describe(self, pos: Vector) -> tuple[int, list[int], Floats, Floats]:
        """Row, candidates, policy and guide of a decision."""
        choice, floats = np.zeros(CHOICE_SIZE, dtype=np.int64), np.zeros(DESCRIBE_SIZE)
        policy, guiding = np.zeros(MAX_CLASSES), np.zeros(MAX_CLASSES)
        found = describe(pos, choice, floats, self._arrays)
        row = int(find(self._keys, choice[BUCKET])) if found > 1 else EMPTY
        if row == EMPTY:
            heuristic_policy(choice, floats, policy)
        else:
            match_regrets(choice, self._table[row], floats, policy)
        guide(choice, floats, guiding)
        return row, choice[CANDIDATES:].tolist(), policy, guiding

    def value(self, pos: Vector) -> float:
        """What a position is worth to player 0 when both go by the table."""
        key = pos.tobytes()
        if key not in self._values:
            self._values[key] = self._value(pos)
        return self._values[key]

    def _value(self, pos: Vector) -> float:
        if solvable(pos):
            return float(self._endgame.value(pos))
        chances = chances_of(pos)
        if chances:
            return sum(self.value(child) for child in chances) / len(chances)
        legal = bits(int(kernel.legal_mask(pos)))
        if len(legal) == 1:
            return self.value(after(pos, legal[0]))
        _, candidates, policy, _ = self._describe(pos)
        pairs = zip(candidates, policy.tolist(), strict=True)
        return sum(p * self.value(after(pos, a)) for a, p in pairs if p > 0)

    def _walk(self, pos: Vector, player: int, reach: float) -> None:
        if solvable(pos):
            return
        chances = chances_of(pos)
        legal = bits(int(kernel.legal_mask(pos)))
        if chances:
            for child in chances:
                self._walk(child, player, reach / len(chances))
        elif len(legal) == 1:
            self._walk(after(pos, legal[0]), player, reach)
        else:
            self._decide(pos, player, reach)

    def _decide(self, pos: Vector, player: int, reach: float) -> None:
        row, candidates, policy, guiding = self._describe(pos)
        own = pos[kernel.PLAYER] == player
        if row != EMPTY and own:
            sign = 1 - 2 * player
            there = np.array(candidates) != kernel.NONE
            values = np.array(
                [sign * self.value(after(pos, a)) if a >= 0 else 0 for a in candidates]
            )
            self.regrets[row] += reach * np.where(there, values - policy @ values, 0)
        elif row != EMPTY:
            self.averages[row] += reach * policy
        chances = guiding if own else policy
        for action, chance in zip(candidates, chances.tolist(), strict=True):
            if chance > 0:
                self._walk(after(pos, action), player, reach * chance)


def all_deals() -> Iterator[Vector]:
    """Every deal by player 0, each as likely as any other."""
    pack = bits(SMALL.pack)
    for first in itertools.combinations(pack, SMALL.hand_size):
        rest = [card for card in pack if card not in first]
        for second in itertools.combinations(rest, SMALL.hand_size):
            for turned in rest:
                if turned not in second:
                    pos = kernel.initial_position(SMALL)
                    pos[kernel.HAND0], pos[kernel.HAND1] = mask_of(first), mask_of(second)
                    pos[kernel.DOWN] = SMALL.pack & ~mask_of([*first, *second])
                    pos[kernel.PHASE] = kernel.TURNING
                    yield after(pos, turned)


def chances_of(pos: Vector) -> list[Vector]:
    """The positions after each card that may be drawn."""
    if pos[kernel.PLAYER] != kernel.CHANCE:
        return []
    return [after(pos, card) for card in bits(int(kernel.chance_mask(pos)))]


def after(pos: Vector, action: int) -> Vector:
    """The position after an action or a card drawn."""
    child = pos.copy()
    assert kernel.apply(child, action)
    return child


def fixed_training() -> Training:
    """A training that knows every bucket, with regrets at random."""
    training = Training(SMALL, seed=3, rows=1 << 10)
    training.run(30_000)
    rng = np.random.default_rng(5)
    rows = training._table.keys != EMPTY
    training._table.regrets[rows] = rng.normal(0.3, 1, (rows.sum(), MAX_CLASSES))
    return training


def z_scores(samples: Floats, exact: Floats) -> Floats:
    """How many standard errors the means of samples are off, where there are enough of them."""
    often = ((samples != 0).sum(axis=0) >= 200) & (samples.std(axis=0) > 1e-6)
    errors = samples.std(axis=0)[often] / np.sqrt(len(samples))
    return (samples.mean(axis=0) - exact)[often] / errors


def test_regrets_and_averages_are_unbiased() -> None:
    training = fixed_training()
    exact = Exact(training)
    regrets, averages = training._table.regrets.copy(), training._table.averages.copy()
    buckets, rows = training.buckets, np.flatnonzero(training._table.keys != EMPTY)
    found: tuple[list[Floats], list[Floats]] = ([], [])
    for _ in range(40_000):
        training.run(1)
        weight = training.iterations
        found[0].append((training._table.regrets - regrets)[rows] / weight)
        found[1].append((training._table.averages - averages)[rows] / weight)
        training._table.regrets[:], training._table.averages[:] = regrets, averages
    assert training.buckets == buckets
    for samples, wanted in zip(found, (exact.regrets[rows], exact.averages[rows]), strict=True):
        scores = z_scores(np.array(samples), wanted)
        assert len(scores) >= 12
        assert np.abs(scores).max() < 4.5
        assert 0.5 < (scores**2).mean() < 2.5
    assert np.abs(exact.regrets).max() > 0.5


def test_weights_of_iterations_grow() -> None:
    """Averages get the number of the iteration for each decision of the other player."""
    training = Training(SMALL, seed=3, rows=1 << 10)
    training.run(1000)
    before = training._table.averages.sum()
    training.run(1)
    added = (training._table.averages.sum() - before) / 1001
    assert added == pytest.approx(round(added))
    assert added >= 0


# --- training -----------------------------------------------------------------------------------

TINY = Rules.of(ranks="AKQ7", hand_size=3)


def same(one: Training, other: Training) -> bool:
    """Whether two trainings have learnt the same."""
    return (
        one.iterations == other.iterations
        and (one._table.keys == other._table.keys).all()
        and (one._table.regrets == other._table.regrets).all()
        and (one._table.averages == other._table.averages).all()
        and (one._table.counts == other._table.counts).all()
    )


def test_training_depends_on_its_seed_alone() -> None:
    one, other, third = (Training(TINY, seed, rows=1 << 12) for seed in (1, 1, 2))
    one.run(300)
    other.run(100)
    other.run(200)
    third.run(300)
    assert same(one, other)
    assert not same(one, third)


def test_resumed_trainings_give_the_same_numbers(tmp_path: Path) -> None:
    whole, first = (Training(TINY, 5, rows=1 << 12) for _ in range(2))
    whole.run(500)
    first.run(200)
    first.save(tmp_path / "cfr.checkpoint")
    resumed = Training.load(tmp_path / "cfr.checkpoint", TINY)
    assert same(resumed, first)
    resumed.run(300)
    assert same(resumed, whole)
    assert resumed.margin(100) == whole.margin(100)


def test_training_beats_what_it_began_with() -> None:
    """Its first policy draws candidates as the heuristic policy values them."""
    training = Training(TINY, 1, rows=1 << 14)
    before, error = training.margin(20_000, mode=CURRENT)
    training.run(20_000)
    after, more_error = training.margin(20_000, mode=CURRENT)
    assert after - error - more_error > before
    assert training.buckets > 100
    assert training.refused == 0


def test_full_tables_are_no_obstacle() -> None:
    training = Training(Rules.of(), 1, rows=MIN_ROWS)
    training.run(100)
    assert training.refused > 0
    assert training.buckets <= MIN_ROWS
    assert len(training.policy().buckets) <= training.buckets


def test_margins_of_the_same_player_are_nothing() -> None:
    margin, half = Training(TINY).margin(1000, mode=BY_HEURISTIC)
    assert abs(margin) <= half


def test_averages_are_kept_as_shares() -> None:
    training = Training(TINY, 1, rows=1 << 12)
    training.run(500)
    policy = training.policy()
    assert (np.diff(policy.buckets) > 0).all()
    for bucket in policy.buckets.tolist():
        shares = np.array(policy.shares_of(bucket), dtype=float)
        average = training._table.averages[find(training._table.keys, bucket)]
        assert shares / shares.sum() == pytest.approx(average / average.sum(), abs=0.01)
    assert policy.shares_of(-5) is None
    assert policy.shares_of(int(policy.buckets[-1]) + 1) is None


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "seed": ({"seed": -1}, "seed: -1 is not allowed"),
    "no seed": ({"seed": True}, "seed: True is not allowed"),
    "rows": ({"rows": 1000}, "rows: 1000 is not allowed; it must be a power of two from 256"),
    "few rows": ({"rows": 128}, "rows: 128 is not allowed"),
    "many rows": ({"rows": 1 << 23}, "rows: 8388608 is not allowed"),
    "memory": ({"memory": 10_000}, "a table of 262,144 rows takes 27,262,976 bytes, but only"),
}


@pytest.mark.parametrize(("options", "why"), WRONG.values(), ids=WRONG.keys())
def test_wrong_arguments_are_refused(options: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        Training(TINY, **options)
    with pytest.raises(ValueError, match="iterations: -1 is not allowed"):
        Training(TINY).run(-1)


def test_buckets_are_found_where_they_were_put() -> None:
    """Open addressing: those that find no free row in reach are refused, the others found."""
    keys, counts = np.full(64, EMPTY, dtype=np.int64), np.zeros(COUNTS_SIZE, dtype=np.int64)
    choice, sums = np.zeros(CHOICE_SIZE, dtype=np.int64), np.zeros((64, MAX_CLASSES))
    table = BucketTable(counts, keys, sums, sums.copy(), np.zeros((1, NOTE_SIZE)))
    put = {}
    for bucket in range(0, 200 * 7919, 7919):
        choice[BUCKET] = bucket
        row = row_for(choice, np.zeros(DESCRIBE_SIZE), 1.0, table)
        if row != EMPTY:
            put[bucket] = row
    assert len(set(put.values())) == len(put) == counts[NUM_BUCKETS] == (keys != EMPTY).sum()
    assert counts[NUM_REFUSED] == 200 - len(put) >= 136
    for bucket in range(0, 200 * 7919, 7919):
        assert find(keys, bucket) == put.get(bucket, EMPTY)
