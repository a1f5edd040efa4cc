"""Batches of games for learning as work to be timed, beside OpenSpiel's vectorized environment.

The unit is a decision. Ours skips those with a single legal action, so all that are counted are
real; OpenSpiel's hands them to the agent and counts them too. Choosing costs nothing on either
side: random legal actions were chosen beforehand, and are taken again in the same games.
"""

import random
from typing import Any

import numpy as np
from numpy.typing import NDArray
from open_spiel.python.rl_agent import StepOutput
from open_spiel.python.rl_environment import ChanceEventSampler, Environment, ObservationType
from open_spiel.python.vector_env import SyncVectorEnv

from marjolet_spiel.vector import VectorEnv
from marjolet_spiel.vector.opponents import random_actions
from scripts.benchmark.timing import Work

GAMES = 4_096
PEER_GAMES = 16
STEPS = 100
"""How many steps are taken before the games begin again; longer than any deal with forced ones."""


def our_batches(game: str, threads: int = 1) -> Work:
    """Steps a batch of `GAMES` games with the full observation."""
    env = VectorEnv(game, GAMES, seed=1, threads=threads)
    chosen = _random_play(env)

    def play(n: int) -> int:
        steps = -(-n // GAMES)
        for step in range(steps):
            if step % STEPS == 0:
                env.reset()
            env.step(chosen[step % STEPS])
        return steps * GAMES

    return play


def _random_play(env: VectorEnv) -> list[NDArray[np.int64]]:
    """Legal actions of the first steps from the beginning, each uniformly random."""
    rng, batch, chosen = np.random.default_rng(1), env.reset(), []
    for _ in range(STEPS):
        chosen.append(random_actions(batch.legal, rng))
        batch = env.step(chosen[-1])
    return chosen


def sync_vector_env(game: Any) -> Work:
    """Steps OpenSpiel's environment of `PEER_GAMES` games with the same observation."""
    kind = ObservationType.OBSERVATION
    each = [
        Environment(game, observation_type=kind, chance_event_sampler=ChanceEventSampler())
        for _ in range(PEER_GAMES)
    ]
    envs = SyncVectorEnv(each)
    rng, steps, chosen = random.Random(1), _begin(envs), []
    for _ in range(STEPS):
        chosen.append([_choice(step.observations, rng) for step in steps])
        steps = envs.step(chosen[-1], reset_if_done=True)[0]

    def play(n: int) -> int:
        count = -(-n // PEER_GAMES)
        for step in range(count):
            if step % STEPS == 0:
                _begin(envs)
            envs.step(chosen[step % STEPS], reset_if_done=True)
        return count * PEER_GAMES

    return play


def _begin(envs: Any) -> Any:
    """Begins the same games again; their first time steps."""
    for seed, env in enumerate(envs.envs):
        env.seed(seed)
    return envs.reset()


def _choice(seen: Any, rng: random.Random) -> Any:
    return StepOutput(rng.choice(seen["legal_actions"][seen["current_player"]]), None)
