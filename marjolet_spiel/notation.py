"""Every string of the project: actions, events of a history and positions as text.

Actions read ``play AS``, ``swap``, ``meld KS-QS``, ``done``; chance outcomes ``dealer 0``,
``deal AS``, ``turn AS``, ``draw AS``. Structs of actions are dicts such as
``{"action": "play", "card": "AS"}``.
"""

from collections.abc import Mapping
from typing import Any

from marjolet_spiel import cards, kernel
from marjolet_spiel.array_types import Vector
from marjolet_spiel.cards import (
    CARD_NAMES,
    NUM_CARDS,
    NUM_MELDS,
    bits,
    meld_name,
    parse_card,
    parse_meld,
)
from marjolet_spiel.kernel import DONE, FIRST_MELD, FIRST_PLAY, SWAP

_CHANCE_VERBS = {kernel.DEALING: "deal", kernel.TURNING: "turn", kernel.DRAW: "draw"}


def action_name(action: int, num_suits: int = 4) -> str:
    """The text of a player's action; ValueError if there is no such id."""
    if action == SWAP:
        return "swap"
    if FIRST_PLAY <= action < FIRST_PLAY + NUM_CARDS:
        return f"play {CARD_NAMES[action - FIRST_PLAY]}"
    if FIRST_MELD <= action < FIRST_MELD + NUM_MELDS:
        return f"meld {meld_name(action - FIRST_MELD, num_suits)}"
    if action == DONE:
        return "done"
    raise ValueError(f"action: {action!r} is not an action; ids go from 0 to {DONE}")


def chance_name(outcome: int, phase: int) -> str:
    """The text of a chance outcome in a phase."""
    if phase == kernel.DEALER_LOT and outcome in (0, 1):
        return f"dealer {outcome}"
    if phase in _CHANCE_VERBS and 0 <= outcome < NUM_CARDS:
        return f"{_CHANCE_VERBS[phase]} {CARD_NAMES[outcome]}"
    raise ValueError(
        f"outcome: {outcome!r} is no chance outcome in phase {kernel.PHASE_NAMES[phase]}"
    )


def parse_action(text: str, num_suits: int = 4) -> int:
    """The id of a player's action or, for chance, of the outcome; ValueError if malformed."""
    verb, _, what = text.partition(" ")
    if text in ("swap", "done"):
        return SWAP if text == "swap" else DONE
    if verb == "play":
        return FIRST_PLAY + parse_card(what)
    if verb == "meld":
        return FIRST_MELD + parse_meld(what, num_suits)
    if verb in _CHANCE_VERBS.values():
        return parse_card(what)
    if verb == "dealer" and what in ("0", "1"):
        return int(what)
    raise ValueError(
        f"action: {text!r} is not an action; actions read 'play AS', 'swap', 'meld KS-QS', 'done', "
        "chance outcomes 'dealer 0', 'deal AS', 'turn AS', 'draw AS'"
    )


def action_struct(text: str) -> dict[str, Any]:
    """The struct of an action given as text."""
    verb, _, what = text.partition(" ")
    if verb == "meld":
        return {"action": verb, "meld": what}
    if verb == "dealer":
        return {"action": verb, "player": int(what)}
    return {"action": verb, "card": what} if what else {"action": verb}


def parse_action_struct(struct: Mapping[str, Any], num_suits: int = 4) -> tuple[int, str]:
    """The action id of a struct, and its text; ValueError if it is malformed."""
    wanted = {"meld": "meld", "dealer": "player", "swap": None, "done": None}
    if not isinstance(struct, Mapping) or not isinstance(struct.get("action"), str):
        raise ValueError(
            f"action struct: {struct!r} is not allowed; it must be a dict such as "
            "{'action': 'play', 'card': 'AS'} or {'action': 'done'}"
        )
    verb = struct["action"]
    field = wanted.get(verb, "card")
    if set(struct) != ({"action"} if field is None else {"action", field}):
        keys = "'action' alone" if field is None else f"'action' and {field!r}"
        raise ValueError(f"action struct: {dict(struct)!r} is not allowed; {verb!r} has {keys}")
    text = verb if field is None else f"{verb} {struct[field]}"
    return parse_action(text, num_suits), text


def describe(pos: Vector, sees: int, stock_order: list[str] | None = None) -> str:
    """A position in words.

    Args:
      pos: a kernel position.
      sees: whose hands to show: bit p for player p.
      stock_order: the face-down cards in drawing order, if they are to be shown.
    """
    lines = [_headline(pos)]
    if pos[kernel.TRUMP] != kernel.NONE:
        lines.append(_table_line(pos))
    lines += [_player_line(pos, player, bool(sees >> player & 1)) for player in range(2)]
    if pos[kernel.TARGET] > 0:
        lines.append(
            f"Match to {pos[kernel.TARGET]}: {pos[kernel.SCORE0]} - {pos[kernel.SCORE1]} "
            "before this deal"
        )
    if stock_order:
        lines.append("Stock, next first: " + " ".join(stock_order))
    return "\n".join(lines)


def _headline(pos: Vector) -> str:
    phase, player = kernel.PHASE_NAMES[pos[kernel.PHASE]], pos[kernel.PLAYER]
    head = f"Deal {pos[kernel.DEAL]}"
    if pos[kernel.DEALER] != kernel.NONE:
        head += f" by player {pos[kernel.DEALER]}"
    if pos[kernel.TRICK]:
        head += f", trick {pos[kernel.TRICK]} of {pos[kernel.NUM_TRICKS]}"
    who = f"player {player}" if player >= 0 else "chance" if player == kernel.CHANCE else "nobody"
    window = meld_names(int(pos[kernel.WINDOW]), int(pos[kernel.NUM_SUITS]))
    now = f", declared now {' '.join(window)}" if window else ""
    return f"{head}: {phase}, {who} to act{now}"


def _table_line(pos: Vector) -> str:
    taken = " (taken)" if pos[kernel.INDICATOR] == kernel.NONE else ""
    line = f"Trumps {cards.SUITS[pos[kernel.TRUMP]]}, turned up {CARD_NAMES[pos[kernel.TURN_UP]]}"
    line += f"{taken}, stock {stock_left(pos)}"
    if pos[kernel.SWAPPED]:
        line += ", dix swapped"
    if pos[kernel.LED] != kernel.NONE:
        line += f", led {CARD_NAMES[pos[kernel.LED]]}"
    return line


def _player_line(pos: Vector, player: int, seen: bool) -> str:
    hand = int(pos[kernel.HAND0 + player])
    line = f"Player {player}: {kernel.deal_points(pos, player)} points, hand "
    line += " ".join(cards.names_of(hand)) if seen else f"of {hand.bit_count()}"
    shown = {
        "exposed": kernel.EXPOSED0,
        "known": kernel.KNOWN0,
        "captured": kernel.CAPTURED0,
    }
    for name, field in shown.items():
        mask = int(pos[field + player])
        if mask and not (name == "known" and mask == pos[kernel.EXPOSED0 + player]):
            line += f", {name} " + " ".join(cards.names_of(mask))
    declared = meld_names(int(pos[kernel.DECLARED0 + player]), int(pos[kernel.NUM_SUITS]))
    return line + (", declared " + " ".join(declared) if declared else "")


def meld_names(mask: int, num_suits: int) -> list[str]:
    """The names of the melds of a bit mask, ascending."""
    return [meld_name(meld, num_suits) for meld in bits(mask)]


def stock_left(pos: Vector) -> int:
    """Cards of the stock, the indicator included."""
    return int(pos[kernel.DOWN]).bit_count() + int(pos[kernel.INDICATOR] != kernel.NONE)
