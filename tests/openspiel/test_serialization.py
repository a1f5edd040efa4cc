"""States as text and as pickles, at every kind of node, whole and damaged."""

import copy
import pickle
import random
import re
from collections.abc import Callable
from typing import Any

import pyspiel
import pytest

from tests.openspiel.walks import (
    BOTH_GAMES,
    HIDDEN,
    OPEN,
    Game,
    State,
    choose,
    each_game,
    kind_of,
    load,
    walk,
)
from tests.variants import KQJ7, MATCH, Params, each_variant

KINDS = ("dealer", "deal", "turn", "lead", "follow", "declare", "draw", "over")


def all_of(state: State) -> list[Any]:
    """Everything there is to know of a state."""
    return [
        str(state),
        state.history(),
        [(move.player, move.action) for move in state.full_history()],
        state.move_number(),
        state.current_player(),
        state.to_dict(),
        *(state.information_state_string(player) for player in range(2)),
        *(state.information_state_tensor(player) for player in range(2)),
        state.returns(),
        state.legal_actions(),
    ]


def by_game(state: State) -> State:
    """Through the text of the state."""
    return state.get_game().deserialize_state(state.serialize())


def pickle_of(thing: Any) -> Any:
    """The thing after a pickle and back."""
    return pickle.loads(pickle.dumps(thing))


def by_pickle(state: State) -> State:
    """Through a pickle."""
    return pickle_of(state)


def by_both(state: State) -> State:
    """Through OpenSpiel's text of game and state."""
    text = pyspiel.serialize_game_and_state(state.get_game(), state)
    game, restored = pyspiel.deserialize_game_and_state(text)
    assert str(game) == str(state.get_game())
    return restored


WAYS = (by_game, by_pickle, by_both)
each_way = pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)


@each_way
@each_game
@each_variant
def test_states_come_back_whole(params: Params, name: str, way: Callable[[State], State]) -> None:
    for state in list(walk(load(params, name), 1))[::3]:
        restored = way(state)
        assert type(restored) is type(state)
        assert all_of(restored) == all_of(state)


@each_way
@each_game
def test_restored_states_play_on_alike(name: str, way: Callable[[State], State]) -> None:
    rng = random.Random(2)
    for state in list(walk(load({"profile": "dutch", **MATCH}, name), 2))[::19]:
        restored = way(state)
        while not state.is_terminal():
            action = choose(state, rng)
            state.apply_action(action)
            restored.apply_action(action)
        assert all_of(restored) == all_of(state)


@each_way
@each_game
def test_set_up_positions_come_back_whole(name: str, way: Callable[[State], State]) -> None:
    game = load(MATCH, name)
    for origin in list(walk(game, 3))[::9]:
        state = game.new_initial_state(origin.to_dict())
        for _ in range(3):
            assert all_of(way(state)) == all_of(state)
            if not state.is_terminal():
                state.apply_action(state.legal_actions()[0])


@each_way
def test_every_kind_of_node_was_there(way: Callable[[State], State]) -> None:
    nodes = {kind_of(state): state for state in walk(load({}), 1)}
    assert set(nodes) == set(KINDS)
    assert all(kind_of(way(state)) == kind for kind, state in nodes.items())


@each_game
@pytest.mark.parametrize("params", [{}, KQJ7, {"profile": "spanish", **MATCH}], ids=str)
@pytest.mark.parametrize("copied", [pickle_of, copy.copy, copy.deepcopy])
def test_games_come_back_whole(name: str, params: Params, copied: Callable[[Game], Game]) -> None:
    game = load(params, name)
    again = copied(game)
    assert str(again) == str(game)
    assert again.new_initial_state().to_dict() == game.new_initial_state().to_dict()
    assert again.make_py_observer().dict.keys() == game.make_py_observer().dict.keys()
    text = next(walk(game, 8)).serialize()
    assert again.deserialize_state(text).serialize() == text


@each_game
def test_game_types_come_back_whole(name: str) -> None:
    kind = load({}, name).get_type()
    assert pickle_of(kind) == kind


@each_game
@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
def test_copies_of_states_go_their_own_way(name: str, copied: Callable[[State], State]) -> None:
    for state in list(walk(load({}, name), 9))[:-1:7]:
        twin, before = copied(state), all_of(state)
        assert all_of(twin) == before
        twin.apply_action(twin.legal_actions()[0])
        assert all_of(state) == before
        assert all_of(twin) == all_of(state.child(state.legal_actions()[0]))


# --- damaged texts ------------------------------------------------------------------------------


def some_nodes(name: str) -> list[State]:
    """A node of each kind."""
    nodes = {kind_of(state): state for state in walk(load({}, name), 4)}
    return list(nodes.values())


def refuses(game: Game, text: str, whole: State) -> bool:
    """Whether a damaged text is refused with a sentence; if not it must still mean the same."""
    try:
        state = game.deserialize_state(text)
    except ValueError as error:
        return str(error).startswith("state: ")
    assert all_of(state) == all_of(whole)
    return False


@each_game
def test_truncated_states_are_refused(name: str) -> None:
    game = load({}, name)
    for state in some_nodes(name):
        text = state.serialize()
        for length in range(0, len(text) - 8, 5):
            assert refuses(game, text[:length], state)
        for length in range(len(text) - 8, len(text)):
            refuses(game, text[:length], state)


@each_game
def test_states_with_other_letters_are_refused(name: str) -> None:
    game, rng = load({}, name), random.Random(5)
    for state in some_nodes(name):
        text = state.serialize()
        begin = text.index("__dict__=") + len("__dict__=")
        for place in rng.sample(range(begin, len(text)), 150):
            letter = rng.choice("ABCDwxyz0189+/=\n")
            refuses(game, text[:place] + letter + text[place + 1 :], state)


@each_game
def test_states_with_other_actions_are_refused(name: str) -> None:
    game, rng = load({}, name), random.Random(6)
    state = list(walk(game, 6))[30]
    text = state.serialize()
    for action in re.finditer(r"(?<=\d:)\d+", text[: text.index("\n")]):
        other = str((int(action[0]) + rng.randrange(1, 30)) % 31)
        assert refuses(game, text[: action.start()] + other + text[action.end() :], state)
        entry = text.rindex(",", 0, action.start()) if "," in text[: action.start()] else 8
        assert refuses(game, text[:entry] + text[action.end() :], state)


@each_game
def test_states_with_other_players_are_refused(name: str) -> None:
    game = load({}, name)
    state = list(walk(game, 6))[30]
    text = state.serialize()
    for player in re.finditer(r"-?\d+(?=:)", text[: text.index("\n")]):
        for other in {"-1", "0", "1"} - {player[0]}:
            refuses(game, text[: player.start()] + other + text[player.end() :], state)


@each_game
def test_states_with_another_move_number_are_refused(name: str) -> None:
    game = load({}, name)
    state = list(walk(game, 6))[30]
    text = state.serialize()
    for number in (0, 29, 31):
        refuses(game, text.replace("move_number=30", f"move_number={number}"), state)


@each_game
@pytest.mark.parametrize("text", ["", "state", "history=\nmove_number=0\n__dict__=", "\n\n\n"])
def test_other_texts_are_refused(name: str, text: str) -> None:
    with pytest.raises(ValueError, match="state: "):
        load({}, name).deserialize_state(text)


@pytest.mark.parametrize("bad", [None, 5, b"history="])
def test_what_is_no_text_is_refused(bad: object) -> None:
    with pytest.raises(ValueError, match="state: "):
        load({}).deserialize_state(bad)


OTHER_RULES: tuple[Params, ...] = ({}, KQJ7, {"profile": "dutch"}, MATCH, {"first_dealer": 0})


@each_game
@pytest.mark.parametrize("length", [0, 6])
def test_states_under_other_rules_are_refused(name: str, length: int) -> None:
    games = [load(params, name) for params in OTHER_RULES]
    for game in games:
        text = list(walk(game, 1))[length].serialize()
        for other in games:
            if other is not game:
                with pytest.raises(ValueError, match="state: "):
                    other.deserialize_state(text)


@pytest.mark.parametrize("length", [0, 10, 40])
@pytest.mark.parametrize(("name", "other"), [BOTH_GAMES, BOTH_GAMES[::-1]])
def test_states_of_the_other_game_are_refused(name: str, other: str, length: int) -> None:
    text = list(walk(load({}, name), 1))[length].serialize()
    with pytest.raises(ValueError, match="state: "):
        load({}, other).deserialize_state(text)


@pytest.mark.parametrize("length", [0, 10, 40])
def test_states_of_other_deals_of_the_open_game_are_refused(length: int) -> None:
    text = list(walk(load({"deal_seed": 1}, OPEN), 1))[length].serialize()
    with pytest.raises(ValueError, match="state: "):
        load({"deal_seed": 2}, OPEN).deserialize_state(text)


@each_game
def test_truncated_texts_of_game_and_state_are_refused(name: str) -> None:
    state = list(walk(load({}, name), 7))[40]
    text = pyspiel.serialize_game_and_state(state.get_game(), state)
    for length in range(0, len(text) - 8, 11):
        with pytest.raises(Exception):  # noqa: B017, PT011  (whatever OpenSpiel or pickle raise)
            pyspiel.deserialize_game_and_state(text[:length])


@pytest.mark.parametrize("name", [HIDDEN, OPEN])
def test_truncated_pickles_are_refused(name: str) -> None:
    text = pickle.dumps(list(walk(load({}, name), 7))[40])
    for length in range(0, len(text) - 1, 11):
        with pytest.raises(Exception):  # noqa: B017, PT011  (whatever OpenSpiel or pickle raise)
            pickle.loads(text[:length])
