"""What bots read of a state: all that a seat may see, and nothing else."""

from dataclasses import fields

import numpy as np
import pytest

from bots.registry import make_bot
from bots.view import SeatView, seat_view
from marjolet_spiel.cards import bits, mask_of, names_of, parse_cards
from marjolet_spiel.kernel import PHASE_NAMES
from tests.bots.positions import FAIR_PLAYERS, VARIANTS, State, decisions, walk
from tests.tables import Params

each_variant = pytest.mark.parametrize("params", VARIANTS.values(), ids=VARIANTS.keys())


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


@each_variant
@pytest.mark.parametrize("name", FAIR_PLAYERS)
def test_bots_know_nothing_but_their_view(params: Params, name: str) -> None:
    """The same action in every world of an information state, in every position of some games."""
    rng = np.random.default_rng(2)
    for seed in range(5, 8):
        for state in decisions(params, seed):
            player, game = state.current_player(), state.get_game()
            truth = make_bot(name, game, player, seed).step_with_policy(state)
            for _ in range(2):
                world = state.resample_from_infostate(player, rng)
                bot = make_bot(name, game, player, seed)
                assert bot.get_policy(world) == truth[0]
                assert bot.step(world) == truth[1]
