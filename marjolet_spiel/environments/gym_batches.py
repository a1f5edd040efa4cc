"""Marjolet for Gymnasium in batches: what ``gymnasium.make_vec`` makes of `gym.ID`."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Discrete
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from marjolet_spiel.environments.gym import (
    ILLEGAL,
    final_view,
    illegal_ones,
    seat_space,
    view_of,
    worst_reward,
)
from marjolet_spiel.environments.spaces import Seen, fresh_seed
from marjolet_spiel.kernel import NUM_ACTIONS
from marjolet_spiel.vector import Bots, Policy, SeatBatch, SeatEnv, VectorEnv
from marjolet_spiel.vector.arguments import check_word


class MarjoletVectorEnv(gymnasium.vector.VectorEnv):  # type: ignore[misc]
    """Many games at once, at the speed of batches where the opponent is a batched policy.

    A game that ends begins anew within the same step, as `metadata` says: the observation is of
    the next game then, and ``infos["final_obs"]`` has, where ``infos["_final_obs"]`` is true, what
    the seat saw at the end.
    """

    metadata = {  # noqa: RUF012
        "render_modes": [],
        "autoreset_mode": gymnasium.vector.AutoresetMode.SAME_STEP,
    }

    def __init__(
        self,
        num_envs: int,
        game: Any = "python_marjolet",
        opponent: str | Policy | Bots = "random",
        seat: int | None = None,
        reward_scale: float = 1.0,
        illegal: str = "lose",
        copy: bool = True,
        **options: Any,
    ) -> None:
        """An environment.

        Args:
          num_envs: how many games, from 1 to 1,048,576.
          game, opponent, seat, reward_scale, illegal: as `MarjoletEnv` has them; with a seat of
            None, neighbours begin in different ones.
          copy: whether observations are copied; else they are buffers of the environment, which
            the next step writes into.
          options: the same, and `threads`.

        Raises:
          ValueError: an argument is not allowed; the message names it, its value and what is.
        """
        check_word("illegal", illegal, ILLEGAL)
        self._games = SeatEnv(VectorEnv(game, num_envs, 0, **options), opponent, seat, reward_scale)
        self._worst = worst_reward(self._games, reward_scale)
        self._illegal, self._copy = illegal, copy
        self.num_envs = num_envs
        self.single_observation_space = seat_space(self._games)
        self.single_action_space = Discrete(NUM_ACTIONS)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._batch: SeatBatch | None = None

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Seen, dict[str, Any]]:
        """Begins all games; with a seed the first ones of that seed, without one the next ones.

        Raises:
          ValueError: the seed is no whole number from 0.
        """
        super().reset(seed=seed)
        if seed is not None or self._batch is None:
            self._batch = self._games.reset(fresh_seed() if seed is None else seed)
        else:
            self._batch = self._games.begin_anew(np.ones(self.num_envs, dtype=np.bool_))
        return self._seen(), self._infos()

    def step(self, actions: Any) -> tuple[Seen, Any, Any, Any, dict[str, Any]]:
        """Takes an action of the seat in each game, and the opponent's answers.

        Raises:
          ValueError: no game is in progress, the actions are not whole numbers [n], or one is not
            legal where that is refused; nothing has moved then.
        """
        if self._batch is None:
            raise ValueError("step: no game is in progress; call reset() first")
        chosen = np.asarray(actions)
        lost = self._lost(chosen)
        games = np.flatnonzero(lost)
        last_seen = [view_of(self._batch, i) for i in games.tolist()]
        batch = self._games.step(chosen, ~lost)
        rewards, done = batch.reward.astype(np.float64), batch.done
        rewards[lost] = self._worst
        infos = self._final_infos(np.flatnonzero(done))
        if len(games):
            batch = self._games.begin_anew(lost)
            self._add_lost(infos, games, last_seen, lost)
        self._batch = batch
        nothing = np.zeros(self.num_envs, dtype=np.bool_)
        return self._seen(), rewards, done | lost, nothing, {**infos, **self._infos()}

    def close_extras(self, **kwargs: Any) -> None:
        """Ends the threads."""
        self._games.close()

    def _lost(self, chosen: NDArray[Any]) -> NDArray[np.bool_]:
        """Games that are lost by what was chosen."""
        assert self._batch is not None
        if self._illegal == "raise" or chosen.shape != (self.num_envs,):
            return np.zeros(self.num_envs, dtype=np.bool_)
        return illegal_ones(chosen, self._batch.legal)

    def _final_infos(self, games: NDArray[np.int64]) -> dict[str, Any]:
        if not len(games):
            return {}
        finals = np.full(self.num_envs, None, dtype=object)
        for i, seen in zip(games, self._games.final_observation(games), strict=True):
            finals[i] = final_view(seen)
        which = np.zeros(self.num_envs, dtype=np.bool_)
        which[games] = True
        return {"final_obs": finals, "_final_obs": which}

    def _add_lost(
        self,
        infos: dict[str, Any],
        games: NDArray[np.int64],
        last_seen: list[Seen],
        lost: NDArray[np.bool_],
    ) -> None:
        """Adds games that were lost by illegal actions to the infos on ends."""
        infos.setdefault("final_obs", np.full(self.num_envs, None, dtype=object))
        infos.setdefault("_final_obs", np.zeros(self.num_envs, dtype=np.bool_))
        for i, seen in zip(games, last_seen, strict=True):
            infos["final_obs"][i] = seen
        infos["_final_obs"] |= lost
        infos["illegal"], infos["_illegal"] = lost, lost.copy()

    def _infos(self) -> dict[str, Any]:
        assert self._batch is not None
        return {
            "seat": self._batch.seat.copy(),
            "_seat": np.ones(self.num_envs, dtype=np.bool_),
        }

    def _seen(self) -> Seen:
        assert self._batch is not None
        seen, legal = self._batch.observation, self._batch.legal.view(np.int8)
        if self._copy:
            seen, legal = seen.copy(), legal.copy()
        return {"observation": seen, "action_mask": legal}
