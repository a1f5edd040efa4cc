"""Counterfactual regret minimization in OpenSpiel's order, around `openspiel_order`."""

import numpy as np

from marjolet_spiel.solvers.alternating_cfr import AlternatingCfr, Both, Discounts
from marjolet_spiel.solvers.tabular import openspiel_order
from marjolet_spiel.solvers.tabular.mccfr import MAX_ACTIONS
from marjolet_spiel.solvers.tabular.size import depth_of
from marjolet_spiel.solvers.tabular.tree import GameTree, chance_shares


class OrderedCfr(AlternatingCfr):
    """The players of a small pack, who learn by walks through its tree."""

    def __init__(self, tree: GameTree, regrets: Both, averages: Both, policies: Both) -> None:
        """Players who play some policies so far."""
        super().__init__(tree, regrets, averages, policies)
        self._tree = tree
        self._scratch = np.empty((depth_of(tree.rules), MAX_ACTIONS))

    def learn(self, player: int, discounts: Discounts) -> None:
        """Updates a player's regrets, averages and policy."""
        tree, regrets, policy = self._tree, self.regrets[player], self.policies[player]
        start = (tree.words, 0, player, tree.size.information_sets[0], 1.0, 1.0)
        arrays = (tree.first, chance_shares(), policy, regrets, self._scratch, 0)
        openspiel_order.add_regrets(*start, *arrays)
        first, _, low, high = tree.sides[player].information_sets
        learnt = (regrets, self.averages[player], policy)
        openspiel_order.settle(first, low, high, self.plans[player], *discounts, *learnt)
