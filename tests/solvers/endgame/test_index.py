"""The cells of the endgame table: one for each position up to what makes no difference."""

import random
from itertools import combinations
from math import comb

import numpy as np
import pytest

from marjolet_spiel.cards import NUM_CARDS, RANKS, SUITS, bits, mask_of, names_of
from marjolet_spiel.solvers.endgame.build import LAYERS, LEADER_SWEEPS, fill
from marjolet_spiel.solvers.endgame.index import MAX_CARDS, NUM_TYPES, cell_of, make_index

UNTOUCHED = 99
INDEX, LEVELS = make_index()

Deal = tuple[int, int, int]  # the leader's hand, the other's, trumps
Form = tuple[str, ...]
Counts = dict[tuple[int, int], int]


# --- counting on paper --------------------------------------------------------------------------


def suits_by_cards() -> Counts:
    """How many suits there are up to rank compression, by cards of the leader and of the other.

    Which of the cards from the top are whose, and how many of them are brisques: at most two, and
    at most six of the others.
    """
    return {
        (own, his): comb(own + his, own)
        * sum(own + his - brisques <= 6 for brisques in range(min(2, own + his) + 1))
        for own in range(MAX_CARDS + 1)
        for his in range(MAX_CARDS + 1)
    }


def times(a: Counts, b: Counts) -> Counts:
    """All ways to have one of each, by the cards of both."""
    product: Counts = {}
    for (own0, his0), n0 in a.items():
        for (own1, his1), n1 in b.items():
            key = (own0 + own1, his0 + his1)
            product[key] = product.get(key, 0) + n0 * n1
    return product


def repeated(a: Counts, times: int) -> Counts:
    """Suits that are the same `times` times."""
    return {(own * times, his * times): n for (own, his), n in a.items()}


def positions_of(cards: int) -> int:
    """Positions of so many cards a hand when each plain suit has a name."""
    suit = suits_by_cards()
    return times(times(suit, suit), times(suit, suit))[cards, cards]


def positions_up_to_symmetry(cards: int) -> int:
    """The same when plain suits have no names, by Burnside's lemma on their 6 permutations."""
    suit, all_four = suits_by_cards(), (cards, cards)
    none_moved = times(times(suit, suit), suit)
    two_swapped = times(repeated(suit, 2), suit)
    all_moved = repeated(suit, 3)
    fixed = [times(suit, plain)[all_four] for plain in (none_moved, two_swapped, all_moved)]
    total = fixed[0] + 3 * fixed[1] + 2 * fixed[2]
    assert total % 6 == 0
    return total // 6


def test_numbers_of_positions_of_six_cards() -> None:
    assert positions_of(6) == 10_952_172
    assert positions_up_to_symmetry(6) == 1_881_378


def test_table_has_a_cell_for_each_position_and_fills_it() -> None:
    values = np.full((LAYERS, LEVELS[-1]), UNTOUCHED, dtype=np.int8)
    values[:, 0] = 0
    values[LEADER_SWEEPS, 0] = 5
    for cards in range(1, MAX_CARDS + 1):
        for kind in range(NUM_TYPES):
            fill(INDEX, values, cards, kind)
        level = values[:, LEVELS[cards] : LEVELS[cards + 1]]
        filled = (level != UNTOUCHED).sum(axis=1)
        assert filled.tolist() == [positions_up_to_symmetry(cards)] * LAYERS


# --- the slow canonical form --------------------------------------------------------------------


def canonical(deal: Deal) -> Form:
    """Trumps and the sorted plain suits as words from the highest card down.

    L and O are brisques of the leader and the other, l and o other cards.
    """
    leaders, others, trump = deal
    owners = dict.fromkeys(names_of(leaders), "lL") | dict.fromkeys(names_of(others), "oO")
    words = [
        "".join(owners[rank + suit][rank in "AT"] for rank in RANKS if rank + suit in owners)
        for suit in SUITS
    ]
    return words.pop(trump), *sorted(words)


def cell(deal: Deal) -> int:
    """Where the table has a position."""
    return int(cell_of(INDEX, *deal))


def random_deal(rng: random.Random, cards: int, pack: list[int]) -> Deal:
    """Two hands from some cards."""
    chosen = rng.sample(pack, 2 * cards)
    return mask_of(chosen[:cards]), mask_of(chosen[cards:]), rng.randrange(4)


def twin(rng: random.Random, deal: Deal) -> Deal:
    """A position that differs by names of suits and by ranks that are gone only."""
    leaders, others, trump = deal
    suits = rng.sample(range(4), 4)
    moved = {}
    for suit in range(4):
        ranks = [card & 7 for card in bits(leaders | others) if card >> 3 == suit]
        brisques = sum(rank < 2 for rank in ranks)
        chosen = [
            *sorted(rng.sample(range(2), brisques)),
            *sorted(rng.sample(range(2, 8), len(ranks) - brisques)),
        ]
        for rank, other in zip(ranks, chosen, strict=True):
            moved[8 * suit + rank] = 8 * suits[suit] + other
    hands = [mask_of(moved[card] for card in bits(hand)) for hand in (leaders, others)]
    return hands[0], hands[1], suits[trump]


def check_one_to_one(deals: list[Deal]) -> dict[Form, int]:
    """One cell for each canonical form, and one form for each cell."""
    cells: dict[Form, int] = {}
    forms: dict[int, Form] = {}
    for deal in deals:
        form, place = canonical(deal), cell(deal)
        assert cells.setdefault(form, place) == place, (names_of(deal[0]), names_of(deal[1]))
        assert forms.setdefault(place, form) == form, (names_of(deal[0]), names_of(deal[1]))
    return cells


@pytest.mark.parametrize("cards", [1, 2])
def test_all_deals_of_few_cards(cards: int) -> None:
    """All of the whole pack: they are as many as on paper."""
    pack = range(NUM_CARDS)
    hands = [mask_of(hand) for hand in combinations(pack, cards)]
    deals = [(own, his, 2) for own in hands for his in hands if not own & his]
    cells = check_one_to_one(deals)
    assert len(cells) == positions_up_to_symmetry(cards)
    assert all(LEVELS[cards] <= place < LEVELS[cards + 1] for place in cells.values())


@pytest.mark.parametrize("cards", range(1, MAX_CARDS + 1))
def test_random_deals_share_a_cell_if_they_are_the_same_up_to_names(cards: int) -> None:
    """From the whole pack and from few cards, where many are the same."""
    rng = random.Random(cards)
    deals = [random_deal(rng, cards, [*range(NUM_CARDS)]) for _ in range(3000)]
    deals += [random_deal(rng, cards, rng.sample(range(NUM_CARDS), 2 * cards)) for _ in range(1000)]
    few = [*range(3), *range(8, 12), *range(16, 20), *range(24, 28)]
    deals += [random_deal(rng, cards, few) for _ in range(3000)]
    deals += [twin(rng, deal) for deal in deals]
    cells = check_one_to_one(deals)
    assert all(LEVELS[cards] <= place < LEVELS[cards + 1] for place in cells.values())
    assert len(cells) < len(deals) / 2 + 1


def test_cell_depends_on_who_leads() -> None:
    """In nearly every deal: not if the hands mirror each other."""
    rng = random.Random(1)
    deals = [random_deal(rng, 6, [*range(NUM_CARDS)]) for _ in range(1000)]
    turned = [(his, own, trump) for own, his, trump in deals]
    same = [cell(a) == cell(b) for a, b in zip(deals, turned, strict=True)]
    assert same == [canonical(a) == canonical(b) for a, b in zip(deals, turned, strict=True)]
    assert sum(same) < 10


def test_without_cards_there_is_one_cell() -> None:
    assert {cell((0, 0, trump)) for trump in range(4)} == {0}
    assert LEVELS[0] == 0
    assert LEVELS[1] == 1
