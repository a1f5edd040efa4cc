"""Sampled worlds come with the right chances: each history as often as the cards make it.

Histories of small packs are enumerated in full. Of the full pack it is the cards of the other hand.
"""

import random
from collections import Counter
from itertools import combinations
from typing import Any

import pytest

from tests.openspiel.chances import (
    World,
    assert_chances,
    check_chances,
    check_some,
    consistent,
    equally_likely,
    resampled,
)
from tests.openspiel.nodes import (
    Check,
    at,
    at_draw,
    dealt_so_far,
    find,
    in_second_deal,
    with_known,
)
from tests.openspiel.walks import AKQJ7_MATCH, Game, State, choose, each_player, kind_of, unseen
from tests.variants import (
    AKQJ7,
    ATKQJ7,
    KQJ7,
    MATCH,
    SMALL_MATCH,
    Params,
    each_profile,
    mostly_slow,
)

CHANCE_NODES: dict[str, tuple[Params, Check]] = {
    "non-dealer's first card": (KQJ7, dealt_so_far(1, 0)),
    "non-dealer's second card": (KQJ7, dealt_so_far(2, 0)),
    "dealer's hand to be dealt": (KQJ7, dealt_so_far(3, 0)),
    "dealer's first card": (KQJ7, dealt_so_far(3, 1)),
    "dealer's second card": (KQJ7, dealt_so_far(3, 2)),
    "turn-up": (KQJ7, lambda state: kind_of(state) == "turn"),
    "first draw": (AKQJ7, at_draw(1, 0)),
    "second draw": (AKQJ7, at_draw(1, 1)),
    "first draw of the second trick": (ATKQJ7, at_draw(2, 0)),
    "second draw of the second trick": (ATKQJ7, at_draw(2, 1)),
    "draw in a second deal": (AKQJ7_MATCH, in_second_deal(at_draw(1, 1))),
    "dealer's card in a second deal": (SMALL_MATCH, in_second_deal(dealt_so_far(3, 1))),
}


DECISIONS: dict[str, tuple[Params, Check]] = {
    "first lead": (KQJ7, at("lead", 1)),
    "first answer": (KQJ7, at("follow", 1)),
    "window": (KQJ7, at("declare", 1)),
    "lead of two stock tricks": (AKQJ7, at("lead", 1)),
    "second lead": (AKQJ7, at("lead", 2)),
    "second answer": (AKQJ7, at("follow", 2)),
    "second window": (AKQJ7, at("declare", 2)),
    "endgame after two draws": (AKQJ7, at("lead", 3)),
    "third lead": (ATKQJ7, at("lead", 3)),
    "third answer": (ATKQJ7, at("follow", 3)),
    "third window": (ATKQJ7, at("declare", 3)),
    "endgame after three draws": (ATKQJ7, at("lead", 4)),
    "second deal": (AKQJ7_MATCH, in_second_deal(at("lead", 2))),
}

mostly_player_0, mostly_player_1 = (
    pytest.mark.parametrize("player", mostly_slow([0, 1], quick=[quick])) for quick in (0, 1)
)


@mostly_player_0
@pytest.mark.parametrize(("params", "fits"), CHANCE_NODES.values(), ids=CHANCE_NODES.keys())
def test_histories_at_chance_nodes_come_with_their_chances(
    params: Params, fits: Check, player: int
) -> None:
    check_some(params, fits, player)


@mostly_player_1
@pytest.mark.parametrize("mover", [True, False], ids=["mover", "other"])
@pytest.mark.parametrize(("params", "fits"), DECISIONS.values(), ids=DECISIONS.keys())
def test_histories_at_decisions_come_with_their_chances(
    params: Params, fits: Check, mover: bool, player: int
) -> None:
    def fits_mover(state: State) -> bool:
        return (state.current_player() == player) == mover and fits(state)

    check_some(params, fits_mover, player, 1)


@each_player
@pytest.mark.parametrize("params", [AKQJ7, ATKQJ7], ids=["AKQJ7", "ATKQJ7"])
@pytest.mark.parametrize("kind", ["lead", "follow", "declare"])
def test_histories_with_known_cards_come_with_their_chances(
    params: Params, kind: str, player: int
) -> None:
    def fits(state: State) -> bool:
        view = state.to_dict()
        return view["phase"] == kind and view["stock_left"] and view["known"][1 - player]

    check_some(params, fits, player)


# --- the full pack: which cards are where ---------------------------------------------------------


def check_hidden_hand(state: State, player: int, number: int) -> None:
    """The other's unknown cards are a uniform choice of the unseen ones, the true ones too."""
    view = state.to_dict()
    cards, known = unseen(view, player), {*view["known"][1 - player]}
    size = len(view["hands"][1 - player]) - len(known)
    expected = {frozenset(hand) | known for hand in combinations(sorted(cards), size)}
    assert len(expected) == number
    assert frozenset(view["hands"][1 - player]) in expected
    worlds = resampled(state, player)
    assert_chances(
        equally_likely(expected),
        lambda: frozenset(next(worlds).to_dict()["hands"][1 - player]),
        50 * number,
    )


@each_player
@each_profile
def test_one_card_face_down_leaves_seven_worlds(profile: str, player: int) -> None:
    params = {"profile": profile}
    for state in find(params, at("lead", 10, with_known(0, player)), 2):
        check_hidden_hand(state, player, 7)


@each_player
def test_one_card_face_down_leaves_seven_worlds_in_a_window(player: int) -> None:
    for state in find(MATCH, in_second_deal(at("declare", 10, with_known(0, player))), 2):
        holds = len(state.to_dict()["hands"][1 - player])
        check_hidden_hand(state, player, holds + 1)


@each_player
@pytest.mark.parametrize("known", [1, 2, 3])
def test_known_cards_leave_fewer_worlds(known: int, player: int) -> None:
    for state in find({}, at("lead", 10, with_known(known, player)), 2):
        check_hidden_hand(state, player, 7 - known)


@each_player
def test_three_cards_face_down_leave_84_worlds(player: int) -> None:
    for state in find({"profile": "dutch"}, at("lead", 9, with_known(0, player))):
        check_hidden_hand(state, player, 84)


# --- positions set up for study -------------------------------------------------------------------


def with_hand(view: dict[str, Any], player: int, hidden: set[str]) -> dict[str, Any]:
    """The position with other cards in the hand of the opponent of `player`."""
    hands = list(view["hands"])
    hands[1 - player] = sorted({*view["known"][1 - player], *hidden})
    return {**view, "hands": hands, "stock": sorted(unseen(view, player) - hidden)}


def possible_set_ups(game: Game, view: dict[str, Any], player: int) -> list[State]:
    """The set-up positions that `player` cannot tell from `view`."""
    other = 1 - player
    size = len(view["hands"][other]) - len(view["known"][other])
    hands = combinations(sorted(unseen(view, player)), size)
    return [game.new_initial_state(with_hand(view, player, set(hand))) for hand in hands]


SET_UPS: dict[str, tuple[Params, Check]] = {**CHANCE_NODES, **DECISIONS}


@mostly_player_0
@pytest.mark.parametrize(("params", "fits"), SET_UPS.values(), ids=SET_UPS.keys())
def test_set_up_positions_have_the_worlds_of_the_game_they_are_from(
    params: Params, fits: Check, player: int
) -> None:
    state = find(params, fits, 2)[player]
    game = state.get_game()
    expected: dict[World, float] = Counter()
    for (text, _), weight in consistent([game.new_initial_state()], state, player).items():
        expected[text, ()] += weight
    set_up = game.new_initial_state(state.to_dict())
    if len(expected) > 1:
        check_chances(set_up, player, expected)
    assert str(set_up.resample_from_infostate(player, 1)) in {text for text, _ in expected}


PLAYED_ON: dict[str, tuple[Params, Check, Check]] = {
    "lead to window": (AKQJ7, at("lead", 1), at("declare", 1)),
    "window to draw": (AKQJ7, at("declare", 1), at_draw(1, 1)),
    "window to next trick": (AKQJ7, at("declare", 1), at("follow", 2)),
    "draw to next window": (ATKQJ7, at_draw(1, 1), at("declare", 2)),
    "answer to next answer": (ATKQJ7, at("follow", 2), at("follow", 3)),
}


@each_player
@pytest.mark.parametrize(("params", "begin", "end"), PLAYED_ON.values(), ids=PLAYED_ON.keys())
def test_histories_from_set_up_positions_come_with_their_chances(
    params: Params, begin: Check, end: Check, player: int
) -> None:
    checked = 0
    for seed, origin in enumerate(find(params, begin, 5)):
        game, view = origin.get_game(), origin.to_dict()
        state, rng = game.new_initial_state(view), random.Random(seed)
        while not end(state):
            state.apply_action(choose(state, rng))
        expected = consistent(possible_set_ups(game, view, player), state, player)
        if 1 < len(expected) < 400:
            check_chances(state, player, expected)
            checked += 1
    assert checked > 1
