"""Solvers that sample part of the tree in each iteration, around `mccfr`."""

from typing import Any

import numpy as np

from marjolet_spiel.sampling import generator
from marjolet_spiel.solvers.tabular import mccfr
from marjolet_spiel.solvers.tabular.checkpoint import Checkpoint
from marjolet_spiel.solvers.tabular.learning import Solver, check_number
from marjolet_spiel.solvers.tabular.tree import GameTree


class _Sampling(Solver):
    """Solvers that sample part of the tree in each iteration."""

    chunk = 1000

    def __init__(self, tree: GameTree, seed: int = 0, memory: int | None = None) -> None:
        """A solver that has learnt nothing yet.

        Args:
          tree: the game.
          seed: a whole number from 0; the same one gives the same numbers.
          memory: see `Solver`.
        """
        super().__init__(tree, memory)
        if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
            raise ValueError(f"seed: {seed!r} is not allowed; it must be a whole number from 0")
        self._rng = generator(seed)
        rows = 2 * (tree.rules.max_game_length() + 1)
        self._scratch = np.empty((rows, mccfr.MAX_ACTIONS))

    def _run(self, iterations: int) -> None:
        end = self.iteration + iterations
        while self.iteration < end:  # in parts, so that Ctrl-C is heard
            after = min(end, self.iteration + self.chunk)
            self._sample(self.iteration, after)
            self.iteration = after

    def _sample(self, begin: int, end: int) -> None:
        raise NotImplementedError

    def _arrays(self) -> mccfr.SamplingArrays:
        return mccfr.SamplingArrays(self.regrets, self.averages, self._scratch, self._rng)

    def _random_state(self) -> Any:
        return self._rng

    def _restore(self, checkpoint: Checkpoint) -> None:
        super()._restore(checkpoint)
        self._rng[:] = checkpoint.random_state


class ExternalSampling(_Sampling):
    """External-sampling MCCFR (`mccfr.py`): an iteration updates both players."""

    algorithm = "es-mccfr"

    def _sample(self, begin: int, end: int) -> None:
        mccfr.run_external(begin, end, self.tree.flat, self._arrays())


class OutcomeSampling(_Sampling):
    """Outcome-sampling MCCFR (`mccfr.py`): an iteration is one game and updates one player.

    The players take turns, as in OpenSpiel.
    """

    algorithm = "os-mccfr"
    chunk = 100_000

    def __init__(
        self, tree: GameTree, seed: int = 0, epsilon: float = 0.6, memory: int | None = None
    ) -> None:
        """A solver that has learnt nothing yet.

        Args:
          tree: the game.
          seed: see `ExternalSampling`.
          epsilon: how much of the time the updated player explores; more than 0, at most 1.
          memory: see `Solver`.
        """
        super().__init__(tree, seed, memory)
        check_number("epsilon", epsilon, 1e-6, 1.0)
        self._epsilon = float(epsilon)

    @property
    def options(self) -> dict[str, Any]:
        """How much it explores."""
        return {"epsilon": self._epsilon}

    def _sample(self, begin: int, end: int) -> None:
        mccfr.run_outcome(begin, end, self.tree.flat, self._epsilon, self._arrays())
