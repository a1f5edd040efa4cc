"""What bots read of a state: all that a seat may see, and nothing else."""

from dataclasses import fields
from typing import Any

import numpy as np
import pytest

from bots.view import SeatView, seat_view
from marjolet_spiel.cards import bits, mask_of, names_of, parse_cards
from marjolet_spiel.kernel import PHASE_NAMES
from tests.bots.quick import FAIR_PLAYERS, SEARCHES, bot_for
from tests.positions import State, decisions, walk
from tests.variants import COVERING, VARIANTS, Params, each_variant


@each_variant
def test_views_are_equal_for_all_worlds_of_an_information_state(params: Params) -> None:
    rng = np.random.default_rng(1)
    for state in walk(params, 1):
        for player in range(2):
            view = seat_view(state, player)
            for _ in range(3):
                assert seat_view(state.resample_from_infostate(player, rng), player) == view


def test_views_are_those_of_the_open_game_too() -> None:
    for state in decisions({}, 2):
        for player in range(2):
            assert seat_view(state.open_world(1, player), player) == seat_view(state, player)


def check_view(view: SeatView, state: State) -> None:
    """A view says what the observation of the state says."""
    player, other = view.player, 1 - view.player
    seen = state.to_observation_struct(player).to_dict()
    assert PHASE_NAMES[view.phase] == seen["phase"]
    assert names_of(view.hand) == seen["hands"][player]
    assert view.his_count == seen["hands"][other]
    assert names_of(view.own_known) == seen["known"][player]
    assert names_of(view.his_known) == seen["known"][other]
    assert names_of(view.own_captured) == seen["captured"][player]
    assert names_of(view.his_captured) == seen["captured"][other]
    assert view.stock_left == seen["stock_left"]
    assert [view.own_wins, view.his_wins] == [seen["last_tricks"][p] for p in (player, other)]
    totals = [seen["scores"][p] + seen["deal_points"][p] for p in range(2)]
    assert [view.own_total, view.his_total] == [totals[player], totals[other]]
    for name in ("dealer", "trick", "leader", "swapped"):
        assert getattr(view, name) == seen[name]
    for name in ("led", "turn_up", "indicator"):
        shown = names_of(mask_of([getattr(view, name)])) if getattr(view, name) >= 0 else [""]
        assert shown == [seen[name]]
    assert view.declared.bit_count() == sum(map(len, seen["declared"]))
    assert view.window.bit_count() == len(seen["window"])
    rest = {"player", "legal", "stock_tricks", "num_tricks", "trump", "unseen"}
    assert rest < {field.name for field in fields(SeatView)}


@each_variant
def test_views_say_what_observations_say(params: Params) -> None:
    for state in decisions(params, 3):
        for player in range(2):
            view = seat_view(state, player)
            check_view(view, state)
            on_turn = state.current_player() == player
            assert bits(view.legal) == (state.legal_actions() if on_turn else [])


@each_variant
def test_unseen_cards_are_his_and_those_face_down(params: Params) -> None:
    for state in decisions(params, 4):
        truth = state.to_dict()
        for player in range(2):
            view = seat_view(state, player)
            hand = parse_cards(truth["hands"][1 - player])
            assert view.unseen == (hand & ~view.his_known) | parse_cards(truth["stock"])
            if not view.stock_open:
                assert view.his_hand == hand


def thoughts(name: str, state: State, seed: int) -> tuple[Any, str]:
    """What a bot does, and what it thinks of each action."""
    bot = bot_for(name, state, seed)
    searches = len(state.legal_actions()) > 1 and hasattr(bot, "evaluate")
    weigh = bot.evaluate if searches else bot.get_policy
    return bot.step(state), str(weigh(state))


SOME = ("spanish, marriages of jacks", "match on a small pack")
"""What searches are asked by default."""
PLAYED = [
    pytest.param(
        *(name, params),
        id=f"{name}-{variant}",
        marks=[] if variant in (SOME if name in SEARCHES else COVERING) else [pytest.mark.slow],
    )
    for name in FAIR_PLAYERS
    for variant, params in VARIANTS.items()
]


@pytest.mark.parametrize(("name", "params"), PLAYED)
def test_bots_know_nothing_but_their_view(name: str, params: Params) -> None:
    """The same in every world of an information state; slow bots are asked less often."""
    rng = np.random.default_rng(2)
    games, step = (1, 3) if name.startswith("os_") else (2, 2) if name in SEARCHES else (3, 1)
    for seed in range(5, 5 + games):
        for state in decisions(params, seed)[::step]:
            truth = thoughts(name, state, seed)
            for _ in range(2):
                world = state.resample_from_infostate(state.current_player(), rng)
                assert thoughts(name, world, seed) == truth
