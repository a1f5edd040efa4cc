"""Positions from text: JSON or serialized states; and a position to begin with.

`pyspiel.deserialize_game_and_state` is not used: it believes the history that a text names, and
prints to the terminal when it cannot read one. Here the game that a text names is checked, and its
state goes through `game.deserialize_state`, which compares the history with the cards. A serialized
state holds a pickle, which can run code: read only those that come from somebody you trust.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

from bots.registry import make_bot
from marjolet_spiel import kernel
from marjolet_spiel.rules import Rules
from scripts.arena.plan.deals import PairDeals
from scripts.arena.plan.game_text import game_text, load_game, parse_game

_EVENT = r"-?\d{1,4}:\d{1,4}"
_STATE = re.compile(
    rf"history=(?:{_EVENT}(?:,{_EVENT})*)?\nmove_number=\d{{1,6}}\n__dict__=(?P<core>[A-Za-z0-9+/]+={{0,2}})"
)
_BOTH = re.compile(
    r"(?:#.*\n)*\[Meta\]\nVersion: 1\n+\[Game\]\n(?P<game>.*)\n\[State\](?P<state>(?s:.*))"
)


def read_text(source: str) -> str:
    """The text of a file, or of stdin for ``-``; ValueError if it cannot be read."""
    try:
        if source == "-":
            return sys.stdin.read()
        return Path(source).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ValueError(f"position: {source} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ValueError(f"position: {source} is not text") from None


def position_from_text(text: str, game: str | None = None) -> Any:
    """The state that a text describes.

    Args:
      text: a position as JSON (``state.to_json()``, or ``json.dumps`` of ``state.to_dict()``), what
        ``state.serialize()`` gave, or what ``pyspiel.serialize_game_and_state`` gave.
      game: the text of the game; None for the one that `text` names, or else python_marjolet.

    Raises:
      ValueError: the text is none of them or damaged, the position is impossible, or it belongs to
        another game.
    """
    text = "\n".join(text.split("\r\n")).strip()
    if "[Game]" in text and not text.startswith("{"):
        return _game_and_state(text, game)
    loaded = load_game(game_text(parse_game(game or "python_marjolet")))
    if text.startswith("history="):
        return _serialized(text, loaded)
    try:
        setup = json.loads(text)
    except (ValueError, RecursionError) as error:
        what = "it is empty" if not text else f"as JSON: {error}"
        raise ValueError(
            f"position: the text is neither JSON nor a serialized state; {what}"
        ) from None
    return loaded.new_initial_state(setup)


def _game_and_state(text: str, game: str | None) -> Any:
    parts = _BOTH.fullmatch(text)
    if parts is None:
        raise ValueError(
            "position: the text is damaged; it is not what pyspiel.serialize_game_and_state writes"
        )
    own = game_text(parse_game(parts["game"]))
    if game is not None and _rules(game) != _rules(own):
        given = game_text(parse_game(game))
        raise ValueError(f"game: {given} is given, but the position is one of {own}")
    return _serialized(parts["state"].strip(), load_game(own))


def _rules(game: str) -> Rules:
    return Rules.from_parameters(parse_game(game))


def _serialized(text: str, game: Any) -> Any:
    # What has not even the right form goes no further: OpenSpiel would print to the terminal.
    parts = _STATE.fullmatch(text)
    if parts is None or len(parts["core"]) % 4:
        raise ValueError("position: the serialized state is damaged")
    return game.deserialize_state(text)


def example_position(game: str | None, seed: int, trick: int | None) -> Any:
    """The lead to a trick of the first deal that greedy plays against itself.

    Args:
      game: the text of the game; None for python_marjolet.
      seed: a whole number from 0: the deal is that of a tournament's first pair.
      trick: the trick; None for the one before the last of the stock.

    Raises:
      ValueError: there is no such trick, or the match is over before it.
    """
    loaded = load_game(game_text(parse_game(game or "python_marjolet")))
    rules = loaded.rules
    if trick is None:
        trick = max(1, rules.stock_tricks - 1)
    if not 1 <= trick <= rules.num_tricks:
        raise ValueError(f"trick: {trick} is not allowed; it must be from 1 to {rules.num_tricks}")
    deals = PairDeals(seed, 0, rules.pack)
    bots = [make_bot("greedy", loaded, player, seed) for player in range(2)]
    state = loaded.new_initial_state()
    while state.core.pos[kernel.TRICK] != trick or state.is_chance_node():
        if state.is_terminal() or state.core.pos[kernel.DEAL] > 1:
            raise ValueError(
                f"trick: {trick} is not reached; with seed {seed} the match ends early"
            )
        player = state.current_player()
        chance = state.is_chance_node()
        state.apply_action(deals.outcome(state) if chance else bots[player].step(state))
    return state
