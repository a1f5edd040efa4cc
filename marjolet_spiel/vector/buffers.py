"""The arrays of batches of games, as they are before anything has begun."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from marjolet_spiel import compact, features, kernel
from marjolet_spiel.observer import layout_for
from marjolet_spiel.rules import Rules
from marjolet_spiel.sampling import GENERATOR_SIZE, seeds_for
from marjolet_spiel.solvers.endgame import endgame_table
from marjolet_spiel.solvers.endgame.alpha_beta import MAX_DEPTH, SCRATCH_SIZE, EndgameArrays
from marjolet_spiel.vector.games import FACTS_SIZE, SEED, GameArrays
from marjolet_spiel.vector.stepping import (
    COMPACT,
    INFORMATION_STATE,
    OBSERVATIONS,
    BatchArrays,
    View,
)

SAVED = ("positions", "deals", "generators", "plays", "logs", "facts")
"""The arrays of games that change as they go on."""


def make_view(rules: Rules, observation: str) -> tuple[View, int]:
    """How observations are written, and how many floats they have."""
    kind = OBSERVATIONS.index(observation)
    plan: features.Layout = layout_for(rules, True, kind == INFORMATION_STATE, "own", False)
    view = View(kind, plan.offsets, plan.card_index, plan.meld_index)
    return view, compact.SIZE if kind == COMPACT else plan.size


def make_game_arrays(rules: Rules, n: int, seed: int) -> GameArrays:
    """The arrays of n games; the seed of each is made from one seed."""
    start = kernel.initial_position(rules)
    longest = rules.max_game_length() + rules.max_chance_nodes()
    facts = np.zeros((2 * n, FACTS_SIZE), dtype=np.int64)
    facts[:n, SEED] = seeds_for(int(seed), n)
    return GameArrays(
        positions=np.zeros((2 * n, kernel.SIZE), dtype=np.int64),
        deals=np.zeros((2 * n, kernel.SIZE), dtype=np.int64),
        generators=np.zeros((n, GENERATOR_SIZE), dtype=np.int64),
        plays=np.zeros((2 * n, compact.PLAYS_SIZE), dtype=np.int64),
        logs=np.zeros((2 * n, longest), dtype=np.uint8),
        facts=facts,
        start=start,
    )


def checked_games(saved: Mapping[str, Any], games: GameArrays) -> dict[str, NDArray[Any]]:
    """Arrays by name that can take the place of those of some games; ValueError if they cannot."""
    checked = {}
    for name in SAVED:
        array = np.asarray(saved[name]) if name in saved else None
        own = getattr(games, name)
        if array is None or array.shape != own.shape or array.dtype != own.dtype:
            found = "missing" if array is None else f"{array.dtype} {list(array.shape)}"
            raise ValueError(
                f"saved: {name} is {found}; it must be {own.dtype} {list(own.shape)}, from an "
                "environment that was made in the same way"
            )
        checked[name] = array
    return checked


def make_batch_arrays(n: int, size: int) -> BatchArrays:
    """The arrays of a batch of n games with observations of a size."""
    return BatchArrays(
        observation=np.zeros((n, size), dtype=np.float32),
        legal=np.zeros((n, kernel.NUM_ACTIONS), dtype=np.bool_),
        player=np.zeros(n, dtype=np.int8),
        reward=np.zeros((n, 2), dtype=np.float32),
        done=np.zeros(n, dtype=np.bool_),
        episode=np.zeros(n, dtype=np.int64),
    )


def make_endgame(rules: Rules, wanted: bool) -> EndgameArrays:
    """The endgame table with scratch of its own; scratch alone if it is not wanted."""
    if wanted:
        return endgame_table(rules.sweep_bonus).arrays()
    stack = np.zeros((MAX_DEPTH, kernel.SIZE), dtype=np.int64)
    nothing = np.zeros((0), dtype=np.int32), np.zeros((0, 0), dtype=np.int8)
    return EndgameArrays(stack, np.zeros(SCRATCH_SIZE, dtype=np.int64), *nothing)
