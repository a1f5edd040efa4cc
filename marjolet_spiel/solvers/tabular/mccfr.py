"""Monte Carlo counterfactual regret minimization on a flat tree, compiled.

External and outcome sampling of Lanctot, Waugh, Zinkevich and Bowling, "Monte Carlo sampling for
regret minimization in extensive games", 2009. As in OpenSpiel external sampling adds to the
averages the policy of whoever is not updated where it is sampled, outcome sampling that of the
updated player by his probability to come there over the probability that the sample did.

What chance does is sampled as it is, so its probability cancels out of the regrets; we leave it out
of the averages too: it is a constant of an information set, and large weights make noise.
"""

import numpy as np

from marjolet_spiel.array_types import FloatRows, Floats, Ints, Vector
from marjolet_spiel.compiling import compiled, compiled_recursive
from marjolet_spiel.sampling import below, next_word
from marjolet_spiel.solvers.sequence_form import match_regrets
from marjolet_spiel.solvers.tabular.walk import MAX_OUTCOMES, OVER, TERMINAL, next_sibling

MAX_ACTIONS = 64
"""The length of a row of scratch space; no node has so many actions."""

_FRACTION = 1.0 / (1 << 53)


@compiled
def _uniform(rng: Vector) -> float:
    """A random number from 0 up to 1, without 1."""
    return np.float64(next_word(rng) >> np.uint64(11)) * _FRACTION


@compiled
def _child(words: Ints, at: int, number: int) -> int:
    """Where child `number` of the node at `at` stands."""
    child = at + 2
    for _ in range(number):
        child = next_sibling(words, child)
    return child


@compiled
def _pick(shares: Floats, n: int, draw: float) -> int:
    """The place in a distribution over n that a number from 0 up to 1 falls into."""
    last = 0
    for i in range(n):
        if shares[i] > 0.0:
            last = i
            draw -= shares[i]
            if draw < 0.0:
                return i
    return last  # the sum was below 1 by rounding


@compiled
def _past_chance(words: Ints, at: int, shares: FloatRows, rng: Vector) -> int:
    """The first place from `at` on that is no chance node, outcomes drawn at random."""
    while OVER <= words[at] < 0:
        kind = -1 - np.int64(words[at])
        outcomes = kind % MAX_OUTCOMES
        if kind < MAX_OUTCOMES:
            number = below(rng, outcomes)
        else:
            number = _pick(shares[kind], outcomes, _uniform(rng))
        at = _child(words, at, number)
    return at


@compiled_recursive
def sample_externally(
    words: Ints,
    at: int,
    player: int,
    second: int,
    first: Vector,
    shares: FloatRows,
    regrets: Floats,
    averages: Floats,
    scratch: FloatRows,
    depth: int,
    rng: Vector,
) -> float:
    """One traversal that updates a player; an unbiased estimate of what `at` is worth to him.

    Args:
      words: int32 [words], the flat tree (`walk.flatten`).
      at: where in it.
      player: who is updated.
      second: the first information set of player 1.
      first: int64 [sets + 1].
      shares: float64 [kinds, outcomes], the distributions of chance nodes.
      regrets: float64 [entries], updated for the player.
      averages: float64 [entries], updated for the other one.
      scratch: float64 [2 * (decisions in a game + 1), MAX_ACTIONS].
      depth: decisions before this one.
      rng: a generator (`sampling.py`).
    """
    at = _past_chance(words, at, shares, rng)
    if words[at] < OVER:
        value = np.float64(words[at] - TERMINAL)
        return value if player == 0 else -value
    begin, end = first[words[at]], first[words[at] + 1]
    policy, values = scratch[2 * depth], scratch[2 * depth + 1]
    match_regrets(regrets, begin, end, policy, 0)
    own = (words[at] >= second) == (player == 1)
    if not own:
        for entry in range(begin, end):
            averages[entry] += policy[entry - begin]
        child = _child(words, at, _pick(policy, end - begin, _uniform(rng)))
        arrays = (first, shares, regrets, averages, scratch, depth + 1, rng)
        return sample_externally(words, child, player, second, *arrays)
    mean = 0.0
    child = at + 2
    for number in range(end - begin):
        arrays = (first, shares, regrets, averages, scratch, depth + 1, rng)
        values[number] = sample_externally(words, child, player, second, *arrays)
        mean += policy[number] * values[number]
        child = next_sibling(words, child)
    for number in range(end - begin):
        regrets[begin + number] += values[number] - mean
    return mean


@compiled_recursive
def sample_outcome(
    words: Ints,
    at: int,
    player: int,
    second: int,
    explored: float,
    own_reach: float,
    other_reach: float,
    sample_reach: float,
    first: Vector,
    shares: FloatRows,
    regrets: Floats,
    averages: Floats,
    scratch: FloatRows,
    depth: int,
    rng: Vector,
) -> float:
    """One game that updates a player; an unbiased estimate of what `at` is worth to him.

    Args:
      words: as for `sample_externally`, and so are the arguments that are not below.
      at: where in it.
      player: who is updated.
      second: the first information set of player 1.
      explored: how much of the time the player's action is drawn uniformly.
      own_reach: the probability that he comes here, as far as he decides it.
      other_reach: as far as the other one decides it.
      sample_reach: the probability that the sample comes here, as far as chance does not decide it.
      first: int64 [sets + 1].
      shares: float64 [kinds, outcomes].
      regrets: float64 [entries], updated for the player.
      averages: float64 [entries], updated for the player.
      scratch: float64 [2 * (decisions in a game + 1), MAX_ACTIONS].
      depth: decisions before this one.
      rng: a generator.
    """
    at = _past_chance(words, at, shares, rng)
    if words[at] < OVER:
        value = np.float64(words[at] - TERMINAL)
        return value if player == 0 else -value
    begin, end = first[words[at]], first[words[at] + 1]
    size = end - begin
    policy, drawn_from = scratch[2 * depth], scratch[2 * depth + 1]
    match_regrets(regrets, begin, end, policy, 0)
    own = (words[at] >= second) == (player == 1)
    for i in range(size):
        drawn_from[i] = explored / size + (1.0 - explored) * policy[i] if own else policy[i]
    number = _pick(drawn_from, size, _uniform(rng))
    value = sample_outcome(
        words,
        _child(words, at, number),
        player,
        second,
        explored,
        own_reach * policy[number] if own else own_reach,
        other_reach if own else other_reach * policy[number],
        sample_reach * drawn_from[number],
        first,
        shares,
        regrets,
        averages,
        scratch,
        depth + 1,
        rng,
    )
    if not own:
        return value
    value /= drawn_from[number]
    mean = policy[number] * value
    for i in range(size):
        gain = (value if i == number else 0.0) - mean
        regrets[begin + i] += gain * other_reach / sample_reach
        averages[begin + i] += own_reach * policy[i] / sample_reach
    return mean


@compiled
def run_external(
    begin: int,
    end: int,
    words: Ints,
    second: int,
    first: Vector,
    shares: FloatRows,
    regrets: Floats,
    averages: Floats,
    scratch: FloatRows,
    rng: Vector,
) -> None:
    """Iterations of external sampling, each of which updates both players in turn."""
    for _ in range(begin, end):
        for player in range(2):
            arrays = (first, shares, regrets, averages, scratch, 0, rng)
            sample_externally(words, 0, player, second, *arrays)


@compiled
def run_outcome(
    begin: int,
    end: int,
    words: Ints,
    second: int,
    explored: float,
    first: Vector,
    shares: FloatRows,
    regrets: Floats,
    averages: Floats,
    scratch: FloatRows,
    rng: Vector,
) -> None:
    """Iterations of outcome sampling, a game each; they update the players by turns."""
    for iteration in range(begin, end):
        arrays = (first, shares, regrets, averages, scratch, 0, rng)
        sample_outcome(words, 0, iteration % 2, second, explored, 1.0, 1.0, 1.0, *arrays)
