"""What solvers of small packs share: what they learn, and how it is asked for and saved."""

from typing import Any

import numpy as np

from marjolet_spiel.array_types import Floats
from marjolet_spiel.solvers import sequence_form
from marjolet_spiel.solvers.memory import check_memory
from marjolet_spiel.solvers.tabular.checkpoint import Checkpoint, write_checkpoint
from marjolet_spiel.solvers.tabular.tree import GameTree


class Solver:
    """What all solvers share.

    Attributes:
      tree: the game.
      iteration: how many iterations were run.
      regrets: float64 [entries], the cumulative regrets as the algorithm keeps them.
      averages: float64 [entries], the sum of weighted policies.
    """

    algorithm = ""

    def __init__(self, tree: GameTree, memory: int | None = None) -> None:
        """A solver that has learnt nothing yet.

        Args:
          tree: the game.
          memory: how many bytes it may use; by default half of the memory that is free.

        Raises:
          TooLargeError: it needs more.
        """
        check_memory(f"a solver by {self.algorithm}", tree.size.solver_bytes, memory)
        self.tree = tree
        self.iteration = 0
        self.regrets = np.zeros(tree.num_entries)
        self.averages = np.zeros(tree.num_entries)

    @property
    def options(self) -> dict[str, Any]:
        """What distinguishes it from other solvers of this algorithm."""
        return {}

    def run(self, iterations: int = 1) -> None:
        """Runs so many iterations. Ctrl-C ends it between two of them."""
        if isinstance(iterations, bool) or not isinstance(iterations, int) or iterations < 0:
            raise ValueError(
                f"iterations: {iterations!r} is not allowed; it must be a whole number from 0"
            )
        self._run(iterations)

    def _run(self, iterations: int) -> None:
        raise NotImplementedError

    def average_policy(self) -> Floats:
        """The policy that comes close to an equilibrium: float64 [entries]."""
        policy = np.empty(self.tree.num_entries)
        sequence_form.fill_shares(self.tree.first, self.averages, policy)
        return policy

    def current_policy(self) -> Floats:
        """The policy of the next iteration: float64 [entries]."""
        policy = np.empty(self.tree.num_entries)
        sequence_form.fill_policy(self.tree.first, self.regrets, policy)
        return policy

    def save(self, path: Any) -> None:
        """Writes a checkpoint, in place of what is there; OSError if that is not possible."""
        state = self._random_state()
        here = (self.algorithm, self.options, self.iteration, self.regrets, self.averages, state)
        write_checkpoint(path, self.tree.identity, Checkpoint(*here))

    def _random_state(self) -> Any:
        return np.zeros(0, dtype=np.int64)

    def _restore(self, checkpoint: Checkpoint) -> None:
        self.iteration = checkpoint.iteration
        self.regrets[:] = checkpoint.regrets
        self.averages[:] = checkpoint.averages


def check_number(name: str, value: object, low: float, high: float) -> None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not low <= value <= high:  # type: ignore[operator]
        raise ValueError(f"{name}: {value!r} is not allowed; it must be from {low:g} to {high:g}")
