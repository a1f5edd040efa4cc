"""Observers: every type of observation has its string, its tensor and its named pieces."""

from itertools import pairwise
from math import prod
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python.observation import make_observation

from marjolet_spiel import features
from marjolet_spiel.features import PIECES
from tests.openspiel.sights import KINDS, Kind, observer
from tests.openspiel.walks import (
    BOTH_GAMES,
    HIDDEN,
    OPEN,
    Game,
    State,
    each_game,
    each_player,
    load,
    walk,
)
from tests.variants import MATCH, QJ7, Params, each_variant

each_kind = pytest.mark.parametrize("kind", KINDS, ids=str)
each_size = pytest.mark.parametrize("params", [{"profile": "dutch"}, MATCH, QJ7], ids=str)
FACE_DOWN_TO_ALL = [(HIDDEN, kind) for kind in KINDS if kind[2] != "own"]
FACE_DOWN_TO_ALL += [(OPEN, kind) for kind in KINDS]


def tensor_from(watcher: Any, state: State, player: int) -> np.ndarray:
    """The tensor of an observer for a state, copied."""
    watcher.set_from(state, player)
    copied: np.ndarray = watcher.tensor.copy()
    return copied


@each_kind
@each_game
@each_size
def test_pieces_tile_the_tensor(params: Params, name: str, kind: Kind) -> None:
    watcher = observer(load(params, name), kind)
    if watcher.tensor is None:
        assert watcher.dict == {}
        return
    assert watcher.tensor.dtype == np.float32
    watcher.tensor[:] = np.arange(watcher.tensor.size)
    tiles = [piece.ravel() for piece in watcher.dict.values()]
    assert np.array_equal(np.concatenate(tiles), watcher.tensor)
    assert all(np.shares_memory(piece, watcher.tensor) for piece in watcher.dict.values())
    assert set(watcher.dict) <= set(PIECES)


@each_kind
@each_game
@each_size
def test_set_from_leaves_nothing_of_the_state_before(params: Params, name: str, kind: Kind) -> None:
    game = load(params, name)
    watcher, nodes = observer(game, kind), list(walk(game, 1))
    if watcher.tensor is None:
        watcher.set_from(nodes[0], 0)
        return
    for state in nodes[::7]:
        for player in range(2):
            fresh = tensor_from(observer(game, kind), state, player)
            tensor_from(watcher, nodes[-1], 1 - player)
            assert np.array_equal(tensor_from(watcher, state, player), fresh)


@each_kind
@each_game
@each_size
def test_strings_are_strings(params: Params, name: str, kind: Kind) -> None:
    game = load(params, name)
    watcher = observer(game, kind)
    for state in list(walk(game, 2))[::5]:
        for player in range(2):
            text = watcher.string_from(state, player)
            assert isinstance(text, str)
            public, _, private = kind
            if not public and (private == "none" or name == OPEN):
                assert text == ""


@pytest.mark.parametrize(("name", "kind"), FACE_DOWN_TO_ALL, ids=str)
def test_what_has_no_owner_is_the_same_for_both_players(name: str, kind: Kind) -> None:
    game = load({"profile": "dutch"}, name)
    watcher = observer(game, kind)
    for state in walk(game, 3):
        assert watcher.string_from(state, 0) == watcher.string_from(state, 1)
        if watcher.tensor is not None:
            first, second = (tensor_from(watcher, state, player) for player in range(2))
            assert np.array_equal(first, second)


@each_player
@each_game
@pytest.mark.parametrize("recall", [True, False])
def test_states_give_what_observers_give(name: str, player: int, recall: bool) -> None:
    game = load({"profile": "spanish"}, name)
    watcher = observer(game, (True, recall, "own"))
    view = "information_state" if recall else "observation"
    for state in walk(game, 4):
        assert watcher.string_from(state, player) == getattr(state, f"{view}_string")(player)
        tensor = tensor_from(watcher, state, player).tolist()
        assert tensor == getattr(state, f"{view}_tensor")(player)
        assert len(tensor) == getattr(game, f"{view}_tensor_size")()


@each_game
def test_default_observer_gives_observations(name: str) -> None:
    game = load({}, name)
    watcher = make_observation(game)
    for state in walk(game, 5):
        for player in range(2):
            assert watcher.string_from(state, player) == state.observation_string(player)
            tensor = tensor_from(watcher, state, player).tolist()
            assert tensor == state.observation_tensor(player)


@each_game
def test_observers_have_no_parameters(name: str) -> None:
    with pytest.raises(ValueError, match="observer: parameters .* are not allowed"):
        make_observation(load({}, name), None, {"colour": 1})


# --- what the pieces say ------------------------------------------------------------------------


def pack_of(game: Game) -> list[str]:
    """The cards of the pack in the order of the tensors."""
    params = game.get_parameters()
    return [rank + suit for suit in "SHDC"[: params["num_suits"]] for rank in params["ranks"]]


def marked(piece: np.ndarray, names: list[str]) -> list[str]:
    """The names whose places are set."""
    assert set(np.unique(piece)) <= {0.0, 1.0}
    return [name for name, bit in zip(names, piece, strict=True) if bit]


@each_player
@each_variant
def test_pieces_say_what_the_struct_says(params: Params, player: int) -> None:
    game = load(params)
    watcher, pack = observer(game, (True, False, "own")), pack_of(game)
    for seed in range(2):
        for state in list(walk(game, seed))[seed::2]:
            watcher.set_from(state, player)
            piece, view = watcher.dict, state.to_dict()
            assert marked(piece["hand"], pack) == view["hands"][player]
            assert piece["observer"].tolist() == [player == 0, player == 1]
            for key in ("exposed", "known", "captured"):
                assert [marked(part, pack) for part in piece[key]] == view[key]
            for key in ("turn_up", "indicator", "led"):
                assert marked(piece[key], pack) == [view[key]] * bool(view[key])
            assert marked(piece["trump"], list("SHDC")[: len(piece["trump"])]) == [*view["trump"]]
            assert (
                marked(piece["to_act"], ["0", "1"])
                == [str(view["current_player"])] * state.is_player_node()
            )
            assert marked(piece["dealer"], ["0", "1"]) == [str(view["dealer"])] * (
                view["dealer"] >= 0
            )
            if "declared" in piece:  # some packs have no melds
                counts = [len(names) for names in view["declared"]]
                assert piece["declared"].sum(axis=1).tolist() == counts
            assert_numbers_agree(piece, view)


def assert_numbers_agree(piece: dict[str, Any], view: dict[str, Any]) -> None:
    """Counts and points of the pieces are those of the struct."""
    phases = ["dealer", "deal", "turn", "lead", "follow", "declare", "draw", "over"]
    assert marked(piece["phase"], phases) == [view["phase"]]
    tricks = [str(number + 1) for number in range(piece["trick"].size)]
    assert marked(piece["trick"], tricks) == [str(view["trick"])] * (view["trick"] > 0)
    assert np.allclose(piece["points"] * 100, [list(points.values()) for points in view["points"]])
    assert np.allclose(piece["scores"] * 100, view["scores"])
    assert piece["swapped"][0] == view["swapped"]
    if view["turn_up"]:
        assert piece["stock_left"].argmax() == view["stock_left"]
        assert piece["stock_left"].sum() == 1


@each_player
def test_history_pieces_say_who_played_what_and_when(player: int) -> None:
    game = load({"profile": "dutch"})
    watcher, pack = observer(game, (True, True, "own")), pack_of(game)
    for seed in range(3):
        played: dict[str, tuple[int, int]] = {}
        got: dict[str, int] = {}
        nodes = list(walk(game, seed))
        for before, after in pairwise(nodes):
            view, later = before.to_dict(), after.to_dict()
            verb, _, what = before.action_to_string(after.history()[-1]).partition(" ")
            if verb == "play":
                played[what] = (view["trick"], before.current_player())
            if verb in ("deal", "draw") or (verb == "done" and view["trick"] == 10):
                new = set(later["hands"][player]) - set(view["hands"][player])
                indicator = {view["indicator"]}
                got |= dict.fromkeys(new - indicator, view["trick"])
            watcher.set_from(after, player)
            piece = watcher.dict
            assert piece["played"].sum() == piece["played_by"].sum() == len(played)
            for card, (trick, who) in played.items():
                assert piece["played"][pack.index(card), trick - 1] == 1
                assert piece["played_by"][pack.index(card), who] == 1
            assert piece["got"].sum() == len(got)
            assert all(piece["got"][pack.index(card), trick] for card, trick in got.items())


@each_game
def test_shapes_of_the_game_are_those_of_the_observers(name: str) -> None:
    game = load({}, name)
    for recall, view in ((True, "information_state"), (False, "observation")):
        watcher = observer(game, (True, recall, "own"))
        shape = getattr(game, f"{view}_tensor_shape")()
        assert prod(shape) == watcher.tensor.size
        assert sum(piece.size for piece in watcher.dict.values()) == watcher.tensor.size


def test_open_observer_shows_the_stock_in_drawing_order() -> None:
    game = load({}, OPEN)
    watcher, pack = observer(game, (True, True, "own")), pack_of(game)
    for state in walk(game, 6):
        watcher.set_from(state, 0)
        order = [pack[row.argmax()] for row in watcher.dict["stock"] if row.any()]
        assert order == state.to_dict()["stock"]
        assert [marked(hand, pack) for hand in watcher.dict["hands"]] == state.to_dict()["hands"]


@pytest.mark.parametrize("name", BOTH_GAMES)
def test_observers_made_by_openspiel_in_cpp(name: str) -> None:
    """Algorithms in C++ ask the game for the same observer."""
    game = load(QJ7, name)
    state = game.new_initial_state()
    kind = pyspiel.IIGObservationType(perfect_recall=True)
    assert game.make_observer(kind, {}) is not None
    assert len(pyspiel.State.information_state_tensor(state, 0)) == (
        game.information_state_tensor_size()
    )


def test_the_places_of_pieces_bear_their_names() -> None:
    for place, name in enumerate(features.NAMES):
        assert getattr(features, f"_{name.upper()}") == place
