"""Views of a player: tensors say what strings say, nothing seen is forgotten."""

import random
from collections.abc import Iterable, Iterator

import numpy as np
import pytest

from tests.openspiel.walks import Game, State, choose, descendants, each_player, kind_of, load, walk
from tests.variants import AKQJ7, QJ7, Params, each_single_deal, each_variant

each_small_game = pytest.mark.parametrize(
    "params",
    [
        {**QJ7, "first_dealer": 0},
        {**QJ7, "first_dealer": 1, "profile": "dutch"},
    ],
    ids=["english", "dutch"],
)


def is_dealt(state: State) -> bool:
    """Whether both hands are dealt and trumps turned up."""
    return kind_of(state) not in ("dealer", "deal", "turn")


def while_dealing(state: State) -> Iterator[State]:
    """A state and what can follow it until trumps are turned up."""
    if not is_dealt(state):
        yield state
        for action in state.legal_actions():
            yield from while_dealing(state.child(action))


def after_dealing(state: State) -> Iterator[State]:
    """All that can follow a state once trumps are turned up."""
    if is_dealt(state):
        yield from descendants(state)
    else:
        for action in state.legal_actions():
            yield from after_dealing(state.child(action))


def tensor_of(state: State, player: int) -> bytes:
    """The information state tensor, to be compared and hashed."""
    return np.array(state.information_state_tensor(player), np.float32).tobytes()


def assert_one_to_one(states: Iterable[State], player: int) -> int:
    """Equal strings have equal tensors and the other way round; returns how many there are."""
    tensors: dict[str, bytes] = {}
    strings: dict[bytes, str] = {}
    for state in states:
        string, tensor = state.information_state_string(player), tensor_of(state, player)
        assert tensors.setdefault(string, tensor) == tensor, f"two tensors of {string}"
        assert strings.setdefault(tensor, string) == string, f"one tensor of {string}"
    assert len(tensors) == len(strings)
    return len(tensors)


# --- tensor and string --------------------------------------------------------------------------


@each_player
@each_small_game
def test_strings_and_tensors_agree_on_a_whole_tree(params: Params, player: int) -> None:
    assert assert_one_to_one(after_dealing(load(params).new_initial_state()), player) > 1000


@each_player
@each_small_game
def test_strings_and_tensors_agree_while_cards_are_dealt(params: Params, player: int) -> None:
    assert assert_one_to_one(while_dealing(load(params).new_initial_state()), player) > 10


def near_duplicates(state: State, rng: random.Random) -> Iterator[State]:
    """States that a player might confuse with this one: its children, worlds, their children."""
    worlds = [state.resample_from_infostate(player, rng.getrandbits(60)) for player in range(2)]
    for near in (state, *worlds):
        yield near
        for action in near.legal_actions():
            yield near.child(action)


@each_player
@each_single_deal
def test_strings_and_tensors_agree_on_near_duplicates(params: Params, player: int) -> None:
    rng, game = random.Random(1), load({**params, "first_dealer": 0})
    states = (
        near
        for seed in range(3)
        for state in list(walk(game, seed))[seed::3]
        for near in near_duplicates(state, rng)
        if is_dealt(near)
    )
    assert assert_one_to_one(states, player) > 25


def ways_to_play_the_stock(state: State) -> Iterator[State]:
    """All that can happen until the stock is gone."""
    yield state
    if state.to_dict()["stock_left"]:
        for action in state.legal_actions():
            yield from ways_to_play_the_stock(state.child(action))


@each_player
@pytest.mark.parametrize("dealer", [0, 1])
def test_strings_and_tensors_agree_on_all_ways_to_play_one_stock(dealer: int, player: int) -> None:
    """Player 0 may swap and meld in either of two windows, or not at all."""
    hands = ["KS", "QS", "7H"], ["AS", "JS", "JH"]
    state = load({**AKQJ7, "first_dealer": dealer}).new_initial_state()
    for card in [*hands[1 - dealer], *hands[dealer]]:
        state.apply_action(state.string_to_action(f"deal {card}"))
    state.apply_action(state.string_to_action("turn KH"))
    assert assert_one_to_one(ways_to_play_the_stock(state), player) > 1000


def played_on(start: State, rng: random.Random, games: int) -> Iterator[State]:
    """The nodes of random games that begin alike."""
    for _ in range(games):
        state = start.clone()
        while not state.is_terminal():
            yield state
            state.apply_action(choose(state, rng))


@each_player
@pytest.mark.parametrize("seed", range(3))
def test_strings_and_tensors_agree_on_one_deal_played_in_many_ways(seed: int, player: int) -> None:
    start = next(state for state in walk(load({"profile": "dutch"}), seed) if is_dealt(state))
    states = played_on(start, random.Random(seed), 30)
    assert assert_one_to_one(states, player) > 1000


@each_player
def test_strings_and_tensors_agree_in_the_second_deal_of_a_match(player: int) -> None:
    """The first deal is the same: the tensor keeps only its score."""
    game = load({**AKQJ7, "target": 500, "max_deals": 2})
    second = next(state for state in walk(game, 3) if state.to_dict()["deal_number"] == 2)
    states = played_on(second, random.Random(3), 100)
    assert assert_one_to_one(filter(is_dealt, states), player) > 1000


# --- perfect recall -----------------------------------------------------------------------------


@each_player
@each_small_game
def test_perfect_recall_on_a_whole_tree(params: Params, player: int) -> None:
    """At every node, whoever is to act, a player remembers what he knew and did before."""
    pasts: dict[str, tuple[tuple[str, int], ...]] = {}

    def visit(state: State, past: tuple[tuple[str, int], ...]) -> None:
        now = state.information_state_string(player)
        assert pasts.setdefault(now, past) == past
        acts = state.current_player() == player
        for action in state.legal_actions():
            visit(state.child(action), (*past, (now, action)) if acts else past)

    visit(load(params).new_initial_state(), ())
    assert len(pasts) > 1000


@each_player
@each_variant
def test_information_states_grow(params: Params, player: int) -> None:
    """What was seen stays in the string to the end of the game, over all deals of a match."""
    for seed in range(2):
        before = ""
        for state in walk(load(params), seed):
            now = state.information_state_string(player)
            assert now.startswith(before)
            before = now


def assert_tells_what_is_seen(states: Iterable[State], player: int) -> int:
    """All that a player sees follows from his information state; returns how many there are."""
    seen: dict[str, tuple[object, ...]] = {}
    for state in states:
        now = (
            state.observation_string(player),
            np.array(state.observation_tensor(player), np.float32).tobytes(),
            str(state.to_observation_struct(player).to_dict()),
            state.current_player(),
            state.current_player() == player and tuple(state.legal_actions()),
            tuple(state.returns()),
        )
        assert seen.setdefault(state.information_state_string(player), now) == now
    return len(seen)


@each_player
def test_information_state_tells_what_is_seen(player: int) -> None:
    nodes = after_dealing(load({**QJ7, "first_dealer": 0}).new_initial_state())
    assert assert_tells_what_is_seen(nodes, player) > 1000


@each_player
@each_small_game
def test_information_state_tells_what_is_seen_while_cards_are_dealt(
    params: Params, player: int
) -> None:
    nodes = while_dealing(load(params).new_initial_state())
    assert assert_tells_what_is_seen(nodes, player) > 10


@pytest.mark.parametrize("view", ["observation_string", "observation_tensor"])
def test_observation_tells_the_legal_actions(view: str) -> None:
    """A window in which a meld was declared offers less than it would have without."""
    game, windows = load({}), 0
    for seed in range(60):
        for state in walk(game, seed):
            position = state.to_dict()
            if not position["window"] or state.is_terminal():
                continue
            player = state.current_player()
            other = game.new_initial_state({**position, "window": []})
            if other.legal_actions() != state.legal_actions():
                windows += 1
                assert getattr(other, view)(player) != getattr(state, view)(player)
    assert windows > 0


def positions(game: Game, seed: int) -> list[State]:
    """The nodes of a random game from the first lead on."""
    return [state for state in walk(game, seed) if is_dealt(state)]


@each_player
@each_variant
def test_information_state_is_that_of_the_player_asked(params: Params, player: int) -> None:
    for state in positions(load(params), 5):
        assert state.information_state_string(player).startswith(f"p{player} ")
        if state.current_player() == player:
            assert state.information_state_string() == state.information_state_string(player)
            assert state.information_state_tensor() == state.information_state_tensor(player)
            assert state.observation_string() == state.observation_string(player)
            assert state.observation_tensor() == state.observation_tensor(player)
