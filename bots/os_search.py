"""What OpenSpiel's own searches have in common as bots.

All are written in Python inside OpenSpiel. Nothing in them knows Marjolet, but for the points that
alpha-beta counts at its horizon.

None sees a hidden card: the state they are given is exchanged at once for one that is sampled from
its information state, and what is drawn at random depends on a bot's seed and on that information
state alone. In a state of the open game nothing is hidden, and they search that very state.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from bots.openspiel_bot import ViewBot
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


def by_visits(legal: list[int], tried: dict[int, tuple[float, float]]) -> list[Score]:
    """Scores from the visits and the sum of the returns of each action that was tried."""
    all_visits = sum(visits for visits, _ in tried.values())
    scores = []
    for action in legal:
        visits, total = tried.get(action, (0.0, 0.0))
        mean = float(total / visits) if visits else math.nan
        scores.append((action, mean, visits / all_visits))
    return scores


def check_least(name: str, value: float, least: int) -> None:
    if not (math.isfinite(value) and value >= least):
        raise ValueError(f"{name}: {value!r} is not allowed; it must be at least {least}")
