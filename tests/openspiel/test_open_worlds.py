"""Worlds of the open game, and the deals that it is given or makes by itself."""

import random
from collections import Counter
from itertools import count, permutations
from typing import Any

import numpy as np
import pyspiel
import pytest

from tests.openspiel.chances import assert_chances, equally_likely
from tests.openspiel.nodes import at, decisions, find, moves
from tests.openspiel.walks import OPEN, choose, each_player, kind_of, load, replay, unseen, walk
from tests.variants import AKQJ7, KQJ7, MATCH, SMALL_MATCH, Params, each_variant


def without_stock(view: dict[str, Any]) -> dict[str, Any]:
    """A position but for the order of the face-down cards."""
    return {**view, "stock": sorted(view["stock"])}


@each_variant
def test_open_world_is_the_same_position(params: Params) -> None:
    for state in decisions(load(params), 5):
        world = state.open_world(3)
        assert world.get_game().get_type().short_name == OPEN
        assert without_stock(world.to_dict()) == without_stock(state.to_dict())
        assert world.current_player() == state.current_player()
        assert world.legal_actions() == state.legal_actions()
        assert world.returns() == state.returns()
        players_moves = [move for move in moves(state) if move[0] >= 0]
        assert moves(world) == players_moves


@each_player
@each_variant
def test_open_world_of_a_player_is_what_he_sees(params: Params, player: int) -> None:
    other = 1 - player
    for state in decisions(load(params), 6):
        seen = state.to_observation_struct(player).to_dict()
        view = state.open_world(4, player).to_dict()
        view["observer"] = player
        view["hands"][other] = len(view["hands"][other])
        view["stock"] = len(view["stock"])
        assert view == seen


@each_player
@each_variant
def test_open_world_is_replayed_from_its_own_parameters(params: Params, player: int) -> None:
    for state in decisions(load(params), 7)[::4]:
        for world in (state.open_world(5), state.open_world(5, player)):
            game = pyspiel.load_game(OPEN, world.get_game().get_parameters())
            again = replay(game, world.history())
            assert str(again) == str(world)
            assert again.to_dict() == world.to_dict()
            assert moves(again) == moves(world)
            assert again.information_state_string(0) == world.information_state_string(0)
            text = pyspiel.serialize_game_and_state(world.get_game(), world)
            assert str(pyspiel.deserialize_game_and_state(text)[1]) == str(world)


@each_variant
def test_open_world_plays_on_as_the_hidden_game_does(params: Params) -> None:
    """Whatever is drawn in the open world is a possible draw of the hidden game."""
    nodes = decisions(load(params), 8)
    for state in nodes[:: max(1, len(nodes) // 6)]:
        world, rng = state.open_world(6), random.Random(6)
        same_deal = world.to_dict()["deal_number"]
        while not world.is_terminal() and world.to_dict()["deal_number"] == same_deal:
            assert not world.is_chance_node()
            assert world.legal_actions() == state.legal_actions()
            action, drawn = (
                choose(world, rng),
                [f"draw {card}" for card in world.to_dict()["stock"]],
            )
            world.apply_action(action)
            state.apply_action(action)
            while state.is_chance_node() and kind_of(state) == "draw":
                state.apply_action(state.string_to_action(drawn.pop(0)))
        if world.is_terminal():
            assert without_stock(world.to_dict()) == without_stock(state.to_dict())
            assert world.returns() == state.returns()


@each_variant
def test_open_world_is_deterministic(params: Params) -> None:
    nodes = decisions(load(params), 9)
    world = nodes[len(nodes) // 2].open_world(7, 0)
    twin, rng = world.clone(), random.Random(7)
    while not world.is_terminal():
        action = choose(world, rng)
        world.apply_action(action)
        twin.apply_action(action)
        assert str(world) == str(twin)
    assert twin.returns() == world.returns()


@each_variant
def test_open_world_of_a_chance_node_is_a_later_decision(params: Params) -> None:
    for state in walk(load(params), 10):
        if state.is_chance_node():
            world = state.open_world(8)
            assert not world.is_chance_node()
            assert moves(world) == [move for move in moves(state) if move[0] >= 0]
            before, after = state.to_dict(), world.to_dict()
            for hand, later in zip(before["hands"], after["hands"], strict=True):
                assert set(hand) <= set(later)


@each_player
def test_orders_of_the_stock_are_equally_likely(player: int) -> None:
    state = find({}, at("lead", 9))[0]
    rng = np.random.default_rng(2)
    orders = equally_likely(permutations(state.to_dict()["stock"]))
    assert len(orders) == 6
    assert_chances(orders, lambda: tuple(state.open_world(rng).to_dict()["stock"]), 600)
    cards = equally_likely(unseen(state.to_dict(), player))
    assert_chances(cards, lambda: state.open_world(rng, player).to_dict()["stock"][0], 600)


@each_player
@each_variant
def test_open_worlds_of_set_up_positions(params: Params, player: int) -> None:
    game = load(params)
    for origin in decisions(game, 11)[::4]:
        state = game.new_initial_state(origin.to_dict())
        for world in (state.open_world(9), state.open_world(9, player)):
            assert moves(world) == []
            view, seen = world.to_dict(), state.to_observation_struct(player).to_dict()
            assert view["hands"][player] == seen["hands"][player]
            assert len(view["stock"]) == seen["stock"]
            again = world.get_game().new_initial_state(view)
            assert str(again) == str(world)
            rng = random.Random(9)
            while not world.is_terminal():
                action = choose(world, rng)
                assert again.legal_actions() == world.legal_actions()
                world.apply_action(action)
                again.apply_action(action)
            assert again.returns() == world.returns()


@each_variant
def test_open_worlds_of_set_up_chance_nodes(params: Params) -> None:
    game = load(params)
    for origin in walk(game, 13):
        if origin.is_chance_node():
            state = game.new_initial_state(origin.to_dict())
            world, before = state.open_world(9), state.to_dict()
            assert world.is_player_node()
            for hand, later in zip(before["hands"], world.to_dict()["hands"], strict=True):
                assert set(hand) <= set(later)
            rng = random.Random(9)
            while not world.is_terminal():
                world.apply_action(choose(world, rng))


@pytest.mark.parametrize("seed", range(4))
def test_open_world_of_a_set_up_match_is_replayed_over_deals(seed: int) -> None:
    """The deals after the one that was set up come from the parameters of the world."""
    game, rng = load({"profile": "dutch", "target": 500, "max_deals": 4}), random.Random(seed)
    late = at("lead", 10, lambda state: state.to_dict()["deal_number"] == 1 + seed % 2)
    origin = next(state for state in walk(game, seed) if late(state))
    state, view = game.new_initial_state(origin.to_dict()), origin.to_dict()
    while state.to_dict()["deal_number"] < view["deal_number"] + 2 and not state.is_terminal():
        state.apply_action(choose(state, rng))
        if state.is_player_node():
            world = state.open_world(1)
            again = world.get_game().new_initial_state(view)
            for action in world.history():
                again.apply_action(action)
            assert str(again) == str(world)
            assert again.to_dict() == world.to_dict()


def test_open_states_are_their_own_worlds() -> None:
    for state in walk(load({}, OPEN), 12):
        for world in (state.open_world(1), state.resample_from_infostate(0, 1)):
            assert world.history() == state.history()
            assert str(world) == str(state)


# --- the deals of the open game -------------------------------------------------------------------


SMALL_DEAL = "KSQS7H JSKH7S QH JH".replace(" ", "")


def test_given_deal_is_dealt() -> None:
    game = load({**KQJ7, "first_dealer": 0, "deal": SMALL_DEAL}, OPEN)
    view = game.new_initial_state().to_dict()
    assert view["hands"] == [["JS", "7S", "KH"], ["KS", "QS", "7H"]]
    assert view["turn_up"] == "QH"
    assert view["stock"] == ["JH"]
    assert view["current_player"] == 1


def test_stock_is_drawn_in_the_given_order() -> None:
    game = load({**AKQJ7, "first_dealer": 1, "deal": "ASKSQSAHKHQH7SJSJH7H"}, OPEN)
    state = game.new_initial_state()
    assert state.to_dict()["stock"] == ["JS", "JH", "7H"]
    for action in ("play AS", "play QH", "done"):
        state.apply_action(state.string_to_action(action))
    assert state.to_dict()["hands"] == [["KS", "QS", "JS"], ["AH", "KH", "JH"]]
    assert state.to_dict()["stock"] == ["7H"]


def test_each_given_deal_of_a_match_is_dealt() -> None:
    other = "7HJHQH KHKSQS JS 7S".replace(" ", "")
    game = load({**SMALL_MATCH, "first_dealer": 0, "deal": SMALL_DEAL + other}, OPEN)
    state, rng = game.new_initial_state(), random.Random(1)
    while state.to_dict()["deal_number"] == 1:
        state.apply_action(choose(state, rng))
    assert state.to_dict()["hands"] == [["QH", "JH", "7H"], ["KS", "QS", "KH"]]
    assert state.to_dict()["turn_up"] == "JS"


def first_deals(params: Params) -> str:
    """All that the open game decides by itself before the first action."""
    return str(load(params, OPEN).new_initial_state())


def test_seeds_make_the_deals() -> None:
    deals = [first_deals({"deal_seed": seed}) for seed in range(50)]
    assert deals == [first_deals({"deal_seed": seed}) for seed in range(50)]
    assert len(set(deals)) == 50
    dealers = Counter(deal.splitlines()[0] for deal in deals)
    assert len(dealers) == 2
    assert min(dealers.values()) > 10


def test_seeds_make_another_deal_each_time() -> None:
    state, rng = load(MATCH, OPEN).new_initial_state(), random.Random(2)
    hands = {}
    while not state.is_terminal():
        view = state.to_dict()
        hands.setdefault(view["deal_number"], tuple(map(tuple, view["hands"])))
        state.apply_action(choose(state, rng))
    assert len(hands) > 1
    assert len(set(hands.values())) == len(hands)


def test_seeded_deals_are_uniform() -> None:
    params = {**KQJ7, "first_dealer": 0}
    seeds = count()
    assert_chances(
        equally_likely(["KS", "QS", "JS", "7S", "KH", "QH", "JH", "7H"]),
        lambda: (
            load({**params, "deal_seed": next(seeds)}, OPEN)
            .new_initial_state()
            .to_dict()["turn_up"]
        ),
        800,
    )


BAD_DEALS = {
    "too short": ("ASKD", "must have 8 cards"),
    "half a card": (SMALL_DEAL[:-1], "must have 8 cards"),
    "no cards": ("XX" * 8, "'XX' is not a card"),
    "card twice": ("KS" * 8, "each card of the pack comes once"),
    "other pack": (SMALL_DEAL.replace("JH", "AH"), "each card of the pack comes once"),
    "two deals for one": (SMALL_DEAL * 2, "2 deals given, but a game has 1 at most"),
}


@pytest.mark.parametrize(("deal", "why"), BAD_DEALS.values(), ids=BAD_DEALS.keys())
def test_impossible_deals_are_refused(deal: str, why: str) -> None:
    with pytest.raises(ValueError, match=f"(deal|card): .*{why}"):
        load({**KQJ7, "deal": deal}, OPEN)


def test_other_seeds_of_deals_are_refused() -> None:
    with pytest.raises(ValueError, match="deal_seed: -1 is not allowed"):
        load({"deal_seed": -1}, OPEN)
    with pytest.raises(pyspiel.SpielError, match="Wrong type for parameter deal_seed"):
        load({"deal_seed": "x"}, OPEN)
    with pytest.raises(pyspiel.SpielError, match="Wrong type for parameter deal"):
        pyspiel.load_game(OPEN, {"deal": 5})


@pytest.mark.parametrize("name", ["deal", "deal_seed"])
def test_hidden_game_has_no_fixed_deals(name: str) -> None:
    with pytest.raises(pyspiel.SpielError, match=f"Unknown parameter '{name}'"):
        load({name: 1})
