"""Tabular algorithms of OpenSpiel on the smallest pack: they run, and what they learn is better."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python import policy
from open_spiel.python.algorithms import (
    best_response,
    cfr,
    expected_game_score,
    exploitability,
    external_sampling_mccfr,
    outcome_sampling_mccfr,
)

from tests.openspiel.walks import Game, State, descendants, load, walk
from tests.variants import KQJ7, QJ7, mostly_slow

SMALLEST = {**QJ7, "first_dealer": 0}


@cache
def small_game() -> Game:
    """2 x QJ7 with 2 cards in the hand: 2,196 ways to end."""
    return load(SMALLEST)


@cache
def cached_tree() -> Game:
    """The same game with its tree kept in C++: a hundred times as fast."""
    return pyspiel.convert_to_cached_tree(small_game())


@cache
def decisions() -> tuple[State, ...]:
    """The nodes of the small game at which a player is to act."""
    nodes = descendants(small_game().new_initial_state())
    return tuple(state for state in nodes if state.is_player_node())


@cache
def uniform_nash_conv() -> float:
    """What both best responses to random play gain together."""
    gain: float = pyspiel.nash_conv(cached_tree(), pyspiel.UniformRandomPolicy(cached_tree()))
    return gain


def nash_conv(learned: Any) -> float:
    """How far a policy of C++ or Python is from an equilibrium."""
    if isinstance(learned, policy.Policy):
        table = {
            state.information_state_string(): list(learned.action_probabilities(state).items())
            for state in decisions()
        }
        learned = pyspiel.TabularPolicy(table)
    gain: float = pyspiel.nash_conv(cached_tree(), learned, use_state_get_policy=True)
    return gain


# --- the cached tree ----------------------------------------------------------------------------


def test_cached_tree_is_the_same_tree() -> None:
    def visit(ours: State, cached: State) -> int:
        assert cached.current_player() == ours.current_player()
        assert cached.legal_actions() == ours.legal_actions()
        assert cached.returns() == ours.returns()
        if ours.is_chance_node():
            assert cached.chance_outcomes() == ours.chance_outcomes()
        elif not ours.is_terminal():
            assert cached.information_state_string() == ours.information_state_string()
        below = (visit(ours.child(a), cached.child(a)) for a in ours.legal_actions())
        return ours.is_terminal() + sum(below)

    assert visit(small_game().new_initial_state(), cached_tree().new_initial_state()) == 2196


@pytest.mark.parametrize("solver", [pyspiel.CFRSolver, pyspiel.CFRPlusSolver])
def test_cfr_learns_the_same_on_the_game_and_on_the_cached_tree(solver: Any) -> None:
    learners = [solver(small_game()), solver(cached_tree())]
    for learner in learners:
        learner.evaluate_and_update_policy()
    ours, cached = (learner.average_policy() for learner in learners)
    for state in decisions():
        assert ours.action_probabilities(state) == pytest.approx(cached.action_probabilities(state))


# --- C++ ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("solver", [pyspiel.CFRSolver, pyspiel.CFRPlusSolver])
def test_cfr_in_cpp_comes_close_to_an_equilibrium(solver: Any) -> None:
    learner = solver(cached_tree())
    for _ in range(40):
        learner.evaluate_and_update_policy()
    average = learner.average_policy()
    assert pyspiel.nash_conv(cached_tree(), average) < uniform_nash_conv() / 30
    assert pyspiel.exploitability(cached_tree(), average) == pytest.approx(
        pyspiel.nash_conv(cached_tree(), average) / 2
    )


MCCFR: dict[str, tuple[Callable[[Game], Any], int]] = {
    "external": (lambda game: pyspiel.ExternalSamplingMCCFRSolver(game, seed=3), 1500),
    "outcome": (lambda game: pyspiel.OutcomeSamplingMCCFRSolver(game, seed=3), 30_000),
}


@pytest.mark.parametrize(("make", "iterations"), MCCFR.values(), ids=MCCFR.keys())
def test_mccfr_in_cpp_learns(make: Callable[[Game], Any], iterations: int) -> None:
    solver = make(cached_tree())
    for _ in range(iterations):
        solver.run_iteration()
    assert nash_conv(solver.average_policy()) < uniform_nash_conv() / 5


@pytest.mark.parametrize("make", [make for make, _ in MCCFR.values()], ids=MCCFR.keys())
def test_mccfr_in_cpp_runs_on_the_game_itself(make: Callable[[Game], Any]) -> None:
    solver = make(small_game())
    for _ in range(20):
        solver.run_iteration()
    assert nash_conv(solver.average_policy()) > 0


def test_outcome_sampling_runs_on_the_full_pack() -> None:
    game = load({})
    solver = pyspiel.OutcomeSamplingMCCFRSolver(game, seed=3)
    for _ in range(20):
        solver.run_iteration()
    learned = solver.average_policy()
    state = next(state for state in walk(game, 1) if state.is_player_node())
    assert sum(learned.action_probabilities(state).values()) == pytest.approx(1.0)


def test_nash_conv_of_random_play() -> None:
    game = small_game()
    uniform = pyspiel.UniformRandomPolicy(game)
    assert pyspiel.nash_conv(game, uniform) == pytest.approx(uniform_nash_conv())
    in_python = exploitability.nash_conv(game, policy.UniformRandomPolicy(game))
    assert in_python == pytest.approx(uniform_nash_conv())


@pytest.mark.parametrize("player", mostly_slow([0, 1], quick=[1]))
def test_tabular_best_response(player: int) -> None:
    game, tree = small_game(), cached_tree()
    uniform = policy.UniformRandomPolicy(game)
    opponent = pyspiel.UniformRandomPolicy(tree)  # C++ does not keep it alive: the name must
    response = pyspiel.TabularBestResponse(tree, player, opponent)
    in_python = best_response.BestResponsePolicy(game, player, uniform)
    value = in_python.value(game.new_initial_state())
    assert response.value_from_state(tree.new_initial_state()) == pytest.approx(value)
    policies = [uniform, uniform]
    policies[player] = in_python
    reached = expected_game_score.policy_value(game.new_initial_state(), policies)
    assert reached[player] == pytest.approx(value)
    assert value > expected_game_score.policy_value(game.new_initial_state(), [uniform] * 2)[player]


def test_best_responses_add_up_to_nash_conv() -> None:
    tree = cached_tree()
    uniform = pyspiel.UniformRandomPolicy(tree)
    values = [
        pyspiel.TabularBestResponse(tree, player, uniform).value_from_state(
            tree.new_initial_state()
        )
        for player in range(2)
    ]
    assert sum(values) == pytest.approx(uniform_nash_conv())


@pytest.mark.slow
def test_cfr_plus_solves_the_larger_small_pack() -> None:
    tree = pyspiel.convert_to_cached_tree(load({**KQJ7, "first_dealer": 0}))
    solver = pyspiel.CFRPlusSolver(tree)
    for _ in range(30):
        solver.evaluate_and_update_policy()
    assert pyspiel.nash_conv(tree, solver.average_policy()) < 1.0


# --- Python -------------------------------------------------------------------------------------


@pytest.mark.slow
def test_cfr_plus_in_python_learns() -> None:
    learner = cfr.CFRPlusSolver(small_game())
    for _ in range(2):
        learner.evaluate_and_update_policy()
    assert nash_conv(learner.average_policy()) < 0.7 * uniform_nash_conv()


def test_cfr_in_python_and_cpp_learn_the_same() -> None:
    python, cpp = cfr.CFRSolver(small_game()), pyspiel.CFRSolver(cached_tree())
    for _ in range(2):
        python.evaluate_and_update_policy()
        cpp.evaluate_and_update_policy()
    ours, theirs = python.average_policy(), cpp.average_policy()
    for state in decisions():
        assert ours.action_probabilities(state) == pytest.approx(theirs.action_probabilities(state))
    assert nash_conv(ours) == pytest.approx(nash_conv(theirs))
    assert nash_conv(ours) < 0.7 * uniform_nash_conv()


SAMPLING = (
    (external_sampling_mccfr.ExternalSamplingSolver, 150),
    pytest.param(outcome_sampling_mccfr.OutcomeSamplingSolver, 1500, marks=pytest.mark.slow),
)


@pytest.mark.parametrize(("solver", "iterations"), SAMPLING)
def test_mccfr_in_python_learns(solver: Any, iterations: int) -> None:
    np.random.seed(1)
    learner = solver(small_game())
    for _ in range(iterations):
        learner.iteration()
    assert nash_conv(learner.average_policy()) < 0.8 * uniform_nash_conv()


def test_tabular_policy() -> None:
    game = small_game()
    table = policy.TabularPolicy(game)
    keys = {state.information_state_string() for state in decisions()}
    assert set(table.state_lookup) == keys
    assert table.action_probability_array.shape == (len(keys), game.num_distinct_actions())
    for state in decisions()[::50]:
        legal = state.legal_actions()
        assert table.action_probabilities(state) == dict.fromkeys(legal, 1 / len(legal))
