"""Recorded games that break the rules."""

from dataclasses import replace
from typing import Any

import pytest

from marjolet_spiel import kernel
from scripts.arena.store.recorded import RecordedGame
from scripts.replay.steps import BrokenGameError, walk
from scripts.replay.words import retell
from tests.scripts.games import random_states, record_of
from tests.scripts.replay.games_told import BY_HAND, WHOLE
from tests.variants import each_variant

TURN, ANSWER = 7, 9


def without(index: int, action: int) -> RecordedGame:
    """The game by hand with another action in a place."""
    history = (*WHOLE.history[:index], action, *WHOLE.history[index + 1 :])
    return replace(WHOLE, history=history)


BROKEN = {
    "card of the other": (
        without(ANSWER, kernel.FIRST_PLAY + 2),
        "action 9 of its history, 3 (play KS), is not allowed; allowed are 5 (play JS), 8 (play "
        "7S), 13 (play JH)",
    ),
    "no such action": (without(ANSWER, 58 + 6), "action 9 of its history, 64, is not allowed"),
    "huge": (without(ANSWER, 10**30), f"action 9 of its history, {10**30}, is not allowed"),
    "swap": (without(ANSWER, 0), "action 9 of its history, 0 (swap), is not allowed"),
    "card dealt twice": (
        without(2, 2),
        "action 2 of its history, 2 (deal KS), is not allowed; allowed are ",
    ),
    "lot": (without(0, 2), "action 0 of its history, 2, is not allowed; allowed are 0 (dealer 0)"),
    "turned up": (without(TURN, 99), "action 7 of its history, 99, is not allowed; allowed are "),
    "too short": (
        replace(WHOLE, history=WHOLE.history[:-1]),
        "its history ends after 17 actions, in phase follow of deal 1, but the game is not over",
    ),
    "empty": (
        replace(WHOLE, history=()),
        "its history ends after 0 actions, in phase dealer of deal 1, but the game is not over",
    ),
    "too long": (
        replace(WHOLE, history=(*WHOLE.history, 58)),
        "action 18 of its history, 58 (done), comes after the end of the game",
    ),
    "returns": (
        replace(WHOLE, returns=(50.0, -50.0)),
        "its returns are said to be 50 and -50, but they are -50 and 50",
    ),
    "returns of one": (
        replace(WHOLE, returns=(-50.0, 40.0)),
        "its returns are said to be -50 and 40, but they are -50 and 50",
    ),
}
"""Games that break the rules, and what is said of them."""


@pytest.mark.parametrize(("record", "why"), BROKEN.values(), ids=BROKEN.keys())
def test_broken_games_are_told_apart(record: RecordedGame, why: str) -> None:
    with pytest.raises(BrokenGameError) as error:
        list(walk(record))
    assert str(error.value).startswith(why)


@each_variant
def test_an_illegal_action_anywhere_is_found(params: Any) -> None:
    states = random_states(params, 8)
    record = record_of(states[-1])
    assert len(list(walk(record))) == len(record.history) == len(states) - 1
    for index in range(0, len(record.history), 7):
        legal = states[index].legal_actions()
        bad = next(action for action in range(60) if action not in legal)
        history = (*record.history[:index], bad, *record.history[index + 1 :])
        with pytest.raises(BrokenGameError, match=f"^action {index} of its history, {bad}\\b"):
            list(walk(replace(record, history=history)))


def test_what_is_told_before_the_error_is_told() -> None:
    texts: list[str] = []
    with pytest.raises(BrokenGameError):
        texts.extend(retell(BROKEN["card of the other"][0]))
    text = "\n".join(texts)
    assert BY_HAND.startswith(text)
    assert text.endswith("\n  ismcts leads QS")
