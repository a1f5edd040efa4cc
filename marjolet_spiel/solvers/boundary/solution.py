"""The last stock trick solved: an equilibrium, exact best responses, and what they are worth.

::

    boundary = solve_boundary(state)  # before the last stock trick, or within it
    boundary.value, boundary.nash_conv  # points of player 0; how far from an equilibrium
    boundary.policy(player, hand, actions)  # the probability of each action
    boundary.best_response_value(strategy, player)  # the most he gets against a strategy

Before the trick each player has at most seven opponents' hands to reckon with, and there are at
most 12,012 deals with a full pack; after it both hands are known by counting. So this is a small
game whose leaves are exact: by the endgame table, and by alpha-beta where melds are left to
declare or a match is played. Beliefs are what the caller says, uniform by default: all deals that
fit what everybody has seen are equally likely, whatever the players' choices before may tell.

With a full pack and nothing known there are about 30,000 information sets and half a million ends.
To 0.1 points it takes 20 to 40 iterations: 0.4 s in all on one core (median of the English rules)
and 100 MB, of which 12 MB are kept. Dutch positions with many melds left take up to some seconds,
as do matches, in which every end is searched.
"""

from collections.abc import Sequence
from functools import cached_property
from math import nan
from typing import Any

import numpy as np

from marjolet_spiel import kernel
from marjolet_spiel.array_types import Floats
from marjolet_spiel.first_use import say_when_compiling
from marjolet_spiel.positions import position_of

with say_when_compiling():
    from marjolet_spiel.solvers import sequence_form
    from marjolet_spiel.solvers.alternating_cfr import AlternatingCfr, plus
    from marjolet_spiel.solvers.boundary.deals import enumerate_deals, trick_so_far
    from marjolet_spiel.solvers.boundary.leaves import add_up
    from marjolet_spiel.solvers.boundary.tree import Ask, BoundaryTree, InformationSet
    from marjolet_spiel.solvers.endgame.match_equity import POINTS_A_MATCH

__all__ = [
    "Boundary",
    "BoundaryTree",
    "InformationSet",
    "enumerate_deals",
    "solve_boundary",
    "trick_so_far",
]

_CHECK_EVERY = 10  # iterations between two looks at NashConv, which takes as long as two of them


class Boundary:
    """A solved last stock trick.

    Policies of both players are those that CFR+ found. Where a player's own choices never lead, and
    so no opponent can see what he would do, they are what his last iteration would do there.

    Attributes:
      tree: the game (`BoundaryTree`), with its deals and weights.
      policies: float64 [entries] of player 0 and of player 1.
      value: the expected return of player 0 when both play them: points, in a match from -1 to 1.
      bounds: what the policy of player 0 makes sure of, and what that of player 1 keeps him to;
        the value of the game lies between them.
      nash_conv: how far these lie apart: what both can gain together by best responses.
      iterations: of CFR+.
    """

    def __init__(self, tree: BoundaryTree, policies: tuple[Floats, Floats], iterations: int):
        """Use `solve_boundary`."""
        self.tree = tree
        self.policies = policies
        self.iterations = iterations
        self.value = tree.expected_value(policies)
        low = 0.0 - tree.best_response(policies[0], 1)[0]
        self.bounds = (low, tree.best_response(policies[1], 0)[0])
        self.nash_conv = self.bounds[1] - self.bounds[0]

    def policy(self, player: int, hand: int, actions: Sequence[int] = ()) -> dict[int, float]:
        """The probability of each legal action of a player.

        Args:
          player: who is on turn.
          hand: his cards at the start, as a mask.
          actions: what was done since the start, by both, as action ids.

        Raises:
          ValueError: he is not on turn then, or cannot have had this hand.
        """
        entries = self.tree.entries_of(player, hand, actions)
        policy = self.policies[player]
        return {a: 1.0 if entry < 0 else float(policy[entry]) for a, entry in entries.items()}

    def beliefs(self, player: int, hand: int, actions: Sequence[int] = ()) -> dict[int, float]:
        """How likely each hand of the other is, as it was at the start, if he plays his policy.

        Args are those of `policy`. Empty if he never plays so.
        """
        self.tree.entries_of(player, hand, actions)
        deals, other = self.tree.deals, 1 - player
        own = np.flatnonzero(deals[:, player] == hand).tolist()
        found = {int(deals[i, other]): self._reach(i, other, actions) for i in own}
        total = sum(found.values())
        return {his: share / total for his, share in found.items() if share > 0}

    def _reach(self, deal: int, player: int, actions: Sequence[int]) -> float:
        """The weight of a deal, times how likely a player does his part of some actions in it."""
        hand, reach = int(self.tree.deals[deal, player]), float(self.tree.weights[deal])
        node = self.tree.root
        for i, action in enumerate(actions):
            if node.player == player:
                able = node.row_of(hand) >= 0
                reach *= self.policy(player, hand, actions[:i]).get(action, 0.0) if able else 0.0
            child = node.children[action]
            assert child is not None  # `actions` lead to a node
            node = child
        return reach

    def action_values(
        self, player: int, hand: int, actions: Sequence[int] = ()
    ) -> dict[int, float]:
        """What a player may expect after each legal action: his return.

        Args are those of `policy`. Both go on by their policies, and the player believes what
        `beliefs` says; nan for all if that is nothing.

        Raises:
          ValueError: as for `policy`, or there is no choice.
        """
        entries = self.tree.entries_of(player, hand, actions)
        if len(entries) == 1:
            raise ValueError(f"hand: there is but one action after {[*actions]!r}, and no choice")
        own = np.flatnonzero(self.tree.deals[:, player] == hand).tolist()
        reach = sum(self._reach(deal, 1 - player, actions) for deal in own)
        values = self._values[player]
        return {
            a: float(values[1 + entry]) / reach if reach else nan for a, entry in entries.items()
        }

    @cached_property
    def _values(self) -> tuple[Floats, Floats]:
        """What each sequence of a player is worth to him, times how likely the other lets it be."""
        first, second = (self._values_of(player) for player in range(2))
        return first, second

    def _values_of(self, player: int) -> Floats:
        tree, side = self.tree, self.tree.sides[player]
        values = np.empty(side.sequences)
        tree.values_against(tree.plan(self.policies[1 - player], 1 - player), player, values)
        add_up(side.first, side.parents, self.policies[player], values)
        return values

    def best_response_value(self, policy: Floats | Ask, player: int) -> float:
        """The most that a player can get against a policy of the other: his expected return.

        Args:
          policy: float64 [entries] of the other, or a function that gives the probabilities of
            actions in an `InformationSet`; it is asked only where the other's own choices lead.
          player: who responds.
        """
        vector = self.tree.policy_from(policy, 1 - player) if callable(policy) else policy
        return self.tree.best_response(vector, player)[0]


def solve_boundary(
    position: Any,
    weights: Any = None,
    nash_conv: float | None = None,
    max_iterations: int = 1000,
) -> Boundary:
    """Solves the last stock trick from some position on by CFR+.

    Args:
      position: a state of either game, or a kernel vector, in which a player is on turn in the last
        stock trick or its window. Its hidden cards do not matter.
      weights: how likely each deal is: None for all alike, a function of three masks (the hand of
        player 0, of player 1, the face-down card) or a number for each of `enumerate_deals`. They
        need not sum to 1; deals with 0 are left out.
      nash_conv: it stops when this is reached; by default 0.1 points, in a match 1/2000 of a win.
      max_iterations: it stops after so many, whatever is reached.

    Raises:
      ValueError: an argument is not what is asked for.
      TooLargeError: there are too many deals (`deals.MAX_PLAYS`).
    """
    pos = position_of(position)
    if nash_conv is None:
        nash_conv = 0.1 if pos[kernel.TARGET] == 0 else 0.1 / POINTS_A_MATCH
    _check_number("nash_conv", nash_conv, (int, float), 0)
    _check_number("max_iterations", max_iterations, (int,), 1)
    tree = BoundaryTree(pos, weights)
    cfr = _start(tree)
    for iteration in range(1, max_iterations + 1):
        cfr.iterate(plus(iteration - 1.0))  # the first, in which all is random, does not count
        if iteration % _CHECK_EVERY == 0 or iteration == max_iterations:
            found = Boundary(tree, (_average(cfr, 0), _average(cfr, 1)), iteration)
            if found.nash_conv <= nash_conv:
                break
    return found


def _check_number(name: str, value: Any, kinds: tuple[type, ...], least: int) -> None:
    fits = isinstance(value, kinds) and not isinstance(value, bool)
    if not fits or not float(value) >= least:
        what = "a number" if float in kinds else "a whole number"
        raise ValueError(f"{name}: {value!r} is not allowed; it must be {what} from {least}")


def _start(tree: BoundaryTree) -> AlternatingCfr:
    """Both players before the first iteration."""
    policies = (tree.uniform_policy(0), tree.uniform_policy(1))
    regrets, averages = ((np.zeros_like(policies[0]), np.zeros_like(policies[1])) for _ in range(2))
    return AlternatingCfr(tree, regrets, averages, policies)


def _average(cfr: AlternatingCfr, player: int) -> Floats:
    """The average policy of a player; where he never came, what matches his regrets."""
    first, averages = cfr.game.sides[player].first, cfr.averages[player]
    policy, current = np.empty_like(averages), np.empty_like(averages)
    sequence_form.fill_shares(first, averages, policy)
    sequence_form.fill_policy(first, cfr.regrets[player], current)
    totals = np.add.reduceat(averages, first[:-1]) if len(averages) else averages
    return np.where(np.repeat(totals > 0, np.diff(first)), policy, current)
