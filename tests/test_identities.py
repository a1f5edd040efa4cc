"""What holds for every finished deal, whoever played it.

Most of it is asked of many random deals of the kernel at once; what needs a look into the deal
is asked of deals played through the game.
"""

import random
from functools import cache

import numpy as np
import pytest

from marjolet_spiel import cards
from marjolet_spiel.rules import Rules
from marjolet_spiel.simulate import Playouts, play_random
from tests.reference import CATEGORIES, SET_VALUES
from tests.tables import GameTable, Script, View
from tests.test_lockstep import STYLES, labelled
from tests.test_match_rules import DEALS
from tests.variants import PROFILES, SMALL_PACKS, Params, each_profile, mostly_slow

NUM_DEALS = 20_000
MELDS, DIX, STOCK_END, LAST, SWEEP, BRISQUES = range(len(CATEGORIES))
RULES_PLAYED: tuple[Params, ...] = (
    *({"profile": profile} for profile in PROFILES),
    {"dix_play": "once_per_deal", "endgame_melds": "yes", "jack_queen": "suit_jack_marjolet"},
    {"dix_play": "unless_swapped", "four_of_a_kind": "bezique", "stock_end_bonus": "winner"},
    {"declaration": "disjoint", "jack_queen": "suit_jack_marriage", "sweep_bonus": 70},
    *SMALL_PACKS,
)
each_rules = pytest.mark.parametrize("params", [labelled(params) for params in RULES_PLAYED])


@cache
def playouts(rules: Rules) -> Playouts:
    """Many random deals under these rules."""
    return play_random(rules, NUM_DEALS, seed=20)


def brisques_in(rules: Rules) -> int:
    """Aces and tens in the pack."""
    return rules.num_suits * sum(rank in "AT" for rank in rules.ranks)


@each_rules
def test_both_totals_together(params: Params) -> None:
    rules = Rules.of(**params)
    points = playouts(rules).points
    both = points.sum(axis=1)
    rest = both[:, [MELDS, DIX, SWEEP]].sum(axis=1)
    assert np.array_equal(both.sum(axis=1), 10 * brisques_in(rules) + 10 + 10 + rest)
    assert np.all(both[:, STOCK_END] == 10)
    assert np.all(both[:, LAST] == 10)
    assert np.all(both[:, BRISQUES] == 10 * brisques_in(rules))


@each_rules
def test_every_score_is_a_multiple_of_ten(params: Params) -> None:
    points = playouts(Rules.of(**params)).points
    assert np.all(points % 10 == 0)
    assert np.all(points >= 0)


@each_rules
def test_return_is_the_point_difference(params: Params) -> None:
    deals = playouts(Rules.of(**params))
    totals = deals.points.sum(axis=2)
    assert np.array_equal(deals.returns[:, 0], totals[:, 0] - totals[:, 1])
    assert np.array_equal(deals.returns[:, 1], -deals.returns[:, 0])


@each_rules
def test_sweep_goes_with_the_last_trick(params: Params) -> None:
    rules = Rules.of(**params)
    points = playouts(rules).points
    swept = points[:, :, SWEEP] > 0
    assert swept.any()
    assert np.all(points[:, :, SWEEP][swept] == rules.sweep_bonus)
    assert np.all(points[:, :, LAST][swept] == 10)


@each_rules
def test_dix_of_a_deal(params: Params) -> None:
    rules = Rules.of(**params)
    deals = playouts(rules)
    dix, swapped = deals.points[:, :, DIX].sum(axis=1), deals.swaps == 1
    assert set(np.unique(deals.swaps)) == {0, 1}
    if rules.dix_play == "once_per_deal":
        assert np.all(dix == 10)
        return
    assert set(np.unique(dix)) == {10, 20}
    assert np.all(dix[swapped] == (20 if rules.dix_play == "always" else 10))
    turned_up = float(np.mean((dix == 20) & ~swapped))
    assert turned_up == pytest.approx(1 / len(rules.ranks), abs=0.015)


@each_rules
def test_melds_are_paid_once_and_at_their_value(params: Params) -> None:
    rules = Rules.of(**params)
    deals = playouts(rules)
    assert np.all(deals.melds.sum(axis=1) <= 1)
    values = SET_VALUES[rules.four_of_a_kind]
    least = np.zeros(deals.melds.shape[2], dtype=np.int64)
    for meld in rules.melds():
        first, second = cards.meld_name(meld, rules.num_suits).split("-")[:2]
        least[meld] = values[first[0]] if first[0] == second[0] else 20
    assert deals.melds[:, :, least == 0].sum() == 0
    extra = deals.points[:, :, MELDS] - deals.melds @ least
    assert set(np.unique(extra)) <= {0, 20, 40}  # marriage and marjolet of trumps


def test_spanish_deal_is_level_only_after_a_sweep() -> None:
    deals = playouts(Rules.of(profile="spanish"))
    level = deals.returns[:, 0] == 0
    assert level.any()
    assert np.all(deals.points[level][:, :, SWEEP].sum(axis=1) > 0)


@each_profile
def test_deal_has_at_most_55_moves_or_60(profile: str) -> None:
    bound = 60 if profile == "dutch" else 55
    decisions = playouts(Rules.of(profile=profile)).decisions
    assert decisions.min() >= bound - 13  # no swap and none of the twelve melds
    assert decisions.max() <= bound
    assert GameTable({"profile": profile}).game.max_game_length() == bound


@pytest.mark.parametrize(("profile", "bound"), [("english", 55), ("dutch", 60)])
def test_longest_deal_has_all_its_moves(profile: str, bound: int) -> None:
    deal = DEALS["M12"]
    table = GameTable({"profile": profile, "first_dealer": deal["dealer"]})
    script = Script(deal["hands"], deal["indicator"], deal["stock"], deal["dealer"])
    script.settle(table)
    moves, actions = 0, list(deal["actions"])
    while not table.state.is_terminal():
        extra_window = table.legal() == ["done"] and actions[0] != "done"
        table.apply("done" if extra_window else actions.pop(0))
        script.settle(table)
        moves += 1
    assert (moves, actions) == (bound, [])


@each_profile
def test_matches_end_with_a_winner_or_a_draw(profile: str) -> None:
    matches = play_random(Rules.of(profile=profile, target=300), 2_000, seed=21)
    assert set(np.unique(matches.returns)) <= {-1, 0, 1}
    assert np.all(matches.returns.sum(axis=1) == 0)
    assert matches.deals.max() > 1
    decided = matches.returns[:, 0] != 0
    assert np.all(matches.points.sum(axis=2).max(axis=1)[decided] >= 300)
    assert np.all(matches.deals[~decided] == 32)
    assert np.all(matches.points[:, :, LAST].sum(axis=1) >= 10 * (matches.deals - 1))


def play_deal(profile: str, number: int) -> tuple[View, View]:
    """One deal through the game: the lead to the first endgame trick, and the end."""
    rng, style = random.Random(f"{profile}-{number}"), STYLES[number % len(STYLES)]
    table = GameTable({"profile": profile})
    endgame: View = {}
    while not table.state.is_terminal():
        legal = table.legal()
        action = style.act(legal, rng) if legal else style.chance(table.chance(), rng)
        table.apply(action)
        if action == "done" and table.view()["trick"] == 11 and not endgame:
            endgame = table.view()
    return endgame, table.view()


each_number = pytest.mark.parametrize("deals", mostly_slow((120, 300), quick=(120,)))


@cache
def played(profile: str, deals: int) -> list[tuple[View, View]]:
    """Some deals of a profile, in every style."""
    return [play_deal(profile, number) for number in range(deals)]


@each_number
@each_profile
def test_follower_at_the_first_endgame_trick_holds_a_trump(profile: str, deals: int) -> None:
    for endgame, _ in played(profile, deals):
        follower = 1 - endgame["leader"]
        assert endgame["phase"] == "lead"
        assert endgame["current_player"] == endgame["leader"]
        assert any(card[1] == endgame["trump"] for card in endgame["hands"][follower])


@each_number
@each_profile
def test_dix_pays_again_only_where_the_profile_says_so(profile: str, deals: int) -> None:
    seen = set()
    for _, end in played(profile, deals):
        turned_up, swapped = end["turn_up"][0] == "7", end["swapped"]
        twice = {
            "spanish": False,
            "english": turned_up or swapped,
            "swedish": turned_up,
            "dutch": turned_up or swapped,
        }[profile]
        assert sum(points["dix"] for points in end["points"]) == (20 if twice else 10)
        seen.add((turned_up, swapped))
    assert seen == {(True, False), (False, True), (False, False)}
