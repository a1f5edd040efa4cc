"""Batches of random playouts below the OpenSpiel API.

Example, how often each meld scores under random play and what leading is worth::

    from marjolet_spiel import simulate
    from marjolet_spiel.rules import Rules

    deals = simulate.play_random(Rules.of(profile="dutch"), 100_000, seed=1)
    deals.melds.sum(axis=(0, 1)) / len(deals.returns)      # by meld, see cards.meld_name
    deals.by_leader().mean(axis=0)                         # points of the leader, of the dealer
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from marjolet_spiel import kernel
from marjolet_spiel.array_types import (
    IntGrids,
    IntRows,
    Ints,
    ShortGrids,
    ShortRows,
    Vector,
    VectorRows,
)
from marjolet_spiel.cards import NUM_MELDS
from marjolet_spiel.compiling import compiled, compiled_allocating, count, lowest, wrap_around
from marjolet_spiel.kernel import copy_to
from marjolet_spiel.rules import Rules
from marjolet_spiel.sampling import (
    CARDS,
    COUNTER,
    GENERATOR_SIZE,
    KEY,
    chance_randomly,
    decide_randomly,
    order_stock,
    seeds_for,
)

Counts = NDArray[np.signedinteger[Any]]

CATEGORIES = ("melds", "dix", "stock_end", "last", "sweep", "brisques")
_FIELDS = len(CATEGORIES) - 1  # all but the brisques are fields of a position

# Columns of the facts of one playout.
_RETURN, _FIRST_LEADER, _DEALS, _DECISIONS, _SWAPS = range(5)
_NUM_FACTS = 5


@dataclass(frozen=True, repr=False)
class Playouts:
    """What happened in n playouts. In a match the points and melds of all its deals are added up.

    Attributes:
      points: int32 [n, 2, 6], points by player and by `CATEGORIES`.
      melds: int16 [n, 2, 25], how often each meld was declared, by player (`cards.meld_name`).
      returns: float64 [n, 2], the game's returns.
      first_leader: int32 [n], who led the first trick of the (last) deal: the non-dealer.
      deals: int32 [n], deals played.
      decisions: int32 [n], decisions of the players, windows closed included.
      swaps: int32 [n], how often the seven of trumps was swapped.
    """

    points: Counts
    melds: Counts
    returns: NDArray[np.float64]
    first_leader: Counts
    deals: Counts
    decisions: Counts
    swaps: Counts

    def __repr__(self) -> str:
        means = ", ".join(f"{mean:.1f}" for mean in self.totals.mean(axis=0))
        return f"Playouts(n={len(self.returns)}, mean points {means})"

    @property
    def totals(self) -> NDArray[np.int64]:
        """int64 [n, 2]: all points by player."""
        return self.points.sum(axis=2)

    def by_leader(self) -> NDArray[np.int64]:
        """int64 [n, 2]: all points of the player who led the first trick, and of the other."""
        order = np.stack([self.first_leader, 1 - self.first_leader], axis=1)
        return np.take_along_axis(self.totals, order, axis=1)


def play_random(rules: Rules, n: int, seed: int, threads: int = 1) -> Playouts:
    """Plays `n` whole games with uniformly random legal actions.

    The result depends on `rules`, `n` and `seed` alone; game i has a seed of its own.

    Args:
      rules: the rules; with a target each playout is a whole match.
      n: number of games, at least 1.
      seed: a whole number from 0.
      threads: how many threads share the work.

    Raises:
      ValueError: an argument is not what is asked for.
    """
    if not isinstance(rules, Rules):
        raise ValueError(f"rules: {rules!r} is not allowed; make one with Rules.of(profile=...)")
    _check_whole("n", n, 1)
    _check_whole("seed", seed, 0)
    return _play(kernel.initial_position(rules)[np.newaxis], seeds_for(seed, n), threads)


def play_from(positions: NDArray[np.int64], seeds: Sequence[int], threads: int = 1) -> Playouts:
    """Plays each position to the end of its game with random actions and draws.

    Args:
      positions: int64 [n, kernel.SIZE], kernel positions (``state.position()``); not changed.
      seeds: one whole number a position; equal seeds and positions give equal playouts.
      threads: how many threads share the work.

    Returns:
      The playouts. Points count from the start of the deal in progress.

    Raises:
      ValueError: an argument is not what is asked for.
    """
    if (
        not isinstance(positions, np.ndarray)
        or positions.dtype != np.int64
        or positions.ndim != 2
        or positions.shape[1] != kernel.SIZE
        or len(positions) == 0
    ):
        shape = f"{getattr(positions, 'dtype', type(positions))} {np.shape(positions)}"
        raise ValueError(f"positions: {shape} is not allowed; it must be int64 [n, {kernel.SIZE}]")
    if len(seeds) != len(positions):
        raise ValueError(f"seeds: {len(seeds)} seeds for {len(positions)} positions")
    for seed in seeds:
        _check_whole("seeds", int(seed) if isinstance(seed, np.integer) else seed, 0)
    words = np.array([int(seed) & 0xFFFFFFFFFFFFFFFF for seed in seeds], dtype=np.uint64)
    return _play(np.ascontiguousarray(positions), words.view(np.int64), threads)


def _check_whole(name: str, value: object, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise ValueError(f"{name}: {value!r} is not allowed; it must be a whole number >= {least}")


def _play(positions: Vector, seeds: Vector, threads: int) -> Playouts:
    """Plays from each position, or from the only one, once with each seed."""
    _check_whole("threads", threads, 1)
    n = len(seeds)
    points = np.zeros((n, 2, len(CATEGORIES)), dtype=np.int32)
    melds = np.zeros((n, 2, NUM_MELDS), dtype=np.int16)
    facts = np.zeros((n, _NUM_FACTS), dtype=np.int32)

    def play(span: slice) -> None:
        own = positions if len(positions) == 1 else positions[span]
        _play_span(own, seeds[span], points[span], melds[span], facts[span])

    edges = np.linspace(0, n, threads + 1).astype(int).tolist()
    with ThreadPoolExecutor(threads, initializer=wrap_around) as pool:
        list(pool.map(play, [slice(*edge) for edge in pairwise(edges)]))
    first = facts[:, _RETURN].astype(np.float64)
    return Playouts(
        points=points,
        melds=melds,
        returns=np.stack([first, 0.0 - first], axis=1),
        first_leader=facts[:, _FIRST_LEADER].copy(),
        deals=facts[:, _DEALS].copy(),
        decisions=facts[:, _DECISIONS].copy(),
        swaps=facts[:, _SWAPS].copy(),
    )


@compiled
def _add_deal(pos: Vector, points: IntRows, melds: ShortRows, facts: Ints) -> None:
    """Adds the deal in `pos` to the results of a playout."""
    for player in range(2):
        for category in range(_FIELDS):
            points[player, category] += pos[kernel.MELD_POINTS0 + 2 * category + player]
        points[player, _FIELDS] += kernel.brisque_points(pos, player)
        declared = pos[kernel.DECLARED0 + player]
        while declared:
            melds[player, lowest(declared)] += 1
            declared &= declared - 1
    facts[_FIRST_LEADER] = 1 - pos[kernel.DEALER]
    facts[_DEALS] += 1
    facts[_SWAPS] += pos[kernel.SWAPPED]


@compiled
def _chance(pos: Vector, rng: Vector) -> None:
    """A chance node, in place. A whole deal is shuffled at once; draws then take its next card."""
    phase = pos[kernel.PHASE]
    if phase == kernel.DRAW:
        kernel.apply_chance(pos, rng[CARDS + pos[kernel.NUM_CARDS] - count(pos[kernel.DOWN])])
        return
    chance_randomly(pos, rng)
    if phase == kernel.TURNING:
        order_stock(pos, rng)


@compiled
def _play_out(
    pos: Vector,
    rng: Vector,
    twin: Vector,
    twin_rng: Vector,
    points: IntRows,
    melds: ShortRows,
    facts: Ints,
) -> None:
    """Plays a game out in place; `twin` and `twin_rng` are scratch space."""
    if pos[kernel.PHASE] > kernel.TURNING:
        order_stock(pos, rng)
    while pos[kernel.PHASE] != kernel.OVER:
        if pos[kernel.PLAYER] == kernel.CHANCE:
            _chance(pos, rng)
            continue
        facts[_DECISIONS] += 1
        if pos[kernel.TARGET] == 0 or pos[kernel.TRICK] < pos[kernel.NUM_TRICKS]:
            decide_randomly(pos, rng)
            continue
        # A last trick may begin the next deal. The twin plays this deal alone: it keeps its points.
        deal = pos[kernel.DEAL]
        copy_to(pos, twin)
        copy_to(rng, twin_rng)
        twin[kernel.TARGET] = 0
        twin[kernel.IMMEDIATE] = 0
        decide_randomly(pos, rng)
        if pos[kernel.DEAL] != deal:
            decide_randomly(twin, twin_rng)
            _add_deal(twin, points, melds, facts)
    _add_deal(pos, points, melds, facts)
    facts[_RETURN] = kernel.return_of_player_0(pos)


@compiled_allocating
def _play_span(
    positions: VectorRows, seeds: Vector, points: IntGrids, melds: ShortGrids, facts: IntRows
) -> None:
    """Plays from each position (or from the only one) with each seed; fills in the results."""
    rng = np.zeros(GENERATOR_SIZE, dtype=np.int64)
    pos, twin, twin_rng = np.zeros_like(positions[0]), np.zeros_like(positions[0]), rng.copy()
    step = 1 if len(positions) > 1 else 0
    for i in range(len(seeds)):
        copy_to(positions[i * step], pos)
        rng[KEY] = seeds[i]
        rng[COUNTER] = 0
        _play_out(pos, rng, twin, twin_rng, points[i], melds[i], facts[i])
