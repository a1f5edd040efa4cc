"""Marjolet for Gymnasium: ``marjolet_spiel/Marjolet-v0``, one seat against an opponent.

Importing this module registers it::

    import gymnasium
    import marjolet_spiel.environments.gym

    env = gymnasium.make("marjolet_spiel/Marjolet-v0", opponent="random")
    envs = gymnasium.make_vec("marjolet_spiel/Marjolet-v0", num_envs=1024)

An observation is what the seat sees beside the mask of legal actions. A game has one step for each
decision of the seat; its end is a termination, and nothing is truncated. Gymnasium wants any action
of the space to be taken: one that is not legal loses the game at once, with the worst return there
is and ``info["illegal"]``, or is refused (``illegal="raise"``).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from marjolet_spiel.environments import check_render_mode, missing
from marjolet_spiel.environments.spaces import Seen, fresh_seed, observation_space
from marjolet_spiel.kernel import NUM_ACTIONS
from marjolet_spiel.vector import Bots, Policy, SeatBatch, SeatEnv, VectorEnv
from marjolet_spiel.vector.arguments import check_word

try:
    import gymnasium
    from gymnasium.spaces import Discrete
except ImportError as error:
    raise missing("gymnasium") from error

ID = "marjolet_spiel/Marjolet-v0"
ILLEGAL = ("lose", "raise")


class MarjoletEnv(gymnasium.Env):  # type: ignore[misc]
    """One game at a time."""

    metadata = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012  (as Gymnasium has it)

    def __init__(
        self,
        game: Any = "python_marjolet",
        opponent: str | Policy | Bots = "random",
        seat: int | None = None,
        reward_scale: float = 1.0,
        illegal: str = "lose",
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        """An environment.

        Args:
          game: a game string, a game of pyspiel, or `Rules`: any profile, pack and target.
          opponent: who plays the other seat: "random"; where a maker of bots is imported from,
            "my_package.my_module:make_bot"; `Bots`; or a batched policy, a function of observations
            float32 [k, d] and legal actions bool [k, 59] that gives k actions.
          seat: 0, 1, or None for both in turn.
          reward_scale: what rewards are multiplied by, above 0.
          illegal: what an illegal action does: "lose" or "raise".
          render_mode: "ansi", and `render` gives what the seat sees as text; or None.
          options: `skip_forced`, `observation`, `reward` and `endgame` of `VectorEnv`.

        Raises:
          ValueError: an argument is not allowed; the message names it, its value and what is.
        """
        check_word("illegal", illegal, ILLEGAL)
        check_render_mode(render_mode)
        self._games = SeatEnv(VectorEnv(game, 1, 0, **options), opponent, seat, reward_scale)
        self._worst = worst_reward(self._games, reward_scale)
        self._illegal, self.render_mode = illegal, render_mode
        self.observation_space = seat_space(self._games)
        self.action_space = Discrete(NUM_ACTIONS)
        self._batch: SeatBatch | None = None
        self._over = self._ended = False

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Seen, dict[str, Any]]:
        """Begins a game; with a seed the first one of that seed, without one the next one.

        Raises:
          ValueError: the seed is no whole number from 0.
        """
        super().reset(seed=seed)
        if seed is not None or self._batch is None:
            self._batch = self._games.reset(fresh_seed() if seed is None else seed)
        elif not self._ended:
            self._batch = self._games.begin_anew(np.ones(1, dtype=np.bool_))
        self._over = self._ended = False
        return self._seen(), self._info()

    def step(self, action: Any) -> tuple[Seen, float, bool, bool, dict[str, Any]]:
        """Takes an action of the seat, and the opponent's answers.

        Raises:
          ValueError: no game is in progress, the action is no action id, or not legal where that is
            refused; nothing has moved then.
        """
        if self._batch is None or self._over:
            raise ValueError("step: no game is in progress; call reset() first")
        chosen = np.asarray(action)[None]
        if self._illegal == "lose" and illegal_ones(chosen, self._batch.legal)[0]:
            self._over = True
            return self._seen(), self._worst, True, False, {**self._info(), "illegal": True}
        info = self._info()
        self._batch = self._games.step(chosen)
        self._over = self._ended = bool(self._batch.done[0])
        info = info if self._over else self._info()
        return self._seen(), float(self._batch.reward[0]), self._over, False, info

    def render(self) -> str | None:
        """What the seat sees as text; nothing unless the render mode is "ansi"."""
        if self.render_mode is None or self._batch is None:
            return None
        state = self._games.env.state(0, self._ended)
        seat = self._games.ended_seats[0] if self._ended else self._batch.seat[0]
        return str(state.observation_string(int(seat)))

    def close(self) -> None:
        """Ends the environment."""
        self._games.close()

    def _info(self) -> dict[str, Any]:
        assert self._batch is not None
        return {"seat": int(self._batch.seat[0])}

    def _seen(self) -> Seen:
        """What the seat sees, in a game that is over at its end."""
        assert self._batch is not None
        if self._ended:
            return final_view(self._games.final_observation(np.array([0]))[0])
        return view_of(self._batch, 0)


def seat_space(games: SeatEnv) -> Any:
    """The space of what a seat sees."""
    return observation_space(games.env.rules, games.env.observation_size)


def worst_reward(games: SeatEnv, reward_scale: float) -> float:
    """The worst return of a game, as a reward."""
    return float(games.env.game.min_utility()) * reward_scale


def illegal_ones(chosen: NDArray[Any], legal: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which of n action ids are not legal; none if they are no action ids at all."""
    if not np.issubdtype(chosen.dtype, np.integer) or chosen.ndim != 1:
        return np.zeros(len(legal), dtype=np.bool_)
    inside = (chosen >= 0) & (chosen < NUM_ACTIONS)
    return inside & ~legal[np.arange(len(legal)), np.where(inside, chosen, 0)]


def view_of(batch: SeatBatch, i: int) -> Seen:
    """What the seat sees for its next decision in game `i`: copies."""
    mask = batch.legal[i].astype(np.int8)
    return {"observation": batch.observation[i].copy(), "action_mask": mask}


def final_view(seen: NDArray[np.float32]) -> Seen:
    """What is seen at the end of a game, when nothing is legal any more."""
    return {"observation": seen, "action_mask": np.zeros(NUM_ACTIONS, dtype=np.int8)}


gymnasium.register(
    id=ID,
    entry_point="marjolet_spiel.environments.gym:MarjoletEnv",
    vector_entry_point="marjolet_spiel.environments.gym_batches:MarjoletVectorEnv",
)
