"""Our searches and the endgame table, as work to be timed."""

import random
from typing import Any

import numpy as np
import pyspiel
from numpy.typing import NDArray

from bots.registry import make_bot
from marjolet_spiel import kernel
from marjolet_spiel.array_types import Vector
from marjolet_spiel.rules import Rules
from marjolet_spiel.sampling import chance_randomly, decide_randomly, generator
from marjolet_spiel.solvers.endgame.lookup import fits
from marjolet_spiel.solvers.endgame.table import build_values, endgame_table
from marjolet_spiel.solvers.solve import Solver
from scripts.benchmark.peers import SIMULATIONS
from scripts.benchmark.timing import Work

SWEEP_BONUS = 50


def state_at_trick_1(name: str) -> Any:
    """A state of our game in which the first card is to be led."""
    rng = random.Random(1)
    state = pyspiel.load_game(name).new_initial_state()
    while state.is_chance_node():
        outcomes, chances = zip(*state.chance_outcomes(), strict=True)
        state.apply_action(rng.choices(outcomes, chances)[0])
    return state


def our_ismcts(state: Any, options: str = "") -> Work:
    """Searches a state n times by our ISMCTS; the unit is a simulation."""
    player, spec = state.current_player(), f"ismcts:sims={SIMULATIONS}{options}"
    bots: list[Any] = [make_bot(spec, state.get_game(), player, seed) for seed in range(10)]

    def search(n: int) -> int:
        done = 0
        for i in range(n):
            bot = bots[i % len(bots)]
            bot.step(state)
            done += bot.simulations
        return done

    return search


def first_of_the_endgame(n: int) -> NDArray[np.int64]:
    """Positions at the beginning of the endgame, reached by random play."""
    rng, start = generator(1), kernel.initial_position(Rules.of())
    found: list[Vector] = []
    while len(found) < n:
        pos = start.copy()
        while not fits(pos):
            if pos[kernel.PLAYER] == kernel.CHANCE:
                chance_randomly(pos, rng)
            else:
                decide_randomly(pos, rng)
        found.append(pos)
    return np.array(found)


def build_table(n: int) -> int:
    """Builds the endgame table n times."""
    for _ in range(n):
        build_values(SWEEP_BONUS)
    return n


def look_up(positions: NDArray[np.int64]) -> Work:
    """Looks n positions up in the endgame table, in batches."""
    table = endgame_table(SWEEP_BONUS)

    def work(n: int) -> int:
        batches = -(-n // len(positions))
        for _ in range(batches):
            table.evaluate(positions)
        return batches * len(positions)

    return work


def solve_positions(positions: NDArray[np.int64]) -> Work:
    """Solves n positions by alpha-beta without the table: the value of every move."""
    solver = Solver()

    def work(n: int) -> int:
        for i in range(n):
            solver.value(positions[i % len(positions)])
        return n

    return work


def disagreements(positions: NDArray[np.int64]) -> int:
    """In how many positions the table and alpha-beta differ."""
    solver, values = Solver(), endgame_table(SWEEP_BONUS).evaluate(positions)
    return sum(solver.value(pos) != value for pos, value in zip(positions, values, strict=True))
