"""Whether things come as often as they should: enumeration against samples.

What a player cannot tell apart is enumerated by a walk through the tree that knows nothing of how
worlds are sampled.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping

import numpy as np
from scipy.stats import chisquare

from tests.openspiel.nodes import Check
from tests.openspiel.walks import State, load, walk
from tests.variants import Params

LEAST_P = 1e-3


World = tuple[str, tuple[int, ...]]


def world_of(state: State) -> World:
    """All that tells two states of one game apart, whether or not they start as set up."""
    return str(state), tuple(state.history())


def outcomes(state: State) -> list[tuple[int, float]]:
    """The chance outcomes, or the legal actions with no say on the chances."""
    if state.is_chance_node():
        return list(state.chance_outcomes())
    return [(action, 1.0) for action in state.legal_actions()]


def consistent(roots: list[State], state: State, player: int) -> dict[World, float]:
    """How likely each history is that `player` cannot tell from that of `state`.

    A walk through the tree along everything whose information state is a beginning of the given
    one, down to histories of its length. What the players did counts with weight 1: their actions
    are in the information state.
    """
    seen = state.information_state_string(player) + " "
    found: dict[World, float] = Counter()

    def visit(node: State, weight: float) -> None:
        if not seen.startswith(node.information_state_string(player) + " "):
            return
        if node.move_number() == state.move_number():
            if node.information_state_string(player) + " " == seen:
                found[world_of(node)] += weight
            return
        for action, probability in outcomes(node):
            visit(node.child(action), weight * probability)

    for root in roots:
        visit(root, 1.0)
    total = sum(found.values())
    return {world: weight / total for world, weight in found.items()}


def assert_chances(
    expected: Mapping[Hashable, float], draw: Callable[[], Hashable], samples: int
) -> None:
    """Draws come as often as expected, by a chi-square test.

    A test that fails is repeated once with more samples: there are hundreds of them here, and a
    fair sampler fails one in a thousand.
    """
    assert len(expected) > 1
    for size in (samples, 4 * samples):
        counts = Counter(draw() for _ in range(size))
        assert set(counts) <= set(expected)
        frequencies = [weight * size for weight in expected.values()]
        assert min(frequencies) > 5, "more samples are needed"
        if chisquare([counts[key] for key in expected], frequencies).pvalue > LEAST_P:
            return
    raise AssertionError(f"{counts} is not {expected}")


def equally_likely(things: Iterable[Hashable]) -> dict[Hashable, float]:
    """Each with the same chance."""
    every = set(things)
    return dict.fromkeys(every, 1 / len(every))


def resampled(state: State, player: int) -> Iterator[State]:
    """One world after the other."""
    rng = np.random.default_rng(1)
    while True:
        yield state.resample_from_infostate(player, rng)


def check_chances(state: State, player: int, expected: dict[World, float]) -> None:
    """Compares sampled histories with the enumerated ones."""
    assert world_of(state) in expected
    samples = max(400, round(6 / min(expected.values())))
    worlds = resampled(state, player)
    assert_chances(expected, lambda: world_of(next(worlds)), samples)


def check_some(params: Params, fits: Check, player: int, number: int = 2) -> None:
    """Checks some nodes at which `player` cannot tell in which world he is."""
    game = load(params)
    for seed in range(400):
        state = next((state for state in walk(game, seed) if fits(state)), None)
        if state is None:
            continue
        expected = consistent([game.new_initial_state()], state, player)
        if len(expected) > 1:
            check_chances(state, player, expected)
            number -= 1
        if number == 0:
            return
    raise AssertionError("too few nodes in 400 games")
