"""A search bot that plays the last stock trick from the equilibrium of its subgame.

Where the trick began is read from what the seat has seen; from there on `solve_boundary` solves the
lead, the answer and the window, with all deals alike that fit what everybody has seen. The solution
is the same for both seats and for all of their cards, so it is kept: it is found once a deal.
Matches, and packs with too many deals, are left to the search throughout.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from bots.openspiel_bot import Policy, ViewBot
from marjolet_spiel import kernel
from marjolet_spiel.array_types import Vector
from marjolet_spiel.cards import bits
from marjolet_spiel.rules import Rules
from marjolet_spiel.sampling import decision_seed, generator
from marjolet_spiel.solvers.boundary.deals import check_size, with_first_deal
from marjolet_spiel.solvers.boundary.solution import Boundary, solve_boundary, trick_so_far
from marjolet_spiel.solvers.memory import TooLargeError
from marjolet_spiel.solvers.search import ActionValue, Evaluation, IsmctsOptions, IsmctsSearch
from marjolet_spiel.worlds import seen_position

_KEPT = 2  # solutions, of some 30 MB each


@dataclass(frozen=True)
class TrickView:
    """What the seat sees, equal for all states of one information state.

    Attributes:
      seen: the position as the seat sees it.
      start: the position at the start of the last stock trick, with hidden cards in one and the
        same place, as bytes; empty where there is nothing to be solved.
      hand: the own cards there, as a mask.
      actions: what was done since, by both.
    """

    seen: Vector
    start: bytes = b""
    hand: int = 0
    actions: tuple[int, ...] = ()

    @property
    def key(self) -> bytes:
        """All of it but `seen`, which follows from it."""
        return self.start + self.hand.to_bytes(4, "little") + bytes(self.actions)


@lru_cache(maxsize=_KEPT)
def _solved(start: bytes) -> Boundary:
    return solve_boundary(np.frombuffer(start, dtype=np.int64))


class BoundaryBot(ViewBot[TrickView]):
    """Samples from the equilibrium in the last stock trick, and searches elsewhere.

    What it takes depends on its seed and the information state alone.
    """

    def __init__(self, rules: Rules, player: int, seed: int, options: IsmctsOptions) -> None:
        """A bot for one seat under some rules; `seed` is a whole number from 0."""
        super().__init__(player, rules)
        self.reproducible = options.time is None
        self._search = IsmctsSearch(rules, player, options)
        self._seed = seed

    @property
    def simulations(self) -> int:
        """How many simulations the last search had."""
        return self._search.simulations

    def look(self, state: Any) -> TrickView:
        """The position as the seat sees it, and how the last stock trick has gone."""
        seen, pos = seen_position(state, self.player), state.core.pos
        if pos[kernel.TRICK] != pos[kernel.STOCK_TRICKS] or pos[kernel.TARGET] != 0:
            return TrickView(seen)
        start, actions = trick_so_far(state)
        try:
            check_size(start)
        except TooLargeError:
            return TrickView(seen)
        hand = int(start[kernel.HAND0 + self.player])
        return TrickView(seen, with_first_deal(start).tobytes(), hand, actions)

    def decide(self, view: TrickView) -> int:
        """An action drawn from the equilibrium, or what the search finds best."""
        if not self._solves(view):
            return self._search.choose(view.seen, self._generator(view))
        draw = decision_seed(self._seed, view.key) / 2**63
        possible = [(action, chance) for action, chance in self.distribution(view) if chance > 0]
        for action, chance in possible:
            draw -= chance
            if draw < 0:
                return action
        return possible[-1][0]  # the sum was below 1 by rounding

    def distribution(self, view: TrickView) -> Policy:
        """The equilibrium, or what the search finds best."""
        if not self._solves(view):
            return [(self.decide(view), 1.0)]
        return [*_solved(view.start).policy(self.player, view.hand, view.actions).items()]

    def evaluate(self, state: Any) -> Evaluation:
        """What it thinks of each legal action: its value against the equilibrium, and its chance.

        The value is nan if the other would not have played as he did.
        """
        view = self._look(state)
        if not self._solves(view):
            return self._search.search(view.seen, self._generator(view)).evaluation
        where = (self.player, view.hand, view.actions)
        values = _solved(view.start).action_values(*where)
        return [ActionValue(action, values[action], p) for action, p in self.distribution(view)]

    def _generator(self, view: TrickView) -> Vector:
        return generator(decision_seed(self._seed, view.seen.tobytes()))

    def _solves(self, view: TrickView) -> bool:
        """Whether there is a choice to be made from a solution."""
        return view.start != b"" and len(bits(int(kernel.legal_mask(view.seen)))) > 1
