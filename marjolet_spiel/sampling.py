"""Random numbers, deals and playouts for compiled code.

A generator is an int64 vector of two places, a key and a counter. Its numbers are the splitmix64
sequence of the key (Steele, Lea and Flood, 2014), so it is seeded by one integer and gives the same
numbers on every machine and in every thread.
"""

import numpy as np
from numpy.typing import NDArray

from marjolet_spiel import kernel
from marjolet_spiel.kernel import Vector, apply_chance, apply_decision, compiled, count, lowest

_STEP = np.int64(-7046029254386353131)  # 0x9E3779B97F4A7C15
_MIX1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX2 = np.uint64(0x94D049BB133111EB)


def generator(seed: int) -> Vector:
    """A new generator: int64 of shape [2]. Any integer is a seed; only its low 64 bits count."""
    return np.array([seed & 0xFFFFFFFFFFFFFFFF, 0], dtype=np.uint64).view(np.int64)


def seeds_for(seed: int, n: int) -> NDArray[np.int64]:
    """`n` independent seeds from one: int64 of shape [n]."""
    words = np.random.SeedSequence(seed).generate_state(n, np.uint64)
    return words.view(np.int64)


@compiled("u8(i8[::1])")
def next_word(rng: Vector) -> int:
    """The next 64 random bits."""
    rng[1] += 1
    word = np.uint64(rng[0] + rng[1] * _STEP)
    word = (word ^ (word >> np.uint64(30))) * _MIX1
    word = (word ^ (word >> np.uint64(27))) * _MIX2
    return word ^ (word >> np.uint64(31))


@compiled("i8(i8[::1], i8)")
def below(rng: Vector, n: int) -> int:
    """A random integer from 0 to n - 1, for n below 2^31 (biased by less than n / 2^32)."""
    return np.int64(((next_word(rng) >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))


@compiled("i8(i8[::1], i8)")
def random_bit(rng: Vector, mask: int) -> int:
    """The index of a random set bit of a mask below 2^62 that has one."""
    high = mask >> 32
    skip = below(rng, count(mask & 0xFFFFFFFF) + count(high))
    for _ in range(skip):
        mask &= mask - 1
    return lowest(mask)


@compiled("void(i8[::1], i8[::1])")
def deal_randomly(pos: Vector, rng: Vector) -> None:
    """Deals both hands and turns a card up, from a position at the start of a deal, in place."""
    first = kernel.hand_being_dealt(pos)
    need_first = need_second = pos[kernel.HAND_SIZE]
    turned = kernel.NONE
    need_turn = 1
    rest = pos[kernel.DOWN]
    left = count(rest)
    while need_first + need_second + need_turn > 0:
        card = lowest(rest)
        rest &= rest - 1
        place = below(rng, left)
        left -= 1
        if place < need_first:
            need_first -= 1
            pos[kernel.HAND0 + first] |= 1 << card
        elif place < need_first + need_second:
            need_second -= 1
            pos[kernel.HAND1 - first] |= 1 << card
        elif place < need_first + need_second + need_turn:
            need_turn = 0
            turned = card
    pos[kernel.DOWN] &= ~(pos[kernel.HAND0] | pos[kernel.HAND1])
    pos[kernel.PHASE] = kernel.TURNING
    apply_chance(pos, turned)


@compiled("i8(i8[::1], i8[::1])")
def _next_dealt(pos: Vector, rng: Vector) -> int:
    """The lowest of a random choice of the cards that the hand being dealt still needs."""
    free = kernel.dealable(pos)
    held = count(pos[kernel.HAND0 + kernel.hand_being_dealt(pos)])
    need = pos[kernel.HAND_SIZE] - held
    left = count(free)
    while below(rng, left) >= need:
        free &= free - 1
        left -= 1
    return lowest(free)


@compiled("void(i8[::1], i8[::1])")
def chance_randomly(pos: Vector, rng: Vector) -> None:
    """Takes one chance outcome with its probability, in place (a whole deal where one begins)."""
    phase = pos[kernel.PHASE]
    if phase == kernel.DEALING and pos[kernel.DOWN] == pos[kernel.PACK]:
        deal_randomly(pos, rng)
    elif phase == kernel.DEALING:
        apply_chance(pos, _next_dealt(pos, rng))
    else:
        apply_chance(pos, random_bit(rng, kernel.chance_mask(pos)))


@compiled("void(i8[::1], i8[::1])")
def step_randomly(pos: Vector, rng: Vector) -> None:
    """Takes a uniformly random legal action, or a chance outcome, in place."""
    if pos[kernel.PLAYER] == kernel.CHANCE:
        chance_randomly(pos, rng)
    else:
        apply_decision(pos, random_bit(rng, kernel.legal_mask(pos)))
