"""What our speed is compared with."""

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pyspiel
from open_spiel.python.algorithms import ismcts, mcts

from marjolet_spiel.rules import Rules

EMPTY_NAME = "python_empty_of_marjolet_length"
SIMULATIONS = 1000  # of each search


def typical_deal(rules: Rules) -> str:
    """The nodes of a deal without swap and melds: C for chance, D for a decision."""
    nodes = "C" * (1 + 2 * rules.hand_size + 1)
    for trick in range(1, rules.num_tricks + 1):
        nodes += "DD"
        if trick <= rules.stock_tricks:
            nodes += "D" + "CC" * (trick < rules.stock_tricks)
    return nodes


def register_empty_game(nodes: str, choices: int = 6) -> str:
    """Registers a Python game that has these nodes and does nothing; returns its name.

    It defines what OpenSpiel demands and nothing more, and its lists are made beforehand: no
    Python game of this length that leaves the rest to OpenSpiel can be faster.
    """
    game_type = pyspiel.GameType(
        short_name=EMPTY_NAME,
        long_name="Empty game",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=2,
        min_num_players=2,
        provides_information_state_string=False,
        provides_information_state_tensor=False,
        provides_observation_string=False,
        provides_observation_tensor=False,
    )
    info = pyspiel.GameInfo(choices, choices, 2, -1.0, 1.0, 0.0, len(nodes))
    players = [pyspiel.PlayerId.CHANCE if node == "C" else i % 2 for i, node in enumerate(nodes)]
    actions = list(range(choices))
    outcomes = [(action, 1.0 / choices) for action in actions]

    class EmptyState(pyspiel.State):  # type: ignore[misc]
        def __init__(self, game: Any) -> None:
            super().__init__(game)
            self.step = 0

        def current_player(self) -> Any:
            return pyspiel.PlayerId.TERMINAL if self.step == len(players) else players[self.step]

        def is_terminal(self) -> bool:
            return self.step == len(players)

        def _legal_actions(self, player: int) -> list[int]:
            return actions

        def chance_outcomes(self) -> list[tuple[int, float]]:
            return outcomes

        def _apply_action(self, action: int) -> None:
            self.step += 1

        def _action_to_string(self, player: int, action: int) -> str:
            return str(action)

        def returns(self) -> list[float]:
            return [0.0, 0.0]

        def __str__(self) -> str:
            return str(self.step)

    class EmptyGame(pyspiel.Game):  # type: ignore[misc]
        def __init__(self, params: Any = None) -> None:
            super().__init__(game_type, info, params or {})

        def new_initial_state(self) -> Any:
            return EmptyState(self)

    pyspiel.register_game(game_type, EmptyGame)
    return EMPTY_NAME


def shipped_python_games() -> list[str]:
    """The Python games of OpenSpiel that load by themselves, are sequential and have no team."""
    from open_spiel.python import games  # noqa: F401  (registers them)

    names = []
    for kind in pyspiel.registered_games():
        sequential = kind.dynamics == pyspiel.GameType.Dynamics.SEQUENTIAL
        ours = "marjolet" in kind.short_name or kind.short_name == EMPTY_NAME
        loadable = kind.default_loadable and not kind.action_structs_only
        if kind.short_name.startswith("python_") and loadable and sequential and not ours:
            names.append(kind.short_name)
    return names


def evaluate_random_bots(name: str) -> Callable[[int], int]:
    """A function that plays n games of a C++ game with C++ random bots, and returns n."""
    game = pyspiel.load_game(name)

    def play(n: int) -> int:
        bots = [pyspiel.make_uniform_random_bot(p, p + 1) for p in range(game.num_players())]
        for seed in range(n):
            pyspiel.evaluate_bots(game.new_initial_state(), bots, seed)
        return n

    return play


def euchre_at_trick_1() -> Any:
    """A state of euchre in which the first card is to be led."""
    rng = random.Random(1)
    state = pyspiel.load_game("euchre").new_initial_state()
    while "Tricks:" not in str(state):
        actions = state.legal_actions()
        state.apply_action(rng.choice(actions) if state.is_chance_node() else actions[-1])
    return state


def cpp_ismcts(state: Any) -> Callable[[int], int]:
    """A function that searches a state of a C++ game n times by OpenSpiel's C++ ISMCTS.

    It returns the number of simulations, as the next one does.
    """

    def search(n: int) -> int:
        evaluator = pyspiel.RandomRolloutEvaluator(1, 1)
        for seed in range(n):
            pyspiel.ISMCTSBot(seed, evaluator, 2.0, SIMULATIONS).step(state)
        return n * SIMULATIONS

    return search


def python_ismcts(state: Any) -> Callable[[int], int]:
    """A function that searches a state of our game n times by OpenSpiel's Python ISMCTS."""
    rng = np.random.RandomState(1)
    evaluator = mcts.RandomRolloutEvaluator(1, rng)
    bot = ismcts.ISMCTSBot(
        state.get_game(),
        evaluator,
        20.0,
        SIMULATIONS,
        random_state=rng,
        use_observation_string=True,
    )
    bot.set_resampler(lambda s, player: s.resample_from_infostate(player, rng))

    def search(n: int) -> int:
        for _ in range(n):
            bot.step(state)
        return n * SIMULATIONS

    return search
