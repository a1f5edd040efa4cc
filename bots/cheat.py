"""The clairvoyant bot: the same search, but it sees all cards. An upper bound, not a player."""

from typing import Any, NamedTuple

from bots.openspiel_bot import ViewBot
from marjolet_spiel.array_types import Vector
from marjolet_spiel.open_game import MarjoletOpenState
from marjolet_spiel.rules import Rules
from marjolet_spiel.sampling import decision_seed, generator, put_order
from marjolet_spiel.solvers.search import Evaluation, IsmctsOptions, IsmctsSearch
from marjolet_spiel.solvers.search.simulation import TRUE_HANDS, TRUE_ORDER


class Sight(NamedTuple):
    """All that there is to see.

    Attributes:
      pos: the true position.
      order: the face-down cards in drawing order, if that is settled already.
    """

    pos: Vector
    order: list[int] | None


class CheatBot(ViewBot[Sight]):
    """Tree search in the true world.

    Of a state of `python_marjolet_open` it sees the order of the stock too. Of one of
    `python_marjolet` it sees both hands; what will be drawn is not settled there, so each
    simulation has an order of its own.
    """

    def __init__(self, rules: Rules, player: int, seed: int, options: IsmctsOptions) -> None:
        """A bot for one seat under some rules; `seed` is a whole number from 0."""
        super().__init__(player, rules)
        self._seed = seed
        self._by_hands = IsmctsSearch(rules, player, options, TRUE_HANDS)
        self._by_order = IsmctsSearch(rules, player, options, TRUE_ORDER)
        self.reproducible = options.time is None

    def look(self, state: Any) -> Sight:
        """The true position."""
        order = state.stock_order() if isinstance(state, MarjoletOpenState) else None
        return Sight(state.core.pos.copy(), order)

    def decide(self, view: Sight) -> int:
        """The best action of the endgame; before it what the search finds best."""
        return self._search_for(view).choose(view.pos, self._generator(view))

    def evaluate(self, state: Any) -> Evaluation:
        """What it thinks of each legal action of a state in which it is on turn."""
        view = self._look(state)
        return self._search_for(view).search(view.pos, self._generator(view)).evaluation

    def _search_for(self, view: Sight) -> IsmctsSearch:
        return self._by_hands if view.order is None else self._by_order

    def _generator(self, view: Sight) -> Vector:
        """The generator of a decision, with the order of the stock in it where it is settled."""
        order = view.order or []
        rng = generator(decision_seed(self._seed, view.pos.tobytes() + bytes(order)))
        put_order(rng, view.pos, order)
        return rng
