"""How ISMCTS spreads the hidden cards of a world."""

import itertools
from collections import Counter

from scipy.stats import chisquare

from marjolet_spiel import kernel
from marjolet_spiel.cards import bits, mask_of
from marjolet_spiel.sampling import generator
from marjolet_spiel.solvers.search.simulation import determinize
from tests.positions import State, decisions, stock_choices


def splits(state: State, player: int, pinned: bool, draws: int) -> Counter[int]:
    """How often the opponent gets which hand."""
    rng, found = generator(5), Counter[int]()
    for _ in range(draws):
        pos = state.position()
        determinize(pos, player, pinned, rng)
        assert pos[kernel.HAND1 - player] & pos[kernel.DOWN] == 0
        found[int(pos[kernel.HAND1 - player])] += 1
    return found


def hands_of(pool: int, size: int, known: int = 0) -> set[int]:
    """Every hand of some known cards and `size` of a pool."""
    return {mask_of(hand) | known for hand in itertools.combinations(bits(pool), size)}


def test_every_split_of_the_hidden_cards_is_equally_likely() -> None:
    state = decisions({"num_suits": 2, "ranks": "AKQJ7", "hand_size": 2, "first_dealer": 0}, 1)[0]
    player, pos = state.current_player(), state.core.pos
    pool = int(pos[kernel.HAND1 - player] | pos[kernel.DOWN])
    found = splits(state, player, True, 21 * 300)
    assert set(found) == hands_of(pool, 2)
    assert chisquare(list(found.values())).pvalue > 1e-4


def test_known_cards_stay_where_they_are_if_pinned() -> None:
    tried = 0
    for seed in range(60):
        for state in stock_choices({"num_suits": 2, "ranks": "AKQJ7", "hand_size": 3}, seed):
            player, pos = state.current_player(), state.core.pos
            hand, known = int(pos[kernel.HAND1 - player]), int(pos[kernel.KNOWN1 - player])
            hidden, down = hand & ~known, int(pos[kernel.DOWN])
            if known and hidden and down:
                pinned = hands_of(hidden | down, hidden.bit_count(), known)
                loose = hands_of(hand | down, hand.bit_count())
                assert len(pinned) < len(loose)
                for wanted, counts in (
                    (pinned, splits(state, player, True, 200 * len(pinned))),
                    (loose, splits(state, player, False, 200 * len(loose))),
                ):
                    assert set(counts) == wanted
                    assert chisquare(list(counts.values())).pvalue > 1e-5
                tried += 1
    assert tried > 5
