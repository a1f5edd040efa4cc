"""Positions, observations and actions as structs, dicts and JSON, there and back."""

import json
import random
from collections.abc import Callable
from typing import Any

import pyspiel
import pytest

from marjolet_spiel.cards import NUM_SETS, meld_name
from tests.openspiel.walks import HIDDEN, OPEN, State, choose, each_game, each_player, load, walk
from tests.variants import Params, each_variant

PHASES = {"dealer", "deal", "turn", "lead", "follow", "declare", "draw", "over"}
KEYS = {
    *("phase", "current_player", "dealer", "deal_number", "trick", "leader", "led", "trump"),
    *("turn_up", "indicator", "hands", "exposed", "captured", "stock", "stock_left", "declared"),
    *("swapped", "points", "deal_points", "scores"),
}
CATEGORIES = {"melds", "dix", "stock_end", "last", "sweep", "brisques"}


@each_game
@each_variant
def test_struct_dict_and_json_say_the_same(params: Params, name: str) -> None:
    for state in walk(load(params, name), 1):
        view = state.to_dict()
        assert isinstance(state.to_struct(), pyspiel.StateStruct)
        assert state.to_struct().to_dict() == view
        assert json.loads(state.to_json()) == view
        assert json.loads(state.to_struct().to_json()) == view


@each_game
@each_variant
def test_struct_tells_the_position(params: Params, name: str) -> None:
    for state in walk(load(params, name), 2):
        view = state.to_dict()
        assert set(view) >= KEYS
        assert view["phase"] in PHASES
        assert view["current_player"] == state.current_player()
        assert view["stock_left"] == len(view["stock"]) + bool(view["indicator"])
        for player in range(2):
            points = view["points"][player]
            assert set(points) == CATEGORIES
            assert sum(points.values()) == view["deal_points"][player]
            assert set(view["exposed"][player]) <= set(view["hands"][player])
        if state.is_terminal() and "target" not in params:
            first, second = view["deal_points"]
            assert state.returns() == [first - second, second - first]


@each_player
@each_variant
def test_observation_struct_counts_what_is_hidden(params: Params, player: int) -> None:
    other = 1 - player
    for state in walk(load(params), 3):
        view = state.to_dict()
        struct = state.to_observation_struct(player)
        assert isinstance(struct, pyspiel.ObservationStruct)
        seen = struct.to_dict()
        assert json.loads(struct.to_json()) == seen
        assert seen.pop("observer") == player
        assert seen["hands"][player] == view["hands"][player]
        assert seen["hands"][other] == len(view["hands"][other])
        assert seen["stock"] == len(view["stock"])
        for key in set(view) - {"hands", "stock"}:
            assert seen[key] == view[key]
        if state.current_player() == player:
            assert state.to_observation_struct().to_dict() == {**seen, "observer": player}


@each_player
def test_observation_struct_of_the_open_game_hides_nothing(player: int) -> None:
    for state in walk(load({}, OPEN), 4):
        seen = state.to_observation_struct(player).to_dict()
        assert seen == {**state.to_dict(), "observer": player}


# --- actions ------------------------------------------------------------------------------------


def as_struct(struct: Any) -> Any:
    """The struct itself."""
    return struct


def as_dict(struct: Any) -> Any:
    """The struct as a dict."""
    return struct.to_dict()


def as_json(struct: Any) -> Any:
    """The struct as JSON."""
    return struct.to_json()


each_form = pytest.mark.parametrize("form", [as_struct, as_dict, as_json])


@each_form
@each_game
@each_variant
def test_structs_of_actions_lead_back_to_them(
    params: Params, name: str, form: Callable[[Any], Any]
) -> None:
    for state in walk(load(params, name), 5):
        player = state.current_player()
        for action in state.legal_actions():
            struct = state.action_to_struct(player, action)
            assert isinstance(struct, pyspiel.ActionStruct)
            assert state.action_to_struct(action).to_dict() == struct.to_dict()
            assert state.actions_to_struct(player, [action]).to_dict() == struct.to_dict()
            assert state.struct_to_actions(form(struct)) == [action]
            assert state.validate_action_struct(form(struct)).ok()


@each_form
@each_game
def test_structs_of_actions_are_applied(name: str, form: Callable[[Any], Any]) -> None:
    for state in walk(load({"profile": "dutch"}, name), 6):
        for action in state.legal_actions():
            clone = state.clone()
            assert clone.apply_action_struct(form(state.action_to_struct(action))).ok()
            assert clone.history() == [*state.history(), action]
            assert str(clone) == str(state.child(action))


def test_structs_of_actions_are_applied_by_openspiel_itself() -> None:
    for state in walk(load({}), 6):
        for action in state.legal_actions()[:1]:
            struct, clone = state.action_to_struct(action), state.clone()
            assert pyspiel.State.struct_to_actions(state, struct) == [action]
            assert pyspiel.State.validate_action_struct(state, struct).ok()
            assert pyspiel.State.apply_action_struct(clone, struct).ok()
            assert clone.history() == [*state.history(), action]


def test_structs_of_actions_read_as_documented() -> None:
    found: dict[str, dict[str, object]] = {}
    for seed in range(12):
        for state in walk(load({}), seed):
            for action in state.legal_actions():
                struct = state.action_to_struct(action).to_dict()
                found.setdefault(struct["action"], struct)
    assert {verb: set(struct) for verb, struct in found.items()} == {
        **{verb: {"action", "card"} for verb in ("deal", "turn", "draw", "play")},
        **{verb: {"action"} for verb in ("swap", "done")},
        "dealer": {"action", "player"},
        "meld": {"action", "meld"},
    }


BAD_STRUCTS: tuple[Any, ...] = (
    *({}, {"action": 1}, {"action": "fly"}, {"action": "play"}, {"card": "AS"}, [], "[]", None, 5),
    *({"action": "play", "card": "XX"}, {"action": "play", "card": 5}, "{", "play AS", ""),
    *({"action": "done", "card": "AS"}, {"action": "play", "card": "AS", "trick": 1}),
    *({"action": "meld", "meld": "QS-KS"}, {"action": "dealer", "player": 2}),
)


@each_game
@pytest.mark.parametrize("bad", BAD_STRUCTS, ids=str)
def test_malformed_structs_are_refused(name: str, bad: object) -> None:
    for state in list(walk(load({}, name), 7))[::6]:
        before = (str(state), state.history())
        with pytest.raises(ValueError, match=r"(action|card|meld)[a-z ]*: "):
            state.struct_to_actions(bad)
        for status in (state.validate_action_struct(bad), state.apply_action_struct(bad)):
            assert not status.ok()
            assert status.message()
        assert (str(state), state.history()) == before


@each_game
def test_illegal_structs_are_refused(name: str) -> None:
    nodes = list(walk(load({}, name), 8))
    structs = {
        node.action_to_string(action): node.action_to_struct(action)
        for node in nodes
        for action in node.legal_actions()
    }
    for state in nodes[::5]:
        legal = {state.action_to_string(action) for action in state.legal_actions()}
        for text, struct in structs.items():
            if text not in legal:
                status = state.validate_action_struct(struct)
                assert not status.ok()
                assert status.message()


@pytest.mark.parametrize(("suits", "hand_size"), [(2, 3), (3, 4), (4, 6)])
def test_structs_of_sets_are_legal_in_every_pack(suits: int, hand_size: int) -> None:
    """A set has a card of each suit of the pack, so its name depends on the pack."""
    game = load({"num_suits": suits, "ranks": "KQJ7", "hand_size": hand_size})
    sets = {meld_name(meld, suits) for meld in range(NUM_SETS)}
    for state in (state for seed in range(400) for state in walk(game, seed)):
        structs = [state.action_to_struct(action).to_dict() for action in state.legal_actions()]
        found = [struct for struct in structs if struct.get("meld") in sets]
        for struct in found:
            assert state.validate_action_struct(struct).ok()
            assert state.clone().apply_action_struct(struct).ok()
        if found:
            return
    raise AssertionError("no set was ever in hand")


def test_structs_of_chance_and_of_players_are_not_mixed_up() -> None:
    """A deal and a play of one card would have numbers that mean something else."""
    for state in walk(load({}), 13):
        verb = "play" if state.is_chance_node() else "deal"
        with pytest.raises(ValueError, match=r"action struct: .* is to act"):
            state.struct_to_actions({"action": verb, "card": "AS"})


# --- positions set up from structs --------------------------------------------------------------


def struct_of(state: State) -> Any:
    """The position as a struct."""
    return state.to_struct()


def dict_of(state: State) -> Any:
    """The position as a dict."""
    return state.to_dict()


def json_of(state: State) -> Any:
    """The position as JSON."""
    return state.to_json()


FORMS = (struct_of, dict_of, json_of)


@each_game
@each_variant
def test_positions_are_set_up_again(params: Params, name: str) -> None:
    game = load(params, name)
    for number, state in enumerate(walk(game, 9)):
        again = game.new_initial_state(FORMS[number % 3](state))
        assert again.history() == []
        assert again.to_dict() == state.to_dict()
        assert str(again) == str(state)
        assert again.current_player() == state.current_player()
        assert again.legal_actions() == state.legal_actions()
        assert again.returns() == state.returns()
        if state.is_chance_node():
            assert again.chance_outcomes() == state.chance_outcomes()
        for player in range(2):
            assert again.observation_string(player) == state.observation_string(player)
            assert again.observation_tensor(player) == state.observation_tensor(player)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", [HIDDEN, OPEN])
def test_each_form_sets_up_each_kind_of_node(name: str, form: Callable[[State], Any]) -> None:
    game = load({}, name)
    for state in walk(game, 10):
        assert game.new_initial_state(form(state)).to_dict() == state.to_dict()


@each_game
@each_variant
def test_set_up_positions_play_on_alike(params: Params, name: str) -> None:
    game, rng = load(params, name), random.Random(11)
    for origin in list(walk(game, 11))[::6]:
        again = game.new_initial_state(origin.to_dict())
        while not origin.is_terminal():
            action = choose(origin, rng)
            assert again.legal_actions() == origin.legal_actions()
            origin.apply_action(action)
            again.apply_action(action)
        assert again.to_dict() == origin.to_dict()
        assert again.returns() == origin.returns()


def with_(view: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """The dict with some values changed."""
    return {**view, **changes}


@each_game
def test_impossible_positions_are_refused(name: str) -> None:
    game = load({}, name)
    state = next(s for s in walk(game, 12) if s.to_dict()["phase"] == "follow")
    view = state.to_dict()
    hands = view["hands"]
    bad = [
        *(5, "x", "[]", "{}", {}, []),
        *(
            {key: value for key, value in view.items() if key != missing}
            for missing in KEYS
            - {"current_player", "trump", "exposed", "stock_left", "deal_points"}
        ),
        with_(view, colour="red"),
        with_(view, phase="draw"),
        with_(view, phase="flying"),
        with_(view, trick=17),
        with_(view, dealer=2),
        with_(view, hands=[hands[0], hands[0]]),
        with_(view, hands=[hands[0][1:], hands[1]]),
        with_(view, hands=[["XX", *hands[0][1:]], hands[1]]),
        with_(view, stock=view["stock"][1:]),
        with_(view, led=""),
        with_(view, indicator=""),
        with_(view, swapped=1),
        with_(view, scores=[10, 0]),
        with_(view, deal_points=[500, 0]),
        with_(view, current_player=1 - view["current_player"]),
    ]
    for setup in bad:
        with pytest.raises(ValueError, match=r"(position|card|key)"):
            game.new_initial_state(setup)
