"""Nothing hidden shows: what a player may look at is the same in all worlds he may be in."""

import random
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import pytest

from tests.openspiel.sights import sights
from tests.openspiel.walks import Game, State, each_player, kind_of, load, replay, unseen, walk
from tests.variants import Params, each_profile, each_variant

DEALT = ("lead", "follow", "declare", "draw", "over")


def renamed(state: State, player: int, names: dict[str, str]) -> State:
    """The same game with other cards in the places that `player` has never seen.

    It is made without the help of the game: in the chance events of this deal the cards are
    renamed, and each dealt hand is put in order again.
    """
    game = state.get_game()
    outcome = {name: game_card(state, name) for pair in names.items() for name in pair}
    codes = {outcome[old]: outcome[new] for old, new in names.items()}
    begin, node, fresh = 0, game.new_initial_state(), True
    for number, move in enumerate(state.full_history()):
        if fresh and kind_of(node) == "deal":
            begin = number
        fresh = move.player >= 0 or kind_of(node) == "dealer"
        node.apply_action(move.action)
    actions = state.history()
    events = state.full_history()[begin:]
    deal = [codes.get(e.action, e.action) if e.player == -1 else e.action for e in events]
    size = game.get_parameters()["hand_size"]
    deal = [*sorted(deal[:size]), *sorted(deal[size : 2 * size]), *deal[2 * size :]]
    return replay(game, [*actions[:begin], *deal])


def game_card(state: State, name: str) -> int:
    """The chance outcome that stands for a card."""
    return "SHDC".index(name[1]) * 8 + "ATKQJ987".index(name[0])


def shuffled_worlds(state: State, player: int, rng: random.Random, n: int) -> Iterator[State]:
    """Worlds in which the unseen cards have changed places at random."""
    cards = sorted(unseen(state.to_dict(), player))
    for _ in range(n):
        others = rng.sample(cards, len(cards))
        yield renamed(state, player, dict(zip(cards, others, strict=True)))


@each_player
@each_variant
def test_resampled_worlds_look_the_same(params: Params, player: int) -> None:
    rng = random.Random(1)
    for seed in range(2):
        for state in list(walk(load(params), seed))[seed::4]:
            seen = sights(state, player)
            for _ in range(2):
                world = state.resample_from_infostate(player, rng.getrandbits(60))
                assert sights(world, player) == seen


@each_player
@each_variant
def test_worlds_with_renamed_cards_look_the_same(params: Params, player: int) -> None:
    rng, others = random.Random(2), 0
    nodes = [state for state in walk(load(params), 2) if kind_of(state) in DEALT]
    for state in nodes[::6]:
        seen = sights(state, player)
        for world in shuffled_worlds(state, player, rng, 2):
            assert sights(world, player) == seen
            others += str(world) != str(state)
    assert others > 0


@each_player
@each_profile
@pytest.mark.parametrize("kind", ["lead", "follow", "declare"])
def test_all_worlds_of_a_late_position_look_the_same(profile: str, kind: str, player: int) -> None:
    """With one card face down there is a world for each card that it may be."""
    checked = 0
    for seed in range(3):
        for state in walk(load({"profile": profile}), seed):
            view = state.to_dict()
            if view["phase"] != kind or view["trick"] != 10:
                continue
            seen, (down,) = sights(state, player), view["stock"]
            for card in unseen(view, player):
                world = renamed(state, player, {down: card, card: down})
                assert world.to_dict()["stock"] == [card]
                assert sights(world, player) == seen
                checked += 1
    assert checked > 10


@each_player
@each_variant
def test_worlds_of_set_up_positions_look_the_same(params: Params, player: int) -> None:
    game, rng = load(params), random.Random(3)
    for origin in list(walk(game, 3))[::4]:
        state = game.new_initial_state(origin.to_dict())
        seen = sights(state, player)
        for _ in range(2):
            world = state.resample_from_infostate(player, rng.getrandbits(60))
            assert sights(world, player) == seen


def other_hands(view: dict[str, Any], player: int) -> Iterator[dict[str, Any]]:
    """The position with every choice of unseen cards in the other's hand."""
    other, cards = 1 - player, unseen(view, player)
    known = set(view["known"][other])
    for hidden in combinations(sorted(cards), len(view["hands"][other]) - len(known)):
        hands = list(view["hands"])
        hands[other] = sorted(known.union(hidden))
        yield {**view, "hands": hands, "stock": sorted(cards.difference(hidden))}


@each_player
@pytest.mark.parametrize("trick", [9, 10])
def test_all_set_up_worlds_look_the_same(trick: int, player: int) -> None:
    game = load({})
    for seed in range(2):
        for origin in walk(game, seed):
            view = origin.to_dict()
            if view["trick"] == trick and view["phase"] in ("lead", "declare"):
                seen = sights(game.new_initial_state(view), player)
                for other in other_hands(view, player):
                    assert sights(game.new_initial_state(other), player) == seen


# --- declining is invisible ---------------------------------------------------------------------


def windows(game: Game, verb: str, seeds: int) -> Iterator[State]:
    """Windows in which a certain thing may be done."""
    for seed in range(seeds):
        for state in walk(game, seed):
            if kind_of(state) == "declare":
                names = [state.action_to_string(action) for action in state.legal_actions()]
                if any(name.startswith(verb) for name in names):
                    yield state


@each_profile
@pytest.mark.parametrize("verb", ["meld", "swap"])
def test_declining_is_invisible(profile: str, verb: str) -> None:
    """Holding back looks as having nothing to declare, in the window and after it."""
    rng, compared = random.Random(4), 0
    for state in windows(load({"profile": profile}), verb, 5):
        opponent = 1 - state.current_player()
        for world in shuffled_worlds(state, opponent, rng, 12):
            if len(world.legal_actions()) > 1:
                continue
            declined, empty = state.clone(), world.clone()
            assert sights(declined, opponent) == sights(empty, opponent)
            for two in (declined, empty):
                two.apply_action(two.string_to_action("done"))
            assert sights(declined, opponent) == sights(empty, opponent)
            compared += 1
    assert compared > 10


def test_declared_melds_and_swaps_are_visible() -> None:
    for verb in ("meld", "swap"):
        state = next(windows(load({}), verb, 20))
        opponent = 1 - state.current_player()
        action = next(
            a for a in state.legal_actions() if state.action_to_string(a).startswith(verb)
        )
        before, after = sights(state, opponent), sights(state.child(action), opponent)
        for name in ("information state", "information state tensor", "observation", "struct"):
            assert before[name] != after[name]


def test_own_cards_are_visible() -> None:
    """The test of the tests: to the one who holds them worlds do not look the same."""
    state = next(state for state in walk(load({}), 5) if kind_of(state) == "lead")
    for player in range(2):
        world = state.resample_from_infostate(player, 1)
        mine, his = sights(state, 1 - player), sights(world, 1 - player)
        for name in (
            *("information state", "information state tensor", "observation"),
            *("observation tensor", "struct", "json", "(False, False, 'own') string"),
            *("(True, True, 'own') tensor", "(False, True, 'own') tensor"),
        ):
            assert mine[name] != his[name]
