"""Our CFR+ and OpenSpiel's, as work to be timed."""

import pyspiel

from marjolet_spiel.rules import ladder
from marjolet_spiel.solvers.tabular.solvers import make_solver
from marjolet_spiel.solvers.tabular.tree import GameTree, build_tree
from scripts.benchmark.timing import Work

PACK = "kqj7-english"


def tree() -> GameTree:
    """The tree of the pack that is solved."""
    return build_tree(ladder()[PACK].rules)


def our_cfr_plus(of: GameTree, openspiel_order: bool = False) -> Work:
    """Runs n iterations of our CFR+."""
    solver = make_solver(of, "cfr+", openspiel_order=openspiel_order)

    def work(n: int) -> int:
        solver.run(n)
        return n

    return work


def openspiel_cfr_plus(of: GameTree) -> Work:
    """Runs n iterations of `pyspiel.CFRPlusSolver` on OpenSpiel's cached tree."""
    solver = pyspiel.CFRPlusSolver(pyspiel.convert_to_cached_tree(of.game))

    def work(n: int) -> int:
        for _ in range(n):
            solver.evaluate_and_update_policy()
        return n

    return work
