"""Batches beside OpenSpiel's vectorized environment, time step by time step; its agents on them."""

import random
import re
from typing import Any

import numpy as np
import pytest
from open_spiel.python.rl_agent import StepOutput
from open_spiel.python.rl_environment import Environment, ObservationType
from open_spiel.python.vector_env import SyncVectorEnv

from marjolet_spiel.game import MarjoletGame
from marjolet_spiel.vector import OpenSpielVectorEnv, SeatEnv, VectorEnv
from tests.variants import Params, each_variant

GAMES = 3
KINDS = {
    "observation": ObservationType.OBSERVATION,
    "information_state": ObservationType.INFORMATION_STATE,
}


class Follower:
    """Chance in one of OpenSpiel's games: what happened in ours."""

    def __init__(self, env: VectorEnv, i: int) -> None:
        self._env, self._i = env, i

    def __call__(self, state: Any) -> int:
        before = state.history()
        for ended in (False, True):
            try:
                line = self._env.state(self._i, ended).history()
            except ValueError:
                continue
            if line[: len(before)] == before and len(line) > len(before):
                return line[len(before)]
        raise AssertionError("our game did not come here")


def plain(steps: list[Any]) -> list[Any]:
    """Time steps without arrays."""
    return [
        (
            {**step.observations, "info_state": [list(s) for s in step.observations["info_state"]]},
            *step[1:],
        )
        for step in steps
    ]


def some_actions(steps: list[Any], rng: random.Random) -> list[Any]:
    """A legal action of whoever is on turn; anything where nobody is."""
    legal = [max(step.observations["legal_actions"], key=len) for step in steps]
    return [StepOutput(rng.choice(may or [58]), None) for may in legal]


@pytest.mark.parametrize("reset_if_done", [True, False])
@pytest.mark.parametrize("kind", KINDS)
@each_variant
def test_same_time_steps_as_openspiel(params: Params, kind: str, reset_if_done: bool) -> None:
    game = MarjoletGame(params)
    env = VectorEnv(game, GAMES, 7, kind, skip_forced=False)
    ours = OpenSpielVectorEnv(env, discount=0.9)
    theirs = SyncVectorEnv(
        [
            Environment(
                game, 0.9, chance_event_sampler=Follower(env, i), observation_type=KINDS[kind]
            )
            for i in range(GAMES)
        ]
    )
    assert ours.observation_spec() == theirs.observation_spec()
    assert ours.action_spec() == theirs.envs[0].action_spec()
    assert (len(ours), ours.num_players) == (len(theirs), theirs.num_players)
    rng, ended = random.Random(1), 0
    steps = ours.reset()
    assert plain(steps) == plain(theirs.reset())
    for number in range(500):
        actions = some_actions(steps, rng)
        steps, rewards, done, unreset = ours.step(actions, reset_if_done)
        found = theirs.step(actions, reset_if_done)
        assert plain(steps) == plain(found[0])
        assert (rewards, done) == found[1:3]
        assert plain(unreset) == plain(found[3])
        ended += sum(done)
        if number % 40 == 20:
            which = [rng.random() < 0.5 for _ in range(GAMES)]
            steps = ours.reset(which)
            assert plain(steps) == plain(theirs.reset(which))
        if ended >= 4 and number > 50:
            break
    assert ended >= 4 or game.rules.is_match


def test_first_step_begins_games() -> None:
    envs = OpenSpielVectorEnv(VectorEnv("python_marjolet", 2, 1))
    steps, rewards, done, unreset = envs.step([StepOutput(0, None)] * 2)
    assert all(step.first() for step in steps)
    assert (rewards, done) == ([None, None], [False, False])
    assert steps is unreset
    envs.close()


def test_single_player_against_an_opponent() -> None:
    envs = OpenSpielVectorEnv(VectorEnv("python_marjolet", 4, 1), "random", reward_scale=0.01)
    alone = SeatEnv(VectorEnv("python_marjolet", 4, 1), "random", reward_scale=0.01)
    steps, batch, rng, ended = envs.reset(), alone.reset(), random.Random(2), 0
    assert envs.num_players == 1
    for _ in range(80):
        for i, step in enumerate(steps):
            assert step.current_player() == 0
            assert not step.is_simultaneous_move()
            assert np.array_equal(step.observations["info_state"], batch.observation[[i]])
            legal = np.flatnonzero(batch.legal[i]).tolist()
            assert step.observations["legal_actions"] == [legal]
        actions = some_actions(steps, rng)
        steps, rewards, done, unreset = envs.step(actions, reset_if_done=True)
        batch = alone.step([output.action for output in actions])
        assert rewards == batch.reward[:, None].tolist()
        assert done == batch.done.tolist() == [step.last() for step in unreset]
        assert [step.first() for step in steps] == done
        for i in np.flatnonzero(done):
            assert unreset[i].observations["legal_actions"] == [[]]
            final = alone.final_observation(np.array([i]))
            assert np.array_equal(unreset[i].observations["info_state"], final)
            assert unreset[i].discounts == [0.0]
        ended += sum(done)
    assert ended >= 8


def test_what_was_seen_stays_as_it_is() -> None:
    envs = OpenSpielVectorEnv(VectorEnv("python_marjolet", 2, 1), "random")
    steps = envs.reset()
    before = plain(steps)
    envs.step(some_actions(steps, random.Random(1)))
    assert plain(steps) == before


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"env": "python_marjolet"}, "env: 'python_marjolet' is not allowed; it must be a VectorE"),
        ({"opponent": "greedy"}, "opponent: 'greedy' is not allowed; it must be 'random', where"),
        ({"seat": 1}, "seat: 1 is not allowed without an opponent; it must be None"),
        ({"opponent": "random", "seat": 3}, "seat: 3 is not allowed; it must be 0, 1 or None"),
        ({"reward_scale": -1}, "reward_scale: -1 is not allowed; it must be a number above 0"),
        ({"discount": 1.5}, "discount: 1.5 is not allowed; it must be from 0 to 1"),
    ],
)
def test_bad_arguments_are_named(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        OpenSpielVectorEnv(**{"env": VectorEnv("python_marjolet", 2, 1), **wrong})


def test_bad_calls_are_named() -> None:
    envs = OpenSpielVectorEnv(VectorEnv("python_marjolet", 2, 1))
    envs.reset()
    for call, said in (
        (lambda: envs.step([StepOutput(1, None)]), "step_outputs: 1 are not allowed"),
        (lambda: envs.step([StepOutput(59, None)] * 2), "actions: 59 is not legal in game 0"),
        (lambda: envs.reset([True]), "envs_to_reset: [True] is not allowed; it must be a bool for"),
    ):
        with pytest.raises(ValueError, match=re.escape(said)):
            call()


def ppo_against_random(updates: int) -> list[float]:
    """Mean points a deal of OpenSpiel's PPO against random play, by update."""
    torch = pytest.importorskip("torch")
    from open_spiel.python.pytorch.ppo import PPO, PPOAgent

    torch.manual_seed(1)
    np.random.seed(1)
    env = VectorEnv("python_marjolet", 64, seed=1)
    envs = OpenSpielVectorEnv(env, "random", reward_scale=0.01)
    settings = {"num_envs": 64, "steps_per_batch": 44, "learning_rate": 1e-3, "gamma": 1.0}
    shape = (env.observation_size,)
    agent = PPO(shape, 59, envs.num_players, agent_fn=PPOAgent, **settings)
    steps, means = envs.reset(), []
    for _ in range(updates):
        ended = []
        for _ in range(44):
            steps, rewards, done, _ = envs.step(agent.step(steps), reset_if_done=True)
            agent.post_step(rewards, done)
            ended += [reward[0] for reward, over in zip(rewards, done, strict=True) if over]
        agent.learn(steps)
        means.append(100 * float(np.mean(ended)))
    return means


def test_ppo_of_openspiel_runs() -> None:
    assert len(ppo_against_random(2)) == 2


@pytest.mark.slow
def test_ppo_of_openspiel_learns_to_beat_random_play() -> None:
    means = ppo_against_random(60)
    assert np.mean(means[-10:]) > np.mean(means[:10]) + 7  # four standard errors


def test_dqn_of_openspiel_learns_from_transitions() -> None:
    torch = pytest.importorskip("torch")
    pytest.importorskip("tree")
    from open_spiel.python.pytorch.dqn import DQN

    torch.manual_seed(1)
    env = VectorEnv("python_marjolet(num_suits=2,ranks=QJ7,hand_size=2)", 4, seed=1)
    envs = OpenSpielVectorEnv(env, "random")
    settings = {"batch_size": 8, "min_buffer_size_to_learn": 8, "learn_every": 5}
    agents = [
        DQN(0, env.observation_size, 59, hidden_layers_sizes=[16], seed=i, **settings)
        for i in range(4)
    ]
    steps, ended = envs.reset(), 0
    for _ in range(20):
        outputs = [agent.step(step) for agent, step in zip(agents, steps, strict=True)]
        _, _, done, unreset = envs.step(outputs)
        for agent, step in zip(agents, unreset, strict=True):
            if step.last():
                assert agent.step(step) is None
        ended += sum(done)
        steps = envs.reset(done)
    assert ended >= 8
    assert all(agent.loss is not None for agent in agents)


def test_two_agents_of_openspiel_play_each_other() -> None:
    from open_spiel.python.algorithms.random_agent import RandomAgent

    envs = OpenSpielVectorEnv(VectorEnv("python_marjolet", 2, 1))
    agents = [RandomAgent(player, envs.action_spec()["num_actions"]) for player in (0, 1)]
    steps, ended = envs.reset(), 0
    while ended < 3:
        outputs = [agents[step.current_player()].step(step) for step in steps]
        steps, rewards, done, _ = envs.step(outputs, reset_if_done=True)
        ended += sum(done)
        assert all(sum(reward) == 0 for reward in rewards)
