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

import numpy as np

from marjolet_spiel.array_types import Floats
from marjolet_spiel.first_use import say_when_compiling
from marjolet_spiel.sampling import generator
from marjolet_spiel.solvers.memory import TooLargeError, check_memory
from marjolet_spiel.solvers.tabular.checkpoint import Checkpoint, read_checkpoint, write_checkpoint
from marjolet_spiel.solvers.tabular.size import depth_of
from marjolet_spiel.solvers.tabular.tree import GameTree, build_tree, chance_shares

with say_when_compiling():
    from marjolet_spiel.solvers import sequence_form
    from marjolet_spiel.solvers.tabular import mccfr, openspiel_order

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


class _FullWidth(Solver):
    """Solvers that go through the whole tree in each iteration."""

    def __init__(
        self, tree: GameTree, openspiel_order: bool = False, memory: int | None = None
    ) -> None:
        """A solver that has learnt nothing yet.

        Args:
          tree: the game.
          openspiel_order: whether it adds up in OpenSpiel's order, which is slower.
          memory: see `Solver`.
        """
        super().__init__(tree, memory)
        if not isinstance(openspiel_order, bool):
            raise ValueError(f"openspiel_order: {openspiel_order!r} is not allowed; True or False")
        self._walks = openspiel_order
        self._policy = tree.uniform_policy()
        self._plans = [tree.plan(self._policy, player) for player in range(2)]
        self._values = [np.empty(side.sequences) for side in tree.sides]
        self._scratch = np.empty((depth_of(tree.rules), mccfr.MAX_ACTIONS))

    @property
    def options(self) -> dict[str, Any]:
        """The order in which it adds up."""
        return {"openspiel_order": self._walks}

    def discounts(self, iteration: int) -> tuple[float, float, float]:
        """What regrets from 0 on and those below it are multiplied by; the weight in averages."""
        raise NotImplementedError

    def _run(self, iterations: int) -> None:
        update = self._walk if self._walks else self._update
        for _ in range(iterations):
            discounts = self.discounts(self.iteration + 1)
            for player in range(2):
                update(player, discounts)
            self.iteration += 1

    def _update(self, player: int, discounts: tuple[float, float, float]) -> None:
        tree, plan, values = self.tree, self._plans[player], self._values[player]
        side = tree.sides[player]
        game = (tree.first, tree.parents, side.low, side.high)
        tree.values_against(self._plans[1 - player], player, values)
        learnt = (self.regrets, self.averages, self._policy)
        sequence_form.learn(*game, values, plan, *discounts, *learnt)
        sequence_form.fill_plan(*game, self._policy, plan)

    def _walk(self, player: int, discounts: tuple[float, float, float]) -> None:
        tree, plan = self.tree, self._plans[player]
        low, high = tree.sides[player].low, tree.sides[player].high
        start = (tree.words, 0, player, tree.sides[1].low, 1.0, 1.0)
        arrays = (tree.first, chance_shares(), self._policy, self.regrets, self._scratch, 0)
        openspiel_order.add_regrets(*start, *arrays)
        learnt = (self.regrets, self.averages, self._policy)
        openspiel_order.settle(tree.first, low, high, plan, *discounts, *learnt)
        sequence_form.fill_plan(tree.first, tree.parents, low, high, self._policy, plan)

    def _restore(self, checkpoint: Checkpoint) -> None:
        super()._restore(checkpoint)
        self._policy = self.current_policy()
        self._plans = [self.tree.plan(self._policy, player) for player in range(2)]


class Cfr(_FullWidth):
    """Counterfactual regret minimization.

    Zinkevich, Johanson, Bowling and Piccione, "Regret minimization in games with incomplete
    information", 2007, with alternating updates.
    """

    algorithm = "cfr"

    def discounts(self, iteration: int) -> tuple[float, float, float]:
        """None, and equal weights."""
        return 1.0, 1.0, 1.0


class CfrPlus(_FullWidth):
    """CFR+: regrets never fall below 0, averages are linear.

    Tammelin, "Solving large imperfect information games using CFR+", 2014.
    """

    algorithm = "cfr+"

    def discounts(self, iteration: int) -> tuple[float, float, float]:
        """Negative regrets are forgotten, weights grow linearly."""
        return 1.0, 0.0, float(iteration)


class DiscountedCfr(_FullWidth):
    """Discounted CFR: earlier iterations count less.

    Brown and Sandholm, "Solving imperfect-information games via discounted regret minimization",
    2019, by default with their numbers.
    """

    algorithm = "dcfr"

    def __init__(
        self,
        tree: GameTree,
        alpha: float = 1.5,
        beta: float = 0.0,
        gamma: float = 2.0,
        openspiel_order: bool = False,
        memory: int | None = None,
    ) -> None:
        """A solver that has learnt nothing yet.

        Args:
          tree: the game.
          alpha: positive regrets are multiplied by t^alpha / (t^alpha + 1) in iteration t.
          beta: negative ones by t^beta / (t^beta + 1).
          gamma: policies count t^gamma in the average.
          openspiel_order: see `Cfr`.
          memory: see `Solver`.
        """
        super().__init__(tree, openspiel_order, memory)
        for name, value in (("alpha", alpha), ("beta", beta), ("gamma", gamma)):
            _check_number(name, value, -100.0, 100.0)
        self._exponents = (float(alpha), float(beta), float(gamma))

    @property
    def options(self) -> dict[str, Any]:
        """The three exponents beside the order in which it adds up."""
        exponents = zip(("alpha", "beta", "gamma"), self._exponents, strict=True)
        return {**dict(exponents), **super().options}

    def discounts(self, iteration: int) -> tuple[float, float, float]:
        """By the three exponents."""
        alpha, beta, gamma = (float(iteration) ** exponent for exponent in self._exponents)
        return alpha / (alpha + 1.0), beta / (beta + 1.0), gamma


class LinearCfr(_FullWidth):
    """Linear CFR: iteration t counts t times, in regrets and averages. See `DiscountedCfr`."""

    algorithm = "lcfr"

    def discounts(self, iteration: int) -> tuple[float, float, float]:
        """Discounted CFR with 1, 1 and 1."""
        share = iteration / (iteration + 1.0)
        return share, share, float(iteration)


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

    def _arrays(self) -> tuple[Any, ...]:
        learnt = (self.regrets, self.averages)
        return self.tree.first, chance_shares(), *learnt, self._scratch, self._rng

    def _random_state(self) -> Any:
        return self._rng

    def _restore(self, checkpoint: Checkpoint) -> None:
        super()._restore(checkpoint)
        self._rng[:] = checkpoint.random_state


class ExternalSampling(_Sampling):
    """External-sampling MCCFR (`mccfr.py`): an iteration updates both players."""

    algorithm = "es-mccfr"

    def _sample(self, begin: int, end: int) -> None:
        second = self.tree.sides[1].low
        mccfr.run_external(begin, end, self.tree.words, second, *self._arrays())


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
        _check_number("epsilon", epsilon, 1e-6, 1.0)
        self._epsilon = float(epsilon)

    @property
    def options(self) -> dict[str, Any]:
        """How much it explores."""
        return {"epsilon": self._epsilon}

    def _sample(self, begin: int, end: int) -> None:
        game = (self.tree.words, self.tree.sides[1].low, self._epsilon)
        mccfr.run_outcome(begin, end, *game, *self._arrays())


def _check_number(name: str, value: object, low: float, high: float) -> None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not low <= value <= high:  # type: ignore[operator]
        raise ValueError(f"{name}: {value!r} is not allowed; it must be from {low:g} to {high:g}")


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
