"""Information-set Monte Carlo tree search with sequential halving, around `simulation.run`."""

import time
from math import inf, nan
from typing import Any

import numpy as np

from marjolet_spiel import kernel
from marjolet_spiel.array_types import Vector
from marjolet_spiel.cards import bits
from marjolet_spiel.rules import Rules
from marjolet_spiel.solvers.search.decision import Search, check_state, search_state
from marjolet_spiel.solvers.search.options import IsmctsOptions
from marjolet_spiel.solvers.search.result import ActionValue, Evaluation, SearchResult
from marjolet_spiel.solvers.search.rollouts import POLICIES
from marjolet_spiel.solvers.search.simulation import (
    BASE,
    EXACT,
    EXTRA_ROWS,
    KNOWN,
    PINNED,
    PLAYER,
    POLICY,
    PRIORS,
    SAMPLED,
    SEE_DRAWS,
    SEEN_SIZE,
    SETTINGS_SIZE,
    SearchArrays,
    run,
)
from marjolet_spiel.solvers.search.tree import (
    FIRST,
    LABEL,
    NEXT,
    NODE_SIZE,
    NUM_NODES,
    SEARCH_SIZE,
    SIMULATIONS,
    VISITS,
    WORLDS,
)

MAX_NODES = 1 << 20
_NODES_A_SIMULATION = 4
_TIMED_WORLDS = 10  # between two looks at the clock
_DEFAULT = IsmctsOptions()


class IsmctsSearch(Search):
    """Searches each decision anew; one tree over many worlds (see `simulation`)."""

    def __init__(
        self, rules: Rules, player: int, options: IsmctsOptions = _DEFAULT, known: int = SAMPLED
    ) -> None:
        """A search for the decisions of one player.

        Args:
          rules: the rules.
          player: 0 or 1.
          options: how it searches.
          known: what is true of a position that is searched. `simulation.SAMPLED`: what the player
            sees; TRUE_HANDS: both hands; TRUE_ORDER: the order of the stock too, which is then in
            the generator (`sampling.put_order`).
        """
        super().__init__(rules, player)
        self._options = options
        self._most = rules.max_utility()
        nodes = MAX_NODES
        if options.time is None:
            nodes = min(MAX_NODES, _NODES_A_SIMULATION * options.sims + 256)
        self._tree = np.zeros((nodes, NODE_SIZE), dtype=np.int64)
        self._totals = np.zeros(nodes, dtype=np.float64)
        self._search = np.zeros(SEARCH_SIZE, dtype=np.int64)
        self._seen = np.zeros(SEEN_SIZE, dtype=np.float64)
        self._leaves = self._table.arrays(EXTRA_ROWS)
        self._settings = np.zeros(SETTINGS_SIZE, dtype=np.int64)
        self._settings[PLAYER] = player
        self._settings[KNOWN] = known
        self._settings[PINNED] = options.pinned
        self._settings[EXACT] = options.exact
        self._settings[POLICY] = POLICIES.index(options.rollout)
        self._settings[SEE_DRAWS] = options.draws
        self._settings[PRIORS] = options.priors

    @property
    def simulations(self) -> int:
        """How many simulations the last exploration had."""
        return int(self._search[SIMULATIONS])

    def explore(self, pos: Vector, rng: Vector) -> SearchResult:
        """Sequential halving: all actions, then the better half of them, and so on."""
        self._begin()
        alive = int(kernel.legal_mask(pos))
        rounds = max(1, (alive.bit_count() - 1).bit_length())
        for left in range(rounds, 0, -1):
            if self._options.time is None:
                budget = (self._options.sims - self.simulations) // left
                alive = self._run(pos, alive, max(1, budget // alive.bit_count()), rng)
            else:
                alive = self._run_for(self._options.time / rounds, pos, alive, rng)
        return SearchResult(alive.bit_length() - 1, self._evaluation(pos))

    def _begin(self) -> None:
        self._tree[0] = 0
        self._totals[0] = 0.0
        self._search[:] = 0
        self._search[NUM_NODES] = 1
        self._seen[:3] = inf, -inf, 0.0

    def _run_for(self, seconds: float, pos: Vector, alive: int, rng: Vector) -> int:
        end = time.perf_counter() + seconds
        while True:
            better = self._run(pos, alive, _TIMED_WORLDS, rng)
            if time.perf_counter() >= end:
                return better

    def _run(self, pos: Vector, alive: int, worlds: int, rng: Vector) -> int:
        return int(
            run(
                pos,
                alive,
                worlds,
                self._options.uct,
                SearchArrays(self._tree, self._totals, self._search, self._seen, self._settings),
                rng,
                self._leaves,
            )
        )

    def _evaluation(self, pos: Vector) -> Evaluation:
        """What was found; each mean is added to what all worlds promised on the average."""
        found = dict.fromkeys(bits(int(kernel.legal_mask(pos))), (nan, 0))
        base = float(self._seen[BASE]) / max(1, int(self._search[WORLDS]))
        node = int(self._tree[0, FIRST])
        while node:
            visits = int(self._tree[node, VISITS])
            mean = (float(self._totals[node]) / visits + base) / self._unit
            mean = max(-self._most, min(self._most, mean))
            found[int(self._tree[node, LABEL])] = (mean, visits)
            node = int(self._tree[node, NEXT])
        total = sum(visits for _, visits in found.values())
        return [ActionValue(action, mean, n / total) for action, (mean, n) in found.items()]


def search_ismcts(state: Any, seed: int = 1, options: IsmctsOptions = _DEFAULT) -> SearchResult:
    """Searches a state by ISMCTS for the player on turn, the endgame exactly.

    Only what he sees counts: all states of one information state give the same result. Who searches
    often saves time by one `IsmctsSearch` for all decisions of a player.

    Args:
      state: a state of python_marjolet in which a player is to act.
      seed: a whole number from 0. The same seed gives the same, unless the search is by time.
      options: how it searches.

    Returns:
      The choice, and for each legal action its mean return for the player and its share of the
      simulations (in the endgame 1 for the choice, and values are exact).

    Raises:
      ValueError: an argument is not what is asked for.
    """
    check_state(state)
    search = IsmctsSearch(state.get_game().rules, state.current_player(), options)
    return search_state(search, state, seed)
