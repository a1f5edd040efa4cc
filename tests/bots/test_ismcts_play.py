"""What the ISMCTS bot does in plain cases of the stock."""

from typing import Any

import numpy as np

from marjolet_spiel import kernel
from marjolet_spiel.array_types import Vector
from marjolet_spiel.cards import CARD_NAMES, bits
from marjolet_spiel.solvers.solve import solve
from tests.bots.quick import bot_for
from tests.positions import State, load, named, stock_choices
from tests.variants import Params


def choice(state: State, text: str = "ismcts:sims=3000", seed: int = 1) -> str:
    """What the bot does."""
    return named(state, bot_for(text, state, seed).step(state))


def exact_window(state: State) -> dict[int, float]:
    """The value of each action in the last window of the stock, over all that may be hidden."""
    player = state.current_player()
    pos = state.position()
    his, known = kernel.HAND1 - player, int(pos[kernel.KNOWN1 - player])
    pool = int(pos[his]) & ~known | int(pos[kernel.DOWN])
    worlds = []
    for card in bits(pool):
        world = pos.copy()
        world[kernel.DOWN] = 1 << card
        world[his] = known | pool & ~(1 << card)
        worlds.append(world)
    return {action: _after(worlds, action, player) for action in state.legal_actions()}


def _after(worlds: list[Vector], action: int, player: int) -> float:
    worlds = [world.copy() for world in worlds]
    for world in worlds:
        kernel.apply_decision(world, action)
    if action == kernel.DONE:
        return float(np.mean([solve(world).value for world in worlds])) * (1 - 2 * player)
    return max(_after(worlds, a, player) for a in bits(int(kernel.legal_mask(worlds[0]))))


def test_last_windows_are_played_as_well_as_can_be() -> None:
    """Against the exact mean over all worlds: melds, swaps, and closing the window."""
    seen = set()
    for seed in range(60):
        for state in stock_choices({"profile": "spanish"}, seed):
            pos = state.core.pos
            if pos[kernel.PHASE] == kernel.DECLARE and pos[kernel.TRICK] == 10:
                exact = exact_window(state)
                best = max(exact.values())
                action = bot_for("ismcts:sims=2000", state).step(state)
                assert exact[action] > best - 0.5
                seen |= {a for a, value in exact.items() if value == best and action == a}
    assert kernel.SWAP in seen
    assert any(action >= kernel.FIRST_MELD for action in seen)


def last_stock_trick(params: Params | None = None, **changes: Any) -> State:
    """Player 0 is to answer the ten of spades in the last trick of the stock, clubs are trumps."""
    hands = [["AS", "KH", "QH", "7S", "8D", "9D"], ["9S", "TH", "9H", "JD", "8C"]]
    fields = {"hands": hands, "indicator": "9C", "led": "TS", "stock": ["8H"], **changes}
    held = {*fields["hands"][0], *fields["hands"][1], *fields["stock"]}
    held |= {fields["led"], fields["indicator"]}
    gone = [card for card in CARD_NAMES if card not in held]
    captured = [gone[:10], gone[10:]]
    points = [
        {
            "melds": 0,
            "stock_end": 0,
            "last": 0,
            "sweep": 0,
            "dix": 10 * ("7C" in cards),
            "brisques": 10 * sum(card[0] in "AT" for card in cards),
        }
        for cards in captured
    ]
    rest: dict[str, Any] = {
        "phase": "follow",
        "dealer": 0,
        "deal_number": 1,
        "trick": 10,
        "leader": 1,
        "turn_up": "9C",
        "captured": captured,
        "declared": [[], []],
        "window": [],
        "swapped": False,
        "last_tricks": [0, 0],
        "points": points,
        "scores": [0, 0],
    }
    return load(params or {}).new_initial_state({**rest, **fields})


def test_takes_a_ten_with_the_ace_and_melds() -> None:
    state = last_stock_trick()
    for action in ("play AS", "meld KH-QH", "done"):
        assert choice(state) == action
        state.apply_action(state.string_to_action(action))


DIX = [["AS", "KH", "QH", "7C", "8D", "9D"], ["9S", "TH", "9H", "JD", "8C"]]


def test_swaps_the_dix_in_the_last_window() -> None:
    state = last_stock_trick(hands=DIX, indicator="AC", turn_up="AC")
    state.apply_action(state.string_to_action("play AS"))
    assert choice(state) == "swap"


def test_wins_the_match_at_once_rather_than_points() -> None:
    """The dix pays as it is played; for points it is worth more later.

    If the trick is lost the other will most likely declare the jack of trumps with a queen.
    """
    place: dict[str, Any] = {
        "hands": [["8S", "7S", "7H", "9D", "8D", "7C"], ["9S", "9H", "8H", "QD", "JC"]],
        "led": "QS",
        "stock": ["TH"],
        "indicator": "AC",
        "turn_up": "AC",
    }
    deal = last_stock_trick({"profile": "dutch"}, **place)
    assert choice(deal) != "play 7C"
    scores = [290 - points for points in deal.to_dict()["deal_points"]]
    match = {"profile": "dutch", "target": 300}
    state = last_stock_trick(match, **place, scores=scores, deal_number=2)
    assert choice(state) == "play 7C"
