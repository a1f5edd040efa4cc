"""The PIMC bot: alpha-beta on determinized worlds with the endgame exact."""

from bots.search_bot import SearchBot
from marjolet_spiel.rules import Rules
from marjolet_spiel.solvers.search import PimcOptions, PimcSearch


class PimcBot(SearchBot):
    """Plays what `PimcSearch` finds."""

    def __init__(self, rules: Rules, player: int, seed: int, options: PimcOptions) -> None:
        """A bot for one seat under some rules; `seed` is a whole number from 0."""
        super().__init__(PimcSearch(rules, player, options), rules, seed)
