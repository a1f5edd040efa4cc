"""Marjolet for PettingZoo: `env`, in which agents take turns, and `parallel_env`.

Both seats are agents, ``player_0`` and ``player_1``. An observation is what its player sees beside
the mask of legal actions, which is all zero for the one who is not on turn. Chance acts by itself.
A game ends for both at once, with its rewards; nothing is truncated unless `max_cycles` says so.
"""

from typing import Any

import numpy as np

from marjolet_spiel.environments import check_render_mode, missing
from marjolet_spiel.environments.spaces import LegalActions, Seen, fresh_seed, observation_space
from marjolet_spiel.vector import VectorEnv
from marjolet_spiel.vector.arguments import check_scale, check_whole

try:
    from pettingzoo import AECEnv, ParallelEnv
    from pettingzoo.utils.conversions import parallel_to_aec
except ImportError as error:
    raise missing("pettingzoo") from error

AGENTS = ("player_0", "player_1")
METADATA = {"name": "marjolet_v0", "render_modes": ["ansi"], "is_parallelizable": False}


def env(
    game: Any = "python_marjolet",
    reward_scale: float = 1.0,
    render_mode: str | None = None,
    max_cycles: int | None = None,
    **options: Any,
) -> Any:
    """An environment in which agents take turns (AEC).

    Args:
      game: a game string, a game of pyspiel, or `Rules`: any profile, pack and target.
      reward_scale: what rewards are multiplied by, above 0.
      render_mode: "ansi", and `render` gives what the player on turn sees as text; or None.
      max_cycles: None, and games are played to their ends. A number truncates them after so many
        cycles, in PettingZoo's sense: each cycle asks both, as `parallel_env` does.
      options: `skip_forced`, `observation`, `reward` and `endgame` of `VectorEnv`.

    Raises:
      ValueError: an argument is not allowed; the message names it, its value and what is.
    """
    if max_cycles is None:
        return MarjoletTurns(game, reward_scale, render_mode, **options)
    return parallel_to_aec(parallel_env(game, reward_scale, render_mode, max_cycles, **options))


def parallel_env(
    game: Any = "python_marjolet",
    reward_scale: float = 1.0,
    render_mode: str | None = None,
    max_cycles: int | None = None,
    **options: Any,
) -> Any:
    """An environment in which both are asked each time, for programs that want no turns.

    The action of the player who is not on turn does not count. Arguments are those of `env`.
    """
    turns = MarjoletTurns(game, reward_scale, render_mode, **options)
    return MarjoletBothAsked(turns, max_cycles)


class MarjoletTurns(AECEnv):  # type: ignore[misc]
    """One game at a time of a `VectorEnv`."""

    metadata = METADATA

    def __init__(
        self, game: Any, reward_scale: float, render_mode: str | None, **options: Any
    ) -> None:
        super().__init__()
        check_scale("reward_scale", reward_scale)
        check_render_mode(render_mode)
        self.games = VectorEnv(game, 1, 0, **options)
        self.render_mode = render_mode
        self.possible_agents = list(AGENTS)
        self.agents: list[str] = []
        space = observation_space(self.games.rules, self.games.observation_size)
        self._scale, self._begun, self._over = float(reward_scale), False, False
        self.observation_spaces = dict.fromkeys(AGENTS, space)
        self.action_spaces = {agent: LegalActions() for agent in AGENTS}

    def observation_space(self, agent: str) -> Any:
        """The space of what an agent sees."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """The space of the actions of an agent; `sample` draws from the legal ones by itself."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: Any = None) -> None:
        """Begins a game; with a seed the first one of that seed, without one the next one.

        Raises:
          ValueError: the seed is no whole number from 0.
        """
        if seed is not None or not self._begun:
            self.games.reset(fresh_seed() if seed is None else seed)
        elif not self._over:
            self.games.begin_anew(np.ones(1, dtype=np.bool_))
        self._begun, self._over = True, False
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in AGENTS}
        self._next_turn()

    def step(self, action: Any) -> None:
        """Takes an action of the agent on turn; None of one whose game is over.

        Raises:
          ValueError: it is not legal; nothing has moved then.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        batch = self.games.step(np.asarray(action)[None])
        self._cumulative_rewards[agent] = 0.0
        for player, name in enumerate(AGENTS):
            self.rewards[name] = float(batch.reward[0, player]) * self._scale
        self._over = bool(batch.done[0])
        if self._over:
            self.terminations = dict.fromkeys(AGENTS, True)
        self._next_turn()
        self._accumulate_rewards()

    def observe(self, agent: str) -> Seen:
        """What an agent sees, in a game that is over at its end."""
        player = AGENTS.index(agent)
        seen = self.games.observe([0], [player], ended=self._over)[0]
        return {"observation": seen, "action_mask": self.action_spaces[agent].legal.copy()}

    def render(self) -> str | None:
        """What the agent on turn sees as text; nothing unless the render mode is "ansi"."""
        if self.render_mode is None:
            return None
        state = self.games.state(0, ended=self._over)
        return str(state.observation_string(AGENTS.index(self.agent_selection)))

    def close(self) -> None:
        """Ends the environment."""
        self.games.close()

    def _next_turn(self) -> None:
        """Whose turn it is, and what he may do."""
        for space in self.action_spaces.values():
            space.legal[:] = 0
        if self._over:
            self.agent_selection = self.agents[0]
            return
        batch = self.games.batch
        self.agent_selection = AGENTS[batch.player[0]]
        self.action_spaces[self.agent_selection].legal[:] = batch.legal[0]


class MarjoletBothAsked(ParallelEnv):  # type: ignore[misc]
    """The same with both agents asked each time."""

    metadata = METADATA

    def __init__(self, turns: MarjoletTurns, max_cycles: int | None) -> None:
        if max_cycles is not None:
            check_whole("max_cycles", max_cycles, 1, None)
        self._turns, self._most, self._cycles = turns, max_cycles, 0
        self.render_mode = turns.render_mode
        self.possible_agents = list(AGENTS)
        self.agents: list[str] = []
        self.observation_spaces, self.action_spaces = turns.observation_spaces, turns.action_spaces

    def observation_space(self, agent: str) -> Any:
        """The space of what an agent sees."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """The space of the actions of an agent; `sample` draws from the legal ones by itself."""
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: Any = None
    ) -> tuple[dict[str, Seen], dict[str, dict[str, Any]]]:
        """Begins a game as `MarjoletTurns.reset` does; what both see, and infos."""
        self._turns.reset(seed)
        self.agents, self._cycles = list(AGENTS), 0
        return self._seen(), self._infos()

    def step(self, actions: dict[str, Any]) -> tuple[Any, ...]:
        """Takes the action of the player on turn.

        Returns:
          What both see, rewards, terminations, truncations and infos, each by agent.

        Raises:
          ValueError: it is missing or not legal; nothing has moved then.
        """
        agent = self._turns.agent_selection
        if agent not in actions:
            raise ValueError(f"actions: there is none of {agent}, who is on turn")
        self._turns.step(actions[agent])
        self._cycles += 1
        over = dict(self._turns.terminations)
        cut = self._cycles == self._most and not over[agent]
        if cut or over[agent]:
            self.agents = []
        rewards = dict(self._turns.rewards)
        return self._seen(), rewards, over, dict.fromkeys(AGENTS, cut), self._infos()

    def render(self) -> str | None:
        """What the player on turn sees as text; nothing unless the render mode is "ansi"."""
        return self._turns.render()

    def close(self) -> None:
        """Ends the environment."""
        self._turns.close()

    def _seen(self) -> dict[str, Seen]:
        return {agent: self._turns.observe(agent) for agent in AGENTS}

    @staticmethod
    def _infos() -> dict[str, dict[str, Any]]:
        return {agent: {} for agent in AGENTS}
