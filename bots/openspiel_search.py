"""OpenSpiel's own searches as bots: ISMCTS, MCTS and alpha-beta on sampled worlds.

- `OsIsmctsBot`: information set Monte Carlo tree search, one tree over many worlds (Cowling,
  Powley and Whitehouse, "Information Set Monte Carlo Tree Search", 2012).
- `OsMctsBot`: determinized UCT. Every sampled world is searched as a game of open cards (Kocsis
  and Szepesvari, "Bandit based Monte-Carlo Planning", 2006), and the worlds vote.
- `OsAlphaBetaBot`: perfect information Monte Carlo (Levy, "The Million Pound Bridge Program",
  1989; Ginsberg, "GIB", 2001): alpha-beta in every sampled world, and the mean of the values.

All are written in Python inside OpenSpiel. Nothing in them knows Marjolet, but for the points that
alpha-beta counts at its horizon.

None sees a hidden card: the state they are given is exchanged at once for one that is sampled from
its information state, and what is drawn at random depends on a bot's seed and on that information
state alone. In a state of the open game nothing is hidden, and they search that very state.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from open_spiel.python.algorithms import ismcts, mcts, minimax

from bots.openspiel_bot import ViewBot
from marjolet_spiel import kernel
from marjolet_spiel.rules import Rules
from marjolet_spiel.sampling import decision_seed
from marjolet_spiel.simulate import play_random

State = Any
Score = tuple[int, float, float]
"""An action, its mean value for the seat (nan if never tried), and its weight."""

DEFAULT_UCT = 1.0
_SPREAD_GAMES = 1000


@lru_cache(maxsize=64)
def return_spread(rules: Rules) -> float:
    """How far returns lie apart in random play: their standard deviation, in units of the return.

    It makes one exploration constant fit small packs, whole packs and matches. The bounds of the
    return would not: a whole deal lies within 650 points either way, but 56 is usual, while a
    match is always worth 1 or -1 to somebody.
    """
    if rules.is_match:
        return 1.0
    return float(play_random(rules, _SPREAD_GAMES, seed=0).returns[:, 0].std())


@dataclass(frozen=True)
class Root:
    """What a search starts from; the same for all states of one information state.

    Attributes:
      state: a state sampled from the information state.
      seed: of everything else that is random in this decision, below 2^63.
    """

    state: State
    seed: int

    def random_state(self) -> np.random.RandomState:
        """A new generator of this decision."""
        return np.random.RandomState(np.random.MT19937(self.seed))


class OsSearchBot(ViewBot[Root]):
    """A bot that gives each legal action a value and a weight by some search.

    Subclasses define `search`. The same seed and information state give the same choice.
    """

    def __init__(self, game: Any, player: int, seed: int) -> None:
        """A bot for seat `player` of a game; `seed` is a whole number from 0."""
        super().__init__(player, game.rules)
        self._seed = seed

    def look(self, state: State) -> Root:
        """A sampled state and the seed of the decision."""
        seen = state.information_state_string(self.player)
        seed = decision_seed(self._seed, seen.encode())
        return Root(state.resample_from_infostate(self.player, seed), seed)

    def search(self, root: Root) -> list[Score]:
        """The score of each legal action, ascending, where there are several."""
        raise NotImplementedError

    def evaluate(self, state: State) -> list[Score]:
        """What the search says of each legal action, ascending by action.

        Args:
          state: a state in which the seat is on turn; ValueError for another.

        Returns:
          Triples of an action, its mean value for the seat in units of the return, and its weight.
          The value is nan if the action was never tried; an only action is not searched. Weights
          sum to 1: the share of the visits, or 1/n where visits do not count.
        """
        return self._scores(self._look(state))

    def _scores(self, root: Root) -> list[Score]:
        legal = root.state.legal_actions()
        return self.search(root) if len(legal) > 1 else [(legal[0], math.nan, 1.0)]

    def decide(self, view: Root) -> int:
        """The action of the greatest weight, of equals the lowest."""
        return max(self._scores(view), key=lambda score: score[2])[0]


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
        _check_least("sims", sims, 2)
        _check_least("uct", uct, 0)
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
        return _by_visits(state.legal_actions(), tried)


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
        _check_least("worlds", worlds, 1)
        _check_least("sims", sims, 2)
        _check_least("uct", uct, 0)
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
        return _by_visits(root.state.legal_actions(), tried)


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
        _check_least("worlds", worlds, 1)
        _check_least("depth", depth, 1)
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


def _by_visits(legal: list[int], tried: dict[int, tuple[float, float]]) -> list[Score]:
    """Scores from the visits and the sum of the returns of each action that was tried."""
    all_visits = sum(visits for visits, _ in tried.values())
    scores = []
    for action in legal:
        visits, total = tried.get(action, (0.0, 0.0))
        mean = float(total / visits) if visits else math.nan
        scores.append((action, mean, visits / all_visits))
    return scores


def _check_least(name: str, value: float, least: int) -> None:
    if not (math.isfinite(value) and value >= least):
        raise ValueError(f"{name}: {value!r} is not allowed; it must be at least {least}")
