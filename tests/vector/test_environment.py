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
        self.ended = self.state
        self.begin()
        return rewards


def assert_same_views(env: VectorEnv, i: int, shadow: Any, ended: bool, kind: str) -> None:
    """What both players see in a game, or in the one that it ended last, is what pyspiel has."""
    assert env.state(i, ended).history() == shadow.history()
    for player in (0, 1):
        (seen,) = env.observe([i], [player], ended)
        if kind != "compact":
            tensor = shadow.observation_tensor
            tensor = tensor if kind == "observation" else shadow.information_state_tensor
            assert seen.tolist() == tensor(player)
        elif player != shadow.current_player():
            assert not seen.any()
        else:
            assert seen.tolist() == tensor_of(shadow, kind)


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
            assert_same_views(env, i, shadow.state, False, observation)
            if batch.done[i]:
                assert_same_views(env, i, shadow.ended, True, observation)
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


def lowest_and_highest(batch: Batch) -> NDArray[np.int64]:
    """Actions that depend on nothing but what is shown: player 0's lowest, player 1's highest."""
    low = np.argmax(batch.legal, axis=1)
    high = batch.legal.shape[1] - 1 - np.argmax(batch.legal[:, ::-1], axis=1)
    return np.where(batch.player == 0, low, high)


@pytest.mark.parametrize("params", [{}, {"profile": "dutch", **MATCH}])
def test_games_may_wait_for_each_other(params: Params) -> None:
    rules, rng = Rules.of(**params), np.random.default_rng(6)
    env, steady = (VectorEnv(rules, 9, 4, "information_state", threads=t) for t in (2, 1))
    batch, waits = env.reset(), 0
    lines: list[list[bytes]] = [[row.tobytes()] for row in batch.observation]
    for _ in range(200):
        moving = rng.random(9) < 0.6
        actions = np.where(moving, lowest_and_highest(batch), -7)
        before = batch.observation.copy()
        batch = env.step(actions, moving)
        assert not batch.reward[~moving].any()
        assert not batch.done[~moving].any()
        assert np.array_equal(batch.observation[~moving], before[~moving])
        for i in np.flatnonzero(moving):
            lines[i].append(batch.observation[i].tobytes() + batch.reward[i].tobytes())
        waits += int((~moving).sum())
    assert waits > 500
    batch = steady.reset()
    twins: list[list[bytes]] = [[row.tobytes()] for row in batch.observation]
    for _ in range(200):
        batch = steady.step(lowest_and_highest(batch))
        for i in range(9):
            twins[i].append(batch.observation[i].tobytes() + batch.reward[i].tobytes())
    assert all(twin[: len(line)] == line for line, twin in zip(lines, twins, strict=True))


@pytest.mark.parametrize("reward", ["final", "scored"])
def test_games_that_are_given_up_go_on_with_their_next_episode(reward: str) -> None:
    env, patient = (VectorEnv("python_marjolet", 40, 8, reward=reward) for _ in range(2))
    batch = env.reset()
    for _ in range(5):
        batch = env.step(lowest_and_highest(batch))
    before, which = env.positions(), np.arange(40) % 2 == 0
    batch = env.begin_anew(which)
    assert batch.episode.tolist() == [1, 0] * 20
    assert not batch.reward.any()
    assert not batch.done.any()
    assert np.array_equal(env.positions()[~which], before[~which])
    other, first = patient.reset(), env.positions()
    for _ in range(100):
        other = patient.step(lowest_and_highest(other))
        for i in np.flatnonzero(other.done & (other.episode == 1)):
            if which[i]:
                assert np.array_equal(patient.positions()[i], first[i])
                which[i] = False
    assert not which.any()
    with pytest.raises(ValueError, match="ended: game 0 has not ended any game yet"):
        env.state(0, ended=True)
    with pytest.raises(ValueError, match="ended: game 3 has not ended any game yet"):
        env.observe([3], [0], ended=True)


def test_games_begin_again_with_another_seed() -> None:
    env, other = VectorEnv("python_marjolet", 5, 1), VectorEnv("python_marjolet", 5, 2)
    first = env.reset().observation.copy()
    assert np.array_equal(env.reset(2).observation, other.reset().observation)
    assert env.seed == 2
    assert np.array_equal(env.reset().observation, other.batch.observation)
    assert np.array_equal(env.reset(1).observation, first)
    with pytest.raises(ValueError, match="seed: -1 is not allowed"):
        env.reset(-1)


def test_what_is_no_choice_of_games_is_named() -> None:
    env = VectorEnv("python_marjolet", 3, 1)
    with pytest.raises(ValueError, match="call reset"):
        _ = env.batch
    good = random_actions(env.reset(), np.random.default_rng(1))
    before = env.positions()
    for wrong in ([1, 0, 1], [True, False], np.ones((3, 1), dtype=np.bool_)):
        with pytest.raises(ValueError, match=r"moving: .* it must be bool \[3\]"):
            env.step(good, wrong)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match=r"which: .* it must be bool \[3\]"):
            env.begin_anew(wrong)  # type: ignore[arg-type]
    for games, players, said in (
        ([3], [0], "games: 3 is not allowed; it must be from 0 to 2"),
        ([0], [2], "players: 2 is not allowed; it must be from 0 to 1"),
        ([-1], [0], "games: -1 is not allowed"),
        ([0.5], [0], "games: [0.5] is not allowed; it must be whole numbers [k]"),
        ([0, 1], [0], "players: 1 of them are not allowed; it must be one for each of 2 games"),
    ):
        with pytest.raises(ValueError, match=re.escape(said)):
            env.observe(games, players)  # type: ignore[arg-type]
    assert np.array_equal(env.positions(), before)
