"""OpenSpiel's alpha-beta as a bot: perfect-information Monte Carlo.

Alpha-beta in every sampled world, and the mean of the values (Levy, "The Million Pound Bridge
Program", 1989; Ginsberg, "GIB", 2001).
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from open_spiel.python.algorithms import minimax

from bots.os_search import OsSearchBot, Root, Score, State, check_least
from marjolet_spiel import kernel
from marjolet_spiel.rules import Rules


class OsAlphaBetaBot(OsSearchBot):
    """OpenSpiel's `minimax.alpha_beta_search` in several worlds, and the mean of their values.

    At its horizon it counts the points so far (`value_so_far`).
    """

    def __init__(self, game: Any, player: int, seed: int, worlds: int = 5, depth: int = 4) -> None:
        """A bot for one seat.

        Args:
          game: a game of this package.
          player: the seat, 0 or 1.
          seed: a whole number from 0.
          worlds: worlds a decision, at least 1.
          depth: decisions to look ahead, the one to be made included, at least 1.

        Raises:
          ValueError: an argument is not what is asked for.
        """
        super().__init__(game, player, seed)
        check_least("worlds", worlds, 1)
        check_least("depth", depth, 1)
        self._worlds = worlds
        self._depth = depth
        self._value = value_so_far(game.rules, player)

    def search(self, root: Root) -> list[Score]:
        """The mean value of each action; all weigh the same."""
        rng = root.random_state()
        legal = root.state.legal_actions()
        totals = np.zeros(len(legal))
        known: dict[Any, list[float]] = {}
        for _ in range(self._worlds):
            world = root.state.open_world(rng, self.player)
            key = _world_key(world)
            if key not in known:
                known[key] = [self._value_of(world, action) for action in legal]
            totals += known[key]
        means = (totals / self._worlds).tolist()
        return [(a, mean, 1 / len(legal)) for a, mean in zip(legal, means, strict=True)]

    def _value_of(self, world: State, action: int) -> float:
        value, _ = minimax.alpha_beta_search(
            world.get_game(),
            world.child(action),
            value_function=self._value,
            maximum_depth=self._depth - 1,
            maximizing_player_id=self.player,
        )
        return float(value)

    def decide(self, view: Root) -> int:
        """The action of the best mean value, of equals the lowest."""
        return max(self._scores(view), key=lambda score: score[1])[0]


def value_so_far(rules: Rules, player: int) -> Callable[[State], float]:
    """What a state of the open game is worth to `player` by the points so far.

    In a single deal that is their difference. In a match it is the difference of the totals of the
    match, divided such that it lies between -1 and 1: whoever is ahead by the target or more at the
    end of a deal has won, so within a deal nobody is ahead by more than that and a deal's points.
    """
    scale = float(rules.target + rules.max_deal_points()) if rules.is_match else 1.0

    def value(state: State) -> float:
        pos = state.core.pos
        own, his = (
            pos[kernel.SCORE0 + seat] + kernel.deal_points(pos, seat)
            for seat in (player, 1 - player)
        )
        return float(own - his) / scale

    return value


def _world_key(world: State) -> tuple[str, int]:
    """Equal for worlds that go on alike: in a match the deals to come count too."""
    game = world.get_game()
    return world.observation_string(), game.deal_seed if game.rules.is_match else 0
