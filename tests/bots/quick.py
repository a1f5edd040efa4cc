"""Every bot with a budget small enough for tests."""

from typing import Any

from bots.registry import make_bot, sees_all
from bots.registry.catalogue import ENTRIES
from tests.positions import State

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

PLAYERS = [
    *(QUICK.get(name, name) for name, entry in ENTRIES.items() if entry.positional != "file"),
    BOUNDARY,
]
"""A text for every bot that needs no file, and for ways to play that differ much."""

FAIR_PLAYERS = [text for text in PLAYERS if not sees_all(text)]
"""Those that do not look at hidden cards."""


def bot_for(text: str, state: State, seed: int = 1) -> Any:
    """A bot for whoever is on turn."""
    return make_bot(text, state.get_game(), state.current_player(), seed)
