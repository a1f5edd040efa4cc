"""Monte Carlo counterfactual regret minimization over buckets, in compiled code.

An iteration plays two deals, one to update each player. The player who is updated goes by a fixed
*guide*, the heuristic policy with some exploration; the other one by his policy of the iteration.
At each decision of the updated player all candidates are tried: each is followed to the end of the
stock, where the endgame table has the value. There both players go by their policies, and all
candidates meet the same hidden cards, the same order of the stock and the same random numbers.

What a candidate brings so more than the policy has the regret of the information state as its mean,
times the chance that the deal comes there. That is made of what chance and the opponent do, as it
should be, and of what the guide does. Since the guide never changes, the latter is a constant of
the information state: regret matching does not notice it, and there are no weights, whose variance
is what makes outcome sampling slow. Within a bucket it says how much each information state counts.

What it is made of:

- All actions tried from states that a policy samples, averages at the decisions of the other one:
  external sampling of Lanctot, Waugh, Zinkevich and Bowling, "Monte Carlo sampling for regret
  minimization in extensive games", 2009; robust sampling of Li, Hu, Zhang, Qi and Song, "Double
  neural counterfactual regret minimization", 2020.
- A fixed policy of the updated player instead of weights: McAleer, Farina, Lanctot and Sandholm,
  "ESCHER: eschewing importance sampling in games by computing a history value function to estimate
  regret", 2023.
- Iteration t counts t times: linear CFR of Brown and Sandholm, "Solving imperfect-information games
  via discounted regret minimization", 2019.

Buckets make of it a game of imperfect recall, for which no theorem promises an equilibrium.
"""

from typing import NamedTuple

import numpy as np

from marjolet_spiel import kernel
from marjolet_spiel.array_types import FloatRows, Floats, Vector, VectorRows
from marjolet_spiel.compiling import compiled, compiled_recursive, lowest
from marjolet_spiel.kernel import copy_to
from marjolet_spiel.sampling import COUNTER, KEY, deal_randomly, next_word, order_stock
from marjolet_spiel.solvers.blueprint.abstraction import (
    BUCKET,
    CANDIDATES,
    MAX_CLASSES,
    WORTH,
    describe,
    heuristic_policy,
)
from marjolet_spiel.solvers.blueprint.abstraction import HEURISTIC as HEURISTIC_SCRATCH
from marjolet_spiel.solvers.blueprint.abstraction import SCRATCH_SIZE as DESCRIBE_SIZE
from marjolet_spiel.solvers.endgame.alpha_beta import EndgameArrays
from marjolet_spiel.solvers.endgame.match_equity import payoff
from marjolet_spiel.solvers.search.leaves import exact_leaf, solvable
from marjolet_spiel.solvers.search.rollouts import HEURISTIC, next_card, roll_action

EMPTY = -1
"""In place of a bucket where a table has none."""

# What a player goes by: the heuristic policy alone (`rollouts.HEURISTIC`); a policy that matches
# regrets (or weights of an average); the most likely candidate of that policy.
BY_HEURISTIC, CURRENT, PURE = range(3)

# Counts, an int64 vector: buckets in the table, how often one found no place, decisions updated.
NUM_BUCKETS, NUM_REFUSED, NUM_UPDATES = range(3)
COUNTS_SIZE = 3

NOTE_SIZE = MAX_CLASSES + 1
"""Regrets of a decision, and its row; the first place of the first row counts the notes."""

_MOST_PROBES = 32
_TRUST = 50.0  # the heuristic policy counts as much as so many updates of a new bucket
_EDGE = 1.0  # what it sees in its favourite beyond its value, in points
_EXPLORED = 0.1  # how much of the time the guide takes any candidate
_FRACTION = 1.0 / (1 << 53)

# What is worked with, float64: the policies of whoever is on turn, of the guide and on the way,
# values of candidates, scratch for `describe`.
_POLICY, _GUIDE, _ROLLED, VALUES, _DESCRIBE = (i * MAX_CLASSES for i in range(5))
FLOATS_SIZE = _DESCRIBE + DESCRIBE_SIZE


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


class Scratch(NamedTuple):
    """What compiled code works in.

    Attributes:
      positions: int64 [2, kernel.SIZE].
      rng: a generator (`sampling.generator`).
      choices: int64 [2, CHOICE_SIZE].
      floats: float64 [FLOATS_SIZE].
    """

    positions: VectorRows
    rng: Vector
    choices: VectorRows
    floats: Floats


@compiled
def _uniform(rng: Vector) -> float:
    """A random number from 0 up to 1, without 1."""
    return np.float64(next_word(rng) >> np.uint64(11)) * _FRACTION


@compiled
def _pick(policy: Floats, rng: Vector) -> int:
    """A class drawn from a policy."""
    draw, last = _uniform(rng), 0
    for kind in range(MAX_CLASSES):
        if policy[kind] > 0.0:
            last = kind
            draw -= policy[kind]
            if draw < 0.0:
                return kind
    return last  # the sum was below 1 by rounding


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
def match_regrets(choice: Vector, regrets: Floats, floats: Floats, policy: Floats) -> None:
    """Candidates in proportion to their positive weights; without one, the heuristic policy."""
    total = 0.0
    for kind in range(MAX_CLASSES):
        policy[kind] = 0.0
        if choice[CANDIDATES + kind] != kernel.NONE:
            policy[kind] = max(0.0, regrets[kind])
            total += policy[kind]
    if total == 0.0:
        heuristic_policy(choice, floats, policy)
        return
    for kind in range(MAX_CLASSES):
        policy[kind] /= total


@compiled
def _purify(policy: Floats) -> None:
    """Leaves the most likely class alone, the first of equal ones."""
    best = 0
    for kind in range(MAX_CLASSES):
        if policy[kind] > policy[best]:
            best = kind
    for kind in range(MAX_CLASSES):
        policy[kind] = 1.0 if kind == best else 0.0


@compiled
def _policy_of_row(
    choice: Vector, row: int, weights: FloatRows, floats: Floats, policy: Floats
) -> None:
    """The policy of a decision if its bucket is in a row; else the heuristic one."""
    if row >= 0:
        match_regrets(choice, weights[row], floats, policy)
    else:
        heuristic_policy(choice, floats, policy)


@compiled
def policy_at(
    choice: Vector, mode: int, keys: Vector, weights: FloatRows, floats: Floats, policy: Floats
) -> None:
    """The policy of a player at a decision.

    Args:
      choice, floats: as `describe` has filled them in.
      mode: what the player goes by.
      keys: int64 [rows], the buckets of a table.
      weights: float64 [rows, MAX_CLASSES], regrets or averages.
      policy: float64 [MAX_CLASSES], filled in.
    """
    _policy_of_row(choice, find(keys, choice[BUCKET]), weights, floats, policy)
    if mode == PURE:
        _purify(policy)


@compiled
def _goes_on(pos: Vector, rng: Vector) -> bool:
    """Draws the next card or takes the only legal action; False, and nothing done, at a choice."""
    if pos[kernel.PLAYER] == kernel.CHANCE:
        kernel.apply_chance(pos, next_card(pos, rng))
        return True
    legal = kernel.legal_mask(pos)
    if legal & (legal - 1):
        return False
    kernel.apply_decision(pos, lowest(legal))
    return True


@compiled
def _take(pos: Vector, choice: Vector, policy: Floats, rng: Vector) -> None:
    """Takes a candidate drawn from a policy."""
    kernel.apply_decision(pos, choice[CANDIDATES + _pick(policy, rng)])


@compiled_recursive
def play_on(
    pos: Vector,
    mode0: int,
    mode1: int,
    keys: Vector,
    weights: FloatRows,
    scratch: Scratch,
    endgame: EndgameArrays,
) -> float:
    """Plays a deal on, in place, to the end of the stock; what it is worth to player 0.

    Args:
      pos: a position of a deal whose stock has its order in ``scratch.rng``.
      mode0, mode1: what each player goes by.
      keys, weights: a table, as for `policy_at`.
      scratch: arrays to work in; the second choice is overwritten.
      endgame: for `exact_leaf`.
    """
    rng, choice = scratch.rng, scratch.choices[1]
    policy, within = scratch.floats[_ROLLED:], scratch.floats[_DESCRIBE:]
    while pos[kernel.PLAYER] != kernel.OVER_PLAYER:
        if solvable(pos):
            return float(exact_leaf(pos, endgame))
        if _goes_on(pos, rng):
            continue
        mode = mode0 if pos[kernel.PLAYER] == 0 else mode1
        if mode == BY_HEURISTIC:
            kernel.apply_decision(pos, roll_action(pos, rng, HEURISTIC, within[HEURISTIC_SCRATCH:]))
            continue
        describe(pos, choice, within, endgame)
        policy_at(choice, mode, keys, weights, within, policy)
        _take(pos, choice, policy, rng)
    return float(payoff(pos))


@compiled
def guide(choice: Vector, floats: Floats, policy: Floats) -> None:
    """How the updated player goes through a deal: sensibly, with some exploration."""
    heuristic_policy(choice, floats, policy)
    found = 0
    for kind in range(MAX_CLASSES):
        found += choice[CANDIDATES + kind] != kernel.NONE
    for kind in range(MAX_CLASSES):
        if choice[CANDIDATES + kind] != kernel.NONE:
            policy[kind] = _EXPLORED / found + (1.0 - _EXPLORED) * policy[kind]


@compiled_recursive
def try_candidates(
    pos: Vector,
    tried: Vector,
    keys: Vector,
    regrets: FloatRows,
    scratch: Scratch,
    endgame: EndgameArrays,
) -> None:
    """What each of some candidates is worth to the player on turn, into the scratch's VALUES.

    Args:
      pos: the position; it stays as it is, and so does the generator.
      tried: int64 [CHOICE_SIZE], the candidates as `describe` gives them.
      keys, regrets, scratch, endgame: as for `play_on`; the second position is overwritten too.
    """
    rng, floats, twin = scratch.rng, scratch.floats, scratch.positions[1]
    counter = rng[COUNTER]
    sign = 1.0 - 2.0 * pos[kernel.PLAYER]
    for kind in range(MAX_CLASSES):
        floats[VALUES + kind] = 0.0
        if tried[CANDIDATES + kind] != kernel.NONE:
            copy_to(pos, twin)
            rng[COUNTER] = counter
            kernel.apply_decision(twin, tried[CANDIDATES + kind])
            value = play_on(twin, CURRENT, CURRENT, keys, regrets, scratch, endgame)
            floats[VALUES + kind] = sign * value
    rng[COUNTER] = counter


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
def _row_for(choice: Vector, floats: Floats, weight: float, table: BucketTable) -> int:
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


@compiled
def _note(
    choice: Vector, policy: Floats, floats: Floats, weight: float, row: int, notes: FloatRows
) -> None:
    """Notes the regrets of a decision whose candidates were tried."""
    number = int(notes[0, 0]) + 1
    mean = 0.0
    for kind in range(MAX_CLASSES):
        mean += policy[kind] * floats[VALUES + kind]
    for kind in range(MAX_CLASSES):
        there = choice[CANDIDATES + kind] != kernel.NONE
        notes[number, kind] = weight * (floats[VALUES + kind] - mean) if there else 0.0
    notes[number, MAX_CLASSES] = float(row)
    notes[0, 0] = float(number)


@compiled
def _add_notes(notes: FloatRows, regrets: FloatRows) -> None:
    """Adds what was noted to the regrets."""
    for number in range(1, int(notes[0, 0]) + 1):
        row = int(notes[number, MAX_CLASSES])
        for kind in range(MAX_CLASSES):
            regrets[row, kind] += notes[number, kind]
    notes[0, 0] = 0.0


@compiled_recursive
def sample_deal(
    pos: Vector,
    player: int,
    weight: float,
    table: BucketTable,
    scratch: Scratch,
    endgame: EndgameArrays,
) -> None:
    """Plays a deal on, in place, to the end of the stock, for the update of a player.

    Args:
      pos: a position of a deal whose stock has its order in ``scratch.rng``.
      player: who is updated; the averages are those of the other one.
      weight: how much the deal counts.
      table: what was learnt; its regrets stay, and what will be added to them is noted.
      scratch, endgame: as for `play_on`.
    """
    rng, choice, floats = scratch.rng, scratch.choices[0], scratch.floats
    policy, guiding = floats[_POLICY:_GUIDE], floats[_GUIDE:_ROLLED]
    within = floats[_DESCRIBE:]
    while pos[kernel.PLAYER] != kernel.OVER_PLAYER and not solvable(pos):
        if _goes_on(pos, rng):
            continue
        found = describe(pos, choice, within, endgame)
        row = _row_for(choice, within, weight, table) if found > 1 else EMPTY
        _policy_of_row(choice, row, table.regrets, within, policy)
        if pos[kernel.PLAYER] != player:
            if row != EMPTY:
                for kind in range(MAX_CLASSES):
                    table.averages[row, kind] += weight * policy[kind]
            _take(pos, choice, policy, rng)
            continue
        guide(choice, within, guiding)
        action = choice[CANDIDATES + _pick(guiding, rng)]
        if row != EMPTY:
            try_candidates(pos, choice, table.keys, table.regrets, scratch, endgame)
            _note(choice, policy, floats, weight, row, table.notes)
            table.counts[NUM_UPDATES] += 1
        kernel.apply_decision(pos, action)


@compiled
def _deal(start: Vector, pos: Vector, rng: Vector, seed: int) -> None:
    """A deal with all that is random in it from one number, whose parity says who deals."""
    copy_to(start, pos)
    rng[KEY] = seed
    rng[COUNTER] = 0
    kernel.start_deal(pos, seed & 1)
    pos[kernel.DEAL] = 1
    deal_randomly(pos, rng)
    order_stock(pos, rng)


@compiled_recursive
def learn(
    start: Vector,
    root: int,
    begin: int,
    end: int,
    table: BucketTable,
    scratch: Scratch,
    endgame: EndgameArrays,
) -> None:
    """Runs iterations. What is random in one depends on the root and on its number alone.

    Args:
      start: the position before the first deal.
      root: the seed of all.
      begin: the first iteration, from 0.
      end: the one after the last.
      table, scratch, endgame: as for `sample_deal`.
    """
    rng, pos = scratch.rng, scratch.positions[0]
    for iteration in range(begin, end):
        rng[KEY] = root
        rng[COUNTER] = iteration
        seed = np.int64(next_word(rng))
        for player in range(2):
            _deal(start, pos, rng, seed ^ player)
            sample_deal(pos, player, iteration + 1.0, table, scratch, endgame)
        _add_notes(table.notes, table.regrets)


@compiled_recursive
def duel(
    start: Vector,
    seeds: Vector,
    mode: int,
    other: int,
    table: BucketTable,
    scratch: Scratch,
    endgame: EndgameArrays,
    margins: Floats,
) -> None:
    """Plays deals twice, with seats swapped; the mean difference in points of each pair.

    Args:
      start: the position before the first deal.
      seeds: int64 [n], of the pairs.
      mode: what the first player goes by, with the averages of the table.
      other: what his opponent goes by.
      table, scratch, endgame: as for `sample_deal`.
      margins: float64 [n], filled in for the first player.
    """
    pos, policy = scratch.positions[0], (table.keys, table.averages, scratch, endgame)
    for i in range(len(seeds)):
        _deal(start, pos, scratch.rng, seeds[i])
        margins[i] = 0.5 * play_on(pos, mode, other, *policy)
        _deal(start, pos, scratch.rng, seeds[i])
        margins[i] -= 0.5 * play_on(pos, other, mode, *policy)
