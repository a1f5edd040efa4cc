"""Bots for the tests of the arena: some that watch, some that misbehave."""

import os
from collections.abc import Callable, Mapping
from typing import Any

import pyspiel

from bots.registry import ENTRIES, Entry
from marjolet_spiel import kernel
from marjolet_spiel.cards import bits, mask_of
from scripts.arena.plan.config import Config
from scripts.arena.plan.pairings import Block
from scripts.arena.play.runner import play_in_worker
from scripts.arena.store.records import PlayedBlock

Choose = Callable[[Any], Any]


class Player(pyspiel.Bot):  # type: ignore[misc]
    """A bot that does what a function says."""

    listens = False

    def __init__(self, choose: Choose) -> None:
        super().__init__()
        self._choose = choose

    def step(self, state: Any) -> Any:
        return self._choose(state)


def first_action(state: Any) -> int:
    """The legal action with the lowest id."""
    action: int = state.legal_actions()[0]
    return action


def entry(name: str, choose: Choose) -> Entry:
    """A registry entry for a bot that does what a function says."""
    return Entry(name, "for the tests", lambda game, player, seed, options: Player(choose))


def raises(state: Any) -> int:
    """Fails in the second trick, in different words each time but for an address."""
    if state.core.pos[kernel.TRICK] > 1:
        raise ValueError(f"no idea\n about {object()}")
    return first_action(state)


def exits(state: Any) -> int:
    """Ends the program."""
    raise SystemExit(3)


def plays_another_card(state: Any) -> int:
    """Plays a card that it does not hold."""
    held = mask_of(action for action in state.legal_actions())
    return next(action for action in bits((1 << 40) - 2) if not held >> action & 1)


class UnspeakableError(Exception):
    """An error that fails when it is asked what it is."""

    def __str__(self) -> str:
        raise RuntimeError


def unspeakable(state: Any) -> int:
    """Raises it."""
    raise UnspeakableError


class Broken(pyspiel.Bot):  # type: ignore[misc]
    """Cannot be made."""

    def __init__(self) -> None:
        raise RuntimeError("out of order")


def _broken(game: Any, player: int, seed: int, options: Mapping[str, Any]) -> Any:
    return Broken()


BAD_PLAYERS: Mapping[str, tuple[Entry, str]] = {
    "raises": (
        entry("raises", raises),
        r"choosing: ValueError: no idea about <object object at 0x\.\.\.>",
    ),
    "exits": (entry("exits", exits), "choosing: SystemExit: 3"),
    "illegal": (entry("illegal", plays_another_card), r"choosing: action \d+ is not legal"),
    "negative": (entry("negative", lambda state: -1), "choosing: action -1 is not legal"),
    "text": (entry("text", lambda state: "done"), "choosing: str is no action id"),
    "nothing": (entry("nothing", lambda state: None), "choosing: NoneType is no action id"),
    "yes": (entry("yes", lambda state: True), "choosing: bool is no action id"),
    "long": (entry("long", lambda state: {}["x" * 999]), "choosing: KeyError: 'x+\\.\\.\\."),
    "unspeakable": (entry("unspeakable", unspeakable), "choosing: UnspeakableError"),
    "broken": (Entry("broken", "", _broken), "setting up: RuntimeError: out of order"),
}
"""Bots that misbehave, and the reason that a table gives."""


def dies(state: Any) -> int:
    """Ends the process that plays at once, as running out of memory does."""
    os._exit(1)


def play_with_dying_bot(marker: str, config: Config, block: Block) -> PlayedBlock:
    """Plays a block in a worker; as long as a file is there, `dies` does so in block 5."""
    choose = dies if block.index == 5 and os.path.exists(marker) else first_action
    ENTRIES["dies"] = entry("dies", choose)
    return play_in_worker(config, block)
