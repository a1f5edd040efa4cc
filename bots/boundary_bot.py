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

from bots.ismcts import Evaluation, IsmctsBot
from bots.openspiel_bot import Policy, ViewBot, decision_seed
from marjolet_spiel import kernel
from marjolet_spiel.cards import bits
from marjolet_spiel.kernel import Vector
from marjolet_spiel.rules import Rules
from marjolet_spiel.solvers.boundary.deals import check_size, with_first_deal
from marjolet_spiel.solvers.boundary.solution import Boundary, solve_boundary, trick_so_far
from marjolet_spiel.solvers.memory import TooLargeError

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
    """Samples from the equilibrium in the last stock trick, and asks another bot elsewhere.

    What it takes depends on its seed and the information state alone.
    """

    def __init__(self, other: IsmctsBot, rules: Rules, seed: int) -> None:
        """A bot for the seat and with the search of another one; `seed` is a whole number."""
        super().__init__(other.player, rules)
        self.reproducible = other.reproducible
        self._other = other
        self._seed = seed

    @property
    def simulations(self) -> int:
        """How many simulations the last search had."""
        return self._other.simulations

    def look(self, state: Any) -> TrickView:
        """The position as the seat sees it, and how the last stock trick has gone."""
        seen, pos = self._other.look(state), state.core.pos
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
            return self._other.decide(view.seen)
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
            return self._other.distribution(view.seen)
        return [*_solved(view.start).policy(self.player, view.hand, view.actions).items()]

    def evaluate(self, state: Any) -> Evaluation:
        """What it thinks of each legal action: its value against the equilibrium, and its chance.

        The value is nan if the other would not have played as he did.
        """
        view = self._look(state)
        if not self._solves(view):
            return self._other.evaluate(state)
        where = (self.player, view.hand, view.actions)
        values = _solved(view.start).action_values(*where)
        return [(action, values[action], p) for action, p in self.distribution(view)]

    def _solves(self, view: TrickView) -> bool:
        """Whether there is a choice to be made from a solution."""
        return view.start != b"" and len(bits(int(kernel.legal_mask(view.seen)))) > 1
