"""Positions and histories as tensors: which named pieces there are and how they are filled.

All pieces are one-hot or bit maps but `points`, `scores` (hundreds of points), `last_tricks` and
`deal` (fractions). "Cards" run over the cards of the pack and "melds" over those that can count
under the rules, both in ascending id; suits are in the order S H D C; players are 0, 1.
"""

from dataclasses import dataclass
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from marjolet_spiel import cards, kernel
from marjolet_spiel.array_types import SingleFloats, UnsignedBytes, Vector
from marjolet_spiel.compiling import compiled, count, lowest
from marjolet_spiel.events import DEAL, DRAWN, advance, ends_stock, log_array
from marjolet_spiel.kernel import NONE, copy_to
from marjolet_spiel.rules import Rules

PUBLIC, OWN, ALL, STOCK = "public", "own", "all", "stock"
"""Whose information a piece is: everybody's, the observer's, both players', the open stock's."""


class Piece(NamedTuple):
    """A named part of a tensor.

    Attributes:
      shape: its dimensions, by number or by name (`dimensions`).
      whose: PUBLIC, OWN, ALL or STOCK.
      history: whether it tells of the past of the deal, not of the present.
      help: what it holds.
    """

    shape: tuple[int | str, ...]
    whose: str
    history: bool
    help: str


# fmt: off
PIECES = {
    "observer": Piece(("players",), OWN, False, "whose view it is"),
    "phase": Piece(("phases",), PUBLIC, False,
        "dealer, deal, turn, lead, follow, declare, draw, over"),
    "to_act": Piece(("players",), PUBLIC, False,
        "the player on turn (none at chance nodes and at the end)"),
    "dealer": Piece(("players",), PUBLIC, False, "who deals"),
    "leader": Piece(("players",), PUBLIC, False,
        "who leads the trick; once it is decided, its winner"),
    "trump": Piece(("suits",), PUBLIC, False, "the trump suit"),
    "turn_up": Piece(("cards",), PUBLIC, False, "the card turned up"),
    "indicator": Piece(("cards",), PUBLIC, False, "the face-up card of the stock"),
    "led": Piece(("cards",), PUBLIC, False, "the card led to the trick in progress"),
    "trick": Piece(("tricks",), PUBLIC, False, "the trick in progress or just played"),
    "stock_left": Piece(("stock",), PUBLIC, False,
        "cards in the stock, the indicator included, 0 upwards"),
    "held": Piece(("players", "held"), PUBLIC, False,
        "how many cards each player holds, 0 upwards"),
    "exposed": Piece(("players", "cards"), PUBLIC, False, "declared cards on the table, by player"),
    "known": Piece(("players", "cards"), PUBLIC, False,
        "cards that everybody knows to be in a hand, by player"),
    "captured": Piece(("players", "cards"), PUBLIC, False, "cards won, by player"),
    "declared": Piece(("players", "melds"), PUBLIC, False, "melds of this deal, by player"),
    "window": Piece(("melds",), PUBLIC, False, "melds declared in the open window"),
    "swapped": Piece((1,), PUBLIC, False, "whether the dix was swapped"),
    "last_tricks": Piece(("players",), PUBLIC, False,
        "endgame tricks won, by player, as a fraction of all"),
    "points": Piece(("players", "categories"), PUBLIC, False,
        "points of this deal / 100 by player: melds, dix, stock end, last, sweep, brisques"),
    "scores": Piece(("players",), PUBLIC, False, "points of the deals before / 100, by player"),
    "deal": Piece((1,), PUBLIC, False,
        "the number of the deal as a fraction of the most there can be"),
    "hand": Piece(("cards",), OWN, False, "the observer's hand"),
    "hands": Piece(("players", "cards"), ALL, False, "both hands"),
    "stock": Piece(("face_down", "cards"), STOCK, False,
        "the face-down cards in drawing order (open game only)"),
    "played": Piece(("cards", "tricks"), PUBLIC, True,
        "for each card the trick in which it was played in this deal"),
    "played_by": Piece(("cards", "players"), PUBLIC, True,
        "for each card who played it in this deal"),
    "melded": Piece(("melds", "tricks"), PUBLIC, True,
        "for each meld the trick in whose window it was declared"),
    "swap": Piece(("tricks",), PUBLIC, True, "the trick in whose window the dix was swapped"),
    "got": Piece(("cards", "draws"), OWN, True,
        "for each own card when it came: dealt, or drawn after trick 1, 2, ..."),
    "both_got": Piece(("cards", "draws"), ALL, True,
        "for each card when it came to a hand: dealt, or drawn after trick 1, 2, ..."),
}
# fmt: on
"""All pieces, in the order in which tensors have them."""

NAMES = tuple(PIECES)
# Where each is in `NAMES`.
(
    _OBSERVER,
    _PHASE,
    _TO_ACT,
    _DEALER,
    _LEADER,
    _TRUMP,
    _TURN_UP,
    _INDICATOR,
    _LED,
    _TRICK,
    _STOCK_LEFT,
    _HELD,
    _EXPOSED,
    _KNOWN,
    _CAPTURED,
    _DECLARED,
    _WINDOW,
    _SWAPPED,
    _LAST_TRICKS,
    _POINTS,
    _SCORES,
    _DEAL,
    _HAND,
    _HANDS,
    _STOCK,
    _PLAYED,
    _PLAYED_BY,
    _MELDED,
    _SWAP,
    _GOT,
    _BOTH_GOT,
) = range(len(PIECES))


_CATEGORIES = 6


@dataclass(frozen=True)
class Layout:
    """Which pieces a tensor has.

    Attributes:
      shapes: the shape of each piece, in order.
      size: floats in all.
      offsets: int64 [len(NAMES)], where each piece of `NAMES` starts, or -1.
      card_index: int64 [32], the place of each card among the cards of the pack.
      meld_index: int64 [25], the place of each meld among those that can count.
    """

    shapes: dict[str, tuple[int, ...]]
    size: int
    offsets: NDArray[np.int64]
    card_index: NDArray[np.int64]
    meld_index: NDArray[np.int64]


def dimensions(rules: Rules) -> dict[str, int]:
    """How large the dimensions of pieces are under the rules."""
    return {
        "players": 2,
        "phases": len(kernel.PHASE_NAMES),
        "suits": rules.num_suits,
        "cards": rules.num_cards,
        "melds": len(rules.melds()),
        "tricks": rules.num_tricks,
        "stock": rules.stock_size + 1,  # from 0 cards to all
        "held": rules.hand_size + 1,
        "face_down": rules.stock_size - 1,
        "draws": rules.stock_tricks + 1,  # dealt, or drawn after a trick
        "categories": _CATEGORIES,
    }


def piece_shapes(rules: Rules) -> dict[str, tuple[int, ...]]:
    """The shape of every piece under the rules."""
    sizes = dimensions(rules)
    return {
        name: tuple(sizes[d] if isinstance(d, str) else d for d in piece.shape)
        for name, piece in PIECES.items()
    }


def piece_names(public: bool, recall: bool, sees: str, open_stock: bool) -> list[str]:
    """The pieces of an observation.

    Args:
      public: whether public information is in it.
      recall: whether the history of the deal is in it.
      sees: "none", "own" or "all": whose private information is in it.
      open_stock: whether the stock lies open (the open game).
    """
    shown = {sees} | ({PUBLIC} if public else set()) | ({STOCK} if open_stock else set())
    return [
        name
        for name, piece in PIECES.items()
        if piece.whose in shown and (recall or not piece.history)
    ]


def layout(rules: Rules, names: list[str]) -> Layout:
    """The layout of a tensor with the given pieces (pieces without any floats are left out)."""
    every = piece_shapes(rules)
    shapes = {name: every[name] for name in names if prod(every[name])}
    offsets = np.full(len(NAMES), -1, dtype=np.int64)
    size = 0
    for name, shape in shapes.items():
        offsets[NAMES.index(name)] = size
        size += prod(shape)
    card_index = np.full(cards.NUM_CARDS, -1, dtype=np.int64)
    card_index[cards.bits(rules.pack)] = np.arange(rules.num_cards)
    meld_index = np.full(cards.NUM_MELDS, -1, dtype=np.int64)
    meld_index[list(rules.melds())] = np.arange(len(rules.melds()))
    return Layout(shapes, size, offsets, card_index, meld_index)


@compiled
def _put(out: SingleFloats, offset: int, index: int) -> None:
    """Sets one place of a piece, if the tensor has the piece."""
    if offset >= 0 and index >= 0:
        out[offset + index] = 1.0


@compiled
def _put_mask(out: SingleFloats, offset: int, mask: int, index: Vector) -> None:
    """Sets the places of all bits of a mask of cards or melds, if the tensor has the piece."""
    if offset < 0:
        return
    while mask:
        out[offset + index[lowest(mask)]] = 1.0
        mask &= mask - 1


@compiled
def write_public(
    pos: Vector, at: Vector, card_at: Vector, meld_at: Vector, out: SingleFloats
) -> None:
    """Fills the public pieces of the present; `out` is all zero there."""
    num_cards = pos[kernel.NUM_CARDS]
    melds = 0
    for i in range(len(meld_at)):
        melds += meld_at[i] >= 0
    out[at[_PHASE] + pos[kernel.PHASE]] = 1.0
    if pos[kernel.PLAYER] >= 0:
        out[at[_TO_ACT] + pos[kernel.PLAYER]] = 1.0
    _put(out, at[_DEALER], pos[kernel.DEALER])
    _put(out, at[_LEADER], pos[kernel.LEADER])
    _put(out, at[_TRUMP], pos[kernel.TRUMP])
    for piece, field in (
        (_TURN_UP, kernel.TURN_UP),
        (_INDICATOR, kernel.INDICATOR),
        (_LED, kernel.LED),
    ):
        if pos[field] != NONE:
            _put(out, at[piece], card_at[pos[field]])
    _put(out, at[_TRICK], pos[kernel.TRICK] - 1)
    left = count(pos[kernel.DOWN]) + (pos[kernel.INDICATOR] != NONE)
    if pos[kernel.TURN_UP] != NONE:
        _put(out, at[_STOCK_LEFT], left)
    for player in range(2):
        held = count(pos[kernel.HAND0 + player])
        out[at[_HELD] + player * (pos[kernel.HAND_SIZE] + 1) + held] = 1.0
        cards_from = player * num_cards
        _put_mask(out, at[_EXPOSED] + cards_from, pos[kernel.EXPOSED0 + player], card_at)
        _put_mask(out, at[_KNOWN] + cards_from, pos[kernel.KNOWN0 + player], card_at)
        _put_mask(out, at[_CAPTURED] + cards_from, pos[kernel.CAPTURED0 + player], card_at)
        if melds:
            declared = pos[kernel.DECLARED0 + player]
            _put_mask(out, at[_DECLARED] + player * melds, declared, meld_at)
        wins = np.float32(pos[kernel.WINS0 + player])
        out[at[_LAST_TRICKS] + player] = wins / np.float32(pos[kernel.HAND_SIZE])
        first = at[_POINTS] + player * _CATEGORIES
        for category in range(_CATEGORIES - 1):
            points = pos[kernel.MELD_POINTS0 + 2 * category + player]
            out[first + category] = points / np.float32(100)
        brisques = kernel.brisque_points(pos, player)
        out[first + _CATEGORIES - 1] = brisques / np.float32(100)
        out[at[_SCORES] + player] = pos[kernel.SCORE0 + player] / np.float32(100)
    if melds:
        _put_mask(out, at[_WINDOW], pos[kernel.WINDOW], meld_at)
    out[at[_SWAPPED]] = pos[kernel.SWAPPED]
    deals = pos[kernel.MAX_DEALS] if pos[kernel.TARGET] > 0 else 1
    out[at[_DEAL]] = pos[kernel.DEAL] / np.float32(deals)


@compiled
def write_private(pos: Vector, player: int, at: Vector, card_at: Vector, out: SingleFloats) -> None:
    """Fills the private pieces of the present; `out` is all zero there."""
    _put(out, at[_OBSERVER], player)
    _put_mask(out, at[_HAND], pos[kernel.HAND0 + player], card_at)
    if at[_HANDS] >= 0:
        _put_mask(out, at[_HANDS], pos[kernel.HAND0], card_at)
        _put_mask(out, at[_HANDS] + pos[kernel.NUM_CARDS], pos[kernel.HAND1], card_at)


@compiled
def _write_got(
    pos: Vector, card: int, to: int, player: int, at: Vector, card_at: Vector, out: SingleFloats
) -> None:
    place = card_at[card] * (pos[kernel.STOCK_TRICKS] + 1) + pos[kernel.TRICK]
    if to == player:
        _put(out, at[_GOT], place)
    _put(out, at[_BOTH_GOT], place)


@compiled
def _write_event(
    pos: Vector,
    event: int,
    player: int,
    at: Vector,
    card_at: Vector,
    meld_at: Vector,
    out: SingleFloats,
) -> None:
    """What an event that is about to happen in `pos` adds to the history pieces."""
    trick = pos[kernel.TRICK] - 1
    tricks = pos[kernel.NUM_TRICKS]
    base = event & 224
    if base == DEAL and pos[kernel.PHASE] == kernel.DEALING:
        to = kernel.hand_being_dealt(pos)
        _write_got(pos, event & 31, to, player, at, card_at, out)
    elif base == DRAWN and pos[kernel.PHASE] == kernel.DRAW:
        _write_got(pos, event & 31, kernel.drawer(pos), player, at, card_at, out)
    elif event == kernel.DONE:
        if ends_stock(pos):
            last = lowest(pos[kernel.DOWN])
            _write_got(pos, last, pos[kernel.LEADER], player, at, card_at, out)
    elif event == kernel.SWAP:
        _put(out, at[_SWAP], trick)
    elif event < kernel.FIRST_MELD:
        card = card_at[event - kernel.FIRST_PLAY]
        _put(out, at[_PLAYED], card * tricks + trick)
        _put(out, at[_PLAYED_BY], card * 2 + pos[kernel.PLAYER])
    elif event < kernel.DONE:
        _put(out, at[_MELDED], meld_at[event - kernel.FIRST_MELD] * tricks + trick)


@compiled
def write_deal(
    pos: Vector,
    log: UnsignedBytes,
    end: int,
    player: int,
    at: Vector,
    card_at: Vector,
    meld_at: Vector,
    out: SingleFloats,
) -> None:
    """Fills the history pieces with the first `end` events of a log of one deal.

    `pos` is where the log begins; it is moved on to where it ends.
    """
    for i in range(end):
        event = np.int64(log[i])
        _write_event(pos, event, player, at, card_at, meld_at, out)
        advance(pos, event)


@compiled
def _begin_last_deal(pos: Vector, start: Vector, log: UnsignedBytes) -> int:
    """Sets `pos` to where the deal begins in which a log ends; returns its first event."""
    first = 0
    copy_to(start, pos)
    for i in range(len(log)):
        deal = pos[kernel.DEAL]
        advance(pos, np.int64(log[i]))
        if pos[kernel.DEAL] != deal:
            first = i + 1
    copy_to(start, pos)
    for i in range(first):
        advance(pos, np.int64(log[i]))
    return first


def write_tensor(
    plan: Layout, pos: Vector, start: Vector, log: bytes, player: int, out: SingleFloats
) -> None:
    """Fills float32 [plan.size] `out`, all but the open stock, for a position and its history."""
    out.fill(0)
    at = plan.offsets
    if at[_PHASE] >= 0:
        write_public(pos, at, plan.card_index, plan.meld_index, out)
    if at[_OBSERVER] >= 0 or at[_HANDS] >= 0:
        write_private(pos, player, at, plan.card_index, out)
    if at[_PLAYED] >= 0 or at[_GOT] >= 0 or at[_BOTH_GOT] >= 0:
        scratch, events = np.empty_like(pos), log_array(log)
        deal = events[_begin_last_deal(scratch, start, events) :]
        tables = plan.card_index, plan.meld_index
        write_deal(scratch, deal, len(deal), player, at, *tables, out)


def write_stock(plan: Layout, order: list[int], out: SingleFloats) -> None:
    """Fills the `stock` piece with the face-down cards in drawing order."""
    at = plan.offsets[_STOCK]
    if at >= 0:
        num_cards = plan.shapes["stock"][1]
        for place, card in enumerate(order):
            out[at + place * num_cards + plan.card_index[card]] = 1.0
