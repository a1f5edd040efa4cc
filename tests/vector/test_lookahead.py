"""Packs in given orders, games that are saved, and what each action leads to."""

import re
from typing import Any

import numpy as np
import pytest

from marjolet_spiel import kernel
from marjolet_spiel.game import MarjoletGame
from marjolet_spiel.rules import Rules
from marjolet_spiel.vector import Batch, VectorEnv
from scripts.arena.plan.deals import PairDeals
from tests.variants import MATCH, QJ7, Params, each_variant
from tests.vector.test_environment import random_actions

GAMES = 5


def play_on(env: VectorEnv, batch: Batch, steps: int, seed: int) -> list[Any]:
    """Plays at random; copies of all that was shown."""
    rng, shown = np.random.default_rng(seed), []
    for _ in range(steps):
        batch = env.step(random_actions(batch, rng))
        shown += [np.copy(part) for part in vars(batch).values()]
    return shown


@each_variant
def test_packs_in_given_orders_make_the_deals_of_the_arena(params: Params) -> None:
    game = MarjoletGame(params)
    pairs = [PairDeals(3, pair, game.rules.pack) for pair in range(GAMES)]
    env, rng = VectorEnv(game, GAMES, 1, skip_forced=False), np.random.default_rng(1)
    orders, dealers = [pair.order(1) for pair in pairs], [pair.dealer for pair in pairs]
    batch = env.reset(orders=np.array(orders), dealers=np.array(dealers))
    states, dealing = [game.new_initial_state() for _ in pairs], np.ones(GAMES, dtype=bool)
    ended = 0
    while dealing.any():
        for i in np.flatnonzero(dealing):
            while states[i].is_chance_node():
                states[i].apply_action(pairs[i].outcome(states[i]))
            assert env.state(i).history() == states[i].history()
            assert batch.observation[i].tolist() == states[i].observation_tensor()
        actions = random_actions(batch, rng)
        for i in np.flatnonzero(dealing):
            states[i].apply_action(actions[i])
        batch = env.step(actions)
        ended += int(batch.done[dealing].sum())
        dealing &= ~batch.done & (env.positions()[:, kernel.DEAL] == 1)
    assert ended == GAMES or game.rules.is_match


def test_games_in_given_orders_begin_again_the_same_and_go_on_by_the_seed() -> None:
    order = np.array([PairDeals(1, pair, Rules.of().pack).order(1) for pair in range(2)])
    env = VectorEnv("python_marjolet", 2, 7)
    first = play_on(env, env.reset(orders=order), 60, 1)
    again = play_on(env, env.reset(orders=order), 60, 1)
    assert all(map(np.array_equal, first, again))
    other = play_on(env, env.reset(orders=order[::-1]), 60, 1)
    assert not all(map(np.array_equal, first, other))
    fresh = VectorEnv("python_marjolet", 2, 7)
    assert second_deal(env, env.reset(orders=order)) == second_deal(fresh, fresh.reset())


def second_deal(env: VectorEnv, batch: Batch) -> list[int]:
    """What chance does at the beginning of episode 1 of game 0."""
    rng = np.random.default_rng(1)
    while batch.episode[0] == 0:
        batch = env.step(random_actions(batch, rng))
    return env.state(0).history()[: 2 * env.rules.hand_size + 1]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"orders": [[0] * 32]}, "orders: int64 [1, 32] is not allowed; it must be whole numbers"),
        ({"orders": [[0.5] * 32] * 2}, "orders: float64 [2, 32] is not allowed"),
        ({"orders": [[*range(32)], [0, *range(31)]]}, "of game 1 is not allowed; each card of the"),
        ({"dealers": [0, 1]}, "dealers: they are not allowed without orders"),
        ({"orders": [[*range(32)]] * 2, "dealers": [0]}, "dealers: int64 [1] is not allowed"),
        ({"orders": [[*range(32)]] * 2, "dealers": [0, 2]}, "dealers: 2 of game 1 is not allowed"),
    ],
)
def test_wrong_orders_are_named_and_nothing_moves(given: Any, said: str) -> None:
    env = VectorEnv("python_marjolet", 2, 1)
    env.reset()
    before = env.positions()
    with pytest.raises(ValueError, match=re.escape(said)):
        env.reset(**{name: np.array(value) for name, value in given.items()})
    assert np.array_equal(env.positions(), before)


@each_variant
def test_saved_games_go_on_the_same(params: Params) -> None:
    ways: Any = {"observation": "information_state", "reward": "scored"}
    env = VectorEnv(Rules.of(**params), GAMES, 2, **ways)
    play_on(env, env.reset(), 70, 1)
    saved, kept = env.saved(), [np.copy(env.batch.observation), np.copy(env.batch.legal)]
    first = play_on(env, env.batch, 70, 2)
    other = VectorEnv(Rules.of(**params), GAMES, 99, **ways)
    batch = other.restore(saved)
    assert np.array_equal(batch.observation, kept[0])
    assert np.array_equal(batch.legal, kept[1])
    assert not batch.done.any()
    assert not batch.reward.any()
    assert all(map(np.array_equal, first, play_on(other, batch, 70, 2)))
    assert other.state(0).history() == env.state(0).history()


def test_games_of_another_environment_are_not_restored() -> None:
    env = VectorEnv("python_marjolet", 3, 1)
    with pytest.raises(ValueError, match="no game has begun"):
        env.saved()
    env.reset()
    saved = env.saved()
    with pytest.raises(
        ValueError, match=re.escape(f"saved: positions is int64 [6, {kernel.SIZE}]; it")
    ):
        VectorEnv("python_marjolet", 4, 1).restore(saved)
    with pytest.raises(ValueError, match="saved: logs is missing"):
        env.restore({name: array for name, array in saved.items() if name != "logs"})


WAYS: list[dict[str, Any]] = [
    {"observation": "compact", "reward": "scored", "endgame": "table"},
    {"observation": "information_state", "skip_forced": False},
]


@pytest.mark.parametrize("ways", WAYS)
@each_variant
def test_successors_are_what_the_actions_lead_to(params: Params, ways: dict[str, Any]) -> None:
    rules = Rules.of(**params)
    if rules.is_match and "endgame" in ways:
        ways = {**ways, "endgame": "play"}
    env, rng = VectorEnv(rules, GAMES, 4, **ways), np.random.default_rng(1)
    batch, ended = env.reset(), 0
    for _ in range(400 if rules.is_match else 120):
        before, shown = env.positions(), np.copy(batch.observation)
        after = env.successors()
        assert np.array_equal(env.positions(), before)
        assert np.array_equal(env.batch.observation, shown)
        game, action = np.nonzero(batch.legal)
        assert after.game.tolist() == game.tolist()
        assert after.action.tolist() == action.tolist()
        actions = random_actions(batch, rng)
        rows = np.flatnonzero(actions[after.game] == after.action)
        batch = env.step(actions)
        assert np.array_equal(after.done[rows], batch.done)
        assert np.array_equal(after.reward[rows], batch.reward[:, 0])
        on = ~batch.done
        assert np.array_equal(after.player[rows][on], batch.player[on])
        assert np.array_equal(after.observation[rows][on], batch.observation[on])
        assert np.array_equal(after.hidden[rows][on], env.hidden()[on])
        ended += int(batch.done.sum())
    assert ended > 0


@pytest.mark.parametrize("params", [{}, QJ7, MATCH])
def test_suits_of_trumps_are_those_of_the_positions(params: Params) -> None:
    env = VectorEnv(Rules.of(**params), 20, 1)
    env.reset()
    trumps = env.trumps()
    assert trumps.tolist() == env.positions()[:, kernel.TRUMP].tolist()
    trumps[:] = -1
    assert (env.trumps() >= 0).all()
