"""Perfect-information Monte Carlo: alpha-beta on determinized worlds, around `world_search`."""

from typing import Any

import numpy as np

from marjolet_spiel import kernel
from marjolet_spiel.array_types import Floats, Vector
from marjolet_spiel.cards import bits
from marjolet_spiel.rules import Rules
from marjolet_spiel.sampling import GENERATOR_SIZE
from marjolet_spiel.solvers.search.decision import Search, check_state, search_state
from marjolet_spiel.solvers.search.options import PimcOptions
from marjolet_spiel.solvers.search.result import ActionValue, Evaluation, SearchResult
from marjolet_spiel.solvers.search.simulation import determinize
from marjolet_spiel.solvers.search.world_search import (
    SampledWorlds,
    order_worlds,
    postponed,
    world_arrays,
)

_DEFAULT = PimcOptions()


class PimcSearch(Search):
    """Searches sampled worlds with open cards (see `world_search`)."""

    def __init__(self, rules: Rules, player: int, options: PimcOptions = _DEFAULT) -> None:
        """A search for the decisions of `player`, 0 or 1, under some rules."""
        super().__init__(rules, player)
        self._options = options
        levels, worlds = options.postpone + 1, options.worlds
        self._sampled = SampledWorlds(
            np.zeros((levels, worlds, kernel.SIZE), dtype=np.int64),
            np.zeros((3 * levels, worlds), dtype=np.uint8),
            np.zeros((worlds, GENERATOR_SIZE), dtype=np.int64),
            np.zeros((levels, worlds), dtype=np.float64),
        )
        self._arrays = world_arrays(self._table)

    def explore(self, pos: Vector, rng: Vector) -> SearchResult:
        """The action that the worlds speak for; shares are those of the votes."""
        worlds = np.repeat(pos[np.newaxis], self._options.worlds, axis=0)
        for world in worlds:
            determinize(world, self.player, True, rng)
        order_worlds(worlds, self._sampled.orders, rng)
        actions = bits(int(kernel.legal_mask(pos)))
        values = np.array([self._after(action, worlds) for action in actions])
        best = np.isclose(values, values.max(axis=0))
        votes = (best / best.sum(axis=0)).mean(axis=1)
        found = [
            ActionValue(action, float(values[i].mean()) / self._unit, float(votes[i]))
            for i, action in enumerate(actions)
        ]
        return SearchResult(self._choice(found), found)

    def _choice(self, found: Evaluation) -> int:
        """The best by mean or by votes, of equals by the other, then the lowest."""
        if self._options.choose == "vote":
            return max(found, key=lambda of: (of.share, of.value, -of.action)).action
        return max(found, key=lambda of: (of.value, of.share, -of.action)).action

    def _after(self, action: int, worlds: Vector) -> Floats:
        """The value for the player in each world after an action: float64 [worlds]."""
        self._sampled.worlds[0] = worlds
        for position in self._sampled.worlds[0]:
            kernel.apply_decision(position, action)
        self._sampled.members[:] = 0
        self._sampled.members[0] = 1
        plays = kernel.FIRST_PLAY <= action < kernel.FIRST_MELD
        postponed(
            self._sampled,
            0,
            self._options.postpone - 1,
            self._options.depth - plays,
            int(worlds[0, kernel.DEAL]),
            self.player,
            self._arrays,
        )
        return self._sampled.values[0] * (1 - 2 * self.player)


def search_pimc(state: Any, seed: int = 1, options: PimcOptions = _DEFAULT) -> SearchResult:
    """Searches a state by PIMC for the player on turn, the endgame exactly.

    Only what he sees counts: all states of one information state give the same result. Who searches
    often saves time by one `PimcSearch` for all decisions of a player.

    Args:
      state: a state of python_marjolet in which a player is to act.
      seed: a whole number from 0. The same seed gives the same.
      options: how it searches.

    Returns:
      The choice, and for each legal action its mean return for the player and its share of the
      votes of the worlds (in the endgame 1 for the choice, and values are exact).

    Raises:
      ValueError: an argument is not what is asked for.
    """
    check_state(state)
    search = PimcSearch(state.get_game().rules, state.current_player(), options)
    return search_state(search, state, seed)
