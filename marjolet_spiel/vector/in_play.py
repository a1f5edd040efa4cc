"""Games of a batch in play: what they show, to players and to whoever may see everything."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pyspiel
from numpy.typing import NDArray

from marjolet_spiel import compact, kernel
from marjolet_spiel.core import core_from
from marjolet_spiel.events import events_with_actors
from marjolet_spiel.game import SHORT_NAME
from marjolet_spiel.rules import Rules
from marjolet_spiel.state import MarjoletState, state_from
from marjolet_spiel.vector import buffers
from marjolet_spiel.vector.arguments import check_whole, checked_indices
from marjolet_spiel.vector.games import LENGTH
from marjolet_spiel.vector.stepping import hidden_span, observe_rows


@dataclass(frozen=True)
class Batch:
    """What is to be known for the next decision of each of n games.

    The arrays are buffers: the next `step` or `reset` writes into the same ones. Copy what you
    want to keep.

    Attributes:
      observation: float32 [n, d], what the player on turn sees.
      legal: bool [n, 59], the legal actions.
      player: int8 [n], who is on turn, 0 or 1.
      reward: float32 [n, 2], what each player got for the last step, the end of a game included.
      done: bool [n], whether the last step ended a game; all else is of the next one then.
      episode: int64 [n], the number of the game in progress, from 0.
    """

    observation: NDArray[np.float32]
    legal: NDArray[np.bool_]
    player: NDArray[np.int8]
    reward: NDArray[np.float32]
    done: NDArray[np.bool_]
    episode: NDArray[np.int64]


class GamesInPlay:
    """Games that are looked at; who steps them is a subclass.

    Attributes:
      rules: the rules.
      game: the game as pyspiel has it.
      num_envs: how many games there are, n.
      seed: their seed.
      observation_size: floats of an observation, d.
    """

    def __init__(self, rules: Rules, num_envs: int, seed: int, observation: str) -> None:
        """Room for games; none has begun. The arguments are those of `VectorEnv`, checked."""
        self.rules, self.num_envs, self.seed = rules, num_envs, int(seed)
        self.game = pyspiel.load_game(SHORT_NAME, asdict(rules))
        self._view, self.observation_size = buffers.make_view(rules, observation)
        self._games = buffers.make_game_arrays(rules, num_envs, seed)
        self._batch = buffers.make_batch_arrays(num_envs, self.observation_size)
        self._hidden = np.zeros((num_envs, compact.HIDDEN_SIZE), dtype=np.float32)
        self._scratch = np.zeros(kernel.SIZE, dtype=np.int64)
        self._begun = False

    @property
    def batch(self) -> Batch:
        """What is to be known for the next decisions, as the last call returned it.

        Raises:
          ValueError: `reset` was not called.
        """
        self._check_begun()
        return Batch(*self._batch)

    def saved(self) -> dict[str, NDArray[Any]]:
        """All games as arrays by name, copies, from which `restore` goes on the same.

        Raises:
          ValueError: `reset` was not called.
        """
        self._check_begun()
        return {name: getattr(self._games, name).copy() for name in buffers.SAVED}

    def positions(self) -> NDArray[np.int64]:
        """The positions as kernel vectors, int64 [n, kernel.SIZE], hidden cards included: a copy.

        Raises:
          ValueError: `reset` was not called.
        """
        self._check_begun()
        return self._games.positions[: self.num_envs].copy()

    def trumps(self) -> NDArray[np.int64]:
        """The suit of trumps of each game, int64 [n], as `compact.action_ids` wants it: a copy.

        Raises:
          ValueError: `reset` was not called.
        """
        self._check_begun()
        return self._games.positions[: self.num_envs, kernel.TRUMP].copy()

    def hidden(self) -> NDArray[np.float32]:
        """What the players on turn do not see (`compact.write_hidden`), for critics in training.

        Returns:
          float32 [n, compact.HIDDEN_SIZE], a buffer that the next call writes into.

        Raises:
          ValueError: `reset` was not called.
        """
        self._check_begun()
        hidden_span(self._games, self._hidden)
        return self._hidden

    def observe(
        self,
        games: NDArray[np.integer[Any]] | Sequence[int],
        players: NDArray[np.integer[Any]] | Sequence[int],
        ended: bool = False,
    ) -> NDArray[np.float32]:
        """What given players see in given games, on turn or not.

        A "compact" observation is all zero for a player who is not on turn.

        Args:
          games: whole numbers [k].
          players: 0 or 1 for each of them.
          ended: whether to look at the games that these ended last, at their ends.

        Returns:
          float32 [k, d].

        Raises:
          ValueError: there is no such game or player, or none has ended yet.
        """
        self._check_begun()
        rows = checked_indices("games", games, self.num_envs)
        seen_by = checked_indices("players", players, 2)
        if rows.shape != seen_by.shape:
            raise ValueError(
                f"players: {len(seen_by)} of them are not allowed; it must be one for each of "
                f"{len(rows)} games"
            )
        if ended:
            self._check_ended(rows)
            rows = rows + self.num_envs
        out = np.empty((len(rows), self.observation_size), dtype=np.float32)
        observe_rows(self._games, rows, seen_by, self._view, self._scratch, out)
        return out

    def state(self, i: int, ended: bool = False) -> MarjoletState:
        """Game `i`, or the one that it ended last, as a state of pyspiel with its history.

        Raises:
          ValueError: there is no such game, none has ended yet, or `reset` was not called.
        """
        self._check_begun()
        check_whole("i", i, 0, self.num_envs - 1)
        if ended:
            self._check_ended(np.array([i]))
        row = i + self.num_envs * ended
        length = int(self._games.facts[row, LENGTH])
        start, log = self._games.start.copy(), self._games.logs[row, :length].tobytes()
        return state_from(self.game, core_from(start, log), events_with_actors(start, log))

    def _check_begun(self) -> None:
        if not self._begun:
            raise ValueError("environment: no game has begun; call reset() first")

    def _check_ended(self, games: NDArray[np.int64]) -> None:
        never = self._games.facts[games + self.num_envs, LENGTH] == 0
        if never.any():
            raise ValueError(f"ended: game {games[never.argmax()]} has not ended any game yet")
