"""Games and positions for the tests of bots."""

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyspiel

import marjolet_spiel  # noqa: F401  (registers the games)
from bots.registry import make_bot, sees_all
from bots.registry.catalogue import ENTRIES
from marjolet_spiel import kernel
from marjolet_spiel.cards import CARD_NAMES
from tests.tables import GameTable, Params, Script

State = Any

VARIANTS: Mapping[str, Params] = {
    "spanish": {"profile": "spanish"},
    "english": {"profile": "english"},
    "swedish": {"profile": "swedish"},
    "dutch": {"profile": "dutch"},
    "match": {"target": 300, "max_deals": 3},
    "immediate match": {"profile": "dutch", "target": 300, "max_deals": 3},
    "marriages of jacks": {
        "jack_queen": "suit_jack_marriage",
        "four_of_a_kind": "bezique",
        "stock_end_bonus": "winner",
        "endgame_melds": "yes",
        "declaration": "disjoint",
    },
    "jacks of the suit": {"jack_queen": "suit_jack_marjolet", "dix_play": "unless_swapped"},
    "2 x QJ7": {"num_suits": 2, "ranks": "QJ7", "hand_size": 2},
    "2 x AKQJ7": {"profile": "dutch", "num_suits": 2, "ranks": "AKQJ7", "hand_size": 4},
    "3 suits, no sevens": {"num_suits": 3, "ranks": "ATKQJ8", "hand_size": 5},
    "large hands": {"hand_size": 15, "endgame_melds": "yes"},
    "match on a small pack": {"num_suits": 2, "ranks": "KQJ7", "hand_size": 3, "target": 100},
}
"""Every profile, every switch, matches and small packs."""

QUICK = {
    "ismcts": "ismcts:sims=30",
    "pimc": "pimc:worlds=3,depth=2",
    "cheat": "cheat:sims=30",
    "os_ismcts": "os_ismcts:sims=3",
    "os_mcts": "os_mcts:worlds=2,sims=2",
    "os_alphabeta": "os_alphabeta:worlds=1,depth=2",
}
"""Searches with small budgets."""

BOUNDARY = "ismcts:sims=30,boundary=yes"
"""The one that solves the last stock trick."""

SEARCHES = {*QUICK.values(), BOUNDARY}
"""Their texts."""

NEEDS_NO_FILE = [name for name, entry in ENTRIES.items() if entry.positional != "file"]

PLAYERS = [QUICK.get(name, name) for name in NEEDS_NO_FILE] + [BOUNDARY]
"""A text for every bot that needs no file, and for ways to play that differ much."""

FAIR_PLAYERS = [text for text in PLAYERS if not sees_all(text)]
"""Those that do not look at hidden cards."""


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


def bot_for(text: str, state: State, seed: int = 1) -> Any:
    """A bot for whoever is on turn."""
    return make_bot(text, state.get_game(), state.current_player(), seed)


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
