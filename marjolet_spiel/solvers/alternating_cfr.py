"""Counterfactual regret minimization on a game in sequence form, players in turn."""

import numpy as np

from marjolet_spiel.array_types import Floats
from marjolet_spiel.solvers import sequence_form
from marjolet_spiel.solvers.sequence_form import Discounts, Learnt
from marjolet_spiel.solvers.sequence_game import SequenceGame


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
        side, plan, values = self.game.sides[player], self.plans[player], self._values[player]
        self.game.values_against(self.plans[1 - player], player, values)
        sequence_form.learn(side.first, side.parents, values, plan, discounts, self.learnt(player))

    def learnt(self, player: int) -> Learnt:
        """What a player has learnt."""
        return Learnt(self.regrets[player], self.averages[player], self.policies[player])

    def follow(self, player: int) -> None:
        """Brings a player's plan up to date with his policy."""
        side = self.game.sides[player]
        sequence_form.fill_plan(side.first, side.parents, self.policies[player], self.plans[player])
