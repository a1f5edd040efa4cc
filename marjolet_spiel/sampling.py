"""Random numbers, deals and playouts for compiled code.

A generator is an int64 vector: a key, a counter, and room to shuffle a pack. Its numbers are the
splitmix64 sequence of the key (Steele, Lea and Flood, 2014), so it is seeded by one integer and
gives the same numbers on every machine and in every thread.
"""

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from marjolet_spiel import kernel
from marjolet_spiel.array_types import Floats, Vector
from marjolet_spiel.cards import NUM_CARDS
from marjolet_spiel.compiling import compiled, count, lowest, select
from marjolet_spiel.kernel import apply_chance, apply_decision

KEY, COUNTER, CARDS = range(3)
GENERATOR_SIZE = CARDS + NUM_CARDS

_STEP = np.int64(-7046029254386353131)  # 0x9E3779B97F4A7C15
_MIX1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX2 = np.uint64(0x94D049BB133111EB)

_FRACTION = 1.0 / (1 << 53)


def generator(seed: int) -> Vector:
    """A new generator: int64 [GENERATOR_SIZE]. Any integer is a seed; its low 64 bits count."""
    rng = np.zeros(GENERATOR_SIZE, dtype=np.int64)
    rng[KEY] = np.uint64(seed & 0xFFFFFFFFFFFFFFFF).astype(np.int64)
    return rng


def generator_from(rng: Any, what: str = "rng") -> Vector:
    """A generator for compiled code from a seed, a numpy generator or a sampler of OpenSpiel.

    Args:
      rng: a whole number; something with numpy's ``integers``; or a callable that returns
        uniform floats in [0, 1), such as `pyspiel.UniformProbabilitySampler`.
      what: the name of the argument for the error.
    """
    if isinstance(rng, int | np.integer) and not isinstance(rng, bool):
        return generator(int(rng))
    if hasattr(rng, "integers"):
        return generator(int(rng.integers(1 << 63)))
    if hasattr(rng, "randint") and hasattr(rng, "random_sample"):
        rng = rng.random_sample
    if callable(rng):
        return generator(int(rng() * (1 << 31)) << 32 ^ int(rng() * (1 << 32)))
    raise ValueError(
        f"{what}: {rng!r} is not allowed; it must be a whole number, a numpy generator or a "
        "function without arguments that returns floats in [0, 1)"
    )


def decision_seed(seed: int, seen: bytes) -> int:
    """The seed of one decision, below 2^63: a hash of a player's seed and of what he sees.

    A search that is seeded so depends on nothing else, neither on hidden cards nor on earlier
    decisions.
    """
    key = hashlib.blake2b(seen, digest_size=8, salt=(seed % 2**64).to_bytes(8, "little"))
    return int.from_bytes(key.digest(), "little") >> 1


def put_order(rng: Vector, pos: Vector, order: Sequence[int]) -> None:
    """Puts the order in which the face-down cards of a position leave the pack into a generator.

    It is then as `order_stock` leaves it; `order` has all of them.
    """
    end = CARDS + int(pos[kernel.NUM_CARDS])
    rng[end - len(order) : end] = order


def seeds_for(seed: int, n: int) -> NDArray[np.int64]:
    """`n` independent seeds from one: int64 of shape [n]."""
    key = np.random.SeedSequence(seed).generate_state(1, np.uint64)
    words = key + np.arange(1, n + 1, dtype=np.uint64) * _STEP.astype(np.uint64)
    words = (words ^ (words >> np.uint64(30))) * _MIX1
    words = (words ^ (words >> np.uint64(27))) * _MIX2
    return (words ^ (words >> np.uint64(31))).view(np.int64)


@compiled
def next_word(rng: Vector) -> np.uint64:
    """The next 64 random bits."""
    rng[COUNTER] += 1
    word = np.uint64(rng[KEY] + rng[COUNTER] * _STEP)
    word = (word ^ (word >> np.uint64(30))) * _MIX1
    word = (word ^ (word >> np.uint64(27))) * _MIX2
    return word ^ (word >> np.uint64(31))


@compiled
def below(rng: Vector, n: int) -> int:
    """A random integer from 0 to n - 1, for n below 2^31 (biased by less than n / 2^32)."""
    return int(((next_word(rng) >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))


@compiled
def uniform(rng: Vector) -> float:
    """A random number from 0 up to 1, without 1."""
    return np.float64(next_word(rng) >> np.uint64(11)) * _FRACTION


@compiled
def pick(shares: Floats, n: int, rng: Vector) -> int:
    """A place drawn from the distribution that the first `n` shares are."""
    draw, last = uniform(rng), 0
    for i in range(n):
        if shares[i] > 0.0:
            last = i
            draw -= shares[i]
            if draw < 0.0:
                return i
    return last  # the sum was below 1 by rounding


@compiled
def random_bit(rng: Vector, mask: int) -> int:
    """The index of a random set bit of a mask below 2^62 that has one."""
    return select(mask, below(rng, count(mask)))


@compiled
def shuffle_to_front(rng: Vector, mask: int, n: int) -> None:
    """Puts `n` random cards of `mask`, in random order, into ``rng[CARDS:CARDS + n]``."""
    left = 0
    while mask:
        rng[CARDS + left] = lowest(mask)
        mask &= mask - 1
        left += 1
    for place in range(CARDS, CARDS + n):
        other = place + below(rng, left)
        left -= 1
        card = rng[other]
        rng[other] = rng[place]
        rng[place] = card


@compiled
def order_stock(pos: Vector, rng: Vector) -> None:
    """Orders the face-down cards at random.

    Card number i to leave the pack, from 0, is then ``rng[CARDS + i]``, for those still in it.
    """
    left = count(pos[kernel.DOWN])
    shuffle_to_front(rng, pos[kernel.DOWN], left)
    for i in range(left - 1, -1, -1):
        rng[CARDS + pos[kernel.NUM_CARDS] - left + i] = rng[CARDS + i]


@compiled
def deal_randomly(pos: Vector, rng: Vector) -> None:
    """Deals both hands and turns a card up, from a position at the start of a deal, in place."""
    size = pos[kernel.HAND_SIZE]
    shuffle_to_front(rng, pos[kernel.DOWN], 2 * size + 1)
    for i in range(size):
        pos[kernel.HAND0] |= 1 << rng[CARDS + i]
        pos[kernel.HAND1] |= 1 << rng[CARDS + size + i]
    pos[kernel.DOWN] &= ~(pos[kernel.HAND0] | pos[kernel.HAND1])
    pos[kernel.PHASE] = kernel.TURNING
    apply_chance(pos, rng[CARDS + 2 * size])


@compiled
def random_outcome(pos: Vector, rng: Vector) -> int:
    """An outcome of a chance node, drawn with its probability."""
    if pos[kernel.PHASE] != kernel.DEALING:
        return random_bit(rng, kernel.chance_mask(pos))
    # The lowest of a random choice of the cards that the hand being dealt still needs.
    free = kernel.dealable(pos)
    need = pos[kernel.HAND_SIZE] - count(pos[kernel.HAND0 + kernel.hand_being_dealt(pos)])
    left = count(free)
    while below(rng, left) >= need:
        free &= free - 1
        left -= 1
    return lowest(free)


@compiled
def chance_randomly(pos: Vector, rng: Vector) -> None:
    """Takes a chance outcome with its probability, in place (a whole deal where one begins)."""
    if pos[kernel.PHASE] == kernel.DEALING and pos[kernel.DOWN] == pos[kernel.PACK]:
        deal_randomly(pos, rng)
    else:
        apply_chance(pos, random_outcome(pos, rng))


@compiled
def decide_randomly(pos: Vector, rng: Vector) -> None:
    """Takes a uniformly random legal action of the player on turn, in place."""
    apply_decision(pos, random_bit(rng, kernel.legal_mask(pos)))
