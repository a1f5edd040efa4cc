"""How every search decides: the endgame exactly, all other positions by searching."""

from abc import ABC, abstractmethod
from typing import Any

from marjolet_spiel import kernel
from marjolet_spiel.array_types import Vector
from marjolet_spiel.open_game import MarjoletOpenState
from marjolet_spiel.rules import Rules
from marjolet_spiel.sampling import decision_seed, generator
from marjolet_spiel.solvers.endgame.match_equity import UNIT
from marjolet_spiel.solvers.endgame.table import endgame_table
from marjolet_spiel.solvers.search.exact import ExactEndgame
from marjolet_spiel.solvers.search.leaves import solvable
from marjolet_spiel.solvers.search.result import SearchResult
from marjolet_spiel.state import MarjoletState
from marjolet_spiel.worlds import seen_position


class Search(ABC):
    """A search with the exact endgame, for one player under some rules and for one thread.

    What it finds depends on the position and the generator alone (unless it is limited by time); it
    keeps nothing but scratch arrays. Subclasses define `explore`.

    Attributes:
      player: whose decisions it takes, 0 or 1.
    """

    def __init__(self, rules: Rules, player: int) -> None:
        """A search for the decisions of `player` under some rules."""
        self.player = player
        self._table = endgame_table(rules.sweep_bonus)
        self._endgame = ExactEndgame(self._table)
        self._unit = UNIT if rules.is_match else 1

    @abstractmethod
    def explore(self, pos: Vector, rng: Vector) -> SearchResult:
        """Searches a position, whether it is `solvable` or not; arguments as for `search`."""

    def search(self, pos: Vector, rng: Vector) -> SearchResult:
        """What to do in a position, and what each legal action is worth.

        Args:
          pos: int64 [kernel.SIZE], the position as the player sees it (`worlds.seen_position`); he
            is on turn.
          rng: a generator (`sampling.generator`); it is moved on.
        """
        return self._endgame.result(pos) if solvable(pos) else self.explore(pos, rng)

    def choose(self, pos: Vector, rng: Vector) -> int:
        """What to do in a position; an only action is taken without a search."""
        legal = int(kernel.legal_mask(pos))
        if legal & (legal - 1) == 0:
            return legal.bit_length() - 1
        return self.search(pos, rng).choice


def check_state(state: Any) -> None:
    """Refuses what cannot be searched.

    Raises:
      ValueError: it is no state of python_marjolet, or nobody is to act in it.
    """
    allowed = "it must be a state of python_marjolet in which a player is to act"
    if not isinstance(state, MarjoletState) or isinstance(state, MarjoletOpenState):
        asked = getattr(state, "get_game", lambda: type(state).__name__)()
        raise ValueError(f"state: a state of {asked} is not allowed; {allowed}")
    if state.current_player() not in (0, 1):
        what = "a terminal state" if state.is_terminal() else "a chance node"
        raise ValueError(f"state: {what} is not allowed; {allowed}")


def search_state(search: Search, state: Any, seed: int) -> SearchResult:
    """What a search finds in a state in which its player is on turn.

    Cards that the player cannot see have no say: all states of one information state give the same.

    Raises:
      ValueError: the seed is not allowed.
    """
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise ValueError(f"seed: {seed!r} is not allowed; it must be a whole number from 0")
    pos = seen_position(state, search.player)
    return search.search(pos, generator(decision_seed(seed, pos.tobytes())))
