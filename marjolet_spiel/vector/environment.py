"""`VectorEnv`: many games that are stepped together."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pyspiel
from numpy.typing import NDArray

from marjolet_spiel import compact, kernel
from marjolet_spiel.cards import bits
from marjolet_spiel.compiling import wrap_around
from marjolet_spiel.core import core_from
from marjolet_spiel.events import events_with_actors
from marjolet_spiel.game import SHORT_NAME
from marjolet_spiel.notation import action_name
from marjolet_spiel.sampling import seeds_for
from marjolet_spiel.state import MarjoletState, state_from
from marjolet_spiel.vector import buffers
from marjolet_spiel.vector.arguments import (
    check_whole,
    check_word,
    checked_indices,
    checked_truths,
    rules_of,
)
from marjolet_spiel.vector.games import EPISODE, LEGAL, LENGTH, SEED, Ways
from marjolet_spiel.vector.stepping import (
    ANEW,
    OBSERVATIONS,
    WAIT,
    first_illegal,
    hidden_span,
    observe_rows,
    step_span,
)

REWARDS = ("final", "scored")
ENDGAMES = ("play", "table")
MAX_ENVS = 1 << 20
MAX_THREADS = 256


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


class VectorEnv:
    """Many games of python_marjolet, stepped together in compiled code.

    Chance acts by itself, and a game that ends is begun anew within the same step. The cards of
    game i in its episode e depend on the seed, i and e alone.

    Example::

        env = VectorEnv("python_marjolet(profile=dutch)", num_envs=1024, seed=1)
        batch = env.reset()
        while learning:
            batch = env.step(choose(batch.observation, batch.legal))

    Attributes:
      rules: the rules.
      game: the game as pyspiel has it.
      num_envs: how many games there are, n.
      seed: their seed.
      observation_size: floats of an observation, d.
    """

    def __init__(
        self,
        game: Any,
        num_envs: int,
        seed: int,
        observation: str = "observation",
        skip_forced: bool = True,
        threads: int = 1,
        reward: str = "final",
        endgame: str = "play",
    ) -> None:
        """An environment; call `reset` first.

        Args:
          game: a game string, a game of pyspiel, or `Rules`: any profile, pack and target.
          num_envs: how many games, from 1 to 1,048,576.
          seed: a whole number from 0.
          observation: "observation" or "information_state", exactly the tensors of states; or
            "compact" (`compact.py`), which has the same size for all rules.
          skip_forced: whether decisions with a single legal action are taken by themselves.
          threads: how many threads share the work, from 1 to 256. Games do not depend on it. A
            second one pays from some thousands of games on, and slows a few hundred down.
          reward: "final", the returns of the game as it ends, as pyspiel has them; or "scored",
            the points as they are scored, less the other's (in a match those of all deals).
          endgame: "play"; or "table", and a game ends with its stock, the rest being worth what
            best play makes of it. Single deals only.

        Raises:
          ValueError: an argument is not allowed; the message names it, its value and what is.
        """
        self.rules = rules_of(game)
        check_whole("num_envs", num_envs, 1, MAX_ENVS)
        check_whole("seed", seed, 0, None)
        check_whole("threads", threads, 1, MAX_THREADS)
        check_word("observation", observation, OBSERVATIONS)
        check_word("reward", reward, REWARDS)
        check_word("endgame", endgame, ENDGAMES)
        if not isinstance(skip_forced, bool):
            raise ValueError(f"skip_forced: {skip_forced!r} is not allowed; it must be a bool")
        if endgame == "table" and self.rules.is_match:
            raise ValueError(
                f"endgame: 'table' is not allowed with target={self.rules.target}; "
                "the table values single deals (target=0)"
            )
        self.num_envs, self.seed = num_envs, int(seed)
        self.game = pyspiel.load_game(SHORT_NAME, asdict(self.rules))
        self._ways = Ways(skip_forced, reward == "scored", endgame == "table")
        self._view, self.observation_size = buffers.make_view(self.rules, observation)
        self._games = buffers.make_game_arrays(self.rules, num_envs, seed)
        self._batch = buffers.make_batch_arrays(num_envs, self.observation_size)
        self._hidden = np.zeros((num_envs, compact.HIDDEN_SIZE), dtype=np.float32)
        threads = min(threads, num_envs)
        self._endgames = [
            buffers.make_endgame(self.rules, endgame == "table") for _ in range(threads)
        ]
        self._pool = ThreadPoolExecutor(threads, "games", wrap_around) if threads > 1 else None
        edges = np.linspace(0, num_envs, threads + 1).astype(int).tolist()
        self._spans = list(pairwise(edges))
        self._begun = False

    def reset(self, seed: int | None = None) -> Batch:
        """Begins all games, with episode 0: the same games again if it is called again.

        Args:
          seed: a new seed of the games; by default the one there is.

        Raises:
          ValueError: the seed is no whole number from 0.
        """
        if seed is not None:
            check_whole("seed", seed, 0, None)
            self.seed = int(seed)
            self._games.facts[: self.num_envs, SEED] = seeds_for(self.seed, self.num_envs)

        self._games.facts[: self.num_envs, EPISODE] = -1
        self._begun = True
        return self._take(np.full(self.num_envs, ANEW))

    def step(
        self,
        actions: NDArray[np.integer[Any]] | Sequence[int],
        moving: NDArray[np.bool_] | None = None,
    ) -> Batch:
        """Takes an action in each game, or in some.

        Args:
          actions: whole numbers [n], a legal action id of each game.
          moving: bool [n], the games in which something happens; in the others the action does not
            count, and the reward is 0. All by default.

        Raises:
          ValueError: an action is not legal, or something is of another form; no game has moved.
        """
        return self._take(self._checked(actions, moving))

    def begin_anew(self, which: NDArray[np.bool_]) -> Batch:
        """Gives some games up, as they are, for their next episode; the others wait.

        Args:
          which: bool [n].

        Raises:
          ValueError: it is something else, or `reset` was not called.
        """
        self._check_begun()
        return self._take(np.where(checked_truths("which", which, self.num_envs), ANEW, WAIT))

    @property
    def batch(self) -> Batch:
        """What is to be known for the next decisions, as the last call returned it.

        Raises:
          ValueError: `reset` was not called.
        """
        self._check_begun()
        return Batch(*self._batch)

    def positions(self) -> NDArray[np.int64]:
        """The positions as kernel vectors, int64 [n, kernel.SIZE], hidden cards included: a copy.

        Raises:
          ValueError: `reset` was not called.
        """
        self._check_begun()
        return self._games.positions[: self.num_envs].copy()

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
        observe_rows(self._games, rows, seen_by, self._view, self._endgames[0].stack[0], out)
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

    def close(self) -> None:
        """Ends the threads; the environment cannot be used any more."""
        if self._pool is not None:
            self._pool.shutdown()

    def __enter__(self) -> "VectorEnv":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _take(self, chosen: NDArray[np.int64]) -> Batch:
        """Takes actions that are legal, or what may stand in their place."""

        def run(thread: int, first: int, last: int) -> None:
            endgame = self._endgames[thread]
            step_span(
                self._games, chosen, first, last, self._ways, self._view, endgame, self._batch
            )

        self._in_threads(run)
        return Batch(*self._batch)

    def _in_threads(self, run: Callable[[int, int, int], None]) -> None:
        """Runs all spans, the first one in this thread."""
        work = []
        if self._pool is not None:
            rest = enumerate(self._spans[1:], 1)
            work = [self._pool.submit(run, thread, *span) for thread, span in rest]
        run(0, *self._spans[0])
        for part in work:
            part.result()

    def _check_begun(self) -> None:
        if not self._begun:
            raise ValueError("environment: no game has begun; call reset() first")

    def _check_ended(self, games: NDArray[np.int64]) -> None:
        never = self._games.facts[games + self.num_envs, LENGTH] == 0
        if never.any():
            raise ValueError(f"ended: game {games[never.argmax()]} has not ended any game yet")

    def _checked(self, actions: Any, moving: Any) -> NDArray[np.int64]:
        """The actions, or `WAIT`, of all games."""
        self._check_begun()
        given = np.asarray(actions)
        if given.shape != (self.num_envs,) or not np.issubdtype(given.dtype, np.integer):
            raise ValueError(
                f"actions: {given.dtype} {list(given.shape)} is not allowed; it must be whole "
                f"numbers [{self.num_envs}], an action id for each game"
            )
        chosen = np.where(given < 0, kernel.NUM_ACTIONS, given).astype(np.int64)
        if moving is not None:
            chosen[~checked_truths("moving", moving, self.num_envs)] = WAIT
        wrong = first_illegal(self._games, chosen)
        if wrong != kernel.NONE:
            suits = self.rules.num_suits
            legal = bits(int(self._games.facts[wrong, LEGAL]))
            names = ", ".join(f"{action} ({action_name(action, suits)})" for action in legal)
            raise ValueError(
                f"actions: {given[wrong]} is not legal in game {wrong}; legal are {names}"
            )
        return chosen
