"""Counterfactual regrets by walking through the tree, in the order in which OpenSpiel adds them up.

Sums in another order differ in the last bits. Where two actions are worth exactly the same such a
bit may decide which of them is played, so two solvers that differ in nothing else may go different
ways. This one goes OpenSpiel's, to the last bit, and is slower than `sequence_form.py`. Forced
nodes are left out, and subtrees that the other player does not reach: both change no bit.
"""

import numpy as np

from marjolet_spiel.array_types import FloatRows, Floats, Vector
from marjolet_spiel.compiling import compiled, compiled_recursive
from marjolet_spiel.solvers.sequence_form import Discounts, Learnt, match_regrets
from marjolet_spiel.solvers.tabular.flat_tree import (
    MAX_OUTCOMES,
    OVER,
    TERMINAL,
    FlatTree,
    next_sibling,
)


@compiled_recursive
def add_regrets(
    tree: FlatTree,
    at: int,
    player: int,
    other_reach: float,
    chance_reach: float,
    learnt: Learnt,
    scratch: FloatRows,
    depth: int,
) -> float:
    """Adds a player's counterfactual regrets from `at` on; returns what it is worth to him.

    Args:
      tree: the game.
      at: where in its words.
      player: whose regrets.
      other_reach: the probability that the other player does his part to come here.
      chance_reach: that chance does.
      learnt: its regrets are added to.
      scratch: float64 [decisions and chance nodes in a game + 1, actions].
      depth: nodes before this one.
    """
    words, first = tree.words, tree.first
    word = np.int64(words[at])
    if word < OVER:
        return np.float64(word - TERMINAL if player == 0 else TERMINAL - word)
    begin, size = np.int64(0), (-1 - word) % MAX_OUTCOMES
    if word >= 0:
        begin, size = first[word], first[word + 1] - first[word]
    own = word >= 0 and (word >= tree.second) == (player == 1)
    values = scratch[depth]
    total = 0.0
    child = at + 2
    for number in range(size):
        share = learnt.policy[begin + number] if word >= 0 else tree.shares[-1 - word, number]
        after_other, after_chance = other_reach, chance_reach
        if word < 0:
            after_chance *= share
        elif not own:
            after_other *= share
        value = 0.0
        if after_other > 0.0:
            value = add_regrets(
                tree, child, player, after_other, after_chance, learnt, scratch, depth + 1
            )
        values[number] = value
        total += share * value
        child = next_sibling(words, child)
    if own:
        for number in range(size):
            learnt.regrets[begin + number] += other_reach * chance_reach * (values[number] - total)
    return total


@compiled
def settle(first: Vector, plan: Floats, discounts: Discounts, learnt: Learnt) -> None:
    """Ends an update of a player: what `sequence_form.learn` does beside adding regrets."""
    regrets, averages, policy = learnt
    shift = 1 - first[0]
    for i in range(len(first) - 1):
        for entry in range(first[i], first[i + 1]):
            regrets[entry] *= discounts.positive if regrets[entry] >= 0.0 else discounts.negative
            averages[entry] += discounts.weight * plan[entry + shift]
        match_regrets(regrets, first[i], first[i + 1], policy, first[i])
