"""Plans, deals and seeds."""

from collections import Counter
from itertools import combinations

import pytest
from scipy.stats import chisquare

from marjolet_spiel.rules import Rules
from scripts.arena.plan.config import make_config
from scripts.arena.plan.deals import PairDeals, bot_seed
from scripts.arena.plan.game_text import game_text, load_game, parse_game
from scripts.arena.plan.pairings import Plan

BOTS = ["random", "greedy", "random:seed=4"]


def plan(**changes: object) -> Plan:
    """A plan like no other in what is changed."""
    values: dict[str, object] = {"game": "python_marjolet", "bots": BOTS, "pairs": 25, "seed": 1}
    return Plan(make_config(**{**values, "block_pairs": 10, **changes}))  # type: ignore[arg-type]


def test_blocks_cover_every_pair_of_every_pairing_once() -> None:
    blocks = plan().blocks
    assert [block.index for block in blocks] == list(range(9))
    played = Counter((b.first, b.second, pair) for b in blocks for pair in b.pairs)
    wanted = {(*two, pair) for two in combinations(range(3), 2) for pair in range(25)}
    assert set(played) == wanted
    assert set(played.values()) == {1}
    assert [block.num_pairs for block in blocks] == [10] * 6 + [5] * 3
    assert plan().num_games == 2 * 25 * 3


def test_every_pairing_gets_on_alike() -> None:
    """Any beginning of the plan has about as many pairs of each pairing."""
    assert [(b.first, b.second) for b in plan().blocks[:3]] == [(0, 1), (0, 2), (1, 2)]


def test_longer_plans_begin_as_shorter_ones() -> None:
    assert plan(pairs=40).blocks[:6] == plan().blocks[:6]


def test_hash_tells_plans_apart() -> None:
    plans = [
        plan(),
        plan(game="python_marjolet(profile=dutch)"),
        plan(bots=BOTS[:2]),
        plan(bots=BOTS[::-1]),
        plan(pairs=26),
        plan(seed=2),
        plan(block_pairs=5),
    ]
    assert len({p.hash for p in plans}) == len(plans)
    assert len(plan().hash) == 64
    same = plan(
        game=" python_marjolet( profile=english, target=0 )",
        bots=["random", "greedy", "random: seed = 4"],
    )
    assert same == plan()
    assert same.hash == plan().hash


WRONG = {
    "no bots": ({"bots": []}, "bots: none is not enough"),
    "one bot": ({"bots": ["greedy"]}, "bots: 'greedy' alone is not enough"),
    "twice": ({"bots": ["random:seed=1"] * 2}, "'random:seed=1' is named twice"),
    "unknown bot": ({"bots": ["random", "x"]}, "bot: 'x' is unknown"),
    "pairs": ({"pairs": 0}, "pairs: 0 is not allowed"),
    "half a pair": ({"pairs": 1.5}, "pairs: 1.5 is not allowed"),
    "seed": ({"seed": -1}, "seed: -1 is not allowed"),
    "large seed": ({"seed": 2**63}, "seed: .* is not allowed"),
    "blocks": ({"block_pairs": 0}, "block_pairs: 0 is not allowed"),
    "other game": ({"game": "euchre"}, "game: 'euchre' is not allowed"),
    "open game": ({"game": "python_marjolet_open"}, "game: .* is not allowed"),
    "open bracket": ({"game": "python_marjolet(target=3"}, "game: .* is not allowed"),
    "no value": ({"game": "python_marjolet(target)"}, "'target' is not allowed; parameters read"),
    "twice given": ({"game": "python_marjolet(target=3,target=4)"}, "target is given twice"),
    "no number": ({"game": "python_marjolet(target=x)"}, "target: 'x' is not allowed"),
    "parameter": ({"game": "python_marjolet(x=1)"}, "parameter: 'x' is unknown"),
    "profile": ({"game": "python_marjolet(profile=x)"}, "profile: 'x' is not allowed"),
}


@pytest.mark.parametrize(("changes", "why"), WRONG.values(), ids=WRONG.keys())
def test_wrong_configurations_are_refused(changes: dict[str, object], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        plan(**changes)


@pytest.mark.parametrize("bot", ["ismcts:sims=5,time=1", "policy"])
def test_bots_that_cannot_be_made_are_refused(bot: str) -> None:
    """All their games would be forfeits."""
    with pytest.raises(ValueError, match=r"sims and time|needs a file"):
        plan(bots=["random", bot])


def test_games_are_written_in_one_way() -> None:
    text = "python_marjolet(profile=dutch,target=300)"
    assert game_text(parse_game("python_marjolet(target=300, profile=dutch,max_deals=32)")) == text
    assert game_text(parse_game(text)) == text
    assert game_text(parse_game("python_marjolet()")) == "python_marjolet"
    assert load_game(text).rules == Rules.of(profile="dutch", target=300)
    assert load_game(text) is load_game(text)


# --- deals and seeds ----------------------------------------------------------------------------

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
