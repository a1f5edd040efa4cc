"""Counterfactual regret minimization on a game in sequence form, players in turn."""

from typing import NamedTuple

import numpy as np

from marjolet_spiel.array_types import Floats
from marjolet_spiel.solvers import sequence_form
from marjolet_spiel.solvers.sequence_game import SequenceGame


class Discounts(NamedTuple):
    """How an iteration counts.

    Attributes:
      positive: what regrets from 0 on are multiplied by when they are updated.
      negative: what those below 0 are.
      weight: of the policy in the averages.
    """

    positive: float
    negative: float
    weight: float


def plus(weight: float) -> Discounts:
    """Those of CFR+: negative regrets are forgotten.

    Tammelin, "Solving large imperfect information games using CFR+", 2014.
    """
    return Discounts(1.0, 0.0, weight)


Both = tuple[Floats, Floats]
"""A vector of each player; one and the same where policies are of both together."""


class AlternatingCfr:
    """The two players of a game, who learn in turn.

    Zinkevich, Johanson, Bowling and Piccione, "Regret minimization in games with incomplete
    information", 2007.

    Attributes:
      game: the game.
      regrets, averages, policies: float64 [policy_size] of each player, updated in place.
      plans: float64 [sequences] of each player, the realization plans of the policies.
    """

    def __init__(self, game: SequenceGame, regrets: Both, averages: Both, policies: Both) -> None:
        """Players who play some policies so far."""
        self.game = game
        self.regrets, self.averages, self.policies = regrets, averages, policies
        self.plans = (game.plan(policies[0], 0), game.plan(policies[1], 1))
        self._values = [np.empty(side.sequences) for side in game.sides]

    def iterate(self, discounts: Discounts) -> None:
        """One iteration: both players in turn."""
        for player in range(2):
            self.learn(player, discounts)
            self.follow(player)

    def learn(self, player: int, discounts: Discounts) -> None:
        """Updates a player's regrets, averages and policy against what the other plays."""
        sets, plan = self.game.sides[player].information_sets, self.plans[player]
        values = self._values[player]
        self.game.values_against(self.plans[1 - player], player, values)
        learnt = (self.regrets[player], self.averages[player], self.policies[player])
        sequence_form.learn(*sets, values, plan, *discounts, *learnt)

    def follow(self, player: int) -> None:
        """Brings a player's plan up to date with his policy."""
        sets = self.game.sides[player].information_sets
        sequence_form.fill_plan(*sets, self.policies[player], self.plans[player])
