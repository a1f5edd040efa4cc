"""Equilibria of small packs by counterfactual regret minimization, exact and sampled.

::

    tree = build_tree(ladder()["kqj7-english"].rules)
    solver = make_solver(tree, "cfr+")
    solver.run(1000)
    policy = solver.average_policy()
    tree.nash_conv(policy), tree.expected_value(policy)
    save_policy("cfr.npz", tree.game, tree.tabular_policy(policy))  # plays as policy:cfr.npz

Iterates are those of OpenSpiel's solvers of the same names: players are updated one after the other
and averages are weighted alike. They are the same up to rounding, until two actions are worth
exactly the same and the last bit decides; with ``openspiel_order=True``, which is slower, they are
the same throughout (`openspiel_order.py`). One thread; the same calls give the same numbers.
"""

import json
from collections.abc import Mapping
from typing import Any

from marjolet_spiel.first_use import say_when_compiling
from marjolet_spiel.solvers.memory import TooLargeError

with say_when_compiling():
    from marjolet_spiel.solvers.tabular.checkpoint import read_checkpoint
    from marjolet_spiel.solvers.tabular.full_width import Cfr, CfrPlus, DiscountedCfr, LinearCfr
    from marjolet_spiel.solvers.tabular.learning import Solver
    from marjolet_spiel.solvers.tabular.sampled import ExternalSampling, OutcomeSampling
    from marjolet_spiel.solvers.tabular.tree import GameTree, build_tree

__all__ = [
    "ALGORITHMS",
    "Cfr",
    "CfrPlus",
    "DiscountedCfr",
    "ExternalSampling",
    "LinearCfr",
    "OutcomeSampling",
    "Solver",
    "build_tree",
    "load_solver",
    "make_solver",
]

ALGORITHMS: Mapping[str, type[Solver]] = {
    kind.algorithm: kind
    for kind in (Cfr, CfrPlus, LinearCfr, DiscountedCfr, ExternalSampling, OutcomeSampling)
}
"""The solvers by the names of their algorithms."""


def make_solver(tree: GameTree, algorithm: str, **options: Any) -> Solver:
    """A solver by the name of its algorithm; ValueError if there is none or an option is wrong."""
    kind = ALGORITHMS.get(algorithm)
    if kind is None:
        raise ValueError(
            f"algorithm: {algorithm!r} is not allowed; it must be one of {', '.join(ALGORITHMS)}"
        )
    try:
        return kind(tree, **options)
    except TypeError:
        raise ValueError(f"{algorithm}: the options {options!r} are not allowed") from None


def load_solver(path: Any, tree: GameTree, memory: int | None = None) -> Solver:
    """A solver as it was when it was saved: it goes on as if it had never stopped.

    Args:
      path: a file that `Solver.save` wrote.
      tree: the game it must be a solver of.
      memory: see `Solver`.

    Raises:
      ValueError: the file is missing, damaged, of another format or of another game.
    """
    checkpoint = read_checkpoint(path, tree.identity, tree.num_entries, ALGORITHMS)
    where = f"checkpoint {str(path)!r}: "
    try:
        solver = make_solver(tree, checkpoint.algorithm, **checkpoint.options, memory=memory)
    except TooLargeError:
        raise
    except (TypeError, ValueError):
        text = json.dumps(checkpoint.options)
        raise ValueError(f"{where}its options {text!r} are not allowed") from None
    if len(checkpoint.random_state) != len(solver._random_state()):
        raise ValueError(f"{where}it is damaged: its random state is of a wrong length")
    solver._restore(checkpoint)
    return solver
