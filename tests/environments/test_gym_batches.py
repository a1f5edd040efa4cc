"""Batches for Gymnasium: the same games as one at a time, ends within steps, illegal actions."""

import re
from typing import Any

import numpy as np
import pytest

from marjolet_spiel.rules import Rules
from tests.environments.test_gym import highest
from tests.variants import MATCH, Params

pytest.importorskip("gymnasium")

import gymnasium
from gymnasium.vector import AutoresetMode

from marjolet_spiel.environments.gym import ID, MarjoletEnv
from marjolet_spiel.environments.gym_batches import MarjoletVectorEnv


def lowest(seen: Any) -> Any:
    """The lowest legal action of each game."""
    return np.argmax(seen["action_mask"], axis=1)


def test_made_by_its_name() -> None:
    envs = gymnasium.make_vec(ID, num_envs=3, opponent=highest)
    assert isinstance(envs.unwrapped, MarjoletVectorEnv)
    assert envs.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    seen, infos = envs.reset(seed=1)
    assert envs.observation_space.contains(seen)
    assert infos["seat"].tolist() == [0, 1, 0]
    assert envs.action_space.shape == (3,)
    assert not np.shares_memory(seen["observation"], envs.step(lowest(seen))[0]["observation"])
    envs.close()


@pytest.mark.parametrize("params", [{}, {"profile": "dutch", **MATCH}])
def test_same_games_as_one_at_a_time(params: Params) -> None:
    rules = Rules.of(**params)
    envs = MarjoletVectorEnv(1, rules, highest, reward_scale=0.1)
    env = MarjoletEnv(rules, highest, reward_scale=0.1)
    many, infos = envs.reset(seed=6)
    one, info = env.reset(seed=6)
    ended = 0
    for _ in range(600):
        assert infos["seat"].tolist() == [info["seat"]]
        for part in ("observation", "action_mask"):
            assert np.array_equal(many[part][0], one[part])
        action = lowest(many)
        many, rewards, over, cut, infos = envs.step(action)
        one, reward, is_over, _, info = env.step(action[0])
        assert (rewards.tolist(), over.tolist(), cut.tolist()) == ([reward], [is_over], [False])
        if is_over:
            assert infos["_final_obs"].tolist() == [True]
            for part in ("observation", "action_mask"):
                assert np.array_equal(infos["final_obs"][0][part], one[part])
            one, info = env.reset()
            ended += 1
        else:
            assert "final_obs" not in infos
        if ended == 4:
            break
    assert ended >= (1 if rules.is_match else 4)


def test_seeds_threads_and_buffers() -> None:
    envs = MarjoletVectorEnv(50, opponent=highest, threads=2, copy=False)
    twin = MarjoletVectorEnv(50, opponent=highest)
    seen, other = envs.reset(seed=2)[0], twin.reset(seed=2)[0]
    start = other["observation"].copy()
    for _ in range(30):
        assert np.array_equal(seen["observation"], other["observation"])
        held = seen["observation"]
        seen, other = envs.step(lowest(seen))[0], twin.step(lowest(other))[0]
        assert seen["observation"] is held
    assert not np.array_equal(twin.reset()[0]["observation"], start)
    assert np.array_equal(twin.reset(seed=2)[0]["observation"], start)
    envs.close()


def test_illegal_actions_lose_their_games_alone() -> None:
    envs, twin = (MarjoletVectorEnv(6, opponent=highest, reward_scale=0.01) for _ in range(2))
    seen, other = envs.reset(seed=3)[0], twin.reset(seed=3)[0]
    actions = lowest(seen)
    actions[[1, 4]] = np.argmin(seen["action_mask"], axis=1)[[1, 4]]
    now, rewards, over, cut, infos = envs.step(actions)
    expected, steady, _, _, _ = twin.step(lowest(other))
    lost = np.array([False, True, False, False, True, False])
    assert rewards[lost].tolist() == [-6.5, -6.5]
    assert np.array_equal(rewards[~lost], steady[~lost])
    assert over.tolist() == infos["illegal"].tolist() == lost.tolist()
    assert infos["_final_obs"].tolist() == lost.tolist()
    assert not cut.any()
    assert np.array_equal(infos["final_obs"][4]["observation"], seen["observation"][4])
    assert np.array_equal(now["observation"][~lost], expected["observation"][~lost])
    assert infos["seat"].tolist() == [0, 0, 0, 1, 1, 1]  # two have begun their next episode
    assert now["action_mask"].any(axis=1).all()


def test_what_is_refused_moves_nothing() -> None:
    with pytest.raises(ValueError, match=r"step: no game is in progress; call reset\(\) first"):
        MarjoletVectorEnv(2).step([1, 1])
    envs = MarjoletVectorEnv(2, illegal="raise")
    seen, _ = envs.reset(seed=1)
    before = envs._games.env.positions()
    illegal = np.argmin(seen["action_mask"], axis=1)
    with pytest.raises(ValueError, match="actions: .* is not legal in game 0; legal are"):
        envs.step(illegal)
    lenient = MarjoletVectorEnv(2)
    lenient.reset(seed=1)
    for actions in ([1], [59, 59], [0.5, 1.0], None, [[1], [1]]):
        for each in (envs, lenient):
            with pytest.raises(ValueError, match="actions: "):
                each.step(actions)
    assert np.array_equal(envs._games.env.positions(), before)
    for wrong, said in (
        ({"num_envs": 0}, "num_envs: 0 is not allowed; it must be a whole number from 1"),
        ({"num_envs": 2, "illegal": ""}, "illegal: '' is not allowed"),
        ({"num_envs": 2, "opponent": 5}, "opponent: 5 is not allowed"),
    ):
        with pytest.raises(ValueError, match=re.escape(said)):
            MarjoletVectorEnv(**wrong)
