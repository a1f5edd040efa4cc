"""One seat against opponents: what is shown, what is rewarded, who sees what."""

import re
from functools import partial
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from bots.registry import make_bot
from marjolet_spiel.rules import Rules
from marjolet_spiel.vector import Bots, SeatEnv, VectorEnv
from marjolet_spiel.vector.opponents import random_actions
from tests.variants import MATCH, Params, each_variant

Array = NDArray[Any]


def highest(observation: Array, legal: Array) -> Array:
    """A batched policy."""
    return legal.shape[1] - 1 - np.argmax(legal[:, ::-1], axis=1)


def lowest(legal: Array) -> Array:
    """What the seat does."""
    return np.argmax(legal, axis=1)


def chosen_in(state: Any, player: int) -> list[tuple[list[int], int]]:
    """The legal actions and the choice of each decision of a player in a game that is over."""
    again, found = state.get_game().new_initial_state(), []
    for action in state.history():
        if again.current_player() == player:
            found.append((again.legal_actions(), action))
        again.apply_action(action)
    return found


@pytest.mark.parametrize("seat", [0, 1, None])
@each_variant
def test_both_do_what_they_chose_and_the_return_arrives(params: Params, seat: int | None) -> None:
    games = SeatEnv(VectorEnv(Rules.of(**params), 5, 3), highest, seat, reward_scale=0.5)
    batch, ended, total = games.reset(), 0, np.zeros(5)
    assert not batch.done.any()
    for step in range(1_000):
        assert np.array_equal(batch.seat, games.env.batch.player)
        assert batch.legal.any(axis=1).all()
        seats = (np.arange(5) + games.env.batch.episode) % 2 if seat is None else [seat] * 5
        assert batch.seat.tolist() == list(seats)
        before = batch.seat.copy()
        batch = games.step(lowest(batch.legal))
        total += batch.reward
        for i in np.flatnonzero(batch.done):
            state, own = games.env.state(i, ended=True), int(before[i])
            assert total[i] == state.returns()[own] * 0.5
            assert all(action == legal[0] for legal, action in chosen_in(state, own))
            assert all(action == legal[-1] for legal, action in chosen_in(state, 1 - own))
            (final,) = games.final_observation(np.array([i]))
            assert final.tolist() == state.observation_tensor(own)
            total[i], ended = 0, ended + 1
        if ended >= 10 and step > 20:
            break
    assert ended >= 10


def test_points_come_as_they_are_scored() -> None:
    games = SeatEnv(VectorEnv("python_marjolet", 30, 3, reward="scored"), highest)
    batch, total, ended = games.reset(), np.zeros(30), 0
    for _ in range(80):
        before = batch.seat.copy()
        batch = games.step(random_actions(batch.legal, np.random.default_rng(1)))
        total += batch.reward
        for i in np.flatnonzero(batch.done):
            assert total[i] == games.env.state(i, ended=True).returns()[before[i]]
            total[i], ended = 0, ended + 1
    assert ended > 60
    assert np.count_nonzero(total) > 10


@pytest.mark.parametrize("opponent", ["random", highest])
def test_games_depend_on_the_seed_and_not_on_threads(opponent: Any) -> None:
    envs = [SeatEnv(VectorEnv("python_marjolet", 30, 3, threads=t), opponent) for t in (1, 2)]
    batches = [env.reset() for env in envs]
    start = batches[0].observation.copy()
    for _ in range(60):
        batches = [env.step(lowest(batch.legal)) for env, batch in zip(envs, batches, strict=True)]
        assert np.array_equal(*(env.env.positions() for env in envs))
        assert np.array_equal(batches[0].reward, batches[1].reward)
    line = envs[0].env.positions()
    again = envs[0].reset()
    assert np.array_equal(again.observation, start)
    for _ in range(60):
        again = envs[0].step(lowest(again.legal))
    assert np.array_equal(envs[0].env.positions(), line)
    assert not np.array_equal(envs[0].reset(4).observation, start)
    for env in envs:
        env.close()


def test_games_may_wait_and_be_given_up() -> None:
    env, twin = (SeatEnv(VectorEnv("python_marjolet", 20, 3), highest) for _ in range(2))
    batch, other = env.reset(), twin.reset()
    odd = np.arange(20) % 2 == 1
    for _ in range(30):
        batch, other = env.step(lowest(batch.legal), odd), twin.step(lowest(other.legal))
        assert not batch.reward[~odd].any()
        assert np.array_equal(batch.reward[odd], other.reward[odd])
        assert np.array_equal(env.env.positions()[odd], twin.env.positions()[odd])
    assert env.env.batch.episode[~odd].tolist() == [0] * 10
    batch = env.begin_anew(~odd)
    assert env.env.batch.episode[~odd].tolist() == [1] * 10
    assert np.array_equal(env.env.positions()[odd], twin.env.positions()[odd])
    assert not batch.done.any()
    assert np.array_equal(batch.seat, env.env.batch.player)


class Witness:
    """A bot that compares what it is shown with the truth, and plays the highest action."""

    def __init__(self, env: VectorEnv, player: int) -> None:
        self._env, self._player = env, player
        self.asked = self.elsewhere = 0

    def step(self, state: Any) -> int:
        true = self._env.state(0)
        assert state.current_player() == true.current_player() == self._player
        sight = state.information_state_string(self._player)
        assert sight == true.information_state_string(self._player)
        self.asked += 1
        self.elsewhere += state.history() != true.history()
        return state.legal_actions()[-1]


@pytest.mark.parametrize("params", [{}, {"profile": "dutch", **MATCH}])
def test_bots_see_what_their_seat_may(params: Params) -> None:
    env, made, seeds = VectorEnv(Rules.of(**params), 1, 5), [], set()

    def make(game: Any, player: int, seed: int) -> Witness:
        assert game.get_parameters() == env.state(0).get_game().get_parameters()
        seeds.add(seed)
        made.append(Witness(env, player))
        return made[-1]

    games = SeatEnv(env, Bots(make))
    twin = SeatEnv(VectorEnv(env.rules, 1, 5), highest)
    batch, other = games.reset(), twin.reset()
    for _ in range(90):
        batch, other = games.step(lowest(batch.legal)), twin.step(lowest(other.legal))
        assert np.array_equal(batch.observation, other.observation)
    assert sum(bot.elsewhere for bot in made) > 20
    assert sum(bot.asked for bot in made) > 30
    assert len(made) == len(seeds) == int(env.batch.episode[0]) + 1


def test_bots_of_the_clone_are_opponents_by_name() -> None:
    games = SeatEnv(VectorEnv("python_marjolet", 10, 5), Bots(partial(make_bot, "greedy")))
    batch, rng, results = games.reset(), np.random.default_rng(1), []
    while len(results) < 30:
        batch = games.step(random_actions(batch.legal, rng))
        results += batch.reward[batch.done].tolist()
    assert np.mean(results) < -40  # greedy beats random play by about 80


def test_policies_and_the_seat_see_the_same_in_all_worlds() -> None:
    env, rng = VectorEnv("python_marjolet", 4, 5), np.random.RandomState(1)
    worlds = 0

    def same_everywhere(observation: Array, games: Array, player: Any) -> None:
        nonlocal worlds
        for row, i in zip(observation, games, strict=True):
            true = env.state(i)
            assert true.current_player() == player(i)
            world = true.resample_from_infostate(player(i), rng)
            worlds += world.history() != true.history()
            assert row.tolist() == world.observation_tensor(player(i))

    def opponent(observation: Array, legal: Array) -> Array:
        theirs = np.flatnonzero(env.batch.player != games._seats())
        same_everywhere(observation, theirs, lambda i: 1 - int(games._seats()[i]))
        return highest(observation, legal)

    games = SeatEnv(env, opponent)
    batch = games.reset()
    for _ in range(30):
        same_everywhere(batch.observation, np.arange(4), lambda i: int(games._seats()[i]))
        batch = games.step(lowest(batch.legal))
    assert worlds > 100


def test_random_actions_are_legal_and_uniform() -> None:
    rng = np.random.default_rng(2)
    legal = np.zeros((30_000, 59), dtype=np.bool_)
    legal[:, [0, 7, 58]] = True
    counts = np.bincount(random_actions(legal, rng), minlength=59)
    assert counts[[0, 7, 58]].sum() == 30_000
    assert (abs(counts[[0, 7, 58]] - 10_000) < 350).all()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"env": "python_marjolet"}, "env: 'python_marjolet' is not allowed; it must be a VectorE"),
        ({"seat": 2}, "seat: 2 is not allowed; it must be 0, 1 or None"),
        ({"seat": True}, "seat: True is not allowed"),
        ({"opponent": "greedy"}, "opponent: 'greedy' is not allowed; it must be 'random', where"),
        ({"opponent": None}, "opponent: None is not allowed"),
        ({"reward_scale": 0}, "reward_scale: 0 is not allowed; it must be a number above 0"),
        ({"reward_scale": float("nan")}, "reward_scale: nan is not allowed"),
        ({"reward_scale": "1"}, "reward_scale: '1' is not allowed"),
    ],
)
def test_bad_arguments_are_named(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        SeatEnv(**{"env": VectorEnv("python_marjolet", 2, 1), **wrong})


@pytest.mark.parametrize(
    ("opponent", "said"),
    [
        (lambda seen, legal: np.zeros(len(seen), dtype=int), "its action 0 is not legal; legal a"),
        (lambda seen, legal: np.full(len(seen), 59), "opponent: its action 59 is not legal"),
        (lambda seen, legal: np.full(len(seen), -1), "opponent: its action -1 is not legal"),
        (lambda seen, legal: [1], "opponent: int64 [1] is not allowed; it must choose whole num"),
        (lambda seen, legal: None, "opponent: object [] is not allowed"),
        (Bots(lambda game, player, seed: None), "opponent: None is not allowed; a bot must have"),
    ],
)
def test_opponents_that_choose_nothing_legal_are_named(opponent: Any, said: str) -> None:
    games = SeatEnv(VectorEnv("python_marjolet", 8, 1), opponent)
    with pytest.raises(ValueError, match=re.escape(said)):
        games.reset()


def test_illegal_actions_move_nothing() -> None:
    games = SeatEnv(VectorEnv("python_marjolet", 2, 1))
    with pytest.raises(ValueError, match="call reset"):
        games.step([1, 1])
    games.reset()
    before = games.env.positions()
    with pytest.raises(ValueError, match="actions: 59 is not legal in game 0"):
        games.step([59, 59])
    assert np.array_equal(games.env.positions(), before)
