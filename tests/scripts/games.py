"""Recorded games for the tests: played at random, or by the referee."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from scripts.arena.plan.deals import PairDeals
from scripts.arena.plan.game_text import game_text, load_game
from scripts.arena.play.referee import play_game
from scripts.arena.store.recorded import RecordedGame
from tests.positions import walk

BOTS = ("random:seed=1", "random:seed=2")


def record_of(state: Any, bots: tuple[str, str] = BOTS, pair: int = 0) -> RecordedGame:
    """The record of a finished game."""
    first, second = state.returns()
    text = game_text(state.get_game().get_parameters())
    return RecordedGame(0, pair, 0, text, bots, tuple(state.history()), (first, second))


def random_states(params: Mapping[str, Any], seed: int) -> list[Any]:
    """The states of a random game, the last one included."""
    states = list(walk(params, seed))
    while not states[-1].is_terminal():  # `walk` leaves out the end; any end will do
        states.append(states[-1].child(states[-1].legal_actions()[0]))
    return states


def random_record(params: Mapping[str, Any], seed: int) -> RecordedGame:
    """A random game."""
    return record_of(random_states(params, seed)[-1])


def forfeited(record: RecordedGame, actions: int, seat: int, reason: str) -> RecordedGame:
    """A game in which a seat forfeits after some actions."""
    history = record.history[:actions]
    return replace(record, history=history, returns=None, forfeit=seat, reason=reason)


def play(game: str, bots: tuple[str, str], pair: int = 0) -> RecordedGame:
    """A game that the referee has watched."""
    loaded = load_game(game)
    deals = PairDeals(1, pair, loaded.rules.pack)
    end = play_game(loaded, deals, bots, [1, 2], np.random.default_rng(3))
    return RecordedGame(0, pair, 0, game, bots, end.history, end.returns, end.forfeit, end.reason)
