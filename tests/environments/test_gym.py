"""The environment for Gymnasium: its own checker, rewards, seeds, what is illegal or refused."""

import re
import sys
import warnings
from typing import Any

import numpy as np
import pytest

from marjolet_spiel.rules import Rules
from marjolet_spiel.vector import Bots
from tests.variants import Params, each_variant

pytest.importorskip("gymnasium")

import gymnasium
from gymnasium.utils.env_checker import check_env

from marjolet_spiel.environments.gym import ID, MarjoletEnv


def highest(observation: Any, legal: Any) -> Any:
    """A batched policy."""
    return legal.shape[1] - 1 - np.argmax(legal[:, ::-1], axis=1)


class Highest:
    """The same as a bot."""

    def step(self, state: Any) -> int:
        return state.legal_actions()[-1]


def make_highest(game: Any, player: int, seed: int) -> Highest:
    """A maker of bots."""
    return Highest()


OPPONENTS = ["random", highest, Bots(make_highest), f"{__name__}:make_highest"]


@pytest.mark.parametrize("illegal", ["lose", "raise"])
@pytest.mark.parametrize("opponent", OPPONENTS)
def test_plays_whole_games_by_its_name(opponent: Any, illegal: str) -> None:
    env = gymnasium.make(ID, opponent=opponent, illegal=illegal)
    seen, _ = env.reset(seed=1)
    env.action_space.seed(1)
    ended = 0
    while ended < 3:
        seen, reward, over, cut, _ = env.step(env.action_space.sample(seen["action_mask"]))
        assert not cut
        assert over or reward == 0
        if over:
            ended += 1
            assert not seen["action_mask"].any()
            seen, _ = env.reset()
    env.close()


@pytest.mark.parametrize(
    "ways",
    [
        {},
        {"skip_forced": False, "observation": "information_state", "seat": 1},
        {"reward": "scored", "reward_scale": 0.01, "observation": "compact"},
        {"game": "python_marjolet(profile=dutch,target=300)", "render_mode": "ansi"},
    ],
)
def test_passes_the_checker_of_gymnasium(ways: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gymnasium.make(ID, **ways).unwrapped)


@each_variant
def test_every_game_passes_and_gives_its_rewards(params: Params) -> None:
    rules, rng = Rules.of(**params), np.random.default_rng(3)
    env = MarjoletEnv(rules, highest, reward_scale=0.5)
    seen, info = env.reset(seed=4)
    seats = []
    while len(seats) < 4:
        assert env.observation_space.contains(seen)
        action = rng.choice(np.flatnonzero(seen["action_mask"]))
        seen, reward, over, _, now = env.step(action)
        assert now["seat"] == info["seat"]
        if over:
            state = env._games.env.state(0, ended=True)
            assert reward == 0.5 * state.returns()[info["seat"]]
            assert seen["observation"].tolist() == state.observation_tensor(info["seat"])
            seats.append(info["seat"])
            seen, info = env.reset()
    assert seats == [0, 1, 0, 1]


def test_seeds_say_which_games_are_played() -> None:
    env = MarjoletEnv()

    def line(seed: int | None) -> list[Any]:
        seen, _ = env.reset(seed=seed)
        found = [seen["observation"].tolist()]
        for _ in range(8):
            seen = env.step(int(seen["action_mask"].argmax()))[0]
            found.append(seen["observation"].tolist())
        return found

    lines = [line(3), line(None)]
    assert lines[0] != lines[1]
    assert [line(3), line(None)] == lines
    assert line(4) != lines[0]
    starts = {MarjoletEnv().reset()[0]["observation"].tobytes() for _ in range(5)}
    assert len(starts) > 1  # nobody chose these seeds


def test_the_seat_sees_the_same_in_all_worlds() -> None:
    env, rng = MarjoletEnv(render_mode="ansi"), np.random.RandomState(1)
    seen, info = env.reset(seed=2)
    elsewhere = 0
    for _ in range(15):
        state = env._games.env.state(0)
        world = state.resample_from_infostate(info["seat"], rng)
        elsewhere += world.history() != state.history()
        assert seen["observation"].tolist() == world.observation_tensor(info["seat"])
        assert env.render() == world.observation_string(info["seat"])
        seen = env.step(int(seen["action_mask"].argmax()))[0]
    assert elsewhere > 5


def test_an_illegal_action_loses_or_is_refused() -> None:
    env = MarjoletEnv(reward_scale=0.01)
    seen, _ = env.reset(seed=1)
    illegal = int(np.argmin(seen["action_mask"]))
    last, reward, over, cut, info = env.step(illegal)
    assert (reward, over, cut, info["illegal"]) == (-6.5, True, False, True)
    assert env.observation_space.contains(last)
    with pytest.raises(ValueError, match=r"step: no game is in progress; call reset"):
        env.step(illegal)
    again, info = env.reset()
    assert "illegal" not in info
    assert env._games.env.batch.episode[0] == 1
    assert not np.array_equal(again["observation"], seen["observation"])
    strict = MarjoletEnv(illegal="raise")
    strict.reset(seed=1)
    before = strict._games.env.positions()
    with pytest.raises(ValueError, match=f"actions: {illegal} is not legal in game 0; legal are"):
        strict.step(illegal)
    for action in (59, -1, 1.5, "done", None):
        for each in (strict, env):
            with pytest.raises(ValueError, match="actions: "):
                each.step(action)
    assert np.array_equal(strict._games.env.positions(), before)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"game": "chess"}, "game: 'chess' is not allowed"),
        ({"opponent": "greedy"}, "opponent: 'greedy' is not allowed; it must be 'random', where"),
        ({"opponent": "nothing:here"}, "opponent: 'nothing:here' cannot be imported: No module"),
        ({"opponent": "sys:here"}, "opponent: 'sys:here' cannot be imported"),
        ({"opponent": "sys:path"}, "opponent: 'sys:path' is not allowed; it must be called"),
        ({"seat": 2}, "seat: 2 is not allowed; it must be 0, 1 or None"),
        ({"illegal": "pass"}, "illegal: 'pass' is not allowed; it must be one of lose, raise"),
        ({"render_mode": "human"}, "render_mode: 'human' is not allowed"),
        ({"reward_scale": True}, "reward_scale: True is not allowed"),
        ({"observation": "all"}, "observation: 'all' is not allowed"),
    ],
)
def test_bad_arguments_are_named(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        MarjoletEnv(**wrong)


def test_no_game_no_step() -> None:
    with pytest.raises(ValueError, match=r"step: no game is in progress; call reset\(\) first"):
        MarjoletEnv().step(1)
    assert MarjoletEnv(render_mode="ansi").render() is None


@pytest.mark.parametrize("package", ["gymnasium", "pettingzoo"])
def test_what_is_not_installed_is_named(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module = {"gymnasium": "gym", "pettingzoo": "pettingzoo"}[package]
    for name in [name for name in sys.modules if name.startswith("marjolet_spiel.environments")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    said = rf"{package} is not installed; pip install marjolet-spiel\[rl\] installs it"
    with pytest.raises(ImportError, match=said):
        __import__(f"marjolet_spiel.environments.{module}")
