"""`OpenSpielVectorEnv`: batches of games for the agents that OpenSpiel ships."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyspiel
from numpy.typing import NDArray
from open_spiel.python.rl_environment import StepType, TimeStep

from marjolet_spiel import kernel
from marjolet_spiel.vector.arguments import check_scale
from marjolet_spiel.vector.environment import VectorEnv
from marjolet_spiel.vector.opponents import Bots, Policy
from marjolet_spiel.vector.seat import SeatEnv

Rows = NDArray[np.float32]
Answer = tuple[list[Any], list[Any], list[bool], list[Any]]


class OpenSpielVectorEnv:
    """The calls and time steps of `open_spiel.python.vector_env.SyncVectorEnv`, in batches.

    Without an opponent there are two players, and time steps are as those of OpenSpiel's
    environment: what both see, the legal actions of the one on turn. With one there is a single
    player, number 0, who is on turn at every step: so OpenSpiel's PPO, which plays alone, learns
    against it. What players see is in arrays, float32 [d], and not in lists: tabular agents, which
    take it as text, must not have more than a thousand floats, as numpy leaves the rest out there.

    Example::

        envs = OpenSpielVectorEnv(VectorEnv(game, 64, seed=1), "random", reward_scale=0.01)
        steps = envs.reset()
        while learning:
            steps, rewards, done, _ = envs.step(agent.step(steps), reset_if_done=True)
            agent.post_step(rewards, done)

    Attributes:
      num_players: 2, or 1 with an opponent.
    """

    def __init__(
        self,
        env: VectorEnv,
        opponent: str | Policy | Bots | None = None,
        seat: int | None = None,
        reward_scale: float = 1.0,
        discount: float = 1.0,
    ) -> None:
        """An environment.

        Args:
          env: the games, with their options; for this environment alone. OpenSpiel's environment
            shows information states by default, and skips nothing.
          opponent: who plays the other seat (`SeatEnv`); None for two players.
          seat: which seat that of the single player is (`SeatEnv`); nothing without an opponent.
          reward_scale: what rewards are multiplied by, above 0.
          discount: that of time steps within a game, from 0 to 1.

        Raises:
          ValueError: an argument is not allowed; the message names it, its value and what is.
        """
        if not isinstance(env, VectorEnv):
            raise ValueError(f"env: {env!r} is not allowed; it must be a VectorEnv")
        if opponent is None and seat is not None:
            raise ValueError(f"seat: {seat!r} is not allowed without an opponent; it must be None")
        number = isinstance(discount, int | float) and not isinstance(discount, bool)
        if not number or not 0 <= discount <= 1:
            raise ValueError(f"discount: {discount!r} is not allowed; it must be from 0 to 1")
        check_scale("reward_scale", reward_scale)
        self.num_players = 2 if opponent is None else 1
        self._env, self._n, self._scale = env, env.num_envs, float(reward_scale)
        self._alone = None if opponent is None else SeatEnv(env, opponent, seat, reward_scale)
        self._discounts = [float(discount)] * self.num_players
        self._begun = False
        self._over = np.zeros(self._n, dtype=np.bool_)
        self._rewards = np.zeros((self._n, self.num_players), dtype=np.float32)

    def __len__(self) -> int:
        return self._n

    def observation_spec(self) -> dict[str, tuple[int, ...]]:
        """The shapes of what is in the observations of a time step."""
        return {
            "info_state": (self._env.observation_size,),
            "legal_actions": (kernel.NUM_ACTIONS,),
            "current_player": (),
            "serialized_state": (),
        }

    def action_spec(self) -> dict[str, Any]:
        """What actions are."""
        last = kernel.NUM_ACTIONS - 1
        return {"num_actions": kernel.NUM_ACTIONS, "min": 0, "max": last, "dtype": int}

    def step(self, step_outputs: Sequence[Any], reset_if_done: bool = False) -> Answer:
        """Takes an action in each game; a game that is over begins anew instead.

        Args:
          step_outputs: for each game something with the action as its attribute `action`.
          reset_if_done: whether games that end now begin anew at once.

        Returns:
          The time steps, for each game the rewards of the players (None at the beginning of a
          game), whether it has just ended, and the time steps before any game began anew.

        Raises:
          ValueError: there is not one for each game, or an action is not legal; no game has moved.
        """
        if not self._begun:
            steps = self.reset()
            return steps, [None] * self._n, [False] * self._n, steps
        moving = ~self._over
        done = self._take(self._actions(step_outputs, moving), moving)
        unreset = self._time_steps(first=~moving, last=done)
        self._over = done
        steps = self.reset(done) if reset_if_done else unreset
        return steps, [step.rewards for step in unreset], done.tolist(), unreset

    def reset(self, envs_to_reset: Sequence[bool] | NDArray[np.bool_] | None = None) -> list[Any]:
        """Begins games anew, each with its next episode.

        Args:
          envs_to_reset: for each game whether it begins anew; all by default.

        Returns:
          The time steps of all games.

        Raises:
          ValueError: it is not one truth value for each game.
        """
        which = np.ones(self._n, dtype=np.bool_) if envs_to_reset is None else envs_to_reset
        given = np.asarray(which)
        if given.shape != (self._n,) or given.dtype != np.bool_:
            raise ValueError(
                f"envs_to_reset: {envs_to_reset!r} is not allowed; it must be a bool for each of "
                f"{self._n} games"
            )
        games = self._alone or self._env
        if not self._begun:
            games.reset()
            self._begun, given = True, np.ones(self._n, dtype=np.bool_)
        elif (given & ~self._over).any():
            games.begin_anew(given & ~self._over)
        last = self._over & ~given
        self._over = last
        return self._time_steps(first=given, last=last)

    def close(self) -> None:
        """Ends the threads; the environment cannot be used any more."""
        self._env.close()

    def _actions(self, outputs: Sequence[Any], moving: NDArray[np.bool_]) -> NDArray[np.int64]:
        if len(outputs) != self._n:
            raise ValueError(
                f"step_outputs: {len(outputs)} are not allowed; it must be one for each of "
                f"{self._n} games"
            )
        chosen = [
            output.action if moves else 0 for output, moves in zip(outputs, moving, strict=True)
        ]
        return np.array(chosen)

    def _take(self, actions: NDArray[np.int64], moving: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Moves on; which games have ended."""
        if self._alone is not None:
            alone = self._alone.step(actions, moving)
            self._rewards[:, 0] = alone.reward
            return alone.done
        batch = self._env.step(actions, moving)
        self._rewards[:] = batch.reward * np.float32(self._scale)
        return batch.done.copy()

    def _time_steps(self, first: NDArray[np.bool_], last: NDArray[np.bool_]) -> list[Any]:
        """The time steps of all games, of which some have just begun and some are over."""
        seen, legal, player = self._seen(last), self._legal(), self._players()
        rewards = self._rewards.tolist()
        over = int(pyspiel.PlayerId.TERMINAL)
        nobody: list[list[int]] = [[] for _ in range(self.num_players)]
        steps = []
        for i, (begins, ends) in enumerate(zip(first.tolist(), last.tolist(), strict=True)):
            may = list(nobody)
            if not ends:
                may[player[i]] = legal[i]
            observations = {
                "info_state": [rows[i] for rows in seen],
                "legal_actions": may,
                "current_player": over if ends else player[i],
                "serialized_state": [],
            }
            if begins:
                steps.append(TimeStep(observations, None, None, StepType.FIRST))
            elif ends:
                nothing = [0.0] * self.num_players
                steps.append(TimeStep(observations, rewards[i], nothing, StepType.LAST))
            else:
                steps.append(TimeStep(observations, rewards[i], self._discounts, StepType.MID))
        return steps

    def _players(self) -> list[int]:
        return [0] * self._n if self._alone is not None else self._env.batch.player.tolist()

    def _legal(self) -> list[list[int]]:
        """The legal actions of each game."""
        games, actions = np.nonzero(self._env.batch.legal)
        ends = np.cumsum(np.bincount(games, minlength=self._n))
        return [part.tolist() for part in np.split(actions, ends[:-1])]

    def _seen(self, last: NDArray[np.bool_]) -> list[Rows]:
        """What each player sees, float32 [n, d] for each; of games that are over at their end."""
        over = np.flatnonzero(last)
        if self._alone is not None:
            alone = self._env.batch.observation.copy()
            if len(over):
                alone[over] = self._alone.final_observation(over)
            return [alone]
        games, rows = np.arange(self._n), []
        for player in range(2):
            both = self._env.observe(games, np.full(self._n, player))
            if len(over):
                both[over] = self._env.observe(over, np.full(len(over), player), ended=True)
            rows.append(both)
        return rows
