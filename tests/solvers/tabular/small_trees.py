"""Small games for the tests of solvers: as OpenSpiel has them, and as our trees."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import numpy as np
import pyspiel
from numpy.typing import NDArray

import marjolet_spiel  # noqa: F401  (registers the games)
from marjolet_spiel.rules import PROFILES, ladder
from marjolet_spiel.solvers.tabular.tree import GameTree, build_tree

State = Any

QJ7 = "num_suits=2,ranks=QJ7,hand_size=2"
GAMES: Mapping[str, str] = {
    **{f"{name} qj7": f"python_marjolet(profile={name},{QJ7},first_dealer=0)" for name in PROFILES},
    "3 suits": "python_marjolet(num_suits=3,ranks=QJ,hand_size=2,first_dealer=1)",
    "lot": f"python_marjolet({QJ7})",
    "match": f"python_marjolet(profile=dutch,{QJ7},first_dealer=0,target=30,max_deals=1)",
}
"""Every profile, three suits, a dealer by lot, a match of one deal that may end on the spot."""


@cache
def tree(name: str) -> GameTree:
    """Our tree of one of `GAMES` or of the ladder."""
    rules = pyspiel.load_game(GAMES[name]).rules if name in GAMES else ladder()[name].rules
    return build_tree(rules)


@cache
def _kept(name: str) -> Any:
    return pyspiel.convert_to_cached_tree(tree(name).game)


def cached_tree(name: str) -> Any:
    """OpenSpiel's tree of the same game; those of the ladder take gigabytes and are not kept."""
    return _kept(name) if name in GAMES else pyspiel.convert_to_cached_tree(tree(name).game)


def random_policy(of: GameTree, seed: int) -> NDArray[np.float64]:
    """A policy with some actions that are never played."""
    weights = np.random.default_rng(seed).random(of.num_entries)
    weights[weights < 0.3] = 0.0
    policy = of.uniform_policy()
    for begin, end in zip(of.first[:-1], of.first[1:], strict=True):
        if weights[begin:end].any():
            policy[begin:end] = weights[begin:end] / weights[begin:end].sum()
    return policy


def histories(state: State) -> Iterator[State]:
    """A state and all that can follow it."""
    yield state
    for action in state.legal_actions():
        yield from histories(state.child(action))
