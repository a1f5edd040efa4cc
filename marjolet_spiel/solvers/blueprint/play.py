"""How deals are played by policies over buckets, in compiled code."""

from typing import NamedTuple

from marjolet_spiel import kernel
from marjolet_spiel.array_types import FloatRows, Floats, Vector, VectorRows
from marjolet_spiel.compiling import compiled, compiled_recursive, lowest
from marjolet_spiel.kernel import copy_to
from marjolet_spiel.sampling import COUNTER, KEY, deal_randomly, order_stock, pick
from marjolet_spiel.solvers.blueprint.abstraction import (
    BUCKET,
    CANDIDATES,
    MAX_CLASSES,
    describe,
    heuristic_policy,
)
from marjolet_spiel.solvers.blueprint.abstraction import HEURISTIC as HEURISTIC_SCRATCH
from marjolet_spiel.solvers.blueprint.abstraction import SCRATCH_SIZE as DESCRIBE_SIZE
from marjolet_spiel.solvers.blueprint.buckets import BucketTable, find
from marjolet_spiel.solvers.endgame.alpha_beta import EndgameArrays
from marjolet_spiel.solvers.endgame.match_equity import payoff
from marjolet_spiel.solvers.search.leaves import exact_leaf, solvable
from marjolet_spiel.solvers.search.rollouts import HEURISTIC, next_card, roll_action

# What a player goes by: the heuristic policy alone (`rollouts.HEURISTIC`); a policy that matches
# regrets (or weights of an average); the most likely candidate of that policy.
BY_HEURISTIC, CURRENT, PURE = range(3)

_EXPLORED = 0.1  # how much of the time the guide takes any candidate

# What is worked with, float64: the policies of whoever is on turn, of the guide and on the way,
# values of candidates, scratch for `describe`.
POLICY, GUIDE, ROLLED, VALUES, DESCRIBE = (i * MAX_CLASSES for i in range(5))
FLOATS_SIZE = DESCRIBE + DESCRIBE_SIZE


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
def policy_of_row(
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
    policy_of_row(choice, find(keys, choice[BUCKET]), weights, floats, policy)
    if mode == PURE:
        _purify(policy)


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


@compiled
def goes_on(pos: Vector, rng: Vector) -> bool:
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
def take(pos: Vector, choice: Vector, policy: Floats, rng: Vector) -> None:
    """Takes a candidate drawn from a policy."""
    kernel.apply_decision(pos, choice[CANDIDATES + pick(policy, MAX_CLASSES, rng)])


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
    policy, within = scratch.floats[ROLLED:], scratch.floats[DESCRIBE:]
    while pos[kernel.PLAYER] != kernel.OVER_PLAYER:
        if solvable(pos):
            return float(exact_leaf(pos, endgame))
        if goes_on(pos, rng):
            continue
        mode = mode0 if pos[kernel.PLAYER] == 0 else mode1
        if mode == BY_HEURISTIC:
            kernel.apply_decision(pos, roll_action(pos, rng, HEURISTIC, within[HEURISTIC_SCRATCH:]))
            continue
        describe(pos, choice, within, endgame)
        policy_at(choice, mode, keys, weights, within, policy)
        take(pos, choice, policy, rng)
    return float(payoff(pos))


@compiled
def deal_from(start: Vector, pos: Vector, rng: Vector, seed: int) -> None:
    """A deal with all that is random in it from one number, whose parity says who deals."""
    copy_to(start, pos)
    rng[KEY] = seed
    rng[COUNTER] = 0
    kernel.start_deal(pos, seed & 1)
    pos[kernel.DEAL] = 1
    deal_randomly(pos, rng)
    order_stock(pos, rng)


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
        deal_from(start, pos, scratch.rng, seeds[i])
        margins[i] = 0.5 * play_on(pos, mode, other, *policy)
        deal_from(start, pos, scratch.rng, seeds[i])
        margins[i] -= 0.5 * play_on(pos, other, mode, *policy)
