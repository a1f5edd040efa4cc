"""OpenSpiel's ISMCTS as a bot: one tree over many worlds.

Cowling, Powley and Whitehouse, "Information Set Monte Carlo Tree Search", 2012.
"""

from typing import Any

from open_spiel.python.algorithms import ismcts, mcts

from bots.os_search import (
    DEFAULT_UCT,
    OsSearchBot,
    Root,
    Score,
    by_visits,
    check_least,
    return_spread,
)


class OsIsmctsBot(OsSearchBot):
    """OpenSpiel's `ismcts.ISMCTSBot` with random playouts.

    The nodes of the tree are what the player on turn can see at the time. By information states the
    opponent's nodes would be new ones in almost every world, and he would seem to play at random.
    """

    def __init__(
        self, game: Any, player: int, seed: int, sims: int = 100, uct: float = DEFAULT_UCT
    ) -> None:
        """A bot for one seat.

        Args:
          game: a game of this package.
          player: the seat, 0 or 1.
          seed: a whole number from 0.
          sims: playouts a decision, each in a world of its own, at least 2: the first one is from
            the root itself.
          uct: the exploration constant as a multiple of `return_spread`, at least 0.

        Raises:
          ValueError: an argument is not what is asked for.
        """
        super().__init__(game, player, seed)
        check_least("sims", sims, 2)
        check_least("uct", uct, 0)
        self._sims = sims
        self._uct = uct * return_spread(game.rules)

    def search(self, root: Root) -> list[Score]:
        """Visits and mean returns at the root of the tree."""
        rng = root.random_state()
        state = root.state
        bot = ismcts.ISMCTSBot(
            state.get_game(),
            mcts.RandomRolloutEvaluator(1, rng),
            self._uct,
            self._sims,
            random_state=rng,
            use_observation_string=True,
        )
        bot.set_resampler(lambda s, player: s.resample_from_infostate(player, rng))
        if state.get_game().is_open:  # `run_search` refuses such games, its steps do not
            for _ in range(self._sims):
                bot.run_simulation(state.clone())
        else:
            bot.run_search(state)
        children = bot.lookup_node(state).child_info
        tried = {a: (child.visits, child.return_sum) for a, child in children.items()}
        return by_visits(state.legal_actions(), tried)
