"""What OpenSpiel ships around its games: environments, its tool server, its examples."""

import importlib
import subprocess
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python import rl_environment
from open_spiel.python.algorithms import random_agent, tabular_qlearner

from tests.openspiel.walks import HIDDEN, OPEN, each_game, load
from tests.variants import QJ7

SMALLEST = f"{HIDDEN}(num_suits=2,ranks=QJ7,hand_size=2,first_dealer=0)"
EXAMPLES = "open_spiel.python.examples"


# --- reinforcement learning ---------------------------------------------------------------------


def episode(env: Any, agents: list[Any], learning: bool = True) -> float:
    """Plays one game; returns what player 0 gets."""
    step = env.reset()
    while not step.last():
        player = step.observations["current_player"]
        action = agents[player].step(step, is_evaluation=not learning).action
        step = env.step([action])
    for agent in agents:
        agent.step(step, is_evaluation=not learning)
    reward: float = step.rewards[0]
    return reward


@each_game
def test_environment_shows_information_states(name: str) -> None:
    game = load({}, name)
    env = rl_environment.Environment(game)
    assert env.observation_spec()["info_state"] == (game.information_state_tensor_size(),)
    assert env.action_spec()["num_actions"] == game.num_distinct_actions()
    step = env.reset()
    while not step.last():
        player = step.observations["current_player"]
        state = env.get_state
        assert player == state.current_player()
        assert step.observations["legal_actions"][player] == state.legal_actions()
        for seat in range(2):
            shown = step.observations["info_state"][seat]
            assert shown == state.information_state_tensor(seat)
        step = env.step([step.observations["legal_actions"][player][0]])
    assert sum(step.rewards) == 0


def test_random_agents_play_the_full_game() -> None:
    env = rl_environment.Environment(HIDDEN, profile="dutch")
    env.seed(2)
    number = env.action_spec()["num_actions"]
    agents = [random_agent.RandomAgent(player, number) for player in range(2)]
    assert any(episode(env, agents) for _ in range(5))


def test_tabular_q_learning_learns_to_beat_random_play() -> None:
    np.random.seed(3)
    env = rl_environment.Environment(load({**QJ7, "first_dealer": 0}))
    env.seed(3)
    number = env.action_spec()["num_actions"]
    learner = tabular_qlearner.QLearner(0, number, step_size=0.2)
    agents = [learner, random_agent.RandomAgent(1, number)]
    before = np.mean([episode(env, agents, learning=False) for _ in range(300)])
    for _ in range(3000):
        episode(env, agents)
    after = np.mean([episode(env, agents, learning=False) for _ in range(300)])
    assert after > before + 5


# --- the tool server ----------------------------------------------------------------------------


@pytest.fixture
def tools(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The functions of OpenSpiel's tool server; without `fastmcp` they lack only its decorator."""
    try:
        importlib.import_module("fastmcp.tools")
    except ImportError:
        package, module = types.ModuleType("fastmcp"), types.ModuleType("fastmcp.tools")

        def tool() -> Callable[[Any], Any]:
            return lambda function: function

        module.tool = tool  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "fastmcp", package)
        monkeypatch.setitem(sys.modules, "fastmcp.tools", module)
    server = importlib.import_module(f"{EXAMPLES}.mcp_tool_server.open_spiel_tools")
    return server.OpenSpielTools()


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("name", [HIDDEN, OPEN])
def test_tool_server_plays_a_game(tools: Any, name: str, player: int) -> None:
    session = tools.start_game(name, player)
    for _ in range(2):
        while tools.current_player(session) != pyspiel.PlayerId.TERMINAL:
            assert tools.current_player(session) == player
            shown = tools.get_observation(session)
            assert "Trumps" in shown
            actions = tools.legal_actions(session)
            assert all(action[5:7] in shown for action in actions if action.startswith("play"))
            tools.play_action(session, actions[-1])
        assert abs(tools.get_return(session)) <= pyspiel.load_game(name).max_utility()
        tools.reset_game(session)


@pytest.mark.parametrize("name", [HIDDEN, OPEN])
def test_tool_server_tells_of_the_game(tools: Any, name: str) -> None:
    info = tools.game_info(name)
    assert info["short_name"] == name
    assert info["parameters"] == pyspiel.load_game(name).get_parameters()
    assert info["max_utility"] == -info["min_utility"]


@pytest.mark.parametrize("name", [HIDDEN, OPEN])
def test_tool_server_recommends_an_action(tools: Any, name: str) -> None:
    session = tools.start_game(name, 0)
    assert tools.mcts_action_chooser(session, 10) in tools.legal_actions(session)


def test_tool_server_refuses_what_is_no_action(tools: Any) -> None:
    session = tools.start_game(HIDDEN, 0)
    for text in ("play XX", "hello", "draw AS"):
        with pytest.raises(ValueError, match=r"(action|card): "):
            tools.play_action(session, text)


# --- examples -----------------------------------------------------------------------------------

QUICK = {
    "example": ([f"--game_string={HIDDEN}"], "Utility for player 0 is "),
    "game_tree_traversal_example": ([f"--game_string={SMALLEST}"], "terminals 2196"),
}
LONGER = {
    "mcts": (
        [f"--game={OPEN}", "--max_simulations=10", "--uct_c=100", "--nosolve", "--quiet"],
        "Overall returns ",
    ),
    "minimax_solver": (
        [f"--game_string={OPEN}(num_suits=2,ranks=KQJ7,hand_size=3,deal_seed=3)"],
        "Utility for player 0 is ",
    ),
    "uniform_policy_exploitability": ([f"--game={SMALLEST}"], "Exploitability: 28.368"),
    "playthrough": ([f"--game={SMALLEST}", "--alsologtostdout"], "Returns() = "),
    "rl_example": ([f"--game={HIDDEN}"], ""),
    "rl_main_loop": ([f"--game={HIDDEN}"], ""),
    "independent_tabular_qlearning": (
        [f"--game={HIDDEN}", "--num_train_episodes=100", "--num_eval_episodes=10"],
        "",
    ),
}


def run_example(name: str, arguments: list[str]) -> str:
    """What an example of OpenSpiel prints on our game."""
    command = [sys.executable, "-m", "marjolet_spiel.run", f"{EXAMPLES}.{name}", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", QUICK)
def test_examples_of_openspiel_run(name: str) -> None:
    arguments, expected = QUICK[name]
    assert expected in run_example(name, arguments)


@pytest.mark.slow
@pytest.mark.parametrize("name", LONGER)
def test_more_examples_of_openspiel_run(name: str) -> None:
    arguments, expected = LONGER[name]
    assert expected in run_example(name, arguments)


def test_run_says_how_it_is_used() -> None:
    command = [sys.executable, "-m", "marjolet_spiel.run", "--help"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert "usage: python -m marjolet_spiel.run MODULE" in done.stderr
