"""Deals and seeds."""

from collections import Counter

from scipy.stats import chisquare

from marjolet_spiel.rules import Rules
from scripts.arena.plan.deals import PairDeals, bot_seed

PACK = Rules.of().pack


def test_deals_depend_on_root_pair_and_number() -> None:
    deals = {
        (root, pair, number): tuple(PairDeals(root, pair, PACK).order(number))
        for root in range(3)
        for pair in range(3)
        for number in range(1, 4)
    }
    assert len(set(deals.values())) == len(deals)
    late = PairDeals(1, 1, PACK)
    assert tuple(late.order(3)) == deals[1, 1, 3]
    assert tuple(late.order(1)) == deals[1, 1, 1]


def test_deals_are_the_whole_pack() -> None:
    small = Rules.of(num_suits=2, ranks="KQJ7", hand_size=3)
    order = PairDeals(1, 0, small.pack).order(1)
    assert sorted(order) == [2, 3, 4, 7, 10, 11, 12, 15]
    assert all(type(card) is int for card in order)


def test_deals_and_lots_are_uniform() -> None:
    deals = [PairDeals(7, pair, PACK) for pair in range(640)]
    assert chisquare(list(Counter(d.order(1)[0] for d in deals).values())).pvalue > 1e-4
    assert chisquare(list(Counter(d.dealer for d in deals).values())).pvalue > 1e-4


def test_bots_have_seeds_of_their_own() -> None:
    seeds = [
        bot_seed(1, pair, seating, *two)
        for pair in range(4)
        for seating in range(2)
        for two in ((0, 1), (1, 0), (0, 2), (2, 0))
    ]
    assert len(set(seeds)) == len(seeds)
    assert all(0 <= seed < 2**63 for seed in seeds)


def test_seeds_stay_as_they_are() -> None:
    """Stored results can be repeated only as long as these numbers do not change."""
    deals = PairDeals(1, 0, PACK)
    assert bot_seed(1, 0, 0, 0, 1) == 7120004681921194799
    assert deals.dealer == 1
    assert deals.order(1)[:6] == [28, 8, 29, 20, 3, 11]
