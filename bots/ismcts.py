"""The ISMCTS bot: information-set Monte Carlo tree search with the endgame exact."""

from bots.search_bot import SearchBot
from marjolet_spiel.rules import Rules
from marjolet_spiel.solvers.search import IsmctsOptions, IsmctsSearch


class IsmctsBot(SearchBot):
    """Plays what `IsmctsSearch` finds."""

    def __init__(self, rules: Rules, player: int, seed: int, options: IsmctsOptions) -> None:
        """A bot for one seat under some rules; `seed` is a whole number from 0."""
        self._ismcts = IsmctsSearch(rules, player, options)
        super().__init__(self._ismcts, rules, seed)
        self.reproducible = options.time is None

    @property
    def simulations(self) -> int:
        """How many simulations the last search had."""
        return self._ismcts.simulations
