"""`SeatEnv`: one seat of many games, the other one played by an opponent."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from marjolet_spiel.vector.arguments import check_scale
from marjolet_spiel.vector.environment import VectorEnv
from marjolet_spiel.vector.in_play import Batch
from marjolet_spiel.vector.opponents import RANDOM, Bots, Policy, checked_choice, make_chooser


@dataclass(frozen=True)
class SeatBatch:
    """What is to be known for the next decision of the seat in each of n games.

    Observations and legal actions are buffers that the next step writes into.

    Attributes:
      observation: float32 [n, d], what the seat sees.
      legal: bool [n, 59], the legal actions.
      seat: int8 [n], which seat it is in the game in progress.
      reward: float32 [n], what it got since its last decision, the end of a game included.
      done: bool [n], whether a game ended since; all else is of the next one then.
    """

    observation: NDArray[np.float32]
    legal: NDArray[np.bool_]
    seat: NDArray[np.int8]
    reward: NDArray[np.float32]
    done: NDArray[np.bool_]


class SeatEnv:
    """One seat of the games of a `VectorEnv`, for agents that learn alone.

    The opponent moves within `step`, until the seat is on turn in every game.

    Attributes:
      env: the games.
      num_envs: how many there are, n.
      ended_seats: int64 [n], which seat it was in the game that each ended last.
    """

    def __init__(
        self,
        env: VectorEnv,
        opponent: str | Policy | Bots = RANDOM,
        seat: int | None = None,
        reward_scale: float = 1.0,
    ) -> None:
        """An environment; call `reset` first.

        Args:
          env: the games, with their options; for this environment alone.
          opponent: who plays the other seat: "random", where a maker of bots is imported from
            ("my_package.my_module:make_bot"), a `Policy`, or `Bots`.
          seat: 0, 1, or None for both in turn: in episode e of game i it is (i + e) % 2.
          reward_scale: what rewards are multiplied by, above 0.

        Raises:
          ValueError: an argument is not allowed; the message names it, its value and what is.
        """
        if not isinstance(env, VectorEnv):
            raise ValueError(f"env: {env!r} is not allowed; it must be a VectorEnv")
        if seat is not None and (isinstance(seat, bool) or seat not in (0, 1)):
            raise ValueError(f"seat: {seat!r} is not allowed; it must be 0, 1 or None")
        check_scale("reward_scale", reward_scale)
        make_chooser(opponent, env, 0)
        self.env, self.num_envs = env, env.num_envs
        self._opponent, self._seat, self._scale = opponent, seat, float(reward_scale)
        self._games = np.arange(self.num_envs)
        self._reward = np.zeros(self.num_envs, dtype=np.float32)
        self._early = np.zeros(self.num_envs, dtype=np.float32)
        self._done = np.zeros(self.num_envs, dtype=np.bool_)
        self.ended_seats = np.zeros(self.num_envs, dtype=np.int64)

    def reset(self, seed: int | None = None) -> SeatBatch:
        """Begins all games with episode 0, and the opponent: the same again if called again.

        Args:
          seed: a new seed of the games; by default the one there is.

        Raises:
          ValueError: the seed is no whole number from 0.
        """
        batch = self.env.reset(seed)
        self._chooser = make_chooser(self._opponent, self.env, self.env.seed)
        self._early[:] = 0.0
        return self._begun(batch, np.ones(self.num_envs, dtype=np.bool_))

    def step(
        self,
        actions: NDArray[np.integer[Any]] | Sequence[int],
        moving: NDArray[np.bool_] | None = None,
    ) -> SeatBatch:
        """Takes an action of the seat in each game, or in some, and then those of the opponent.

        Args:
          actions: whole numbers [n], a legal action id of each game.
          moving: bool [n], the games in which something happens (`VectorEnv.step`).

        Raises:
          ValueError: an action is not legal, or something is of another form, and no game has
            moved; or the opponent's is.
        """
        seats = self._seats()
        batch = self.env.step(actions, moving)
        moved = np.ones(self.num_envs, dtype=np.bool_) if moving is None else np.asarray(moving)
        self._reward[:] = np.where(moved, self._early, 0.0)
        self._early[moved] = 0.0
        self._done[:] = False
        self._count(batch, seats)
        return self._after_opponent(batch)

    def begin_anew(self, which: NDArray[np.bool_]) -> SeatBatch:
        """Gives some games up for their next episode (`VectorEnv.begin_anew`); the others wait."""
        batch = self.env.begin_anew(which)
        self._early[which] = 0.0
        return self._begun(batch, which)

    def final_observation(self, games: NDArray[np.int64]) -> NDArray[np.float32]:
        """What the seat saw at the ends of the games that given games ended last.

        Args:
          games: whole numbers [k].

        Returns:
          float32 [k, d].

        Raises:
          ValueError: there is no such game, or none has ended yet.
        """
        return self.env.observe(games, self.ended_seats[games], ended=True)

    def close(self) -> None:
        """Ends the threads; the environment cannot be used any more."""
        self.env.close()

    def _begun(self, batch: Batch, new: NDArray[np.bool_]) -> SeatBatch:
        """After some games have begun: what is scored before the first decision counts later."""
        self._reward[:] = 0.0
        self._done[:] = new
        seen = self._after_opponent(batch)
        self._done[:] = False
        return SeatBatch(seen.observation, seen.legal, seen.seat, seen.reward, self._done.copy())

    def _seats(self) -> NDArray[np.int64]:
        """The seat in each game in progress."""
        if self._seat is None:
            return (self._games + self.env.batch.episode) % 2
        return np.full(self.num_envs, self._seat)

    def _count(self, batch: Batch, seats: NDArray[np.int64]) -> None:
        """Adds the rewards of a step in which these were the seats."""
        gained = batch.reward[self._games, seats] * np.float32(self._scale)
        self._reward += np.where(self._done, 0.0, gained)
        self._early += np.where(self._done, gained, 0.0)
        self.ended_seats[batch.done] = seats[batch.done]
        self._done |= batch.done

    def _after_opponent(self, batch: Batch) -> SeatBatch:
        """Lets the opponent move until the seat is on turn everywhere."""
        while (theirs := batch.player != (seats := self._seats())).any():
            games = np.flatnonzero(theirs)
            actions = np.zeros(self.num_envs, dtype=np.int64)
            actions[games] = checked_choice(self._chooser(batch, games), batch.legal[games])
            batch = self.env.step(actions, theirs)
            self._count(batch, seats)
        return SeatBatch(
            batch.observation,
            batch.legal,
            seats.astype(np.int8),
            self._reward.copy(),
            self._done.copy(),
        )
