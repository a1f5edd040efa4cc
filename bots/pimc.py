"""The PIMC bot: alpha-beta on determinized worlds with exact last tricks."""

from typing import Any

import numpy as np

from bots.ismcts import Evaluation
from bots.openspiel_bot import ViewBot, decision_seed
from bots.view import seen_position
from marjolet_spiel import kernel
from marjolet_spiel.cards import bits
from marjolet_spiel.kernel import Vector
from marjolet_spiel.rules import Rules
from marjolet_spiel.sampling import GENERATOR_SIZE, generator
from marjolet_spiel.solvers.endgame.alpha_beta import MAX_DEPTH, SPACE_SIZE
from marjolet_spiel.solvers.endgame.match_equity import UNIT
from marjolet_spiel.solvers.endgame.table import endgame_table
from marjolet_spiel.solvers.search.evaluation import SENSE_SIZE
from marjolet_spiel.solvers.search.exact import LastTricks
from marjolet_spiel.solvers.search.leaves import solvable
from marjolet_spiel.solvers.search.simulation import determinize
from marjolet_spiel.solvers.search.world_search import MAX_ROWS, order_worlds, postponed


class PimcBot(ViewBot[Vector]):
    """Searches sampled worlds with open cards; the last tricks are played exactly.

    The choice depends on the seed and on what the seat sees, and on nothing else.
    """

    def __init__(
        self,
        rules: Rules,
        player: int,
        seed: int,
        worlds: int = 40,
        depth: int = 4,
        postpone: int = 1,
        choose: str = "mean",
    ) -> None:
        """A bot for one seat under some rules.

        Args:
          rules: the rules.
          player: the seat.
          seed: a whole number from 0.
          worlds: how many worlds are sampled for a decision.
          depth: how many cards are played from the decision on, at most; a trick that has begun
            is finished.
          postpone: how many cards are played without knowing the world, this decision included
            (`pimc_search.postponed`); 1 is plain PIMC.
          choose: "mean", by the mean of the values, or "vote", by the number of worlds in which an
            action is among the best (shared among those).
        """
        super().__init__(player, rules)
        self._seed = seed
        self._worlds, self._depth = worlds, depth
        self._postpone, self._votes = postpone, choose == "vote"
        self._table = endgame_table(rules.sweep_bonus)
        self._last_tricks = LastTricks(self._table)
        self._unit = UNIT if rules.is_match else 1
        levels = postpone + 1
        self._positions = np.zeros((levels, worlds, kernel.SIZE), dtype=np.int64)
        self._members = np.zeros((3 * levels, worlds), dtype=np.uint8)
        self._orders = np.zeros((worlds, GENERATOR_SIZE), dtype=np.int64)
        self._values = np.zeros((levels, worlds), dtype=np.float64)
        self._rows = np.zeros((MAX_ROWS, kernel.SIZE), dtype=np.int64)
        self._sense = np.zeros(SENSE_SIZE, dtype=np.float64)
        self._stack = np.zeros((MAX_DEPTH + 1, kernel.SIZE), dtype=np.int64)
        self._space = np.zeros(SPACE_SIZE, dtype=np.int64)

    def look(self, state: Any) -> Vector:
        """The position as the seat sees it."""
        return seen_position(state, self.player)

    def decide(self, view: Vector) -> int:
        """The best of the last tricks; before them the action that the worlds speak for."""
        legal = int(kernel.legal_mask(view))
        if legal & (legal - 1) == 0:
            return legal.bit_length() - 1
        if solvable(view):
            return self._last_tricks.best(view)
        found = self.search(view)
        key = (2, 1) if self._votes else (1, 2)
        return max(found, key=lambda entry: (entry[key[0]], entry[key[1]], -entry[0]))[0]

    def evaluate(self, state: Any) -> Evaluation:
        """What it thinks of each legal action of a state in which it is on turn."""
        view = self._look(state)
        if solvable(view):
            return self._last_tricks.evaluation(view)
        return self.search(view)

    def search(self, view: Vector) -> Evaluation:
        """Searches a position as the seat sees it; the weights are shares of the votes."""
        rng = generator(decision_seed(self._seed, view.tobytes()))
        worlds = np.repeat(view[np.newaxis], self._worlds, axis=0)
        for world in worlds:
            determinize(world, self.player, True, rng)
        order_worlds(worlds, self._orders, rng)
        actions = bits(int(kernel.legal_mask(view)))
        values = np.array([self._after(action, worlds) for action in actions])
        best = np.isclose(values, values.max(axis=0))
        votes = (best / best.sum(axis=0)).mean(axis=1)
        return [
            (action, float(values[i].mean()) / self._unit, float(votes[i]))
            for i, action in enumerate(actions)
        ]

    def _after(self, action: int, worlds: Vector) -> Any:
        """The value for the seat in each world after an action: float64 [worlds]."""
        self._positions[0] = worlds
        for position in self._positions[0]:
            kernel.apply_decision(position, action)
        self._members[:] = 0
        self._members[0] = 1
        plays = kernel.FIRST_PLAY <= action < kernel.FIRST_MELD
        postponed(
            self._positions,
            self._members,
            self._orders,
            self._values,
            0,
            self._postpone - 1,
            self._depth - plays,
            int(worlds[0, kernel.DEAL]),
            self.player,
            self._rows,
            self._sense,
            self._stack,
            self._space,
            self._table.index,
            self._table.values,
        )
        return self._values[0] * (1 - 2 * self.player)
