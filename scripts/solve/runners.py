"""Our solvers and OpenSpiel's behind one front, so that they are measured on the same footing.

Policies come out as vectors of our tree, on which exploitability takes milliseconds.
"""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pyspiel
from numpy.typing import NDArray

from marjolet_spiel.cards import bits
from marjolet_spiel.solvers.tabular.solvers import ALGORITHMS, Solver, load_solver, make_solver
from marjolet_spiel.solvers.tabular.tree import GameTree

OPENSPIEL = "os:"
FULL_WIDTH = ("cfr", "cfr+", "lcfr", "dcfr")

MAX_HISTORIES = 5_000_000
"""OpenSpiel's tree of a larger game takes hours and more memory than there is."""

MAX_DENSE = 20_000
"""Of what has a matrix with a row and a column for each information set."""

Floats = NDArray[np.float64]


class Runner(Protocol):
    """What is measured.

    Attributes:
      iteration: how many iterations were run.
    """

    iteration: int

    def run(self, iterations: int) -> None:
        """Runs so many iterations."""

    def policy(self) -> Floats:
        """The average policy: float64 [entries]."""

    def save(self, path: Path) -> None:
        """Writes a checkpoint, if it has one."""


class OurRunner:
    """A solver of ours."""

    def __init__(self, solver: Solver) -> None:
        """A runner for a solver, which may have run before."""
        self._solver = solver
        self.iteration = solver.iteration

    def run(self, iterations: int) -> None:
        """Runs so many iterations."""
        self._solver.run(iterations)
        self.iteration = self._solver.iteration

    def policy(self) -> Floats:
        """The average policy."""
        return self._solver.average_policy()

    def save(self, path: Path) -> None:
        """Writes a checkpoint."""
        self._solver.save(path)


class OpenSpielRunner:
    """A solver of OpenSpiel in C++, on its cached tree. It keeps no checkpoint."""

    def __init__(self, tree: GameTree, make: Callable[[Any, int], Any], seed: int) -> None:
        """A runner for a new solver.

        Args:
          tree: our tree of the game.
          make: makes the solver from a game and a seed.
          seed: the seed of its samples.
        """
        self._tree, self._game = tree, pyspiel.convert_to_cached_tree(tree.game)
        self._solver = make(self._game, seed)
        self._states: list[tuple[int, Any]] = []
        self.iteration = 0

    def run(self, iterations: int) -> None:
        """Runs so many iterations."""
        samples = hasattr(self._solver, "run_iteration")
        step = self._solver.run_iteration if samples else self._solver.evaluate_and_update_policy
        for _ in range(iterations):
            step()
            self.iteration += 1

    def policy(self) -> Floats:
        """The average policy, uniform where OpenSpiel has not been."""
        if hasattr(self._solver, "tabular_average_policy"):
            return self._tree.policy_from(self._solver.tabular_average_policy())
        self._states = self._states or [*choices(self._tree, self._game)]
        average, policy = self._solver.average_policy(), self._tree.uniform_policy()
        for place, state in self._states:
            chances = average.action_probabilities(state)
            legal = bits(int(self._tree.legal[place]))
            first = self._tree.first[place]
            policy[first : first + len(legal)] = [chances[action] for action in legal]
        return policy

    def save(self, path: Path) -> None:
        """Nothing."""


class MirrorDescentRunner:
    """OpenSpiel's magnetic mirror descent in Python, whose average policy is measured.

    Source: S. Sokota and others, A Unified Approach to Reinforcement Learning, Quantal Response
    Equilibria, and Two-Player Zero-Sum Games, ICLR 2023; here without a magnet, as averages are
    measured. It keeps no checkpoint.
    """

    STEP_SIZE = 1.0

    def __init__(self, tree: GameTree) -> None:
        """A runner for a new solver."""
        from open_spiel.python.algorithms import mmd_dilated

        self._tree, game = tree, pyspiel.convert_to_cached_tree(tree.game)
        self._solver = mmd_dilated.MMDDilatedEnt(game, alpha=0.0, stepsize=self.STEP_SIZE)
        self.iteration = 0

    def run(self, iterations: int) -> None:
        """Runs so many iterations."""
        for _ in range(iterations):
            self._solver.update_sequences()
            self.iteration += 1

    def policy(self) -> Floats:
        """The average policy."""
        return self._tree.policy_from(self._solver.get_avg_policies())

    def save(self, path: Path) -> None:
        """Nothing."""


def choices(tree: GameTree, game: Any) -> Iterator[tuple[int, Any]]:
    """Each information set in which there is a choice, with one of its states in `game`."""
    missing = {text: kind for text, kind in tree.information_states() if kind >= 0}
    stack = [game.new_initial_state()]
    while stack:
        state = stack.pop()
        if state.is_player_node():
            kind = missing.pop(state.information_state_string(), None)
            if kind is not None:
                yield kind, state
        stack += [state.child(action) for action in state.legal_actions()]


OPENSPIEL_SOLVERS: Mapping[str, Callable[[Any, int], Any]] = {
    "cfr": lambda game, seed: pyspiel.CFRSolver(game),
    "cfr+": lambda game, seed: pyspiel.CFRPlusSolver(game),
    "es-mccfr": lambda game, seed: pyspiel.ExternalSamplingMCCFRSolver(game, seed=seed),
    "os-mccfr": lambda game, seed: pyspiel.OutcomeSamplingMCCFRSolver(game, seed=seed),
}

MIRROR_DESCENT = f"{OPENSPIEL}mmd"

NAMES = (*ALGORITHMS, *(OPENSPIEL + name for name in OPENSPIEL_SOLVERS), MIRROR_DESCENT)


def check_algorithm(name: str) -> str:
    """The name, if it is one of `NAMES`; ValueError if it is not."""
    if name not in NAMES:
        raise ValueError(f"--algorithm: {name!r} is not allowed; it must be {', '.join(NAMES)}")
    return name


def make_runner(tree: GameTree, name: str, seed: int, openspiel_order: bool) -> Runner:
    """A new runner.

    Args:
      tree: the game.
      name: one of `NAMES`.
      seed: the seed, for algorithms that sample.
      openspiel_order: whether a full-width solver of ours adds up in OpenSpiel's order.

    Raises:
      ValueError: there is no such algorithm, or the game is too large for it.
    """
    check_algorithm(name)
    if not name.startswith(OPENSPIEL):
        full = name in FULL_WIDTH
        options: dict[str, Any] = {"openspiel_order": openspiel_order} if full else {"seed": seed}
        return OurRunner(make_solver(tree, name, **options))
    most = MAX_DENSE if name == MIRROR_DESCENT else MAX_HISTORIES
    if tree.size.histories > most:
        raise ValueError(
            f"--algorithm: {name} is not allowed for a game of {tree.size.histories:,} histories; "
            f"OpenSpiel can have {most:,}"
        )
    if name == MIRROR_DESCENT:
        return MirrorDescentRunner(tree)
    return OpenSpielRunner(tree, OPENSPIEL_SOLVERS[name.removeprefix(OPENSPIEL)], seed)


def resumed_runner(tree: GameTree, path: Path) -> Runner:
    """A runner as its checkpoint has it; ValueError if the file is not one of this game."""
    return OurRunner(load_solver(path, tree))
