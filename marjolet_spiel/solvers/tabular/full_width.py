"""CFR and its kin, which go through the whole tree in each iteration.

Players are updated one after the other, by a sparse matrix (`alternating_cfr`) or in the order in
which OpenSpiel adds up (`openspiel_order`).
"""

from typing import Any

from marjolet_spiel.solvers.alternating_cfr import AlternatingCfr, plus
from marjolet_spiel.solvers.sequence_form import Discounts
from marjolet_spiel.solvers.tabular.checkpoint import Checkpoint
from marjolet_spiel.solvers.tabular.learning import Solver, check_number
from marjolet_spiel.solvers.tabular.ordered_cfr import OrderedCfr
from marjolet_spiel.solvers.tabular.tree import GameTree


class FullWidth(Solver):
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
        self._in_order = openspiel_order
        kind = OrderedCfr if openspiel_order else AlternatingCfr
        regrets, averages, policy = self.regrets, self.averages, tree.uniform_policy()
        self._players = kind(tree, (regrets, regrets), (averages, averages), (policy, policy))

    @property
    def options(self) -> dict[str, Any]:
        """The order in which it adds up."""
        return {"openspiel_order": self._in_order}

    def discounts(self, iteration: int) -> Discounts:
        """How an iteration, from 1, counts."""
        raise NotImplementedError

    def _run(self, iterations: int) -> None:
        for _ in range(iterations):
            self._players.iterate(self.discounts(self.iteration + 1))
            self.iteration += 1

    def follow_regrets(self) -> None:
        """Lets both players play by their regrets, whatever they played before."""
        for player, policy in enumerate(self._players.policies):
            policy[:] = self.current_policy()
            self._players.follow(player)

    def _restore(self, checkpoint: Checkpoint) -> None:
        super()._restore(checkpoint)
        self.follow_regrets()


class Cfr(FullWidth):
    """Counterfactual regret minimization.

    Zinkevich, Johanson, Bowling and Piccione, "Regret minimization in games with incomplete
    information", 2007, with alternating updates.
    """

    algorithm = "cfr"

    def discounts(self, iteration: int) -> Discounts:
        """None, and equal weights."""
        return Discounts(1.0, 1.0, 1.0)


class CfrPlus(FullWidth):
    """CFR+: regrets never fall below 0, averages are linear (`alternating_cfr.plus`)."""

    algorithm = "cfr+"

    def discounts(self, iteration: int) -> Discounts:
        """Negative regrets are forgotten, weights grow linearly."""
        return plus(float(iteration))


class DiscountedCfr(FullWidth):
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
            check_number(name, value, -100.0, 100.0)
        self._exponents = (float(alpha), float(beta), float(gamma))

    @property
    def options(self) -> dict[str, Any]:
        """The three exponents beside the order in which it adds up."""
        exponents = zip(("alpha", "beta", "gamma"), self._exponents, strict=True)
        return {**dict(exponents), **super().options}

    def discounts(self, iteration: int) -> Discounts:
        """By the three exponents."""
        alpha, beta, gamma = (float(iteration) ** exponent for exponent in self._exponents)
        return Discounts(alpha / (alpha + 1.0), beta / (beta + 1.0), gamma)


class LinearCfr(FullWidth):
    """Linear CFR: iteration t counts t times, in regrets and averages. See `DiscountedCfr`."""

    algorithm = "lcfr"

    def discounts(self, iteration: int) -> Discounts:
        """Discounted CFR with 1, 1 and 1."""
        share = iteration / (iteration + 1.0)
        return Discounts(share, share, float(iteration))
