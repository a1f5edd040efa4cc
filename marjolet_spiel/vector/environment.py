"""`VectorEnv`: many games that are stepped together."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from marjolet_spiel import kernel
from marjolet_spiel.cards import bits
from marjolet_spiel.compiling import wrap_around
from marjolet_spiel.notation import action_name
from marjolet_spiel.sampling import seeds_for
from marjolet_spiel.vector import buffers
from marjolet_spiel.vector.arguments import (
    check_whole,
    check_word,
    checked_packs,
    checked_truths,
    rules_of,
    whole_numbers,
)
from marjolet_spiel.vector.games import EPISODE, LEGAL, SEED, Ways
from marjolet_spiel.vector.in_play import Batch, GamesInPlay
from marjolet_spiel.vector.stepping import (
    ANEW,
    OBSERVATIONS,
    WAIT,
    begin_in_order,
    first_illegal,
    show_again,
    step_span,
)
from marjolet_spiel.vector.successors import Successors, make_successors, write_successors

REWARDS = ("final", "scored")
ENDGAMES = ("play", "table")
MAX_ENVS = 1 << 20
MAX_THREADS = 256


class VectorEnv(GamesInPlay):
    """Many games of python_marjolet, stepped together in compiled code.

    Chance acts by itself, and a game that ends is begun anew within the same step. The cards of
    game i in its episode e depend on the seed, i and e alone.

    Example::

        env = VectorEnv("python_marjolet(profile=dutch)", num_envs=1024, seed=1)
        batch = env.reset()
        while learning:
            batch = env.step(choose(batch.observation, batch.legal))

    Its attributes are those of `GamesInPlay`.
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
        rules = rules_of(game)
        check_whole("num_envs", num_envs, 1, MAX_ENVS)
        check_whole("seed", seed, 0, None)
        check_whole("threads", threads, 1, MAX_THREADS)
        check_word("observation", observation, OBSERVATIONS)
        check_word("reward", reward, REWARDS)
        check_word("endgame", endgame, ENDGAMES)
        if not isinstance(skip_forced, bool):
            raise ValueError(f"skip_forced: {skip_forced!r} is not allowed; it must be a bool")
        if endgame == "table" and rules.is_match:
            raise ValueError(
                f"endgame: 'table' is not allowed with target={rules.target}; "
                "the table values single deals (target=0)"
            )
        super().__init__(rules, num_envs, seed, observation)
        self._ways = Ways(skip_forced, reward == "scored", endgame == "table")
        self._one = buffers.make_game_arrays(rules, 1, 0)
        threads = min(threads, num_envs)
        self._endgames = [buffers.make_endgame(rules, endgame == "table") for _ in range(threads)]
        self._pool = ThreadPoolExecutor(threads, "games", wrap_around) if threads > 1 else None
        edges = np.linspace(0, num_envs, threads + 1).astype(int).tolist()
        self._spans = list(pairwise(edges))

    def reset(
        self,
        seed: int | None = None,
        orders: NDArray[np.integer[Any]] | None = None,
        dealers: NDArray[np.integer[Any]] | None = None,
    ) -> Batch:
        """Begins all games, with episode 0: the same games again if it is called again.

        Args:
          seed: a new seed of the games; by default the one there is.
          orders: if given, whole numbers [n, cards of the pack]: the card ids of the first deal of
            each game in the order in which they leave the pack, the hand of the non-dealer first,
            then that of the dealer, the turn-up and the stock.
          dealers: with `orders`, 0 or 1 [n]: who deals first, where that is drawn by lot.

        Raises:
          ValueError: something is not allowed; no game has moved.
        """
        given = (
            None if orders is None else checked_packs(orders, dealers, self.num_envs, self.rules)
        )
        if given is None and dealers is not None:
            raise ValueError("dealers: they are not allowed without orders")
        if seed is not None:
            check_whole("seed", seed, 0, None)
            self.seed = int(seed)
            self._games.facts[: self.num_envs, SEED] = seeds_for(self.seed, self.num_envs)
        self._begun = True
        if given is not None:
            begin_in_order(
                self._games, *given, self._ways, self._view, self._endgames[0], self._batch
            )
            return self.batch
        self._games.facts[: self.num_envs, EPISODE] = -1
        return self._take(np.full(self.num_envs, ANEW))

    def restore(self, saved: Mapping[str, NDArray[Any]]) -> Batch:
        """Goes back to games of an environment that was made in the same way.

        Args:
          saved: what `saved` returned there.

        Returns:
          The batch as it was, but without rewards.

        Raises:
          ValueError: the arrays are those of another environment.
        """
        checked = buffers.checked_games(saved, self._games)
        for name, array in checked.items():
            getattr(self._games, name)[...] = array
        self._begun = True
        show_again(self._games, self._view, self._endgames[0], self._batch)
        return self.batch

    def successors(self) -> Successors:
        """What each legal action of each game leads to; the games stay as they are.

        The cards come as they will in the game itself, so a critic that sees all can value each
        action. New arrays.

        Raises:
          ValueError: `reset` was not called.
        """
        self._check_begun()
        found = make_successors(self._batch.legal, self.observation_size)
        write_successors(self._games, self._one, self._ways, self._view, self._endgames[0], found)
        return found

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

    def _checked(self, actions: Any, moving: Any) -> NDArray[np.int64]:
        """The actions, or `WAIT`, of all games."""
        self._check_begun()
        given = whole_numbers("actions", actions, (self.num_envs,), ", an action id for each game")
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
