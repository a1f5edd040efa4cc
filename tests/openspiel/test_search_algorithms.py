"""Searching players of OpenSpiel on the full pack: on information states and on open worlds.

`pyspiel.MCTSBot.step` and `pyspiel.ISMCTSBot.step` end the interpreter on any game in Python, and
are not called here; the ways round them are.
"""

import random
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms import evaluate_bots, ismcts, mcts, minimax
from open_spiel.python.bots import uniform_random

from tests.openspiel.nodes import at, find
from tests.openspiel.walks import Game, State, descendants, each_player, load, walk
from tests.variants import MATCH, each_profile

UCT_C = 20.0


def ismcts_bot(game: Game, seed: int, simulations: int, by_observation: bool = False) -> Any:
    """A search on information states that is the same for the same seed.

    With `by_observation` its nodes are what a player sees at the time. Information states tell
    when each card was drawn, so those of the opponent are other ones in almost every sampled world
    and he seems to play at random.
    """
    rng = np.random.RandomState(seed)
    bot = ismcts.ISMCTSBot(
        game,
        mcts.RandomRolloutEvaluator(1, rng),
        UCT_C,
        simulations,
        random_state=rng,
        use_observation_string=by_observation,
    )
    bot.set_resampler(lambda state, player: state.resample_from_infostate(player, rng))
    return bot


def mcts_bot(game: Game, seed: int, simulations: int, solve: bool = False) -> Any:
    """A search on open cards that is the same for the same seed."""
    rng = np.random.RandomState(seed)
    evaluator = mcts.RandomRolloutEvaluator(1, rng)
    return mcts.MCTSBot(game, UCT_C, simulations, evaluator, solve=solve, random_state=rng)


def cpp_mcts_bot(game: Game, seed: int, simulations: int) -> Any:
    """The search of C++ on open cards."""
    evaluator = pyspiel.RandomRolloutEvaluator(n_rollouts=1, seed=seed)
    return pyspiel.MCTSBot(game, evaluator, UCT_C, simulations, 100, False, seed, False)


def best_value(state: State) -> float:
    """What player 0 gets when both play best, by trying everything."""
    if state.is_terminal():
        value: float = state.returns()[0]
        return value
    best = max if state.current_player() == 0 else min
    return best(best_value(state.child(action)) for action in state.legal_actions())


# --- on information states ----------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["lead", "follow", "declare"])
def test_ismcts_is_reproducible(kind: str) -> None:
    state = find({}, at(kind, 3, lambda state: len(state.legal_actions()) > 1))[0]
    game = state.get_game()
    policies = [ismcts_bot(game, 1, 40).get_policy(state) for _ in range(2)]
    assert policies[0] == policies[1]
    assert {action for action, _ in policies[0]} == {*state.legal_actions()}
    assert sum(probability for _, probability in policies[0]) == pytest.approx(1.0)


def test_ismcts_without_a_resampler_of_its_own() -> None:
    state = find({}, at("lead", 2))[0]
    bot = ismcts.ISMCTSBot(state.get_game(), mcts.RandomRolloutEvaluator(), UCT_C, 20)
    assert bot.step(state) in state.legal_actions()


@pytest.mark.parametrize("kind", ["lead", "follow", "declare"])
def test_ismcts_does_not_look_at_hidden_cards(kind: str) -> None:
    """It does the same in every world, since the worlds it samples are the same in each."""
    state = find({}, at(kind, 4, lambda state: len(state.legal_actions()) > 1))[0]
    game, player = state.get_game(), state.current_player()
    worlds = [state.resample_from_infostate(player, seed) for seed in range(4)]
    assert len({str(world) for world in worlds}) > 1
    policies = [ismcts_bot(game, 2, 40).get_policy(world) for world in worlds]
    assert policies == [policies[0]] * 4


@pytest.mark.parametrize("trick", [14, 15])
def test_ismcts_by_observations_plays_the_last_tricks_well(trick: int) -> None:
    """With both hands known it must find a best card."""
    for state in find({}, at("lead", trick, lambda s: best_value_differs(s.open_world(0))), 4):
        action = ismcts_bot(state.get_game(), 3, 400, by_observation=True).step(state)
        world = state.open_world(0)
        assert best_value(world.child(action)) == best_value(world)


def best_value_differs(world: State) -> bool:
    """Whether it matters what is played."""
    return len({best_value(world.child(action)) for action in world.legal_actions()}) > 1


@pytest.mark.parametrize("params", [{"profile": "dutch"}, {**MATCH, "max_deals": 1}], ids=str)
def test_ismcts_plays_whole_games(params: dict[str, str | int]) -> None:
    game = load(params)
    bots = [ismcts_bot(game, 4, 8), pyspiel.make_uniform_random_bot(1, 5)]
    returns = pyspiel.evaluate_bots(game.new_initial_state(), bots, 6)
    assert sum(returns) == 0
    assert abs(returns[0]) <= game.max_utility()


# --- on open worlds -----------------------------------------------------------------------------


@each_profile
def test_alpha_beta_search_is_exact_in_the_endgame(profile: str) -> None:
    for state in find({"profile": profile}, at("lead", 13), 3):
        world = state.open_world(0)
        game, player = world.get_game(), world.current_player()
        value, action = minimax.alpha_beta_search(
            game, world, maximum_depth=100, maximizing_player_id=0
        )
        assert value == best_value(world)
        if player == 0:
            assert best_value(world.child(action)) == value


def test_alpha_beta_search_votes_over_worlds() -> None:
    state = find({}, at("follow", 10))[0]
    player = state.current_player()
    values = []
    for seed in range(2):
        world = state.open_world(seed, player)
        _, action = minimax.alpha_beta_search(
            world.get_game(),
            world,
            value_function=lambda s: s.to_dict()["deal_points"][0] - s.to_dict()["deal_points"][1],
            maximum_depth=5,
            maximizing_player_id=0,
        )
        values.append(action)
    assert set(values) <= set(state.legal_actions())


@each_player
def test_mcts_in_python_searches_worlds_of_a_position(player: int) -> None:
    state = find({}, at("follow", 5, lambda s: s.current_player() == player))[0]
    for seed in range(3):
        world = state.open_world(seed, player)
        actions = [mcts_bot(world.get_game(), seed, 30).step(world) for _ in range(2)]
        assert actions[0] == actions[1]
        assert actions[0] in state.legal_actions()


def test_mcts_in_python_solves_the_endgame() -> None:
    for state in find({}, at("lead", 14), 3):
        world = state.open_world(0)
        root = mcts_bot(world.get_game(), 1, 3000, solve=True).mcts_search(world)
        assert root.outcome is not None
        assert root.outcome[0] == best_value(world)


def test_mcts_in_cpp_by_its_safe_calls() -> None:
    state = find({}, at("lead", 4))[0]
    world = state.open_world(0, state.current_player())
    bot = cpp_mcts_bot(world.get_game(), 1, 50)
    legal = world.legal_actions()
    assert pyspiel.Bot.step(bot, world) in legal
    assert bot.mcts_search(world).best_child().action in legal
    policy, action = bot.step_with_policy(world)
    assert action in legal
    assert {a for a, _ in policy} <= {*legal}


def test_mcts_in_cpp_on_the_hidden_game_by_its_safe_call() -> None:
    """It sees the true cards: of use only where nothing is hidden."""
    state = find({}, at("lead", 14))[0]
    assert pyspiel.Bot.step(cpp_mcts_bot(state.get_game(), 1, 50), state) in state.legal_actions()


# --- games between players ----------------------------------------------------------------------


def test_evaluate_bots_in_cpp() -> None:
    game = load({})
    bots = [pyspiel.make_uniform_random_bot(player, player) for player in range(2)]
    returns = [pyspiel.evaluate_bots(game.new_initial_state(), bots, seed) for seed in range(50)]
    assert all(sum(pair) == 0 for pair in returns)
    assert len({pair[0] for pair in returns}) > 10


def test_evaluate_bots_in_python() -> None:
    game = load({"profile": "spanish"})
    bots = [
        uniform_random.UniformRandomBot(player, np.random.RandomState(player))
        for player in range(2)
    ]
    for seed in range(5):
        returns = evaluate_bots.evaluate_bots(
            game.new_initial_state(), bots, np.random.RandomState(seed)
        )
        assert sum(returns) == 0


def test_search_beats_random_play_on_open_cards() -> None:
    total = 0.0
    for seed in range(4):
        game = load({"deal_seed": seed}, "python_marjolet_open")
        bots = [cpp_mcts_bot(game, seed, 60), pyspiel.make_uniform_random_bot(1, seed)]
        total += pyspiel.evaluate_bots(game.new_initial_state(), bots, seed)[0]
    assert total > 0


def test_set_up_positions_are_searched() -> None:
    rng = random.Random(7)
    origin = rng.choice([s for s in walk(load({}), 7) if s.to_dict()["trick"] == 14])
    state = load({}).new_initial_state(origin.to_dict())
    world = state.open_world(0)
    value, _ = minimax.alpha_beta_search(
        world.get_game(), world, maximum_depth=100, maximizing_player_id=0
    )
    ends = {end.returns()[0] for end in descendants(world) if end.is_terminal()}
    assert value in ends
