"""The ISMCTS bot: information-set Monte Carlo tree search with exact last tricks."""

import time
from dataclasses import dataclass
from math import inf, nan
from typing import Any

import numpy as np

from bots.openspiel_bot import View, ViewBot, decision_seed
from bots.view import seen_position
from marjolet_spiel import kernel
from marjolet_spiel.cards import bits
from marjolet_spiel.kernel import Vector
from marjolet_spiel.rules import Rules
from marjolet_spiel.sampling import generator
from marjolet_spiel.solvers.endgame.alpha_beta import MAX_DEPTH, SPACE_SIZE
from marjolet_spiel.solvers.endgame.match_equity import UNIT
from marjolet_spiel.solvers.endgame.table import endgame_table
from marjolet_spiel.solvers.search.exact import LastTricks
from marjolet_spiel.solvers.search.leaves import solvable
from marjolet_spiel.solvers.search.rollouts import POLICIES
from marjolet_spiel.solvers.search.simulation import (
    BASE,
    EXACT,
    HUNCHES,
    KNOWN,
    PINNED,
    PLAYER,
    POLICY,
    SEE_DRAWS,
    SEEN_SIZE,
    SETTINGS_SIZE,
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

Evaluation = list[tuple[int, float, float]]
"""For each legal action, ascending: the action, its mean value for the seat in units of the return
(nan if it was not tried), and its share of the search."""

MAX_NODES = 1 << 20
_NODES_A_SIMULATION = 4
_TIMED_WORLDS = 10  # between two looks at the clock


@dataclass(frozen=True)
class SearchOptions:
    """How an ISMCTS bot searches.

    Attributes:
      sims: simulations a decision; very small numbers are exceeded, as each action is tried.
      time: seconds a decision, instead of `sims`, if it is not None.
      uct: how much to explore, as a fraction of the range of values seen in the search.
      rollout: how simulations go on beyond the tree, one of `rollouts.POLICIES`.
      exact: whether the last tricks are solved, not rolled out.
      pinned: whether cards that the opponent is known to hold stay in his hand.
      draws: whether own draws lead to nodes of their own.
      hunches: whether the sense of cards guides the search.
    """

    sims: int = 1000
    time: float | None = None
    uct: float = 1.0
    rollout: str = "sense"
    exact: bool = True
    pinned: bool = True
    draws: bool = True
    hunches: bool = True


class SearchBase(ViewBot[View]):
    """Searches each decision anew; the last tricks are played exactly.

    Subclasses define `look`, `position` and `search`. The choice depends on the seed and on what
    the seat sees, and on nothing else (unless it is limited by time).
    """

    def __init__(self, rules: Rules, player: int, seed: int, options: SearchOptions) -> None:
        """A bot for one seat under some rules; `seed` is a whole number from 0."""
        super().__init__(player, rules)
        self._seed = seed
        self._options = options
        self._table = endgame_table(rules.sweep_bonus)
        self._last_tricks = LastTricks(self._table)
        self._unit = UNIT if rules.is_match else 1
        self._most = rules.max_utility()
        nodes = MAX_NODES
        self.reproducible = options.time is None
        if self.reproducible:
            nodes = min(MAX_NODES, _NODES_A_SIMULATION * options.sims + 256)
        self._tree = np.zeros((nodes, NODE_SIZE), dtype=np.int64)
        self._totals = np.zeros(nodes, dtype=np.float64)
        self._search = np.zeros(SEARCH_SIZE, dtype=np.int64)
        self._seen = np.zeros(SEEN_SIZE, dtype=np.float64)
        self._stack = np.zeros((MAX_DEPTH + 2, kernel.SIZE), dtype=np.int64)
        self._space = np.zeros(SPACE_SIZE, dtype=np.int64)
        self._settings = np.zeros(SETTINGS_SIZE, dtype=np.int64)
        self._settings[PLAYER] = player
        self._settings[PINNED] = options.pinned
        self._settings[EXACT] = options.exact
        self._settings[POLICY] = POLICIES.index(options.rollout)
        self._settings[SEE_DRAWS] = options.draws
        self._settings[HUNCHES] = options.hunches

    @property
    def simulations(self) -> int:
        """How many simulations the last search had."""
        return int(self._search[SIMULATIONS])

    def position(self, view: View) -> Vector:
        """The position in a view."""
        raise NotImplementedError

    def search(self, view: View) -> Evaluation:
        """Searches a position of the stock tricks."""
        raise NotImplementedError

    def decide(self, view: View) -> int:
        """The best of the last tricks; before them what the search finds best."""
        pos = self.position(view)
        legal = int(kernel.legal_mask(pos))
        if legal & (legal - 1) == 0:
            return legal.bit_length() - 1
        if solvable(pos):
            return self._last_tricks.best(pos)
        self.search(view)
        return self._choice

    def evaluate(self, state: Any) -> Evaluation:
        """What it thinks of each legal action of a state in which it is on turn."""
        view = self._look(state)
        pos = self.position(view)
        if solvable(pos):
            return self._last_tricks.evaluation(pos)
        return self.search(view)

    def set_known(self, known: int) -> None:
        """Whether worlds are sampled (0), have the true hands (1), or the true order too (2)."""
        self._settings[KNOWN] = known

    def search_position(self, view: Vector, rng: Vector) -> Evaluation:
        """Sequential halving: all actions, then the better half of them, and so on."""
        self._tree[0] = 0
        self._totals[0] = 0.0
        self._search[:] = 0
        self._search[NUM_NODES] = 1
        self._seen[:3] = inf, -inf, 0.0
        alive = int(kernel.legal_mask(view))
        rounds = max(1, (alive.bit_count() - 1).bit_length())
        for left in range(rounds, 0, -1):
            if self._options.time is None:
                budget = (self._options.sims - self.simulations) // left
                alive = self._run(view, alive, max(1, budget // alive.bit_count()), rng)
            else:
                alive = self._run_for(self._options.time / rounds, view, alive, rng)
        self._choice = alive.bit_length() - 1
        return self._result(view)

    def _run_for(self, seconds: float, view: Vector, alive: int, rng: Vector) -> int:
        end = time.perf_counter() + seconds
        while True:
            better = self._run(view, alive, _TIMED_WORLDS, rng)
            if time.perf_counter() >= end:
                return better

    def _run(self, view: Vector, alive: int, worlds: int, rng: Vector) -> int:
        return int(
            run(
                view,
                alive,
                worlds,
                self._tree,
                self._totals,
                self._search,
                self._seen,
                self._settings,
                rng,
                self._options.uct,
                self._stack,
                self._space,
                self._table.index,
                self._table.values,
            )
        )

    def _result(self, view: Vector) -> Evaluation:
        """What was found; each mean is added to what all worlds promised on the average."""
        found = dict.fromkeys(bits(int(kernel.legal_mask(view))), (nan, 0))
        base = float(self._seen[BASE]) / max(1, int(self._search[WORLDS]))
        node = int(self._tree[0, FIRST])
        while node:
            visits = int(self._tree[node, VISITS])
            mean = (float(self._totals[node]) / visits + base) / self._unit
            mean = max(-self._most, min(self._most, mean))
            found[int(self._tree[node, LABEL])] = (mean, visits)
            node = int(self._tree[node, NEXT])
        total = sum(visits for _, visits in found.values())
        return [(action, mean, visits / total) for action, (mean, visits) in found.items()]


class IsmctsBot(SearchBase[Vector]):
    """Information-set Monte Carlo tree search (`ismcts_search.py`)."""

    def look(self, state: Any) -> Vector:
        """The position as the seat sees it."""
        return seen_position(state, self.player)

    def position(self, view: Vector) -> Vector:
        """The view itself."""
        return view

    def search(self, view: Vector) -> Evaluation:
        """Searches a position as the seat sees it."""
        return self.search_position(view, generator(decision_seed(self._seed, view.tobytes())))
