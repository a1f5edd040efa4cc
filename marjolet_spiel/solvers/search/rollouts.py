"""How simulations play on beyond a search tree, in compiled code."""

from marjolet_spiel import kernel
from marjolet_spiel.array_types import Floats, Vector
from marjolet_spiel.compiling import compiled, count, lowest
from marjolet_spiel.sampling import CARDS, random_bit
from marjolet_spiel.solvers.search.evaluation import heuristic_card

RANDOM, MELDING, HEURISTIC, NO_ROLLOUT = range(4)
POLICIES = ("random", "melding", "heuristic", "none")


@compiled
def next_card(pos: Vector, rng: Vector) -> int:
    """The next card of a stock whose order is in the generator (`sampling.order_stock`)."""
    return rng[CARDS + pos[kernel.NUM_CARDS] - count(pos[kernel.DOWN])]


@compiled
def roll_action(pos: Vector, rng: Vector, policy: int, scratch: Floats) -> int:
    """The next action of a rollout.

    Policies: RANDOM any legal action; MELDING swaps and melds whenever it may, and plays random
    cards; HEURISTIC does so and plays cards of the stock tricks as `evaluation.py` says.
    """
    legal = kernel.legal_mask(pos)
    if policy == RANDOM:
        return random_bit(rng, legal)
    if pos[kernel.PHASE] == kernel.DECLARE:
        return lowest(legal)
    if policy == HEURISTIC and pos[kernel.TRICK] <= pos[kernel.STOCK_TRICKS]:
        return kernel.FIRST_PLAY + heuristic_card(pos, scratch)
    return random_bit(rng, legal)
