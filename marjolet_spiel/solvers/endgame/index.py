"""Where a position of the endgame stands in the endgame table.

What the endgame is worth does not depend on the ranks themselves: only on the order of the
cards that are left, on who holds each, and on which of them are brisques, always the highest ones.
So a suit is a *code*: its cards from high to low as a word of owners, and how many brisques are
among them. Codes are grouped by *type* (how many cards, how many of them the leader's). A position
is the code of the trump suit and the sorted codes of the plain suits, which are interchangeable;
its *cell* is the offset of their types plus their numbers within the types as mixed digits.

Every pack is in it: a smaller one has shorter suits, fewer brisques or an empty suit.
"""

import numpy as np

from marjolet_spiel import cards
from marjolet_spiel.array_types import Ints, Vector
from marjolet_spiel.compiling import compiled, compiled_allocating, count

Codes = tuple[int, int, int, int]

MAX_CARDS = 6
"""The most cards a hand may have in the table."""

_SUIT = (1 << cards.SUIT_SIZE) - 1
_NUM_TERNARY = 3**cards.SUIT_SIZE


def _brisques(suit: int) -> int:
    return (suit & cards.BRISQUES).bit_count()


def _canonical(length: int, owners: int, brisques: int) -> tuple[int, int]:
    """The leader's and the other's cards of a suit without gaps, as masks of ranks.

    Bit i of `owners` says whether the i-th highest card is the leader's.
    """
    first = cards.KING - brisques
    return owners << first, (owners ^ ((1 << length) - 1)) << first


def _all_codes() -> list[tuple[int, int, int, int]]:
    """All codes in order: length, number of the leader's cards, brisques, owners."""
    return sorted(
        (length, owners.bit_count(), brisques, owners)
        for length in range(cards.SUIT_SIZE + 1)
        for owners in range(1 << length)
        for brisques in range(min(length, 2) + 1)
        if length - brisques <= cards.SUIT_SIZE - 2
        and max(owners.bit_count(), length - owners.bit_count()) <= MAX_CARDS
    )


_CODES = _all_codes()
_TYPES = sorted({code[:2] for code in _CODES})
NUM_CODES, NUM_TYPES = len(_CODES), len(_TYPES)

# The parts of the index vector.
_TERNARY = 0  # of each mask of ranks its bits as ternary digits
_CODE = _TERNARY + (1 << cards.SUIT_SIZE)  # of each pair of masks, as ternary digits, its code
_TYPE = _CODE + _NUM_TERNARY  # of each code
_NUMBER = _TYPE + NUM_CODES  # of each code within its type
_LEADERS = _NUMBER + NUM_CODES  # of each code the leader's cards in its canonical form
_OTHERS = _LEADERS + NUM_CODES
_SIZE = _OTHERS + NUM_CODES  # of each type: how many codes it has
_FIRST = _SIZE + NUM_TYPES  # of each type: its first code
_LENGTH = _FIRST + NUM_TYPES  # of each type: how many cards
_OWN = _LENGTH + NUM_TYPES  # of each type: how many of them the leader's
_OFFSET = _OWN + NUM_TYPES  # by cards in a hand and the types of three suits, the fourth follows
_INDEX_SIZE = _OFFSET + MAX_CARDS * NUM_TYPES**3


def _fill_codes(index: Ints) -> None:
    ternary = np.array([int(f"{mask:b}", 3) for mask in range(1 << cards.SUIT_SIZE)])
    index[_TERNARY:_CODE] = ternary
    index[_CODE:_TYPE] = -1
    numbers: dict[tuple[int, int], int] = {}
    for code, (length, own, brisques, owners) in enumerate(_CODES):
        kind = (length, own)
        number = numbers[kind] = numbers.get(kind, -1) + 1
        leaders, others = _canonical(length, owners, brisques)
        index[_TYPE + code] = _TYPES.index(kind)
        index[_NUMBER + code] = number
        index[_LEADERS + code], index[_OTHERS + code] = leaders, others
    for number, kind in enumerate(_TYPES):
        codes = [code for code, entry in enumerate(_CODES) if entry[:2] == kind]
        index[_SIZE + number], index[_FIRST + number] = len(codes), codes[0]
        index[_LENGTH + number], index[_OWN + number] = kind


def _fill_masks(index: Ints) -> None:
    """The code of each way in which the cards of a suit can lie."""
    known = {entry: code for code, entry in enumerate(_CODES)}
    for suit in range(1 << cards.SUIT_SIZE):
        ranks = cards.bits(suit)
        for owners in range(1 << len(ranks)):
            own = owners.bit_count()
            leaders = sum(1 << rank for i, rank in enumerate(ranks) if owners >> i & 1)
            place = index[_TERNARY + leaders] + 2 * index[_TERNARY + (suit ^ leaders)]
            index[_CODE + place] = known.get((len(ranks), own, _brisques(suit), owners), -1)


def make_index() -> tuple[Ints, list[int]]:
    """The index: int32 [_INDEX_SIZE], and the first cell of each level of 0, 1, ... 7 cards.

    The last one is the number of cells.
    """
    index = np.zeros(_INDEX_SIZE, dtype=np.int32)
    _fill_codes(index)
    _fill_masks(index)
    levels = np.zeros(MAX_CARDS + 2, dtype=np.int64)
    _fill_offsets(index, levels)
    return index, levels.tolist()


@compiled
def last_type(index: Ints, n: int, t0: int, t1: int, t2: int, least: int) -> int:
    """The type of the fourth suit when each hand has `n` cards; -1 if there is none from `least`.

    Types of equal length are in ascending order of the leader's cards.
    """
    length = 2 * n - index[_LENGTH + t0] - index[_LENGTH + t1] - index[_LENGTH + t2]
    own = n - index[_OWN + t0] - index[_OWN + t1] - index[_OWN + t2]
    for t3 in range(least, NUM_TYPES):
        if index[_LENGTH + t3] == length and index[_OWN + t3] == own:
            return t3
    return -1


@compiled_allocating
def _fill_offsets(index: Ints, levels: Vector) -> None:
    cell = 1  # the one cell of hands without cards
    for n in range(1, MAX_CARDS + 1):
        levels[n] = cell
        for t0 in range(NUM_TYPES):
            for t1 in range(NUM_TYPES):
                for t2 in range(t1, NUM_TYPES):
                    t3 = last_type(index, n, t0, t1, t2, t2)
                    if t3 >= 0:
                        place = (((n - 1) * NUM_TYPES + t0) * NUM_TYPES + t1) * NUM_TYPES + t2
                        index[_OFFSET + place] = cell
                        size = np.int64(index[_SIZE + t0]) * index[_SIZE + t1]
                        cell += size * index[_SIZE + t2] * index[_SIZE + t3]
    levels[MAX_CARDS + 1] = cell


@compiled
def _code(index: Ints, leaders: int, others: int) -> int:
    return index[_CODE + index[_TERNARY + leaders] + 2 * index[_TERNARY + others]]


@compiled
def cell_of(index: Ints, leaders: int, others: int, trump: int) -> int:
    """The cell of two hands of up to 6 cards, as masks, when the holder of the first one leads."""
    if leaders == 0:
        return 0
    shift = trump << 3
    trumps = _code(index, (leaders >> shift) & _SUIT, (others >> shift) & _SUIT)
    # The plain suits: the first one takes the place of the trump suit.
    keep = ~(_SUIT << shift)
    own = (leaders & keep) | ((leaders & _SUIT) << shift)
    his = (others & keep) | ((others & _SUIT) << shift)
    a = _code(index, (own >> 8) & _SUIT, (his >> 8) & _SUIT)
    b = _code(index, (own >> 16) & _SUIT, (his >> 16) & _SUIT)
    c = _code(index, (own >> 24) & _SUIT, (his >> 24) & _SUIT)
    low, middle = min(a, b), max(a, b)
    high = max(middle, c)
    middle = min(middle, c)
    low, middle = min(low, middle), max(low, middle)
    place = (count(leaders) - 1) * NUM_TYPES + index[_TYPE + trumps]
    t1, t2, t3 = index[_TYPE + low], index[_TYPE + middle], index[_TYPE + high]
    cell = np.int64(index[_NUMBER + trumps]) * index[_SIZE + t1] + index[_NUMBER + low]
    cell = cell * index[_SIZE + t2] + index[_NUMBER + middle]
    cell = cell * index[_SIZE + t3] + index[_NUMBER + high]
    return cell + index[_OFFSET + (place * NUM_TYPES + t1) * NUM_TYPES + t2]


@compiled
def code_range(index: Ints, kind: int) -> tuple[int, int]:
    """The first code of a type and the one after its last."""
    first = int(index[_FIRST + kind])
    return first, first + int(index[_SIZE + kind])


@compiled
def canonical_masks(index: Ints, code: int) -> tuple[int, int]:
    """The leader's and the other's cards of a suit in the canonical form of a code, as ranks."""
    return int(index[_LEADERS + code]), int(index[_OTHERS + code])
