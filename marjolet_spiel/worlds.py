"""Sampling what a player cannot see.

`resample` draws a whole history that looks the same to one player, each equally likely. What he
knows stays: his own cards, every card the other has shown and the indicator. The rest is spread
over the *places* hidden from him, the other's dealt cards, each of his draws and the stock, such
that a card the other showed at trick k was dealt to him or drawn before it. That is the exact
posterior when the other's choices are left out of account: no rule excludes a world.

The cards shown are placed first, in the order in which they were shown. The places open to each are
those that came before it, less the ones taken by cards shown earlier, a number that does not depend
on how those were placed: so every assignment has the same probability.
"""

from typing import Any

import numpy as np

from marjolet_spiel import kernel
from marjolet_spiel.array_types import UnsignedBytes, Vector
from marjolet_spiel.cards import NUM_CARDS, bits, mask_of
from marjolet_spiel.compiling import compiled, compiled_allocating, count, highest_bit, lowest
from marjolet_spiel.events import DEAL, DRAWN, advance, ends_stock, log_array
from marjolet_spiel.sampling import CARDS, below, order_stock, shuffle_to_front

# One deal as it is seen, in one int64 vector: counts, then the places and the cards shown.
_NUM_PLACES, _NUM_SHOWN, _SEEN = range(3)
_TIME = 3  # of each place: 0 dealt, t drawn after trick t
_INDEX = _TIME + NUM_CARDS  # of each place: its event in the log, or one of the next two
_CARD = _INDEX + NUM_CARDS  # what is put in each place, or NONE
_SHOWN = _CARD + NUM_CARDS  # cards of the other in the order in which they were shown
_DEADLINE = _SHOWN + NUM_CARDS  # the trick at which each was shown
_DEAL_SIZE = _DEADLINE + NUM_CARDS
_AT_START = -1  # the place is the hand of a position that the log starts from
_UNLOGGED = -2  # not dealt yet, or the last face-down card, which is drawn without an event


@compiled
def _add_place(deal: Vector, time: int, index: int) -> None:
    place = deal[_NUM_PLACES]
    deal[_TIME + place] = time
    deal[_INDEX + place] = index
    deal[_CARD + place] = kernel.NONE
    deal[_NUM_PLACES] += 1


@compiled
def _show(deal: Vector, shown: int, trick: int) -> None:
    """Cards of the other are shown for the first time, unless they were seen before."""
    shown &= ~deal[_SEEN]
    deal[_SEEN] |= shown
    while shown:
        deal[_SHOWN + deal[_NUM_SHOWN]] = lowest(shown)
        deal[_DEADLINE + deal[_NUM_SHOWN]] = trick
        deal[_NUM_SHOWN] += 1
        shown &= shown - 1


@compiled
def _begin(deal: Vector, pos: Vector, player: int) -> None:
    """A deal begins, or a log begins within one: what lies open or is known is seen already."""
    hidden = pos[kernel.HAND1 - player] & ~pos[kernel.KNOWN1 - player]
    deal[_NUM_PLACES] = 0
    deal[_NUM_SHOWN] = 0
    deal[_SEEN] = pos[kernel.PACK] & ~(pos[kernel.DOWN] | hidden)
    for _ in range(count(hidden)):
        _add_place(deal, 0, _AT_START)


@compiled
def _watch(deal: Vector, pos: Vector, event: int, index: int, player: int) -> None:
    """What `player` learns from an event that is about to happen in `pos`."""
    trick = pos[kernel.TRICK]
    phase = pos[kernel.PHASE]
    if phase == kernel.DEALING or phase == kernel.DRAW:
        dealing = phase == kernel.DEALING
        to = kernel.hand_being_dealt(pos) if dealing else kernel.drawer(pos)
        if to == player:
            deal[_SEEN] |= 1 << (event & 31)
        else:
            _add_place(deal, trick, index)
    elif phase == kernel.TURNING:
        deal[_SEEN] |= 1 << (event & 31)
    elif event == kernel.DONE:
        if ends_stock(pos):
            if pos[kernel.LEADER] == player:
                deal[_SEEN] |= pos[kernel.DOWN]
            else:
                _add_place(deal, trick, _UNLOGGED)
    elif pos[kernel.PLAYER] == 1 - player:
        if event >= kernel.FIRST_MELD:
            _show(deal, kernel.cards_in_meld(pos, event - kernel.FIRST_MELD), trick)
        elif event >= kernel.FIRST_PLAY:
            _show(deal, 1 << (event - kernel.FIRST_PLAY), trick)
        else:
            _show(deal, 1 << kernel.seven_of_trumps(pos), trick)


@compiled
def _complete_dealing(deal: Vector, pos: Vector, player: int, rng: Vector) -> None:
    """Between two cards of the deal: think of both hands as dealt out, so that all fits together.

    Hands are dealt in ascending order, so the first cards of a hand say something of the rest.
    """
    size = pos[kernel.HAND_SIZE]
    own = pos[kernel.HAND0 + player]
    other = count(pos[kernel.HAND1 - player])
    if other == size and own != 0:
        above = pos[kernel.PACK] & ~deal[_SEEN] & ~((highest_bit(own) << 1) - 1)
        need = size - count(own)
        shuffle_to_front(rng, above, need)
        for i in range(need):
            deal[_SEEN] |= 1 << rng[CARDS + i]
    elif 0 < other < size:
        for _ in range(size - other):
            _add_place(deal, 0, _UNLOGGED)


@compiled
def _put_in_free_place(deal: Vector, card: int, skip: int) -> None:
    place = 0
    while deal[_CARD + place] != kernel.NONE or skip > 0:
        if deal[_CARD + place] == kernel.NONE:
            skip -= 1
        place += 1
    deal[_CARD + place] = card


@compiled
def _fill(deal: Vector, pack: int, rng: Vector) -> None:
    """Puts a card in every place: first those that were shown, then unseen ones."""
    places = deal[_NUM_PLACES]
    shown = deal[_NUM_SHOWN]
    for i in range(shown):
        in_time = 0
        while in_time < places and deal[_TIME + in_time] < deal[_DEADLINE + i]:
            in_time += 1
        _put_in_free_place(deal, deal[_SHOWN + i], below(rng, in_time - i))
    shuffle_to_front(rng, pack & ~deal[_SEEN], places - shown)
    for i in range(places - shown):
        _put_in_free_place(deal, rng[CARDS + i], 0)


@compiled
def _write(deal: Vector, start: Vector, player: int, out: UnsignedBytes) -> None:
    """Writes the filled places back to the start position and to the log."""
    dealt = 0
    for place in range(deal[_NUM_PLACES]):
        if deal[_TIME + place] == 0:
            dealt |= 1 << deal[_CARD + place]
    at_start = 0
    for place in range(deal[_NUM_PLACES]):
        index = deal[_INDEX + place]
        card = deal[_CARD + place]
        base = DRAWN
        if deal[_TIME + place] == 0:  # the dealt cards in ascending order
            card = lowest(dealt)
            dealt &= dealt - 1
            base = DEAL
        if index == _AT_START:
            at_start |= 1 << card
        elif index >= 0:
            out[index] = base + card
    if at_start:
        hand = start[kernel.HAND1 - player]
        known = start[kernel.KNOWN1 - player]
        start[kernel.DOWN] = (start[kernel.DOWN] | (hand & ~known)) & ~at_start
        start[kernel.HAND1 - player] = (hand & known) | at_start


@compiled_allocating
def _resample(start: Vector, log: UnsignedBytes, player: int, rng: Vector) -> None:
    pos = start.copy()
    deal = np.zeros(_DEAL_SIZE, dtype=np.int64)
    out = log.copy()
    _begin(deal, pos, player)
    for i in range(len(log)):
        event = np.int64(log[i])
        _watch(deal, pos, event, i, player)
        number = pos[kernel.DEAL]
        advance(pos, event)
        if pos[kernel.DEAL] != number:
            _fill(deal, pos[kernel.PACK], rng)
            _write(deal, start, player, out)
            _begin(deal, pos, player)
    if pos[kernel.PHASE] == kernel.DEALING:
        _complete_dealing(deal, pos, player, rng)
    _fill(deal, pos[kernel.PACK], rng)
    _write(deal, start, player, out)
    log[:] = out


def resample(start: Vector, log: bytes, player: int, rng: Vector) -> tuple[Vector, bytes]:
    """A start position and a log that `player` cannot tell from the given ones.

    Args:
      start: the position that the log starts from.
      log: a legal history from there (see `events.py`).
      player: 0 or 1, the one whose information state is kept.
      rng: a generator (see `sampling.py`); it is moved on.
    """
    new_start, new_log = start.copy(), log_array(log)
    _resample(new_start, new_log, player, rng)
    return new_start, new_log.tobytes()


def deal_orders(start: Vector, log: bytes, rng: Vector) -> list[list[int]]:
    """The cards of each deal of a log in the order in which they left the pack.

    What is still face down comes last, in random order. For a log that starts within a deal the
    places of the cards that were out before are filled in any order.
    """
    pos, orders = start.copy(), [_cards_out(start)]
    for event in log:
        deal, last = pos[kernel.DEAL], 0
        if event >= DEAL and pos[kernel.PHASE] != kernel.DEALER_LOT:
            orders[-1].append(event & 31)
        elif ends_stock(pos):
            last = int(pos[kernel.DOWN]) if event == kernel.DONE else 0
        advance(pos, event)
        if last:
            orders[-1].append(lowest(last))
        if pos[kernel.DEAL] != deal:
            orders.append([])
    size = int(pos[kernel.NUM_CARDS])
    order_stock(pos, rng)
    orders[-1] += rng[CARDS + len(orders[-1]) : CARDS + size].tolist()
    return orders


def _cards_out(pos: Vector) -> list[int]:
    """The cards not face down: the non-dealer's hand first, as they may still be being dealt."""
    dealer = max(0, int(pos[kernel.DEALER]))
    first, second = int(pos[kernel.HAND1 - dealer]), int(pos[kernel.HAND0 + dealer])
    rest = int(pos[kernel.PACK]) & ~(int(pos[kernel.DOWN]) | first | second)
    return bits(first) + bits(second) + bits(rest)


def seen_position(state: Any, player: int) -> Vector:
    """What `player` sees of a state as a kernel vector, equal for all states of one view.

    The cards that he cannot tell apart lie in one and the same way: the lowest ids in the hidden
    part of the opponent's hand, the others face down. Once the stock is gone nothing is hidden, and
    it is the position itself.

    Returns:
      A new int64 [kernel.SIZE].
    """
    pos = state.core.pos.copy()
    other = 1 - player
    known = int(pos[kernel.KNOWN0 + other])
    hidden = int(pos[kernel.HAND0 + other]) & ~known
    pool = hidden | int(pos[kernel.DOWN])
    held = mask_of(bits(pool)[: hidden.bit_count()])
    pos[kernel.HAND0 + other] = known | held
    pos[kernel.DOWN] = pool & ~held
    return pos
