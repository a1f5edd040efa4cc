"""Searches that know nothing but the public interface of the games, and states to search."""

from collections.abc import Callable, Iterator

from open_spiel.python.algorithms import minimax

from marjolet_spiel.solvers.endgame.match_equity import match_equity
from tests.positions import State, decisions
from tests.solvers.vectors import cards_left, in_endgame
from tests.variants import Params

Leaf = Callable[[State], float]


def states(params: Params, cards: int, seeds: range) -> Iterator[State]:
    """States of random games after the stock in which a hand has `cards` cards at most."""
    for seed in seeds:
        for state in decisions(params, seed):
            pos = state.position()
            if in_endgame(pos) and cards_left(pos) <= cards:
                yield state


def searched(state: State) -> float:
    """The return of player 0 by OpenSpiel's alpha-beta on the open game."""
    world = state.open_world(1)
    value, _ = minimax.alpha_beta_search(
        world.get_game(), world, maximum_depth=100, maximizing_player_id=0
    )
    return float(value)


def everything_tried(state: State, leaf: Leaf) -> float:
    """The return of player 0 when both play best: every action tried, nothing pruned."""
    if state.is_terminal():
        return float(state.returns()[0])
    if state.is_chance_node():
        return leaf(state)
    best = max if state.current_player() == 0 else min
    return best(everything_tried(state.child(a), leaf) for a in state.legal_actions())


def estimate(state: State) -> float:
    """What a match that goes on with a new deal is worth to player 0."""
    target = state.get_game().get_parameters()["target"]
    return float(match_equity(*state.to_dict()["scores"], target))
