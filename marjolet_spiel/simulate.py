"""Batches of random playouts below the OpenSpiel API.

Example, how often each meld scores under random play and what leading is worth::

    from marjolet_spiel import simulate
    from marjolet_spiel.rules import Rules

    deals = simulate.play_random(Rules.of(profile="dutch"), 100_000, seed=1)
    deals.melds.sum(axis=(0, 1)) / len(deals.returns)      # by meld, see cards.meld_name
    deals.by_leader().mean(axis=0)                         # points of the leader, of the dealer
"""

import itertools
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from marjolet_spiel import kernel
from marjolet_spiel.cards import NUM_MELDS
from marjolet_spiel.kernel import Vector, compiled, compiled_allocating, copy_to, lowest
from marjolet_spiel.rules import Rules
from marjolet_spiel.sampling import (
    COUNTER,
    GENERATOR_SIZE,
    KEY,
    chance_randomly,
    decide_randomly,
    seeds_for,
)

CATEGORIES = ("melds", "dix", "stock_end", "last", "sweep", "brisques")
_FIELDS = len(CATEGORIES) - 1  # all but the brisques are fields of a position

# Columns of the raw results of one playout.
_MELDS = 2 * len(CATEGORIES)
_RETURN = _MELDS + 2 * NUM_MELDS
_FIRST_LEADER = _RETURN + 1
_DEALS = _RETURN + 2
_DECISIONS = _RETURN + 3
_SWAPS = _RETURN + 4
_COLUMNS = _RETURN + 5


@dataclass(frozen=True)
class Playouts:
    """What happened in n playouts. In a match the points and melds of all its deals are added up.

    Attributes:
      points: int64 [n, 2, 6], points by player and by `CATEGORIES`.
      melds: int64 [n, 2, 25], how often each meld was declared, by player (`cards.meld_name`).
      returns: float64 [n, 2], the game's returns.
      first_leader: int64 [n], who led the first trick of the (last) deal: the non-dealer.
      deals: int64 [n], deals played.
      decisions: int64 [n], decisions of the players, windows closed included.
      swaps: int64 [n], how often the seven of trumps was swapped.
    """

    points: NDArray[np.int64]
    melds: NDArray[np.int64]
    returns: NDArray[np.float64]
    first_leader: NDArray[np.int64]
    deals: NDArray[np.int64]
    decisions: NDArray[np.int64]
    swaps: NDArray[np.int64]

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
    start = kernel.initial_position(rules)[np.newaxis]
    return _play(np.repeat(start, n, axis=0), seeds_for(seed, n), threads)


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
    return _play(np.array(positions, order="C"), words.view(np.int64), threads)


def _check_whole(name: str, value: object, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise ValueError(f"{name}: {value!r} is not allowed; it must be a whole number >= {least}")


def _play(positions: Vector, seeds: Vector, threads: int) -> Playouts:
    _check_whole("threads", threads, 1)
    raw = np.zeros((len(positions), _COLUMNS), dtype=np.int64)
    edges = np.linspace(0, len(positions), threads + 1).astype(int)
    spans = [slice(a, b) for a, b in itertools.pairwise(edges)]
    if threads == 1:
        _play_span(positions, seeds, raw)
    else:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(lambda span: _play_span(positions[span], seeds[span], raw[span]), spans))
    points, melds = raw[:, :_MELDS], raw[:, _MELDS:_RETURN]
    first = raw[:, _RETURN].astype(np.float64)
    return Playouts(
        points=points.reshape(-1, len(CATEGORIES), 2).transpose(0, 2, 1).copy(),
        melds=melds.reshape(-1, 2, NUM_MELDS).copy(),
        returns=np.stack([first, -first], axis=1) + 0.0,
        first_leader=raw[:, _FIRST_LEADER].copy(),
        deals=raw[:, _DEALS].copy(),
        decisions=raw[:, _DECISIONS].copy(),
        swaps=raw[:, _SWAPS].copy(),
    )


@compiled("void(i8[::1], i8[::1])")
def _add_deal(pos: Vector, row: Vector) -> None:
    """Adds the points and melds of the deal in `pos` to a row of raw results."""
    for player in range(2):
        for category in range(_FIELDS):
            row[2 * category + player] += pos[kernel.MELD_POINTS0 + 2 * category + player]
        row[2 * _FIELDS + player] += kernel.brisque_points(pos, player)
        declared = pos[kernel.DECLARED0 + player]
        while declared:
            row[_MELDS + player * NUM_MELDS + lowest(declared)] += 1
            declared &= declared - 1
    row[_FIRST_LEADER] = 1 - pos[kernel.DEALER]
    row[_DEALS] += 1
    row[_SWAPS] += pos[kernel.SWAPPED]


@compiled("void(i8[::1], i8[::1], i8[::1], i8[::1], i8[::1])")
def _play_out(pos: Vector, rng: Vector, row: Vector, twin: Vector, twin_rng: Vector) -> None:
    """Plays a game out in place; `twin` and `twin_rng` are scratch space."""
    while pos[kernel.PHASE] != kernel.OVER:
        if pos[kernel.PLAYER] == kernel.CHANCE:
            chance_randomly(pos, rng)
            continue
        row[_DECISIONS] += 1
        if pos[kernel.TARGET] == 0 or pos[kernel.TRICK] < pos[kernel.NUM_TRICKS]:
            decide_randomly(pos, rng)
            continue
        # A last trick may begin the next deal. The twin plays this deal alone: it keeps its points.
        deal = pos[kernel.DEAL]
        copy_to(pos, twin)
        copy_to(rng, twin_rng)
        twin[kernel.TARGET] = 0
        decide_randomly(pos, rng)
        if pos[kernel.DEAL] != deal:
            decide_randomly(twin, twin_rng)
            _add_deal(twin, row)
    _add_deal(pos, row)
    row[_RETURN] = kernel.return_of_player_0(pos)


@compiled_allocating("void(i8[:, ::1], i8[::1], i8[:, ::1])")
def _play_span(positions: Vector, seeds: Vector, raw: Vector) -> None:
    """Plays out every position, in place, and fills its row of raw results."""
    rng = np.zeros(GENERATOR_SIZE, dtype=np.int64)
    twin, twin_rng = np.zeros_like(positions[0]), np.zeros_like(rng)
    for i in range(len(positions)):
        rng[KEY] = seeds[i]
        rng[COUNTER] = 0
        _play_out(positions[i], rng, raw[i], twin, twin_rng)
