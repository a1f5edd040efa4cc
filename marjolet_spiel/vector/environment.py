"""`VectorEnv`: many games that are stepped together."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pyspiel
from numpy.typing import NDArray

from marjolet_spiel import compact, features, kernel
from marjolet_spiel.base_game import MarjoletBaseGame
from marjolet_spiel.cards import bits
from marjolet_spiel.compiling import wrap_around
from marjolet_spiel.core import core_from
from marjolet_spiel.events import events_with_actors
from marjolet_spiel.game import SHORT_NAME
from marjolet_spiel.notation import action_name
from marjolet_spiel.observer import layout_for
from marjolet_spiel.rules import Rules
from marjolet_spiel.sampling import GENERATOR_SIZE, seeds_for
from marjolet_spiel.solvers.endgame import endgame_table
from marjolet_spiel.solvers.endgame.alpha_beta import MAX_DEPTH, SCRATCH_SIZE, EndgameArrays
from marjolet_spiel.state import MarjoletState, state_from
from marjolet_spiel.vector.games import FACTS_SIZE, LEGAL, LENGTH, SEED, GameArrays, Ways
from marjolet_spiel.vector.stepping import (
    COMPACT,
    INFORMATION_STATE,
    OBSERVATIONS,
    BatchArrays,
    View,
    begin_span,
    first_illegal,
    hidden_span,
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
      num_envs: how many games there are, n.
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
          threads: how many threads share the work, from 1 to 256. Games do not depend on it.
          reward: "final", the returns of the game as it ends, as pyspiel has them; or "scored",
            the points as they are scored, less the other's (in a match those of all deals).
          endgame: "play"; or "table", and a game ends with its stock, the rest being worth what
            best play makes of it. Single deals only.

        Raises:
          ValueError: an argument is not allowed; the message names it, its value and what is.
        """
        self.rules = rules_of(game)
        _check_whole("num_envs", num_envs, 1, MAX_ENVS)
        _check_whole("seed", seed, 0, None)
        _check_whole("threads", threads, 1, MAX_THREADS)
        _check_word("observation", observation, OBSERVATIONS)
        _check_word("reward", reward, REWARDS)
        _check_word("endgame", endgame, ENDGAMES)
        if not isinstance(skip_forced, bool):
            raise ValueError(f"skip_forced: {skip_forced!r} is not allowed; it must be a bool")
        if endgame == "table" and self.rules.is_match:
            raise ValueError(
                f"endgame: 'table' is not allowed with target={self.rules.target}; "
                "the table values single deals (target=0)"
            )
        self.num_envs = num_envs
        self._ways = Ways(skip_forced, reward == "scored", endgame == "table")
        self._view, self.observation_size = _view(self.rules, observation)
        self._games = _game_arrays(self.rules, num_envs, seed)
        self._batch = _batch_arrays(num_envs, self.observation_size)
        self._hidden = np.zeros((num_envs, compact.HIDDEN_SIZE), dtype=np.float32)
        threads = min(threads, num_envs)
        self._endgames = [_endgame(self.rules, endgame == "table") for _ in range(threads)]
        self._pool = ThreadPoolExecutor(threads, "games", wrap_around) if threads > 1 else None
        edges = np.linspace(0, num_envs, threads + 1).astype(int).tolist()
        self._spans = list(pairwise(edges))
        self._begun = False

    def reset(self) -> Batch:
        """Begins all games, with episode 0: the same games again if it is called again."""

        def run(thread: int, first: int, last: int) -> None:
            begin_span(
                self._games,
                first,
                last,
                self._ways,
                self._view,
                self._endgames[thread],
                self._batch,
            )

        self._in_threads(run)
        self._begun = True
        return Batch(*self._batch)

    def step(self, actions: NDArray[np.integer[Any]] | Sequence[int]) -> Batch:
        """Takes an action in each game.

        Args:
          actions: whole numbers [n], a legal action id of each game.

        Raises:
          ValueError: an action is not legal, or `actions` is something else; no game has moved.
        """
        chosen = self._checked(actions)

        def run(thread: int, first: int, last: int) -> None:
            endgame = self._endgames[thread]
            step_span(
                self._games, chosen, first, last, self._ways, self._view, endgame, self._batch
            )

        self._in_threads(run)
        return Batch(*self._batch)

    def positions(self) -> NDArray[np.int64]:
        """The positions as kernel vectors, int64 [n, kernel.SIZE], hidden cards included: a copy.

        Raises:
          ValueError: `reset` was not called.
        """
        self._check_begun()
        return self._games.positions.copy()

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

    def state(self, i: int) -> MarjoletState:
        """Game `i` as a state of pyspiel with its history.

        Raises:
          ValueError: there is no such game, or `reset` was not called.
        """
        self._check_begun()
        _check_whole("i", i, 0, self.num_envs - 1)
        length = int(self._games.facts[i, LENGTH])
        start, log = self._games.start.copy(), self._games.logs[i, :length].tobytes()
        game = pyspiel.load_game(SHORT_NAME, asdict(self.rules))
        return state_from(game, core_from(start, log), events_with_actors(start, log))

    def close(self) -> None:
        """Ends the threads; the environment cannot be used any more."""
        if self._pool is not None:
            self._pool.shutdown()

    def __enter__(self) -> "VectorEnv":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _in_threads(self, run: Callable[[int, int, int], None]) -> None:
        if self._pool is None:
            run(0, 0, self.num_envs)
        else:
            work = [self._pool.submit(run, t, *span) for t, span in enumerate(self._spans)]
            for part in work:
                part.result()

    def _check_begun(self) -> None:
        if not self._begun:
            raise ValueError("environment: no game has begun; call reset() first")

    def _checked(self, actions: Any) -> NDArray[np.int64]:
        self._check_begun()
        given = np.asarray(actions)
        if given.shape != (self.num_envs,) or not np.issubdtype(given.dtype, np.integer):
            raise ValueError(
                f"actions: {given.dtype} {list(given.shape)} is not allowed; it must be whole "
                f"numbers [{self.num_envs}], an action id for each game"
            )
        chosen = np.ascontiguousarray(given, dtype=np.int64)
        wrong = first_illegal(self._games, chosen)
        if wrong != kernel.NONE:
            suits = self.rules.num_suits
            legal = bits(int(self._games.facts[wrong, LEGAL]))
            names = ", ".join(f"{action} ({action_name(action, suits)})" for action in legal)
            raise ValueError(
                f"actions: {given[wrong]} is not legal in game {wrong}; legal are {names}"
            )
        return chosen


def rules_of(game: Any) -> Rules:
    """The rules of a game string, a game of pyspiel or `Rules` themselves.

    Raises:
      ValueError: it is something else, or another game.
    """
    if isinstance(game, Rules):
        return game
    try:
        loaded = pyspiel.load_game(game) if isinstance(game, str) else game
    except pyspiel.SpielError as error:
        raise ValueError(f"game: {game!r} is not allowed: {error}") from None
    if not isinstance(loaded, MarjoletBaseGame) or loaded.is_open:
        raise ValueError(f"game: {game!r} is not allowed; it must be a {SHORT_NAME}, or Rules")
    return loaded.rules


def _check_whole(name: str, value: Any, least: int, most: int | None) -> None:
    """Raises ValueError unless the value is a whole number between two."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or value < least or (most is not None and value > most):
        to = "" if most is None else f" to {most}"
        raise ValueError(
            f"{name}: {value!r} is not allowed; it must be a whole number from {least}{to}"
        )


def _check_word(name: str, value: Any, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise ValueError(
            f"{name}: {value!r} is not allowed; it must be one of {', '.join(allowed)}"
        )


def _view(rules: Rules, observation: str) -> tuple[View, int]:
    """How observations are written, and how many floats they have."""
    kind = OBSERVATIONS.index(observation)
    plan: features.Layout = layout_for(rules, True, kind == INFORMATION_STATE, "own", False)
    view = View(kind, plan.offsets, plan.card_index, plan.meld_index)
    return view, compact.SIZE if kind == COMPACT else plan.size


def _game_arrays(rules: Rules, n: int, seed: int) -> GameArrays:
    start = kernel.initial_position(rules)
    longest = rules.max_game_length() + rules.max_chance_nodes()
    facts = np.zeros((n, FACTS_SIZE), dtype=np.int64)
    facts[:, SEED] = seeds_for(int(seed), n)
    return GameArrays(
        positions=np.zeros((n, kernel.SIZE), dtype=np.int64),
        deals=np.zeros((n, kernel.SIZE), dtype=np.int64),
        generators=np.zeros((n, GENERATOR_SIZE), dtype=np.int64),
        plays=np.zeros((n, compact.PLAYS_SIZE), dtype=np.int64),
        logs=np.zeros((n, longest), dtype=np.uint8),
        facts=facts,
        start=start,
    )


def _batch_arrays(n: int, size: int) -> BatchArrays:
    return BatchArrays(
        observation=np.zeros((n, size), dtype=np.float32),
        legal=np.zeros((n, kernel.NUM_ACTIONS), dtype=np.bool_),
        player=np.zeros(n, dtype=np.int8),
        reward=np.zeros((n, 2), dtype=np.float32),
        done=np.zeros(n, dtype=np.bool_),
        episode=np.zeros(n, dtype=np.int64),
    )


def _endgame(rules: Rules, wanted: bool) -> EndgameArrays:
    """The endgame table with scratch of its own; scratch alone if it is not wanted."""
    if wanted:
        return endgame_table(rules.sweep_bonus).arrays()
    stack = np.zeros((MAX_DEPTH, kernel.SIZE), dtype=np.int64)
    nothing = np.zeros((0), dtype=np.int32), np.zeros((0, 0), dtype=np.int8)
    return EndgameArrays(stack, np.zeros(SCRATCH_SIZE, dtype=np.int64), *nothing)
