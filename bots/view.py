"""What a seat may see of a position, by name."""

from dataclasses import dataclass
from typing import Any

from marjolet_spiel import kernel
from marjolet_spiel.array_types import Vector
from marjolet_spiel.kernel import NONE


@dataclass(frozen=True, slots=True)
class SeatView:
    """The visible facts of a position, equal for all states of one information state.

    Sets of cards and of melds are bit masks (see `marjolet_spiel.cards`). "Own" is what the seat
    has, "his" what the opponent has.

    Attributes:
      player: the seat, 0 or 1.
      legal: the seat's legal actions as a mask of action ids, 0 if it is not on turn.
      phase: one of `kernel.DEALER_LOT` ... `kernel.OVER`.
      dealer: who deals, or NONE.
      trick: the trick in progress or just played, from 1; 0 before the first.
      stock_tricks: how many tricks the stock lasts.
      num_tricks: tricks of a whole deal.
      leader: who leads the trick; once it is decided, its winner.
      led: the card led, or NONE.
      trump: the trump suit, or NONE.
      turn_up: the card turned up, or NONE.
      indicator: the face-up card of the stock, or NONE when taken.
      stock_left: cards of the stock, the indicator included.
      hand: the own hand.
      own_known: cards of the own hand that the opponent knows.
      his_known: cards of his hand that everybody knows.
      his_count: how many cards he holds.
      unseen: cards that are in his hand or face down, as far as the seat can tell.
      own_captured: cards won.
      his_captured: cards he has won.
      declared: melds of both players in this deal.
      window: melds declared in the open window.
      swapped: whether the dix was swapped in this deal.
      own_wins: endgame tricks won.
      his_wins: endgame tricks he has won.
      own_total: points of the match so far, this deal included.
      his_total: his points of the match so far, this deal included.
    """

    player: int
    legal: int
    phase: int
    dealer: int
    trick: int
    stock_tricks: int
    num_tricks: int
    leader: int
    led: int
    trump: int
    turn_up: int
    indicator: int
    stock_left: int
    hand: int
    own_known: int
    his_known: int
    his_count: int
    unseen: int
    own_captured: int
    his_captured: int
    declared: int
    window: int
    swapped: bool
    own_wins: int
    his_wins: int
    own_total: int
    his_total: int

    @property
    def stock_open(self) -> bool:
        """Whether there is a stock to draw from."""
        return self.trick <= self.stock_tricks

    @property
    def his_hand(self) -> int:
        """His hand, known by counting once the stock is gone (before, it may be more than that)."""
        return self.unseen | self.his_known


def seat_view(state: Any, player: int) -> SeatView:
    """What `player` may see of a state of `python_marjolet` or of its open sister.

    Of his hand and of the cards face down only their numbers and their union are taken, which the
    seat knows by counting.
    """
    core = state.core
    pos = core.pos.tolist()
    other = 1 - player
    own_hand, his_hand = pos[kernel.HAND0 + player], pos[kernel.HAND0 + other]
    his_known, face_down = pos[kernel.KNOWN0 + other], pos[kernel.DOWN]
    indicator = pos[kernel.INDICATOR]
    return SeatView(
        player=player,
        legal=int(core.mask) if core.player == player else 0,
        phase=pos[kernel.PHASE],
        dealer=pos[kernel.DEALER],
        trick=pos[kernel.TRICK],
        stock_tricks=pos[kernel.STOCK_TRICKS],
        num_tricks=pos[kernel.NUM_TRICKS],
        leader=pos[kernel.LEADER],
        led=pos[kernel.LED],
        trump=pos[kernel.TRUMP],
        turn_up=pos[kernel.TURN_UP],
        indicator=indicator,
        stock_left=face_down.bit_count() + (indicator != NONE),
        hand=own_hand,
        own_known=pos[kernel.KNOWN0 + player],
        his_known=his_known,
        his_count=his_hand.bit_count(),
        unseen=(his_hand & ~his_known) | face_down,
        own_captured=pos[kernel.CAPTURED0 + player],
        his_captured=pos[kernel.CAPTURED0 + other],
        declared=pos[kernel.DECLARED0] | pos[kernel.DECLARED1],
        window=pos[kernel.WINDOW],
        swapped=pos[kernel.SWAPPED] == 1,
        own_wins=pos[kernel.WINS0 + player],
        his_wins=pos[kernel.WINS0 + other],
        own_total=_total(core.pos, player),
        his_total=_total(core.pos, other),
    )


def _total(pos: Vector, player: int) -> int:
    return int(pos[kernel.SCORE0 + player] + kernel.deal_points(pos, player))
