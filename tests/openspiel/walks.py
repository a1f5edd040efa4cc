"""Games to test and ways through them, for all tests of this folder."""

import random
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import pyspiel
import pytest

import marjolet_spiel  # noqa: F401  (registers the games)
from tests.variants import AKQJ7, Params

State = Any
Game = Any

HIDDEN = "python_marjolet"
OPEN = "python_marjolet_open"
BOTH_GAMES = (HIDDEN, OPEN)
AKQJ7_MATCH: Params = {"profile": "dutch", **AKQJ7, "target": 200, "max_deals": 3}

each_player = pytest.mark.parametrize("player", [0, 1])
each_game = pytest.mark.parametrize("name", BOTH_GAMES)


def load(params: Params, name: str = HIDDEN) -> Game:
    """A game with the given parameters."""
    return pyspiel.load_game(name, dict(params))


def kind_of(state: State) -> str:
    """What is to happen: dealer, deal, turn, lead, follow, declare, draw, over."""
    kind: str = state.to_dict()["phase"]
    return kind


def choose(state: State, rng: random.Random) -> int:
    """A random outcome or action; three times in four one that makes melds and swaps likely."""
    if state.is_chance_node():
        outcomes, weights = zip(*state.chance_outcomes(), strict=True)
        chosen: int = rng.choices(outcomes, weights)[0]
        return chosen
    actions = state.legal_actions()
    if rng.random() < 0.75:
        names = [(action, state.action_to_string(action)) for action in actions]
        actions = [action for action, name in names if not _spoils(name)] or actions
    return rng.choice(actions)


def _spoils(name: str) -> bool:
    return name == "done" or (name.startswith("play") and name[5] in "KQJ7")


@lru_cache(maxsize=64)  # a test asks for the same games over and over, another for others
def _played(text: str, seed: int) -> tuple[State, ...]:
    rng = random.Random(seed)
    states = [pyspiel.load_game(text).new_initial_state()]
    while not states[-1].is_terminal():
        states.append(states[-1].child(choose(states[-1], rng)))
    return tuple(states)


def walk(game: Game, seed: int) -> Iterator[State]:
    """The states of a random game from first to last, each its own."""
    return (state.clone() for state in _played(str(game), seed))


def descendants(state: State) -> Iterator[State]:
    """A state and all that can follow it."""
    yield state
    for action in state.legal_actions():
        yield from descendants(state.child(action))


def replay(game: Game, actions: list[int]) -> State:
    """The state after the actions, each of them checked."""
    state = game.new_initial_state()
    for action in actions:
        state.apply_action_with_legality_check(action)
    return state


def unseen(view: Mapping[str, Any], player: int) -> set[str]:
    """Cards that `player` cannot place: face down, or in the other's hand and never shown."""
    other = 1 - player
    return {*view["stock"], *view["hands"][other]} - {*view["known"][other]}
