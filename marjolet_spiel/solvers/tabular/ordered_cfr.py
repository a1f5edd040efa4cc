"""Counterfactual regret minimization in OpenSpiel's order, around `openspiel_order`."""

import numpy as np

from marjolet_spiel.solvers.alternating_cfr import AlternatingCfr, Both
from marjolet_spiel.solvers.sequence_form import Discounts
from marjolet_spiel.solvers.tabular import openspiel_order
from marjolet_spiel.solvers.tabular.mccfr import MAX_ACTIONS
from marjolet_spiel.solvers.tabular.size import depth_of
from marjolet_spiel.solvers.tabular.tree import GameTree


class OrderedCfr(AlternatingCfr):
    """The players of a small pack, who learn by walks through its tree."""

    def __init__(self, tree: GameTree, regrets: Both, averages: Both, policies: Both) -> None:
        """Players who play some policies so far."""
        super().__init__(tree, regrets, averages, policies)
        self._tree = tree
        self._scratch = np.empty((depth_of(tree.rules), MAX_ACTIONS))

    def learn(self, player: int, discounts: Discounts) -> None:
        """Updates a player's regrets, averages and policy."""
        tree, learnt = self._tree, self.learnt(player)
        openspiel_order.add_regrets(tree.flat, 0, player, 1.0, 1.0, learnt, self._scratch, 0)
        first = tree.sides[player].first
        openspiel_order.settle(first, self.plans[player], discounts, learnt)
