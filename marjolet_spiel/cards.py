"""Cards and melds of the piquet pack: ids, names and bit masks.

A card is ``suit * 8 + rank`` with suits S H D C and ranks A T K Q J 9 8 7 from high to low, so a
smaller id within a suit is a higher card. The ids are the same in every pack, small or whole.
A set of cards is an integer whose bit ``i`` stands for card ``i``.

A meld is a number below 25 (``NUM_MELDS``): 0-4 the sets of aces, tens, kings, queens and jacks;
5-8 king and queen of S, H, D, C; 9-24 jack and queen, by the jack's suit, then by the queen's.
"""

from collections.abc import Iterable
from functools import cache

SUITS = "SHDC"
RANKS = "ATKQJ987"
SUIT_SIZE = len(RANKS)
NUM_CARDS = len(SUITS) * SUIT_SIZE
ACE, TEN, KING, QUEEN, JACK, NINE, EIGHT, SEVEN = range(SUIT_SIZE)

CARD_NAMES = tuple(rank + suit for suit in SUITS for rank in RANKS)
_CARD_IDS = {name: card for card, name in enumerate(CARD_NAMES)}

NUM_SETS = 5
FIRST_MARRIAGE = NUM_SETS
FIRST_JACK_QUEEN = FIRST_MARRIAGE + len(SUITS)
NUM_MELDS = FIRST_JACK_QUEEN + len(SUITS) ** 2


def card_name(card: int) -> str:
    """The name of a card, such as ``AS`` for 0."""
    return CARD_NAMES[card]


def parse_card(text: str) -> int:
    """The id of the card called `text`; ValueError if there is none."""
    card = _CARD_IDS.get(text)
    if card is None:
        raise ValueError(
            f"card: {text!r} is not a card; a card is a rank of {RANKS} and a suit of {SUITS}, "
            "such as 'AS' or '7D'"
        )
    return card


_CHUNK = 10
_B0, _B1, _B2, _B3, _B4, _B5 = (
    [tuple(base + i for i in range(_CHUNK) if chunk >> i & 1) for chunk in range(1 << _CHUNK)]
    for base in range(0, 60, _CHUNK)
)


def bits(mask: int) -> list[int]:
    """The set bits of a mask below 2^60, ascending: its cards, melds or actions.

    By tables, as it is asked at each step of a game.
    """
    if mask < 1 << 40:
        return [
            *_B0[mask & 1023],
            *_B1[mask >> 10 & 1023],
            *_B2[mask >> 20 & 1023],
            *_B3[mask >> 30],
        ]
    if mask & (mask - 1) == 0:  # most windows: nothing but closing it
        return [int(mask).bit_length() - 1]
    return [*bits(mask & (1 << 40) - 1), *_B4[mask >> 40 & 1023], *_B5[mask >> 50]]


def names_of(mask: int) -> list[str]:
    """The names of the cards of a bit mask in ascending order of their ids."""
    return [CARD_NAMES[card] for card in bits(mask)]


def mask_of(cards: Iterable[int]) -> int:
    """The bit mask of the given cards."""
    mask = 0
    for card in cards:
        mask |= 1 << card
    return mask


BRISQUES = mask_of(suit * SUIT_SIZE + rank for suit in range(len(SUITS)) for rank in (ACE, TEN))
"""The aces and tens, which count 10 each for who captures them."""


def parse_cards(names: Iterable[str]) -> int:
    """The bit mask of the named cards; ValueError for a bad name or one named twice."""
    mask = 0
    for name in names:
        bit = 1 << parse_card(name)
        if mask & bit:
            raise ValueError(f"card: {name} is named twice")
        mask |= bit
    return mask


@cache
def pack_mask(num_suits: int, ranks: str) -> int:
    """The cards of a pack of the first `num_suits` suits and the given ranks, as a bit mask."""
    return mask_of(
        suit * SUIT_SIZE + RANKS.index(rank) for suit in range(num_suits) for rank in ranks
    )


def meld_cards(meld: int, num_suits: int = len(SUITS)) -> tuple[int, ...]:
    """The cards of a meld in the order of its name; sets have a card of each of `num_suits`."""
    if meld < FIRST_MARRIAGE:
        return tuple(suit * SUIT_SIZE + meld for suit in range(num_suits))
    if meld < FIRST_JACK_QUEEN:
        suit = (meld - FIRST_MARRIAGE) * SUIT_SIZE
        return suit + KING, suit + QUEEN
    jack, queen = divmod(meld - FIRST_JACK_QUEEN, len(SUITS))
    return jack * SUIT_SIZE + JACK, queen * SUIT_SIZE + QUEEN


def meld_name(meld: int, num_suits: int = len(SUITS)) -> str:
    """The name of a meld: its cards, such as ``QS-QH-QD-QC``, ``KS-QS`` or ``JD-QS``."""
    return "-".join(CARD_NAMES[card] for card in meld_cards(meld, num_suits))


def parse_meld(text: str, num_suits: int = len(SUITS)) -> int:
    """The meld called `text`; ValueError if there is none."""
    for meld in range(NUM_MELDS):
        if meld_name(meld, num_suits) == text:
            return meld
    raise ValueError(
        f"meld: {text!r} is not a meld of {num_suits} suits; sets are named in the order "
        f"S-H-D-C ('{meld_name(QUEEN, num_suits)}'), pairs with the king or jack first ('KS-QS')"
    )
