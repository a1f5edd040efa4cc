"""The environments for PettingZoo: its own tests, rewards, views, what is refused."""

import re
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from marjolet_spiel.compact import compact_observation
from marjolet_spiel.rules import Rules
from tests.variants import MATCH, Params, each_variant

pytest.importorskip("pettingzoo")

from pettingzoo.test import api_test, parallel_api_test, seed_test
from pettingzoo.test.max_cycles_test import max_cycles_test

import marjolet_spiel.environments.pettingzoo as environments
from marjolet_spiel.environments.pettingzoo import AGENTS, env, parallel_env


@pytest.fixture(autouse=True)
def _calm() -> Iterator[None]:
    """Advice on observations that are no plain arrays, and on masks of those not on turn."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Observation", UserWarning)
        warnings.filterwarnings("ignore", "Action mask numpy array is all zeros", UserWarning)
        yield


def seeded(games: Any) -> Any:
    """The environment with action spaces that draw the same in each run."""
    for number, agent in enumerate(AGENTS):
        games.action_space(agent).seed(number)
    return games


WAYS: list[dict[str, Any]] = [
    {},
    {"skip_forced": False, "observation": "information_state"},
    {"reward": "scored", "reward_scale": 0.01, "observation": "compact"},
    {"endgame": "table"},
    {"max_cycles": 30},
]


@pytest.mark.parametrize("ways", WAYS)
def test_passes_the_tests_of_pettingzoo(ways: dict[str, Any]) -> None:
    api_test(env(**ways))
    seed_test(lambda: env(**ways))
    parallel_api_test(parallel_env(**ways))


def test_passes_the_test_of_cycles() -> None:
    max_cycles_test(environments)


@each_variant
def test_every_game_passes_and_gives_its_rewards(params: Params) -> None:
    rules = Rules.of(**params)
    api_test(env(rules))
    games, rng = env(rules, reward_scale=0.5), np.random.default_rng(3)
    games.reset(seed=1)
    for number in range(3):
        totals = dict.fromkeys(AGENTS, 0.0)
        for agent in games.agent_iter(10**6):
            seen, reward, over, cut, _ = games.last()
            totals[agent] += reward
            assert not cut
            if not over:
                legal = np.flatnonzero(seen["action_mask"])
                assert games.observation_space(agent).contains(seen)
            games.step(None if over else rng.choice(legal))
        state = games.games.state(0, ended=True)
        assert list(totals.values()) == [0.5 * value for value in state.returns()]
        assert games.games.batch.episode[0] == number + 1
        assert games.agents == []
        games.reset()


@pytest.mark.parametrize("kind", ["observation", "information_state", "compact"])
@pytest.mark.parametrize("params", [{}, {"profile": "dutch", **MATCH}])
def test_agents_see_the_same_in_all_worlds(params: Params, kind: str) -> None:
    games = seeded(env(Rules.of(**params), observation=kind))
    rng = np.random.RandomState(1)
    games.reset(seed=5)
    elsewhere = 0
    for number, agent in enumerate(games.agent_iter(50)):
        state = games.games.state(0)
        for player, name in enumerate(AGENTS):
            world = state.resample_from_infostate(player, rng)
            elsewhere += world.history() != state.history()
            seen = games.observe(name)
            if kind == "compact":
                own = compact_observation(world) if name == agent else 0 * seen["observation"]
                assert np.array_equal(seen["observation"], own)
            else:
                assert seen["observation"].tolist() == getattr(world, f"{kind}_tensor")(player)
            mask = np.flatnonzero(seen["action_mask"]).tolist()
            assert mask == (world.legal_actions() if name == agent else [])
        games.step(games.action_space(agent).sample())
        if number > 30 and games.terminations[agent]:
            break
        if games.terminations[agent]:
            games.reset()
    assert elsewhere > 30


def test_seeds_say_which_games_are_played() -> None:
    games, other = env(), env()

    def first(seed: int | None) -> list[float]:
        games.reset(seed=seed)
        return list(games.last()[0]["observation"])

    line = [first(3), first(None), first(None)]
    assert line[0] != line[1] != line[2]
    assert [first(3), first(None), first(None)] == line
    other.reset()
    assert other.games.seed > 2**32  # nobody chose it
    with pytest.raises(ValueError, match="seed: -1 is not allowed"):
        games.reset(seed=-1)


def test_samples_are_legal_without_a_mask() -> None:
    games = seeded(env())
    games.reset(seed=2)
    drawn = set()
    for _ in range(200):
        drawn.add(int(games.action_space(games.agent_selection).sample()))
    assert drawn == set(np.flatnonzero(games.last()[0]["action_mask"]).tolist())
    mask = np.zeros(59, dtype=np.int8)
    mask[7] = 1
    assert games.action_space("player_0").sample(mask) == 7


def test_cycles_cut_games_off() -> None:
    games = seeded(parallel_env(max_cycles=5))
    games.reset(seed=1)
    for number in range(1, 6):
        actions = {agent: games.action_space(agent).sample() for agent in games.agents}
        _, rewards, over, cut, _ = games.step(actions)
        assert list(cut.values()) == [number == 5] * 2
        assert not any(over.values())
        assert list(rewards.values()) == [0.0, 0.0]
    assert games.agents == []
    whole = seeded(parallel_env())
    whole.reset(seed=1)
    while whole.agents:
        actions = {agent: whole.action_space(agent).sample() for agent in whole.agents}
        _, rewards, over, cut, _ = whole.step(actions)
    assert all(over.values())
    assert not any(cut.values())
    assert rewards["player_0"] == -rewards["player_1"] != 0
    whole.reset()
    with pytest.raises(ValueError, match="actions: there is none of player_"):
        whole.step({})


def test_positions_are_shown_as_text() -> None:
    games = env(render_mode="ansi")
    games.reset(seed=1)
    state, player = games.games.state(0), AGENTS.index(games.agent_selection)
    assert games.render() == state.observation_string(player)
    silent = env()
    silent.reset(seed=1)
    assert silent.render() is None
    games.close()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"game": "chess"}, "game: 'chess' is not allowed"),
        ({"game": "python_marjolet(profile=welsh)"}, "profile: 'welsh' is not allowed"),
        ({"reward_scale": 0}, "reward_scale: 0 is not allowed"),
        ({"render_mode": "human"}, "render_mode: 'human' is not allowed; it must be 'ansi' or N"),
        ({"max_cycles": 0}, "max_cycles: 0 is not allowed; it must be a whole number from 1"),
        ({"observation": "all"}, "observation: 'all' is not allowed"),
        ({"skip_forced": "no"}, "skip_forced: 'no' is not allowed"),
    ],
)
def test_bad_arguments_are_named(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        env(**wrong)


@pytest.mark.parametrize("action", [0, 59, -1, 1.5, "done", None])
def test_bad_actions_are_named_and_nothing_moves(action: Any) -> None:
    games = env()
    games.reset(seed=1)
    before = games.games.positions()
    with pytest.raises(ValueError, match="actions: "):
        games.step(action)
    assert np.array_equal(games.games.positions(), before)
