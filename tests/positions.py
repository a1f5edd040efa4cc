"""Games, random ways through them, and positions laid out by hand."""

import random
from collections.abc import Iterator, Sequence
from typing import Any

import pyspiel

import marjolet_spiel  # noqa: F401  (registers the games)
from marjolet_spiel import kernel
from marjolet_spiel.cards import CARD_NAMES
from tests.tables import GameTable, Script
from tests.variants import Params

State = Any


def load(params: Params) -> Any:
    """A game with the given parameters."""
    return pyspiel.load_game("python_marjolet", dict(params))


def walk(params: Params, seed: int) -> Iterator[State]:
    """The states of a random game."""
    rng = random.Random(seed)
    state = load(params).new_initial_state()
    while not state.is_terminal():
        yield state.clone()
        if state.is_chance_node():
            outcomes, weights = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(rng.choices(outcomes, weights)[0])
        else:
            state.apply_action(rng.choice(state.legal_actions()))


def decisions(params: Params, seed: int) -> list[State]:
    """The states of a random game in which somebody is to choose."""
    return [state for state in walk(params, seed) if state.current_player() >= 0]


def stock_choices(params: Params, seed: int) -> list[State]:
    """Those in which the stock is not gone and there is more than one legal action."""
    return [
        state
        for state in decisions(params, seed)
        if len(state.legal_actions()) > 1
        and state.core.pos[kernel.TRICK] <= state.core.pos[kernel.STOCK_TRICKS]
    ]


def dealt(params: Params, hands: Sequence[str], turn_up: str, actions: str = "") -> State:
    """A deal by player 1 after some actions, separated by commas.

    The stock is drawn in the order of the card ids.
    """
    split = [hand.split() for hand in hands]
    left = [c for c in CARD_NAMES if c not in split[0] + split[1] + [turn_up]]
    script = Script(split, turn_up, left, dealer=1)
    table = GameTable({"first_dealer": 1, **params})
    script.settle(table)
    for action in filter(None, actions.split(", ")):
        table.apply(action)
        script.settle(table)
    return table.state


def endgame(hands: Sequence[str], trump: str, led: str = "") -> State:
    """Tricks after the stock in the english profile: player 0 is to lead, or 1 has led `led`.

    Each side has won half of the tricks before, the leader one more if they are odd.
    """
    split = [hand.split() for hand in hands]
    gone = [card for card in CARD_NAMES if card not in {*split[0], *split[1], led}]
    half, lost = len(gone) // 4 * 2, 6 - len(split[0])
    captured = [gone[:half], gone[half:]]
    return load({}).new_initial_state(
        {
            "phase": "follow" if led else "lead",
            "dealer": 0,
            "deal_number": 1,
            "trick": 11 + lost,
            "leader": 1 if led else 0,
            "led": led,
            "turn_up": f"A{trump}",
            "indicator": "",
            "hands": split,
            "captured": captured,
            "stock": [],
            "declared": [[], []],
            "window": [],
            "swapped": False,
            "last_tricks": [lost // 2, lost - lost // 2] if led else [lost - lost // 2, lost // 2],
            "points": [
                {
                    "melds": 0,
                    "dix": 10 * (f"7{trump}" in cards),
                    "stock_end": 10 * player,
                    "last": 0,
                    "sweep": 0,
                    "brisques": 10 * sum(card[0] in "AT" for card in cards),
                }
                for player, cards in enumerate(captured)
            ],
            "scores": [0, 0],
        }
    )


def named(state: State, action: int) -> str:
    """The text of an action."""
    text: str = state.action_to_string(action)
    return text
