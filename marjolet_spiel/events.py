"""Histories as bytes: one event a byte, and what each player has seen of them.

The log of a game is what was applied to its start position. An event is a player's action id, or
a chance outcome plus `DEAL`, `TURN`, `DRAWN` or `LOT`. The views of a player are made from the log
by `view`, which replays it and leaves out or blanks what that player did not see; it adds the
last face-down card, which is drawn without a chance node.
"""

import numpy as np

from marjolet_spiel import kernel
from marjolet_spiel.array_types import UnsignedBytes, Vector
from marjolet_spiel.cards import CARD_NAMES, NUM_CARDS
from marjolet_spiel.compiling import compiled, count, lowest
from marjolet_spiel.kernel import copy_to
from marjolet_spiel.notation import action_name

DEAL, TURN, DRAWN, LOT = 64, 96, 128, 160
HIDDEN_DEAL, HIDDEN_DRAW = 192, 193

EVENT_BYTES = tuple(bytes([code]) for code in range(256))


@compiled
def action_of(event: int) -> int:
    """The action or chance outcome of an event."""
    return event if event < DEAL else event & 31


@compiled
def event_base(pos: Vector) -> int:
    """What is added to an action in this position to make its event."""
    phase = pos[kernel.PHASE]
    if phase == kernel.DEALING:
        return DEAL
    if phase == kernel.TURNING:
        return TURN
    if phase == kernel.DRAW:
        return DRAWN
    return LOT if phase == kernel.DEALER_LOT else 0


@compiled
def node(pos: Vector, event: int) -> tuple[int, int]:
    """What a state needs to know of its position, in one call.

    Returns:
      Two numbers: the player on turn (16 bits up), the cards that the hand being dealt still needs
      (8 bits up) and `event`; and what is possible, a mask of actions or chance outcomes.
    """
    player = pos[kernel.PLAYER]
    need = 0
    if player != kernel.CHANCE:
        mask = kernel.legal_mask(pos)
    else:
        mask = kernel.chance_mask(pos)
        if pos[kernel.PHASE] == kernel.DEALING:
            need = pos[kernel.HAND_SIZE] - count(pos[kernel.HAND0 + kernel.hand_being_dealt(pos)])
    return (player << 16) | (need << 8) | event, mask


@compiled
def advance(pos: Vector, event: int) -> None:
    """Applies a legal event in place. Unchecked."""
    if event < DEAL:
        kernel.apply_decision(pos, event)
    else:
        kernel.apply_chance(pos, event & 31)


@compiled
def apply_event(pos: Vector, action: int) -> tuple[int, int]:
    """Applies a possible action or outcome in place, unchecked; the new `node` with the event."""
    event = event_base(pos) + action
    advance(pos, event)
    return node(pos, event)


@compiled
def replay(pos: Vector, log: UnsignedBytes) -> int:
    """Applies a log in place; returns how many of its events were legal, all of them if all are."""
    for i in range(len(log)):
        event = np.int64(log[i])
        if event_base(pos) != (event & 224 if event >= DEAL else 0):
            return i
        if not kernel.apply(pos, action_of(event)):
            return i
    return len(log)


@compiled
def actors(pos: Vector, log: UnsignedBytes, out: Vector) -> None:
    """Writes who did each event of a legal log (`CHANCE` or a player); replays it in place."""
    for i in range(len(log)):
        out[i] = pos[kernel.PLAYER]
        advance(pos, np.int64(log[i]))


@compiled
def ends_stock(pos: Vector) -> bool:
    """Whether closing the window takes the last two cards of the stock."""
    return (
        pos[kernel.PHASE] == kernel.DECLARE
        and pos[kernel.TRICK] == pos[kernel.STOCK_TRICKS]
        and pos[kernel.INDICATOR] != kernel.NONE
    )


@compiled
def _write_private(
    out: UnsignedBytes, n: int, event: int, seen: bool, public: bool, hidden: int
) -> int:
    """That a card came to a hand is public, which card is private."""
    if seen:
        out[n] = event
    elif public:
        out[n] = hidden
    else:
        return n
    return n + 1


@compiled
def view(
    pos: Vector, start: Vector, log: UnsignedBytes, sees: int, public: bool, out: UnsignedBytes
) -> int:
    """Writes what somebody saw of a log to `out` and returns its length.

    Args:
      pos: scratch space of the length of `start`.
      start: where the log begins.
      log: the events.
      sees: whose private events are seen: bit p for player p.
      public: whether public events are written.
      out: at least ``view_size(log)`` long.
    """
    copy_to(start, pos)
    n = 0
    for i in range(len(log)):
        event = np.int64(log[i])
        phase = pos[kernel.PHASE]
        if phase == kernel.DEALING:
            seen = sees >> kernel.hand_being_dealt(pos) & 1 == 1
            n = _write_private(out, n, event, seen, public, HIDDEN_DEAL)
        elif phase == kernel.DRAW:
            seen = sees >> kernel.drawer(pos) & 1 == 1
            n = _write_private(out, n, event, seen, public, HIDDEN_DRAW)
        elif public:
            out[n] = event
            n += 1
        last = pos[kernel.DOWN] if event == kernel.DONE and ends_stock(pos) else 0
        advance(pos, event)
        if last:
            seen = sees >> pos[kernel.LEADER] & 1 == 1
            n = _write_private(out, n, DRAWN + lowest(last), seen, public, HIDDEN_DRAW)
    return n


def log_array(log: bytes) -> UnsignedBytes:
    """A log as a writable uint8 vector, as the compiled functions want it."""
    return np.frombuffer(bytearray(log), dtype=np.uint8)


def events_with_actors(start: Vector, log: bytes) -> list[tuple[int, int]]:
    """Who did each event of a log (-1 for chance), and what, as an action or an outcome."""
    who = np.empty(len(log), dtype=np.int64)
    actors(start.copy(), log_array(log), who)
    return [
        (player, event if event < DEAL else event & 31)
        for player, event in zip(who.tolist(), log, strict=True)
    ]


def view_size(log: bytes) -> int:
    """The most events a view of `log` can have: one more for each deal, of at least 8 events."""
    return len(log) + len(log) // 8 + 1


def _event_text(event: int, num_suits: int) -> str:
    if event <= kernel.DONE:
        return action_name(event, num_suits).removeprefix("play ").removeprefix("meld ")
    if event >= LOT:
        return {HIDDEN_DEAL: "d:?", HIDDEN_DRAW: "+?"}.get(event, f"dealer{event - LOT}")
    sign = {DEAL: "d:", TURN: "t:", DRAWN: "+"}[event & 224]
    return sign + CARD_NAMES[event % NUM_CARDS]


def _event_texts(num_suits: int) -> list[str]:
    valid = [*range(kernel.NUM_ACTIONS), *range(DEAL, LOT + 2), HIDDEN_DEAL, HIDDEN_DRAW]
    return [" " + _event_text(event, num_suits) if event in valid else "" for event in range(256)]


EVENT_TEXTS = {num_suits: _event_texts(num_suits) for num_suits in (2, 3, 4)}
"""The word of each event of a view with a blank before it, by the suits of the pack."""


def view_text(start: Vector, log: bytes, sees: int, public: bool = True) -> str:
    """What somebody saw of a log (see `view`) as text: a word an event, each after a blank.

    ``d:AS`` dealt, ``t:AS`` turned up, ``+AS`` drawn, ``d:?`` and ``+?`` to the other, ``AS``
    played, ``KS-QS`` melded, ``swap``, ``done``, ``dealer0``.
    """
    out = np.empty(view_size(log), dtype=np.uint8)
    n = view(np.empty_like(start), start, log_array(log), sees, public, out)
    texts = EVENT_TEXTS[int(start[kernel.NUM_SUITS])]
    return "".join([texts[event] for event in out[:n].tolist()])
