"""Positions set up for study: from dicts to kernel positions, with every check there is."""

from collections.abc import Mapping
from typing import Any

from marjolet_spiel import kernel
from marjolet_spiel.array_types import Vector
from marjolet_spiel.cards import bits, names_of
from marjolet_spiel.kernel import NONE, PHASE_NAMES
from marjolet_spiel.positions import position_dict
from marjolet_spiel.set_up_checks import check_position
from marjolet_spiel.set_up_fields import Fields


def position_from_dict(start: Vector, setup: Mapping[str, Any]) -> Vector:
    """The kernel position that a dict describes.

    Args:
      start: any position under the same rules.
      setup: the keys of `position_dict`; those of `DERIVED_KEYS` may be missing.

    Raises:
      ValueError: the position is malformed or cannot occur; the message says why. What is not
        checked is whether the captured cards can have come to their captors in legal tricks.
    """
    fields = Fields(start, setup)
    _read_numbers(fields)
    _read_cards(fields)
    _read_melds(fields)
    _derive_visible(fields)
    check_position(fields)
    _set_player(fields)
    full = position_dict(fields.pos)
    for key in full:
        given = fields.setup.get(key, full[key])
        if _sorted_cards(given) != _sorted_cards(full[key]):
            raise fields.bad(key, f"it follows from the rest as {full[key]!r}")
    return fields.pos


def _read_numbers(fields: Fields) -> None:
    pos, setup = fields.pos, fields.setup
    if setup["phase"] not in PHASE_NAMES:
        raise fields.bad("phase", "it must be one of " + ", ".join(PHASE_NAMES))
    pos[kernel.PHASE] = PHASE_NAMES.index(setup["phase"])
    in_lot = pos[kernel.PHASE] == kernel.DEALER_LOT
    pos[kernel.DEALER] = fields.whole("dealer", NONE if in_lot else 0, NONE if in_lot else 1)
    most = int(pos[kernel.MAX_DEALS]) if pos[kernel.TARGET] else 1
    pos[kernel.DEAL] = fields.whole("deal_number", 1, most)
    before_play = pos[kernel.PHASE] <= kernel.TURNING
    low, high = (0, 0) if before_play else (1, int(pos[kernel.NUM_TRICKS]))
    pos[kernel.TRICK] = fields.whole("trick", low, high)
    low, high = (NONE, NONE) if before_play else (0, 1)
    pos[kernel.LEADER] = fields.whole("leader", low, high)
    if type(setup["swapped"]) is not bool:
        raise fields.bad("swapped", "it must be True or False")
    pos[kernel.SWAPPED] = setup["swapped"]
    for player, wins in enumerate(fields.pair("last_tricks", int)):
        pos[kernel.WINS0 + player] = wins
    _read_scores(fields)


def _read_scores(fields: Fields) -> None:
    pos = fields.pos
    scores = fields.pair("scores", int)
    for player, score in enumerate(scores):
        if score < 0 or score % 10:
            raise fields.bad("scores", "scores are multiples of 10 from 0")
        pos[kernel.SCORE0 + player] = score
    if sum(scores) and (pos[kernel.TARGET] == 0 or pos[kernel.DEAL] == 1):
        raise fields.bad("scores", "no deal was played before this one")
    reached = max(scores) >= pos[kernel.TARGET] > 0
    if reached and (pos[kernel.IMMEDIATE] or scores[0] != scores[1]):
        raise fields.bad("scores", f"the match to {pos[kernel.TARGET]} was already won")


def _read_cards(fields: Fields) -> None:
    pos, setup = fields.pos, fields.setup
    seen = 0
    places = [("hands", kernel.HAND0), ("captured", kernel.CAPTURED0)]
    for key, field in places:
        for player, names in enumerate(fields.pair(key, list)):
            pos[field + player] = fields.mask(key, names)
            seen = _add(fields, key, seen, int(pos[field + player]))
    pos[kernel.DOWN] = fields.mask("stock", setup["stock"])
    seen = _add(fields, "stock", seen, int(pos[kernel.DOWN]))
    for key, field in (("indicator", kernel.INDICATOR), ("led", kernel.LED)):
        pos[field] = fields.one(key)
        if pos[field] != NONE:
            seen = _add(fields, key, seen, 1 << int(pos[field]))
    pos[kernel.TURN_UP] = fields.one("turn_up")
    pos[kernel.TRUMP] = NONE if pos[kernel.TURN_UP] == NONE else pos[kernel.TURN_UP] >> 3
    missing = int(pos[kernel.PACK]) & ~seen
    if missing and not _dix_ended_match(fields, missing):
        names = " ".join(names_of(missing))
        raise ValueError(f"position: the cards {names} are nowhere")


def _add(fields: Fields, key: str, seen: int, mask: int) -> int:
    if seen & mask:
        raise fields.bad(key, f"{' '.join(names_of(seen & mask))} is also elsewhere")
    return seen | mask


def _dix_ended_match(fields: Fields, missing: int) -> bool:
    """Answering with the dix ended the match: the card was never taken by anyone."""
    pos = fields.pos
    ended = pos[kernel.PHASE] == kernel.OVER and pos[kernel.IMMEDIATE] == 1
    dix = pos[kernel.TRUMP] != NONE and missing == 1 << int(kernel.seven_of_trumps(pos))
    return bool(ended and dix and pos[kernel.LED] != NONE)


def _read_melds(fields: Fields) -> None:
    pos, suits = fields.pos, int(fields.pos[kernel.NUM_SUITS])
    for player, names in enumerate(fields.pair("declared", list)):
        for name in names:
            meld = fields.meld("declared", name, suits)
            pos[kernel.DECLARED0 + player] |= 1 << meld
            own = int(pos[kernel.HAND0 + player]) | fields.played()
            if int(kernel.cards_in_meld(pos, meld)) & ~own:
                raise fields.bad("declared", f"{name}: player {player} did not have all cards")
    if int(pos[kernel.DECLARED0]) & int(pos[kernel.DECLARED1]):
        raise fields.bad("declared", "a meld counts once a deal")
    _read_window(fields, suits)


def _read_window(fields: Fields, suits: int) -> None:
    pos = fields.pos
    if not isinstance(fields.setup["window"], list | tuple):
        raise fields.bad("window", "it must be a list of melds")
    used = 0
    for name in fields.setup["window"]:
        meld = fields.meld("window", name, suits)
        needed = int(kernel.cards_in_meld(pos, meld))
        pos[kernel.WINDOW] |= 1 << meld
        if pos[kernel.PHASE] != kernel.DECLARE:
            raise fields.bad("window", "there is none in this phase")
        leader = pos[kernel.LEADER]
        if not pos[kernel.DECLARED0 + leader] >> meld & 1:
            raise fields.bad("window", f"{name} is not declared by player {leader}")
        if needed & ~int(pos[kernel.HAND0 + leader]):
            raise fields.bad("window", f"{name} is not in the hand of player {leader}")
        if needed & used and pos[kernel.DISJOINT]:
            raise fields.bad("window", "a card serves one meld a window")
        used |= needed


def _derive_visible(fields: Fields) -> None:
    pos = fields.pos
    for player in range(2):
        public = 0
        for meld in bits(int(pos[kernel.DECLARED0 + player])):
            public |= int(kernel.cards_in_meld(pos, meld))
        hand = int(pos[kernel.HAND0 + player])
        pos[kernel.EXPOSED0 + player] = 0 if fields.stock_over() else public & hand
        if pos[kernel.TURN_UP] != NONE:
            public |= 1 << int(pos[kernel.TURN_UP])
            if fields.stock_over() and pos[kernel.SWAPPED]:
                public |= 1 << int(kernel.seven_of_trumps(pos))
        pos[kernel.KNOWN0 + player] = public & hand


def _set_player(fields: Fields) -> None:
    pos, phase = fields.pos, int(fields.pos[kernel.PHASE])
    leader = int(pos[kernel.LEADER])
    pos[kernel.PLAYER] = {
        kernel.LEAD: leader,
        kernel.DECLARE: leader,
        kernel.FOLLOW: 1 - leader,
        kernel.OVER: kernel.OVER_PLAYER,
    }.get(phase, kernel.CHANCE)


def _sorted_cards(value: Any) -> Any:
    """A value of the dict with the order inside lists of names left out of account."""
    if isinstance(value, list | tuple):
        parts = [_sorted_cards(part) for part in value]
        return sorted(parts) if all(isinstance(part, str) for part in parts) else parts
    return value
