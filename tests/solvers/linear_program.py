"""The value of a game by a linear program, from OpenSpiel's states alone.

Koller, Megiddo and von Stengel, "Fast algorithms for finding randomized strategies in game trees",
1994: player 0 chooses a realization plan, and the dual variables bound what player 1 can hold him
down to at each of his information states.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import lil_matrix


@dataclass
class _Player:
    """Sequences, from 0 (nothing done), and information states with the one that leads there."""

    states: dict[str, int] = field(default_factory=dict)
    parents: list[int] = field(default_factory=list)
    first: list[int] = field(default_factory=list)
    actions: list[int] = field(default_factory=list)
    sequences: int = 1

    def sequences_at(self, state: Any, parent: int) -> range:
        """Those of the legal actions, made when the information state is met first."""
        key, size = state.information_state_string(), len(state.legal_actions())
        if key not in self.states:
            self.states[key] = len(self.parents)
            self.parents.append(parent)
            self.first.append(self.sequences)
            self.actions.append(size)
            self.sequences += size
        place = self.states[key]
        assert self.parents[place] == parent  # perfect recall
        return range(self.first[place], self.first[place] + size)


def game_value(game: Any) -> float:
    """The value of a two-player zero-sum game for player 0."""
    players, payoffs = (_Player(), _Player()), {}

    def walk(state: Any, sequences: tuple[int, int], chance: float) -> None:
        if state.is_terminal():
            payoffs[sequences] = payoffs.get(sequences, 0.0) + chance * state.returns()[0]
        elif state.is_chance_node():
            for outcome, share in state.chance_outcomes():
                walk(state.child(outcome), sequences, chance * share)
        else:
            player = state.current_player()
            after = players[player].sequences_at(state, sequences[player])
            for action, own in zip(state.legal_actions(), after, strict=True):
                other = sequences[1 - player]
                pair = (own, other) if player == 0 else (other, own)
                walk(state.child(action), pair, chance)

    walk(game.new_initial_state(), (0, 0), 1.0)
    return _solve(*players, payoffs)


def _solve(one: _Player, two: _Player, payoffs: dict[tuple[int, int], float]) -> float:
    """Maximizes the bound at the root."""
    root = one.sequences  # the variables: a plan of player 0, then the bounds of player 1
    size = root + 1 + len(two.parents)
    limits = lil_matrix((two.sequences, size))  # bound - bounds below - payoffs <= 0
    for (own, other), payoff in payoffs.items():
        limits[other, own] -= payoff
    limits[0, root] += 1
    for place, parent in enumerate(two.parents):
        limits[parent, root + 1 + place] -= 1
        for sequence in range(two.first[place], two.first[place] + two.actions[place]):
            limits[sequence, root + 1 + place] += 1
    plan = lil_matrix((1 + len(one.parents), size))
    plan[0, 0] = 1
    for place, parent in enumerate(one.parents):
        plan[1 + place, parent] -= 1
        for sequence in range(one.first[place], one.first[place] + one.actions[place]):
            plan[1 + place, sequence] += 1
    total = np.zeros(1 + len(one.parents))
    total[0] = 1
    goal = np.zeros(size)
    goal[root] = -1
    bounds = [(0, None)] * root + [(None, None)] * (size - root)
    zeros = np.zeros(two.sequences)
    found = linprog(goal, limits.tocsr(), zeros, plan.tocsr(), total, bounds, method="highs")
    assert found.success, found.message
    return -float(found.fun)
