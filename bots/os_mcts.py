"""OpenSpiel's MCTS as a bot: determinized UCT.

Every sampled world is searched as a game of open cards (Kocsis and Szepesvari, "Bandit based
Monte-Carlo Planning", 2006), and the worlds vote.
"""

from typing import Any

from open_spiel.python.algorithms import mcts

from bots.os_search import (
    DEFAULT_UCT,
    OsSearchBot,
    Root,
    Score,
    by_visits,
    check_least,
    return_spread,
)


class OsMctsBot(OsSearchBot):
    """OpenSpiel's Python `mcts.MCTSBot` with random playouts in several worlds, which vote.

    The visits at the roots are added up. Positions are not marked as solved, since that stops a
    search, and visits would no longer tell a good action from a bad one.
    """

    def __init__(
        self,
        game: Any,
        player: int,
        seed: int,
        worlds: int = 10,
        sims: int = 20,
        uct: float = DEFAULT_UCT,
    ) -> None:
        """A bot for one seat.

        Args:
          game: a game of this package.
          player: the seat, 0 or 1.
          seed: a whole number from 0.
          worlds: worlds a decision, at least 1.
          sims: playouts a world, at least 2: the first one is from the root itself.
          uct: the exploration constant as a multiple of `return_spread`, at least 0.

        Raises:
          ValueError: an argument is not what is asked for.
        """
        super().__init__(game, player, seed)
        check_least("worlds", worlds, 1)
        check_least("sims", sims, 2)
        check_least("uct", uct, 0)
        self._worlds = worlds
        self._sims = sims
        self._uct = uct * return_spread(game.rules)

    def search(self, root: Root) -> list[Score]:
        """Visits and mean returns at the roots of all worlds together."""
        rng = root.random_state()
        evaluator = mcts.RandomRolloutEvaluator(1, rng)
        tried: dict[int, tuple[float, float]] = {}
        for _ in range(self._worlds):
            world = root.state.open_world(rng, self.player)
            bot = mcts.MCTSBot(
                world.get_game(), self._uct, self._sims, evaluator, solve=False, random_state=rng
            )
            for child in bot.mcts_search(world).children:
                visits, total = tried.get(child.action, (0.0, 0.0))
                tried[child.action] = visits + child.explore_count, total + child.total_reward
        return by_visits(root.state.legal_actions(), tried)
