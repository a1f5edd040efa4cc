"""Worlds sampled for a player: what he has seen stays, the rest is drawn anew and legally."""

import random
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pyspiel
import pytest

from tests.openspiel.nodes import at, find, moves
from tests.openspiel.walks import (
    HIDDEN,
    OPEN,
    Game,
    State,
    choose,
    each_player,
    kind_of,
    load,
    replay,
    walk,
)
from tests.variants import MATCH, PROFILES, SMALL_MATCH, Params, each_variant

SWAP = 0


# --- the same information state -------------------------------------------------------------------


@each_player
@each_variant
def test_resampled_state_is_the_same_information_state(params: Params, player: int) -> None:
    game = load(params)
    for seed in range(2):
        for state in walk(game, seed):
            world = state.resample_from_infostate(player, seed)
            for name in ("information_state_string", "information_state_tensor"):
                assert getattr(world, name)(player) == getattr(state, name)(player)
            assert world.current_player() == state.current_player()
            assert world.move_number() == state.move_number()
            assert world.returns() == state.returns()
            if state.current_player() == player:
                assert world.legal_actions() == state.legal_actions()


@each_player
@each_variant
def test_resampled_history_is_legal_and_leads_to_the_resampled_state(
    params: Params, player: int
) -> None:
    game = load(params)
    for seed in range(2, 4):
        for state in list(walk(game, seed))[seed::3]:
            world = state.resample_from_infostate(player, seed)
            again = replay(game, world.history())
            assert str(again) == str(world)
            assert again.to_dict() == world.to_dict()
            assert again.history() == world.history()
            assert moves(again) == moves(world)
            assert [mover for mover, _ in moves(world)] == [mover for mover, _ in moves(state)]
            for observer in (0, 1):
                for name in ("information_state_string", "information_state_tensor"):
                    assert getattr(again, name)(observer) == getattr(world, name)(observer)


@each_player
@each_variant
def test_actions_of_players_stay(params: Params, player: int) -> None:
    for state in walk(load(params), 4):
        world = state.resample_from_infostate(player, 4)
        ours, theirs = ([move for move in moves(s) if move[0] >= 0] for s in (state, world))
        assert ours == theirs


@each_player
@each_variant
def test_sample_depends_on_nothing_hidden(params: Params, player: int) -> None:
    """The same seed gives the same world in every world that the player may be in."""
    for state in list(walk(load(params), 5))[::3]:
        world = state.resample_from_infostate(player, 1)
        first, second = (s.resample_from_infostate(player, 2) for s in (state, world))
        assert first.history() == second.history()
        assert str(first) == str(second)
        first, second = (s.open_world(3, player) for s in (state, world))
        assert first.to_dict() == second.to_dict()


@each_variant
def test_resampled_state_plays_on_as_its_replayed_twin(params: Params) -> None:
    game = load(params)
    for seed in range(4):
        nodes = list(walk(game, seed))
        world = nodes[len(nodes) // 2].resample_from_infostate(seed % 2, seed)
        twin, rng = replay(game, world.history()), random.Random(seed)
        while not world.is_terminal():
            assert world.legal_actions() == twin.legal_actions()
            action = choose(world, rng)
            world.apply_action(action)
            twin.apply_action(action)
        assert twin.is_terminal()
        assert twin.returns() == world.returns()
        assert game.deserialize_state(world.serialize()).history() == world.history()


@each_player
@each_variant
def test_resampled_set_up_positions_look_the_same(params: Params, player: int) -> None:
    game = load(params)
    for seed, origin in enumerate(list(walk(game, 1))[::4]):
        state, rng = game.new_initial_state(origin.to_dict()), random.Random(seed)
        for _ in range(12):
            world = state.resample_from_infostate(player, seed)
            for name in ("information_state_string", "information_state_tensor"):
                assert getattr(world, name)(player) == getattr(state, name)(player)
            if state.is_terminal():
                break
            state.apply_action(choose(state, rng))


# --- known cards ----------------------------------------------------------------------------------


def walk_with_shown(game: Game, seed: int) -> Iterator[tuple[State, list[set[str]]]]:
    """States of a random game with the cards of each hand that the player has shown in the deal.

    Those are the cards melded and not played, and the indicator that was swapped in.
    """
    shown: list[set[str]] = [set(), set()]
    nodes = list(walk(game, seed))
    for node, after in pairwise(nodes):
        yield node, shown
        view, mover = node.to_dict(), node.current_player()
        verb, _, what = node.action_to_string(after.history()[-1]).partition(" ")
        if verb == "meld":
            shown[mover].update(what.split("-"))
        elif verb == "swap":
            shown[mover].add(view["indicator"])
        elif verb == "play":
            shown[mover].discard(what)
        if after.to_dict()["deal_number"] != view["deal_number"]:
            shown = [set(), set()]


@pytest.mark.parametrize("params", [{"profile": p} for p in PROFILES] + [MATCH, SMALL_MATCH])
def test_known_cards_stay_where_they_are(params: Params) -> None:
    looked_at = 0
    for seed in range(6):
        for state, shown in walk_with_shown(load(params), seed):
            for player in range(2):
                known = shown[1 - player]
                looked_at += bool(known)
                for sample in range(3 * bool(known)):
                    world = state.resample_from_infostate(player, sample)
                    assert known <= set(world.to_dict()["hands"][1 - player])
    assert looked_at > 20


@each_player
def test_swapped_in_indicator_stays(player: int) -> None:
    def swapped_by_other(state: State) -> bool:
        return kind_of(state) in ("lead", "follow") and (1 - player, SWAP) in moves(state)

    for state in find({}, swapped_by_other, 5):
        taken = state.to_dict()["turn_up"]
        if taken not in state.to_dict()["hands"][1 - player]:
            continue
        hands = [
            state.resample_from_infostate(player, seed).to_dict()["hands"][1 - player]
            for seed in range(50)
        ]
        assert all(taken in hand for hand in hands)
        assert len({tuple(hand) for hand in hands}) > 1


@each_player
def test_exposed_cards_stay(player: int) -> None:
    def exposed(state: State) -> bool:
        return len(state.to_dict()["exposed"][1 - player]) >= 2

    for state in find({}, exposed, 5):
        shown = state.to_dict()["exposed"]
        for seed in range(50):
            world = state.resample_from_infostate(player, seed).to_dict()
            assert world["exposed"] == shown
            assert set(shown[1 - player]) <= set(world["hands"][1 - player])


def test_indicator_is_never_shuffled_in() -> None:
    for state in walk(load({}), 8):
        indicator = state.to_dict()["indicator"]
        for player in range(2):
            world = state.resample_from_infostate(player, 1).to_dict()
            assert world["indicator"] == indicator
            assert indicator not in [*world["hands"][0], *world["hands"][1], *world["stock"]]


def test_all_is_known_once_the_stock_is_gone() -> None:
    state = find({}, at("lead", 11))[0]
    for player in range(2):
        for seed in range(20):
            world = state.resample_from_infostate(player, seed)
            assert world.to_dict() == state.to_dict()


# --- sources of randomness ------------------------------------------------------------------------


SAMPLERS: dict[str, Callable[[int], Any]] = {
    "int": lambda seed: seed,
    "numpy int": np.int64,
    "Generator": np.random.default_rng,
    "RandomState": np.random.RandomState,
    "UniformProbabilitySampler": lambda seed: pyspiel.UniformProbabilitySampler(seed, 0.0, 1.0),
    "callable": lambda seed: random.Random(seed).random,
}


each_sampler = pytest.mark.parametrize("make", SAMPLERS.values(), ids=SAMPLERS.keys())


@each_sampler
def test_same_seeds_give_the_same_worlds(make: Callable[[int], Any]) -> None:
    state = find({}, at("lead", 2))[0]
    for seed in range(20):
        first, second = (state.resample_from_infostate(0, make(seed)) for _ in range(2))
        assert first.history() == second.history()
        assert first.open_world(make(seed)).to_dict() == second.open_world(make(seed)).to_dict()


@each_sampler
def test_other_seeds_give_other_worlds(make: Callable[[int], Any]) -> None:
    state = find({}, at("lead", 2))[0]
    worlds = {str(state.resample_from_infostate(0, make(seed))) for seed in range(100)}
    assert len(worlds) > 95
    worlds = {str(state.open_world(make(seed))) for seed in range(100)}
    assert len(worlds) == 100


@pytest.mark.parametrize("name", ["Generator", "RandomState", "callable"])
def test_one_sampler_gives_one_world_after_the_other(name: str) -> None:
    state = find({}, at("lead", 2))[0]
    sampler = SAMPLERS[name](3)
    worlds = {str(state.resample_from_infostate(1, sampler)) for _ in range(100)}
    assert len(worlds) > 95


def test_the_sampler_of_openspiel_gives_one_world_after_the_other() -> None:
    state = find({}, at("lead", 2))[0]
    sampler = pyspiel.UniformProbabilitySampler(0.0, 1.0)
    worlds = {str(state.resample_from_infostate(1, sampler)) for _ in range(100)}
    assert len(worlds) > 95


@pytest.mark.parametrize("bad", [None, True, "seed", 1.5, [1]])
def test_other_samplers_are_refused(bad: object) -> None:
    state = next(walk(load({}), 0))
    with pytest.raises(ValueError, match=r"sampler: .* is not allowed; it must be"):
        state.resample_from_infostate(0, bad)
    with pytest.raises(ValueError, match=r"rng: .* is not allowed; it must be"):
        state.open_world(bad)


@pytest.mark.parametrize("name", [HIDDEN, OPEN])
@pytest.mark.parametrize("bad", [-1, 2, None, "0"])
def test_other_players_are_refused(name: str, bad: object) -> None:
    state = next(walk(load({}, name), 0))
    with pytest.raises(ValueError, match=r"player: .* is not allowed; it must be 0 or 1"):
        state.resample_from_infostate(bad, 1)


def test_open_world_of_other_players_is_refused() -> None:
    state = next(walk(load({}), 0))
    with pytest.raises(ValueError, match="player: 2 is not allowed"):
        state.open_world(1, 2)
