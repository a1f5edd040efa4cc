"""Monte Carlo counterfactual regret minimization on a flat tree, compiled.

External and outcome sampling of Lanctot, Waugh, Zinkevich and Bowling, "Monte Carlo sampling for
regret minimization in extensive games", 2009. As in OpenSpiel external sampling adds to the
averages the policy of whoever is not updated where it is sampled, outcome sampling that of the
updated player by his probability to come there over the probability that the sample did.

What chance does is sampled as it is, so its probability cancels out of the regrets; we leave it out
of the averages too: it is a constant of an information set, and large weights make noise.
"""

from typing import NamedTuple

import numpy as np

from marjolet_spiel.array_types import FloatRows, Floats, Ints, Vector
from marjolet_spiel.compiling import compiled, compiled_recursive
from marjolet_spiel.sampling import below, pick
from marjolet_spiel.solvers.sequence_form import match_regrets
from marjolet_spiel.solvers.tabular.flat_tree import (
    MAX_OUTCOMES,
    OVER,
    TERMINAL,
    FlatTree,
    next_sibling,
)

MAX_ACTIONS = 64
"""The length of a row of scratch; no node has so many actions."""


class SamplingArrays(NamedTuple):
    """What is learnt, and what sampling works in.

    Attributes:
      regrets: float64 [entries].
      averages: float64 [entries].
      scratch: float64 [2 * (decisions in a game + 1), MAX_ACTIONS].
      rng: a generator (`sampling.py`).
    """

    regrets: Floats
    averages: Floats
    scratch: FloatRows
    rng: Vector


class Reach(NamedTuple):
    """How likely a history is that is sampled for a player.

    Attributes:
      own: the probability that he comes there, as far as he decides it.
      other: as far as the other one decides it.
      sample: the probability that the sample comes there, as far as chance does not decide it.
    """

    own: float
    other: float
    sample: float


@compiled
def _child(words: Ints, at: int, number: int) -> int:
    """Where child `number` of the node at `at` stands."""
    child = at + 2
    for _ in range(number):
        child = next_sibling(words, child)
    return child


@compiled
def _past_chance(words: Ints, at: int, shares: FloatRows, rng: Vector) -> int:
    """The first place from `at` on that is no chance node, outcomes drawn at random."""
    while OVER <= words[at] < 0:
        kind = -1 - np.int64(words[at])
        outcomes = kind % MAX_OUTCOMES
        even = kind < MAX_OUTCOMES
        number = below(rng, outcomes) if even else pick(shares[kind], outcomes, rng)
        at = _child(words, at, number)
    return at


@compiled_recursive
def sample_externally(
    tree: FlatTree, at: int, player: int, depth: int, arrays: SamplingArrays
) -> float:
    """One traversal that updates a player; an unbiased estimate of what `at` is worth to him.

    Args:
      tree: the game.
      at: where in its words.
      player: who is updated.
      depth: decisions before this one.
      arrays: regrets are updated for the player, averages for the other one.
    """
    words, first = tree.words, tree.first
    regrets, averages, scratch, rng = arrays
    at = _past_chance(words, at, tree.shares, rng)
    if words[at] < OVER:
        value = np.float64(words[at] - TERMINAL)
        return value if player == 0 else -value
    begin, end = first[words[at]], first[words[at] + 1]
    policy, values = scratch[2 * depth], scratch[2 * depth + 1]
    match_regrets(regrets, begin, end, policy, 0)
    own = (words[at] >= tree.second) == (player == 1)
    if not own:
        for entry in range(begin, end):
            averages[entry] += policy[entry - begin]
        child = _child(words, at, pick(policy, end - begin, rng))
        return sample_externally(tree, child, player, depth + 1, arrays)
    mean = 0.0
    child = at + 2
    for number in range(end - begin):
        values[number] = sample_externally(tree, child, player, depth + 1, arrays)
        mean += policy[number] * values[number]
        child = next_sibling(words, child)
    for number in range(end - begin):
        regrets[begin + number] += values[number] - mean
    return mean


@compiled_recursive
def sample_outcome(
    tree: FlatTree,
    at: int,
    player: int,
    explored: float,
    reach: Reach,
    depth: int,
    arrays: SamplingArrays,
) -> float:
    """One game that updates a player; an unbiased estimate of what `at` is worth to him.

    Args:
      tree: the game.
      at: where in its words.
      player: who is updated.
      explored: how much of the time the player's action is drawn uniformly.
      reach: how likely `at` is.
      depth: decisions before this one.
      arrays: regrets and averages are updated for the player.
    """
    words, first = tree.words, tree.first
    regrets, averages, scratch, rng = arrays
    at = _past_chance(words, at, tree.shares, rng)
    if words[at] < OVER:
        value = np.float64(words[at] - TERMINAL)
        return value if player == 0 else -value
    begin, end = first[words[at]], first[words[at] + 1]
    size = end - begin
    policy, drawn_from = scratch[2 * depth], scratch[2 * depth + 1]
    match_regrets(regrets, begin, end, policy, 0)
    own = (words[at] >= tree.second) == (player == 1)
    for i in range(size):
        drawn_from[i] = explored / size + (1.0 - explored) * policy[i] if own else policy[i]
    number = pick(drawn_from, size, rng)
    after = Reach(
        reach.own * policy[number] if own else reach.own,
        reach.other if own else reach.other * policy[number],
        reach.sample * drawn_from[number],
    )
    child = _child(words, at, number)
    value = sample_outcome(tree, child, player, explored, after, depth + 1, arrays)
    if not own:
        return value
    value /= drawn_from[number]
    mean = policy[number] * value
    for i in range(size):
        gain = (value if i == number else 0.0) - mean
        regrets[begin + i] += gain * reach.other / reach.sample
        averages[begin + i] += reach.own * policy[i] / reach.sample
    return mean


@compiled
def run_external(begin: int, end: int, tree: FlatTree, arrays: SamplingArrays) -> None:
    """Iterations of external sampling, each of which updates both players in turn."""
    for _ in range(begin, end):
        for player in range(2):
            sample_externally(tree, 0, player, 0, arrays)


@compiled
def run_outcome(
    begin: int, end: int, tree: FlatTree, explored: float, arrays: SamplingArrays
) -> None:
    """Iterations of outcome sampling, a game each; they update the players by turns."""
    for iteration in range(begin, end):
        start = Reach(1.0, 1.0, 1.0)
        sample_outcome(tree, 0, iteration % 2, explored, start, 0, arrays)
