"""The compact observation: nothing hidden in it, everything public, suits in turn with trumps."""

import numpy as np
import pyspiel
import pytest

from marjolet_spiel import cards, compact, kernel
from marjolet_spiel.vector import VectorEnv
from tests.variants import Params, each_variant


def decisions(params: Params, seed: int, games: int) -> list[pyspiel.State]:
    """Clones of the states of random games in which a player is on turn."""
    rng, found = np.random.default_rng(seed), []
    for _ in range(games):
        state = pyspiel.load_game("python_marjolet", dict(params)).new_initial_state()
        while not state.is_terminal():
            if state.current_player() >= 0:
                found.append(state.clone())
            state.apply_action(int(rng.choice(state.legal_actions())))
    return found


@each_variant
def test_all_worlds_of_an_information_state_look_the_same(params: Params) -> None:
    rng, different = np.random.default_rng(2), 0
    for state in decisions(params, 1, 2)[:150]:
        seen = compact.compact_observation(state)
        world = state.resample_from_infostate(state.current_player(), rng)
        assert np.array_equal(compact.compact_observation(world), seen)
        different += not np.array_equal(world.position(), state.position())
    assert different > 0


@each_variant
def test_every_legal_action_has_a_place(params: Params) -> None:
    for state in decisions(params, 3, 3):
        ids = compact.action_ids(int(state.position()[kernel.TRUMP]))
        assert set(state.legal_actions()) <= set(ids.tolist())
        real = ids[ids != kernel.NONE]
        assert len(set(real.tolist())) == len(real)


@pytest.mark.parametrize("order", [[1, 2, 3, 0], [3, 0, 2, 1]])
def test_plain_suits_change_places_and_nothing_else(order: list[int]) -> None:
    """Suits under other names: the same blocks of floats, in another order."""
    for state in decisions({"profile": "dutch"}, 5, 2):
        struct = state.to_dict()
        if struct["window"]:
            continue  # melds of a window come by their ids, which other suits have others of
        names = {cards.SUITS[i]: cards.SUITS[order[i]] for i in range(4)}
        renamed = rename(struct, names)
        game = state.get_game()
        one = compact.compact_observation(game.new_initial_state(struct))
        two = compact.compact_observation(game.new_initial_state(renamed))
        trump = int(state.position()[kernel.TRUMP])
        assert np.array_equal(one[: compact.GLOBAL_SIZE], two[: compact.GLOBAL_SIZE])
        first = one[compact.GLOBAL_SIZE :].reshape(4, compact.SUIT_SIZE)
        second = two[compact.GLOBAL_SIZE :].reshape(4, compact.SUIT_SIZE)
        for place, suit in enumerate(compact.suit_order(trump)):
            other = compact.suit_order(order[trump]).index(order[suit])
            assert np.array_equal(first[place], second[other])


def rename(struct: dict, names: dict[str, str]) -> dict:
    """A position with suits renamed; melds of several suits in the order of their names."""

    def text(value: str) -> str:
        if value in names:
            return names[value]
        parts = [part[0] + names[part[1]] for part in value.split("-") if part[1:2] in names]
        if len(parts) != value.count("-") + 1:
            return value
        if len(parts) == 4:
            parts.sort(key=lambda part: cards.SUITS.index(part[1]))
        return "-".join(parts)

    def walk(value: object) -> object:
        if isinstance(value, dict):
            return {key: walk(part) if key != "phase" else part for key, part in value.items()}
        if isinstance(value, list):
            return [walk(part) for part in value]
        return text(value) if isinstance(value, str) and value else value

    return walk(struct)


def test_planes_say_what_they_are_named_after() -> None:
    for state in decisions({}, 8, 3):
        pos, me = state.position(), state.current_player()
        struct, trump = state.to_dict(), int(state.position()[kernel.TRUMP])
        suits = compact.compact_observation(state)[compact.GLOBAL_SIZE :].reshape(4, -1)
        planes = suits[:, : 8 * len(compact.PLANES)].reshape(4, len(compact.PLANES), 8)

        def named(plane: str, planes: np.ndarray = planes, trump: int = trump) -> set[str]:
            block = planes[:, compact.PLANES.index(plane)]
            order = compact.suit_order(trump)
            return {
                cards.CARD_NAMES[order[place] * 8 + rank]
                for place, rank in zip(*np.nonzero(block), strict=True)
            }

        assert named("own") == set(struct["hands"][me])
        assert named("his_known") == set(struct["known"][1 - me])
        assert named("own_captured") == set(struct["captured"][me])
        assert named("his_captured") == set(struct["captured"][1 - me])
        assert named("led") == {struct["led"]} - {""}
        assert named("indicator") == {struct["indicator"]} - {""}
        assert named("own_known") == set(struct["known"][me])
        hidden = set(struct["hands"][1 - me]) - set(struct["known"][1 - me])
        assert named("unseen") == hidden | set(struct["stock"])
        history = state.full_history()
        plays = [
            (event.player, cards.CARD_NAMES[event.action - 1])
            for event in history
            if event.player >= 0 and 1 <= event.action <= 32
        ]
        led, answered = plays[::2], plays[1::2]
        for side, player in (("own", me), ("his", 1 - me)):
            assert named(f"{side}_led") == {card for who, card in led if who == player}
            assert named(f"{side}_answered") == {card for who, card in answered if who == player}
        winning = {
            card
            for card in struct["hands"][me]
            if struct["led"]
            and kernel.follower_wins(cards.parse_card(struct["led"]), cards.parse_card(card), trump)
        }
        assert named("winning") == winning
        for number, (_, card) in enumerate(plays):
            suit, rank = divmod(cards.parse_card(card), 8)
            place = compact.suit_order(trump).index(suit)
            when = planes[place, compact.PLANES.index("when"), rank]
            assert when == np.float32(number // 2 + 1) / np.float32(pos[kernel.NUM_TRICKS])


def test_hidden_facts_are_the_other_hand_and_the_order_of_the_stock() -> None:
    env = VectorEnv("python_marjolet", 40, 3)
    batch, rng = env.reset(), np.random.default_rng(1)
    drawn = 0
    for _ in range(60):
        hidden = env.hidden().reshape(40, 4, 2, 8).copy()
        before = env.positions()
        actions = np.argmax(batch.legal * (0.1 + rng.random(batch.legal.shape)), axis=1)
        batch = env.step(actions)
        for i, pos in enumerate(before):
            order = compact.suit_order(int(pos[kernel.TRUMP]))
            by_suit = np.zeros((4, 2, 8), dtype=np.float32)
            by_suit[order] = hidden[i]
            hand = cards.mask_of(np.flatnonzero(by_suit[:, 0].ravel()).tolist())
            assert hand == pos[kernel.HAND1 - pos[kernel.PLAYER]]
            soon = by_suit[:, 1].ravel()
            stock = cards.mask_of(np.flatnonzero(soon).tolist())
            assert stock == pos[kernel.DOWN]
            gone = stock & ~int(env.positions()[i][kernel.DOWN])
            if gone and not batch.done[i]:
                assert set(cards.bits(gone)) <= set(np.argsort(-soon)[: gone.bit_count()].tolist())
                drawn += 1
    assert drawn > 50


def test_nobody_on_turn_is_refused() -> None:
    state = pyspiel.load_game("python_marjolet").new_initial_state()
    with pytest.raises(ValueError, match="nobody is on turn"):
        compact.compact_observation(state)
