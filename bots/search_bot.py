"""Bots that search each decision anew, as their seat sees it."""

from typing import Any

from bots.openspiel_bot import ViewBot
from marjolet_spiel.array_types import Vector
from marjolet_spiel.rules import Rules
from marjolet_spiel.sampling import decision_seed, generator
from marjolet_spiel.solvers.search import Evaluation, Search
from marjolet_spiel.worlds import seen_position


class SearchBot(ViewBot[Vector]):
    """A bot that asks a search; the endgame is played exactly.

    The choice depends on the seed and on what the seat sees, and on nothing else (unless the search
    is limited by time).
    """

    def __init__(self, search: Search, rules: Rules, seed: int) -> None:
        """A bot for the player of a search; `seed` is a whole number from 0."""
        super().__init__(search.player, rules)
        self._search = search
        self._seed = seed

    def look(self, state: Any) -> Vector:
        """The position as the seat sees it."""
        return seen_position(state, self.player)

    def decide(self, view: Vector) -> int:
        """The best action of the endgame; before it what the search finds best."""
        return self._search.choose(view, self._generator(view))

    def evaluate(self, state: Any) -> Evaluation:
        """What it thinks of each legal action of a state in which it is on turn."""
        view = self._look(state)
        return self._search.search(view, self._generator(view)).evaluation

    def _generator(self, view: Vector) -> Vector:
        return generator(decision_seed(self._seed, view.tobytes()))
