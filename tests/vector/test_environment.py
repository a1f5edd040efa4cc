"""Batches of games against pyspiel, step by step; what is refused; threads and seeds."""

import re
from typing import Any

import numpy as np
import pyspiel
import pytest
from numpy.typing import NDArray

from marjolet_spiel import kernel
from marjolet_spiel.compact import compact_observation
from marjolet_spiel.game import MarjoletGame
from marjolet_spiel.rules import Rules
from marjolet_spiel.solvers.solve import solve
from marjolet_spiel.vector import Batch, VectorEnv
from tests.variants import MATCH, Params, each_profile, each_variant

GAMES = 6


def random_actions(batch: Batch, rng: np.random.Generator) -> NDArray[np.int64]:
    """A legal action of each game, uniformly random."""
    return np.argmax(batch.legal * (0.1 + rng.random(batch.legal.shape)), axis=1)


def tensor_of(state: Any, observation: str) -> list[float]:
    """What pyspiel has of an observation of the player on turn."""
    tensors = {
        "observation": state.observation_tensor,
        "information_state": state.information_state_tensor,
        "compact": lambda: compact_observation(state).tolist(),
    }
    return tensors[observation]()


class Shadow:
    """One game of a batch, played by pyspiel."""

    def __init__(self, env: VectorEnv, i: int, skip_forced: bool) -> None:
        self._env, self._i, self._skip_forced = env, i, skip_forced
        self.begin()

    def begin(self) -> None:
        """A new game, from what the environment says has happened."""
        self.state = pyspiel.load_game(str(self._env.state(0).get_game())).new_initial_state()
        self._follow()

    def _follow(self) -> None:
        for action in self._env.state(self._i).history()[len(self.state.history()) :]:
            self.state.apply_action(action)

    def step(self, action: int, done: bool) -> list[float]:
        """Takes an action and what comes by itself; the rewards. A game that ends has no chance
        nodes left: they come before the endgame, where somebody has a choice."""
        self.state.apply_action(action)
        if not done:
            self._follow()
            return self.state.rewards()
        while self._skip_forced and not self.state.is_terminal():
            (only,) = self.state.legal_actions()
            assert self.state.current_player() >= 0
            self.state.apply_action(only)
        assert self.state.is_terminal()
        rewards = self.state.rewards()
        self.begin()
        return rewards


@pytest.mark.parametrize("skip_forced", [True, False])
@pytest.mark.parametrize("observation", ["observation", "information_state", "compact"])
@each_variant
def test_lockstep_with_pyspiel(params: Params, observation: str, skip_forced: bool) -> None:
    game = MarjoletGame(params)
    env = VectorEnv(game, GAMES, 5, observation, skip_forced)
    rng, batch = np.random.default_rng(1), env.reset()
    shadows = [Shadow(env, i, skip_forced) for i in range(GAMES)]
    games, episodes = 0, [0] * GAMES
    for _ in range(1_500 if game.rules.is_match else 250):
        for i, shadow in enumerate(shadows):
            state = shadow.state
            assert batch.player[i] == state.current_player()
            legal = state.legal_actions()
            assert np.flatnonzero(batch.legal[i]).tolist() == legal
            assert len(legal) > 1 or not skip_forced
            assert batch.observation[i].tolist() == tensor_of(state, observation)
            assert np.array_equal(env.positions()[i], state.position())
            assert batch.episode[i] == episodes[i]
        actions = random_actions(batch, rng)
        batch = env.step(actions)
        for i, shadow in enumerate(shadows):
            rewards = shadow.step(int(actions[i]), bool(batch.done[i]))
            assert batch.reward[i].tolist() == rewards
            episodes[i] += bool(batch.done[i])
        games += int(batch.done.sum())
        if games >= 2 * GAMES:
            break
    assert games >= GAMES


@each_variant
def test_points_come_as_they_are_scored(params: Params) -> None:
    rules = Rules.of(**params)
    final = VectorEnv(rules, 50, 3)
    scored = VectorEnv(rules, 50, 3, reward="scored")
    rng = np.random.default_rng(2)
    batch, twin = final.reset(), scored.reset()
    sums, ended, earlier = np.zeros((50, 2)), 0, 0
    for _ in range(300):
        actions = random_actions(batch, rng)
        batch, twin = final.step(actions), scored.step(actions)
        sums += twin.reward
        done = batch.done
        assert np.array_equal(twin.done, done)
        assert np.array_equal(twin.reward[:, 0], -twin.reward[:, 1])
        if not rules.is_match:
            assert np.array_equal(sums[done], batch.reward[done])
        elif rules.target_check == "deal_end":  # else a match can end within a trick
            won = done & (batch.reward[:, 0] != 0)
            assert np.array_equal(np.sign(sums[won]), batch.reward[won])
        earlier += int(np.count_nonzero(twin.reward[~done]))
        sums[done] = 0
        ended += int(done.sum())
    assert ended > 0
    assert earlier > 0


@each_profile
def test_endgames_are_worth_what_best_play_makes_of_them(profile: str) -> None:
    env = VectorEnv(f"python_marjolet(profile={profile})", 20, 7, endgame="table")
    batch, rng, ended = env.reset(), np.random.default_rng(3), 0
    while ended < 40:
        before = [env.state(i) for i in range(20)]
        actions = random_actions(batch, rng)
        batch = env.step(actions)
        for i in np.flatnonzero(batch.done):
            state = before[i]
            state.apply_action(int(actions[i]))
            while state.position()[kernel.TRICK] <= state.get_game().rules.stock_tricks:
                (only,) = state.legal_actions()
                state.apply_action(only)
            value = solve(state).value if not state.is_terminal() else state.returns()[0]
            assert batch.reward[i].tolist() == [value, -value]
            ended += 1
        tricks = env.positions()[:, kernel.TRICK]
        assert (tricks <= env.rules.stock_tricks).all()


@pytest.mark.parametrize("params", [{}, {"profile": "dutch", **MATCH}])
def test_games_depend_on_the_seed_and_not_on_threads_or_company(params: Params) -> None:
    rules = Rules.of(**params)
    envs = [VectorEnv(rules, n, 9, threads=t) for n, t in ((64, 1), (64, 3), (7, 2))]
    rng = np.random.default_rng(4)
    batches = [env.reset() for env in envs]
    for _ in range(120):
        actions = random_actions(batches[0], rng)
        batches = [env.step(actions[: env.num_envs]) for env in envs]
        for batch, env in zip(batches[1:], envs[1:], strict=True):
            assert np.array_equal(env.positions(), envs[0].positions()[: env.num_envs])
            for field in ("observation", "legal", "player", "reward", "done", "episode"):
                whole = getattr(batches[0], field)[: env.num_envs]
                assert np.array_equal(getattr(batch, field), whole)
    assert len({row.tobytes() for row in envs[0].positions()}) == 64
    other = VectorEnv(rules, 64, 10)
    other.reset()
    again = envs[0].reset()
    assert not np.array_equal(again.observation, other.reset().observation)
    first = VectorEnv(rules, 64, 9).reset()
    assert np.array_equal(again.observation, first.observation)
    for env in envs:
        env.close()


def test_many_threads_share_few_games() -> None:
    with VectorEnv("python_marjolet", 3, 1, threads=8) as env:
        env.reset()
        batch = env.step(random_actions(env.reset(), np.random.default_rng(1)))
        assert batch.observation.shape == (3, env.observation_size)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"num_envs": 0}, "num_envs: 0 is not allowed; it must be a whole number from 1"),
        ({"num_envs": 2.0}, "num_envs: 2.0 is not allowed"),
        ({"num_envs": True}, "num_envs: True is not allowed"),
        ({"seed": -1}, "seed: -1 is not allowed; it must be a whole number from 0"),
        ({"threads": 0}, "threads: 0 is not allowed"),
        ({"observation": "all"}, "observation: 'all' is not allowed; it must be one of obs"),
        ({"reward": "win"}, "reward: 'win' is not allowed; it must be one of final, scored"),
        ({"endgame": "no"}, "endgame: 'no' is not allowed; it must be one of play, table"),
        ({"skip_forced": 1}, "skip_forced: 1 is not allowed"),
        ({"game": "chess"}, "game: 'chess' is not allowed"),
        ({"game": "python_marjolet(profile=welsh)"}, "profile: 'welsh' is not allowed"),
        ({"game": "python_marjolet_open"}, "it must be a python_marjolet, or Rules"),
        ({"game": "kuhn_poker"}, "it must be a python_marjolet, or Rules"),
        ({"game": 5}, "game: 5 is not allowed"),
        (
            {"game": "python_marjolet(target=500)", "endgame": "table"},
            "endgame: 'table' is not allowed with target=500",
        ),
    ],
)
def test_bad_arguments_are_named(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        VectorEnv(**{"game": "python_marjolet", "num_envs": 2, "seed": 1, **wrong})


def test_bad_actions_are_named_and_nothing_moves() -> None:
    env = VectorEnv("python_marjolet", 3, 1)
    with pytest.raises(ValueError, match="call reset"):
        env.step([1, 1, 1])
    batch = env.reset()
    before, seen = env.positions(), batch.observation.copy()
    good = random_actions(batch, np.random.default_rng(1))
    held = env.state(1)
    legal = f"{held.legal_actions()[0]} ({held.action_to_string(held.legal_actions()[0])})"
    for bad in (-1, 59, 10**12, 58, 0):
        actions = good.copy()
        actions[1] = bad
        said = re.escape(f"actions: {bad} is not legal in game 1; legal are {legal}")
        with pytest.raises(ValueError, match=said):
            env.step(actions)
    for wrong in (good[:2], good.astype(float), [[1, 2, 3]], ["a", "b", "c"], None, good == 1):
        with pytest.raises(ValueError, match=r"actions: .* it must be whole numbers \[3\]"):
            env.step(wrong)
    assert np.array_equal(env.positions(), before)
    assert np.array_equal(batch.observation, seen)
    for method, wrong in ((env.state, 3), (env.state, -1), (env.state, "0")):
        with pytest.raises(ValueError, match=f"i: {wrong!r} is not allowed"):
            method(wrong)
    assert env.step(good.astype(np.uint8)).player.shape == (3,)


def test_buffers_are_reused() -> None:
    env = VectorEnv("python_marjolet", 3, 1)
    first = env.reset()
    second = env.step(random_actions(first, np.random.default_rng(1)))
    assert first.observation is second.observation
    assert [field.dtype for field in (first.observation, first.legal, first.player)] == [
        np.float32,
        np.bool_,
        np.int8,
    ]


def test_changing_copies_changes_no_game() -> None:
    env = VectorEnv("python_marjolet", 3, 1)
    batch = env.reset()
    positions = env.positions()
    positions[:] = 0
    batch.legal[:] = True  # a buffer that is only written
    with pytest.raises(ValueError, match="is not legal"):
        env.step([0, 0, 0])
    state = env.state(0)
    state.apply_action(state.legal_actions()[0])
    assert env.state(0).history() != state.history()
