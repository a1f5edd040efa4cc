"""The rules of Marjolet, executed: the only place where they are.

A position is one vector of `SIZE` int64. Its first fields are the rules in force, so every function
needs nothing but the position. Sets of cards and of melds are bit masks (`cards.py`); fields whose
name ends in 0 have their partner for player 1 in the next place, so ``HAND0 + player`` is a hand.

A game alternates *decisions* (`legal_mask`, `apply` with an action id) and *chance* (`chance_mask`,
`apply` with a card id, or a player id for the lot). Where to look:

* who wins a trick: `follower_wins`
* what may be played: `playable`, and `strict_answers` once the stock is gone
* what may be melded and for how much: `meld_value`, `declarable`
* the seven of trumps: `can_swap`, `dix_pays`
* the end of the stock, of a deal, of a match: `_end_stock`, `_end_deal`, `_score`

There is no randomness here; see `simulate.py` and `worlds.py`.
"""

import numpy as np

from marjolet_spiel import cards
from marjolet_spiel.array_types import Vector
from marjolet_spiel.compiling import compiled, count, highest_bit, lowest
from marjolet_spiel.rules import SET_VALUES, Rules

# Rules in force, constant through a game.
(
    PACK,
    HAND_SIZE,
    NUM_SUITS,
    NUM_CARDS,
    STOCK_TRICKS,
    NUM_TRICKS,
    DISJOINT,
    DIX_PLAY,
    STOCK_END_WINNER,
    JACK_QUEEN,
    BEZIQUE,
    IMMEDIATE,
    ENDGAME_MELDS,
    SWEEP_BONUS,
    TARGET,
    MAX_DEALS,
    FIRST_DEALER,
    COUNTING0,  # the melds that count when the first suit is trumps; then the other suits
    COUNTING1,
    COUNTING2,
    COUNTING3,
) = range(21)

# The deal: what happens next, where the cards are, what was scored.
(
    PHASE,
    PLAYER,  # who acts: 0, 1, CHANCE or OVER_PLAYER
    DEALER,
    DEAL,  # from 1
    TRICK,  # from 1; in a window and while drawing still the trick just played
    LEADER,  # of the trick in progress; once it is decided its winner, who leads next
    LED,  # card led to the trick in progress, or NONE
    TRUMP,
    TURN_UP,
    INDICATOR,  # the face-up card of the stock, or NONE when taken
    DOWN,  # the face-down cards
    HAND0,
    HAND1,
    EXPOSED0,  # declared cards that lie before their owner
    EXPOSED1,
    KNOWN0,  # cards of the hand that everybody knows: exposed ones and the indicator taken
    KNOWN1,
    CAPTURED0,
    CAPTURED1,
    DECLARED0,  # melds of this deal
    DECLARED1,
    WINDOW,  # melds declared in the open window
    SWAPPED,
    WINS0,  # endgame tricks won
    WINS1,
    MELD_POINTS0,
    MELD_POINTS1,
    DIX_POINTS0,
    DIX_POINTS1,
    STOCK_END_POINTS0,
    STOCK_END_POINTS1,
    LAST_POINTS0,
    LAST_POINTS1,
    SWEEP_POINTS0,
    SWEEP_POINTS1,
    SCORE0,  # of the deals before this one
    SCORE1,
) = range(21, 58)
SIZE = 58

DEALER_LOT, DEALING, TURNING, LEAD, FOLLOW, DECLARE, DRAW, OVER = range(8)
PHASE_NAMES = ("dealer", "deal", "turn", "lead", "follow", "declare", "draw", "over")

NONE = -1
CHANCE = -1
OVER_PLAYER = -4  # pyspiel.PlayerId.TERMINAL

# Actions. Id 0 is never the only legal one: some OpenSpiel code takes [0] for "nothing to do".
SWAP = 0
FIRST_PLAY = 1
FIRST_MELD = FIRST_PLAY + cards.NUM_CARDS
DONE = FIRST_MELD + cards.NUM_MELDS
NUM_ACTIONS = DONE + 1

_DIX_ALWAYS, _DIX_UNLESS_SWAPPED, _DIX_ONCE = range(3)
_TRUMP_JACK, _SUIT_JACK_MARJOLET, _SUIT_JACK_MARRIAGE = range(3)
_DIX_CODES = {"always": 0, "unless_swapped": 1, "once_per_deal": 2}
_JACK_QUEEN_CODES = {"trump_jack": 0, "suit_jack_marjolet": 1, "suit_jack_marriage": 2}

_SUIT_BITS = 0xFF
_SET_POINTS = np.array([SET_VALUES["marjolet"], SET_VALUES["bezique"]], dtype=np.int64)
_RANK_BITS = cards.mask_of(suit * 8 for suit in range(4))


def initial_position(rules: Rules) -> Vector:
    """The position before the first deal under `rules`: int64 of shape [SIZE]."""
    pos = np.zeros(SIZE, dtype=np.int64)
    pos[PACK] = rules.pack
    pos[HAND_SIZE] = rules.hand_size
    pos[NUM_SUITS] = rules.num_suits
    pos[NUM_CARDS] = rules.num_cards
    pos[STOCK_TRICKS] = rules.stock_tricks
    pos[NUM_TRICKS] = rules.num_tricks
    pos[DISJOINT] = rules.declaration == "disjoint"
    pos[DIX_PLAY] = _DIX_CODES[rules.dix_play]
    pos[STOCK_END_WINNER] = rules.stock_end_bonus == "winner"
    pos[JACK_QUEEN] = _JACK_QUEEN_CODES[rules.jack_queen]
    pos[BEZIQUE] = rules.four_of_a_kind == "bezique"
    pos[IMMEDIATE] = rules.target_check == "immediate" and rules.is_match
    pos[ENDGAME_MELDS] = rules.endgame_melds == "yes"
    pos[SWEEP_BONUS] = rules.sweep_bonus
    pos[TARGET] = rules.target
    pos[MAX_DEALS] = rules.max_deals
    pos[FIRST_DEALER] = rules.first_dealer
    for trump in range(rules.num_suits):
        counting = [rules.meld_value(meld, trump) > 0 for meld in range(cards.NUM_MELDS)]
        pos[COUNTING0 + trump] = sum(counts << meld for meld, counts in enumerate(counting))
    if rules.first_dealer == -1:
        _clear_deal(pos, NONE)
        pos[PHASE] = DEALER_LOT
    else:
        start_deal(pos, rules.first_dealer)
    return pos


@compiled
def copy_to(source: Vector, target: Vector) -> None:
    """Copies one vector over another of the same length."""
    for i in range(len(source)):
        target[i] = source[i]


# --- the rules, one question each ---------------------------------------------------------------


@compiled
def seven_of_trumps(pos: Vector) -> int:
    """The card id of the dix; meaningful once trumps are turned. It may not be in the pack."""
    return pos[TRUMP] * 8 + cards.SEVEN


@compiled
def follower_wins(led: int, card: int, trump: int) -> bool:
    """Whether `card` wins a trick to which `led` was led: a higher card of the suit, or a trump."""
    if led >> 3 == card >> 3:
        return card < led
    return card >> 3 == trump


@compiled
def strict_answers(hand: int, led: int, trump: int) -> int:
    """The cards of `hand` that may answer `led` once the stock is gone, as a mask.

    A higher card of the suit led, else any of that suit, else any trump, else anything.
    """
    suit = hand & (_SUIT_BITS << (led & 24))
    if suit:
        higher = suit & ((1 << led) - 1)
        return higher if higher else suit
    trumps = hand & (_SUIT_BITS << (trump << 3))
    return trumps if trumps else hand


@compiled
def playable(pos: Vector) -> int:
    """The cards that the player on turn may play, as a mask (phases LEAD and FOLLOW)."""
    hand = pos[HAND0 + pos[PLAYER]]
    if pos[PHASE] == LEAD or pos[TRICK] <= pos[STOCK_TRICKS]:
        return hand
    return strict_answers(hand, pos[LED], pos[TRUMP])


@compiled
def cards_in_meld(pos: Vector, meld: int) -> int:
    """The cards of a meld as a mask; a set has a card of every suit of the pack."""
    if meld < cards.FIRST_MARRIAGE:
        return (_RANK_BITS << meld) & pos[PACK]
    if meld < cards.FIRST_JACK_QUEEN:
        return ((1 << cards.KING) | (1 << cards.QUEEN)) << ((meld - cards.FIRST_MARRIAGE) * 8)
    pair = meld - cards.FIRST_JACK_QUEEN
    return (1 << ((pair >> 2) * 8 + cards.JACK)) | (1 << ((pair & 3) * 8 + cards.QUEEN))


@compiled
def meld_value(pos: Vector, meld: int) -> int:
    """Points of a meld under the trumps of the deal; 0 if it does not count."""
    trump = pos[TRUMP]
    if meld < cards.FIRST_MARRIAGE:
        return _SET_POINTS[pos[BEZIQUE], meld]
    if meld < cards.FIRST_JACK_QUEEN:
        if meld - cards.FIRST_MARRIAGE == trump:
            return 40
        return 0 if pos[JACK_QUEEN] == _SUIT_JACK_MARRIAGE else 20
    jack = (meld - cards.FIRST_JACK_QUEEN) >> 2
    queen = (meld - cards.FIRST_JACK_QUEEN) & 3
    if jack == trump:
        if queen == trump:
            return 40
        return 0 if pos[JACK_QUEEN] == _SUIT_JACK_MARJOLET else 20
    return 20 if jack == queen and pos[JACK_QUEEN] != _TRUMP_JACK else 0


@compiled
def _one_bit_a_suit(mask: int) -> int:
    """Bits 0, 8, 16, 24 of a mask of such bits moved to 0, 1, 2, 3."""
    return ((mask * 0x01020408) >> 24) & 0xF


@compiled
def melds_in(pos: Vector, hand: int) -> int:
    """The melds that count under the trumps of the deal and lie wholly in `hand`, as a mask.

    Without a branch, as this is asked in each window: sets are the ranks that every suit has,
    marriages the suits that have king and queen, the rest the product of the jacks (4 bits apart)
    and the queens.
    """
    every_suit = hand | (-1 << (8 * pos[NUM_SUITS]))
    sets = every_suit & (every_suit >> 8) & (every_suit >> 16) & (every_suit >> 24) & 0x1F
    kings = _one_bit_a_suit((hand >> cards.KING) & _RANK_BITS)
    queens = _one_bit_a_suit((hand >> cards.QUEEN) & _RANK_BITS)
    jacks = _one_bit_a_suit((hand >> cards.JACK) & _RANK_BITS)
    spread = (jacks & 1) | (jacks & 2) << 3 | (jacks & 4) << 6 | (jacks & 8) << 9
    marriages = (kings & queens) << cards.FIRST_MARRIAGE
    found = sets | marriages | ((spread * queens) << cards.FIRST_JACK_QUEEN)
    return found & pos[COUNTING0 + pos[TRUMP]]


@compiled
def melds_touching(hand: int) -> int:
    """The melds of which `hand` has a card, whether they count or not, as a mask."""
    sets = (hand | (hand >> 8) | (hand >> 16) | (hand >> 24)) & 0x1F
    kings = _one_bit_a_suit((hand >> cards.KING) & _RANK_BITS)
    queens = _one_bit_a_suit((hand >> cards.QUEEN) & _RANK_BITS)
    jacks = _one_bit_a_suit((hand >> cards.JACK) & _RANK_BITS)
    spread = (jacks & 1) | (jacks & 2) << 3 | (jacks & 4) << 6 | (jacks & 8) << 9
    marriages = (kings | queens) << cards.FIRST_MARRIAGE
    return sets | marriages | ((spread * 0xF) | (queens * 0x1111)) << cards.FIRST_JACK_QUEEN


@compiled
def declarable(pos: Vector) -> int:
    """The melds that may be declared next in the open window, as a mask.

    Melds of one window come in ascending order, so that each declaration has one order. Under
    `disjoint` a card serves one meld a window.
    """
    found = melds_in(pos, pos[HAND0 + pos[PLAYER]])
    if found == 0:
        return 0
    found &= ~(pos[DECLARED0] | pos[DECLARED1])
    window = pos[WINDOW]
    if window == 0:
        return found
    used = 0
    while window:
        meld = lowest(window)
        window &= window - 1
        used |= cards_in_meld(pos, meld)
        found &= ~((2 << meld) - 1)
    if pos[DISJOINT] == 0:
        return found
    free = 0
    while found:
        meld = lowest(found)
        found &= found - 1
        if cards_in_meld(pos, meld) & used == 0:
            free |= 1 << meld
    return free


@compiled
def can_swap(pos: Vector) -> bool:
    """Whether the player on turn may swap the dix: holds it, stock open, no meld before it."""
    if pos[PHASE] != DECLARE or pos[INDICATOR] == NONE or pos[WINDOW] != 0:
        return False
    return (pos[HAND0 + pos[PLAYER]] >> seven_of_trumps(pos)) & 1 == 1


@compiled
def dix_pays(pos: Vector, card: int) -> bool:
    """Whether playing `card` pays 10 as the dix."""
    if card != seven_of_trumps(pos):
        return False
    if pos[DIX_PLAY] == _DIX_ALWAYS:
        return True
    if pos[SWAPPED] == 1:
        return False
    return pos[DIX_PLAY] == _DIX_UNLESS_SWAPPED or pos[TURN_UP] != card


@compiled
def legal_mask(pos: Vector) -> int:
    """The legal actions of the player on turn as a mask of action ids; 0 if none is on turn."""
    phase = pos[PHASE]
    if phase in (LEAD, FOLLOW):
        return playable(pos) << FIRST_PLAY
    if phase != DECLARE:
        return 0
    mask = (1 << DONE) | (declarable(pos) << FIRST_MELD)
    return mask | 1 if can_swap(pos) else mask


@compiled
def hand_being_dealt(pos: Vector) -> int:
    """Who gets the next card while dealing: the non-dealer until his hand is full."""
    other = 1 - pos[DEALER]
    return other if count(pos[HAND0 + other]) < pos[HAND_SIZE] else pos[DEALER]


@compiled
def drawer(pos: Vector) -> int:
    """Who draws next in phase DRAW: the winner of the trick, then the loser."""
    winner = pos[LEADER]
    return winner if count(pos[HAND0 + winner]) < pos[HAND_SIZE] else 1 - winner


@compiled
def dealable(pos: Vector) -> int:
    """The cards above the last one of the hand being dealt: hands are dealt in ascending order."""
    hand = pos[HAND0 + hand_being_dealt(pos)]
    if hand == 0:
        return pos[DOWN]
    return pos[DOWN] & ~((highest_bit(hand) << 1) - 1)


@compiled
def chance_mask(pos: Vector) -> int:
    """The possible outcomes at a chance node as a mask of cards (of players for the lot)."""
    phase = pos[PHASE]
    if phase == DEALER_LOT:
        return 3
    if phase == DEALING:
        possible = dealable(pos)
        need = pos[HAND_SIZE] - count(pos[HAND0 + hand_being_dealt(pos)])
        for _ in range(need - 1):  # leave enough higher cards to fill the hand
            possible &= ~highest_bit(possible)
        return possible
    return pos[DOWN] if phase in (TURNING, DRAW) else 0


@compiled
def brisque_points(pos: Vector, player: int) -> int:
    """Points for the aces and tens that `player` has captured in this deal."""
    return 10 * count(pos[CAPTURED0 + player] & cards.BRISQUES)


@compiled
def deal_points(pos: Vector, player: int) -> int:
    """Points of `player` in this deal so far, captured brisques included."""
    points = brisque_points(pos, player)
    for field in range(MELD_POINTS0, SCORE0, 2):
        points += pos[field + player]
    return points


@compiled
def match_winner(pos: Vector) -> int:
    """Who has won the match by the totals of `pos`, or NONE. Ask it at the end of a deal."""
    total0 = pos[SCORE0] + deal_points(pos, 0)
    total1 = pos[SCORE1] + deal_points(pos, 1)
    if total0 == total1 or max(total0, total1) < pos[TARGET]:
        return NONE
    return 0 if total0 > total1 else 1


@compiled
def return_of_player_0(pos: Vector) -> int:
    """The return of player 0 when the game is over: points of the deal, or +1, 0, -1."""
    if pos[PHASE] != OVER:
        return 0
    if pos[TARGET] == 0:
        return deal_points(pos, 0) - deal_points(pos, 1)
    winner = match_winner(pos)
    return 0 if winner == NONE else 1 - 2 * winner


# --- moving on ----------------------------------------------------------------------------------


@compiled
def _clear_deal(pos: Vector, dealer: int) -> None:
    """No card dealt, nothing scored in this deal; the scores of the match stay."""
    deal = pos[DEAL]
    for field in range(PHASE, SCORE0):
        pos[field] = 0
    pos[DEAL] = deal + 1
    pos[DEALER] = dealer
    pos[PLAYER] = CHANCE
    for field in (LEADER, LED, TRUMP, TURN_UP, INDICATOR):
        pos[field] = NONE
    pos[DOWN] = pos[PACK]


@compiled
def start_deal(pos: Vector, dealer: int) -> None:
    """Begins the next deal."""
    _clear_deal(pos, dealer)
    pos[PHASE] = DEALING


@compiled
def _finish(pos: Vector) -> None:
    pos[PHASE] = OVER
    pos[PLAYER] = OVER_PLAYER
    pos[WINDOW] = 0


@compiled
def _score(pos: Vector, player: int) -> bool:
    """Called after each score of `player`: whether it ends the game on the spot (`immediate`)."""
    if pos[IMMEDIATE] == 0:
        return False
    if pos[SCORE0 + player] + deal_points(pos, player) < pos[TARGET]:
        return False
    _finish(pos)
    return True


@compiled
def _turn(pos: Vector, card: int) -> None:
    pos[DOWN] &= ~(1 << card)
    pos[TURN_UP] = card
    pos[INDICATOR] = card
    pos[TRUMP] = card >> 3
    pos[TRICK] = 1
    pos[LEADER] = 1 - pos[DEALER]
    pos[PHASE] = LEAD
    pos[PLAYER] = pos[LEADER]
    if card == seven_of_trumps(pos):
        pos[DIX_POINTS0 + pos[DEALER]] = 10
        _score(pos, pos[DEALER])


@compiled
def _next_trick(pos: Vector) -> None:
    pos[TRICK] += 1
    pos[PHASE] = LEAD
    pos[PLAYER] = pos[LEADER]


@compiled
def _end_deal(pos: Vector) -> None:
    """The deal is played out: the game is over, or the other player deals."""
    if pos[TARGET] == 0 or pos[DEAL] >= pos[MAX_DEALS] or match_winner(pos) != NONE:
        _finish(pos)
        return
    for player in range(2):
        pos[SCORE0 + player] += deal_points(pos, player)
    start_deal(pos, 1 - pos[DEALER])


@compiled
def _end_last_trick(pos: Vector) -> None:
    winner = pos[LEADER]
    pos[LAST_POINTS0 + winner] = 10
    if _score(pos, winner):
        return
    if pos[WINS0 + winner] == pos[HAND_SIZE]:
        pos[SWEEP_POINTS0 + winner] = pos[SWEEP_BONUS]
        if _score(pos, winner):
            return
    _end_deal(pos)


@compiled
def _take_trick(pos: Vector, card: int, winner: int) -> None:
    """The trick of the card led and `card` goes to `winner`."""
    pos[CAPTURED0 + winner] |= (1 << pos[LED]) | (1 << card)
    pos[LED] = NONE
    pos[LEADER] = winner
    in_endgame = pos[TRICK] > pos[STOCK_TRICKS]
    if in_endgame:
        pos[WINS0 + winner] += 1
    if _score(pos, winner):
        return
    if pos[TRICK] == pos[NUM_TRICKS]:
        _end_last_trick(pos)
    elif in_endgame and pos[ENDGAME_MELDS] == 0:
        _next_trick(pos)
    else:
        pos[PHASE] = DECLARE
        pos[PLAYER] = winner


@compiled
def _play(pos: Vector, card: int) -> None:
    player = pos[PLAYER]
    keep = ~(1 << card)
    pos[HAND0 + player] &= keep
    pos[EXPOSED0 + player] &= keep
    pos[KNOWN0 + player] &= keep
    led = pos[LED]
    if dix_pays(pos, card):
        pos[DIX_POINTS0 + player] += 10
        if _score(pos, player):
            if led == NONE:
                pos[LED] = card
            return  # an answered trick is not taken any more: its second card is nowhere
    if led == NONE:
        pos[LED] = card
        pos[PHASE] = FOLLOW
        pos[PLAYER] = 1 - player
    else:
        wins = follower_wins(led, card, pos[TRUMP])
        _take_trick(pos, card, player if wins else 1 - player)


@compiled
def _swap(pos: Vector) -> None:
    player = pos[PLAYER]
    seven = seven_of_trumps(pos)
    taken = 1 << pos[INDICATOR]
    pos[HAND0 + player] = (pos[HAND0 + player] & ~(1 << seven)) | taken
    pos[KNOWN0 + player] |= taken
    pos[INDICATOR] = seven
    pos[SWAPPED] = 1
    pos[DIX_POINTS0 + player] += 10
    _score(pos, player)


@compiled
def _meld(pos: Vector, meld: int) -> None:
    player = pos[PLAYER]
    pos[DECLARED0 + player] |= 1 << meld
    pos[WINDOW] |= 1 << meld
    shown = cards_in_meld(pos, meld)
    pos[KNOWN0 + player] |= shown
    if pos[TRICK] <= pos[STOCK_TRICKS]:
        pos[EXPOSED0 + player] |= shown
    pos[MELD_POINTS0 + player] += meld_value(pos, meld)
    _score(pos, player)


@compiled
def _end_stock(pos: Vector) -> None:
    """After the last stock trick: the last two cards are taken, exposed cards go to the hands."""
    winner = pos[LEADER]
    loser = 1 - winner
    pos[HAND0 + winner] |= pos[DOWN]
    pos[HAND0 + loser] |= 1 << pos[INDICATOR]
    pos[KNOWN0 + loser] |= 1 << pos[INDICATOR]
    pos[DOWN] = 0
    pos[INDICATOR] = NONE
    pos[EXPOSED0] = 0
    pos[EXPOSED1] = 0
    paid = winner if pos[STOCK_END_WINNER] else loser
    pos[STOCK_END_POINTS0 + paid] = 10
    _next_trick(pos)
    _score(pos, paid)


@compiled
def _done(pos: Vector) -> None:
    pos[WINDOW] = 0
    if pos[TRICK] < pos[STOCK_TRICKS]:
        pos[PHASE] = DRAW
        pos[PLAYER] = CHANCE
    elif pos[TRICK] == pos[STOCK_TRICKS]:
        _end_stock(pos)
    else:
        _next_trick(pos)


@compiled
def _deal(pos: Vector, card: int) -> None:
    player = hand_being_dealt(pos)
    pos[HAND0 + player] |= 1 << card
    pos[DOWN] &= ~(1 << card)
    if count(pos[HAND0 + pos[DEALER]]) == pos[HAND_SIZE]:
        pos[PHASE] = TURNING


@compiled
def _draw(pos: Vector, card: int) -> None:
    player = drawer(pos)
    pos[HAND0 + player] |= 1 << card
    pos[DOWN] &= ~(1 << card)
    if player != pos[LEADER]:
        _next_trick(pos)


@compiled
def apply_chance(pos: Vector, outcome: int) -> None:
    """Applies a possible outcome of a chance node, in place. Unchecked."""
    phase = pos[PHASE]
    if phase == DRAW:
        _draw(pos, outcome)
    elif phase == DEALING:
        _deal(pos, outcome)
    elif phase == TURNING:
        _turn(pos, outcome)
    else:
        deal = pos[DEAL]
        start_deal(pos, outcome)
        pos[DEAL] = deal


@compiled
def apply_decision(pos: Vector, action: int) -> None:
    """Applies a legal action of the player on turn, in place. Unchecked."""
    if action == DONE:
        _done(pos)
    elif action >= FIRST_MELD:
        _meld(pos, action - FIRST_MELD)
    elif action >= FIRST_PLAY:
        _play(pos, action - FIRST_PLAY)
    else:
        _swap(pos)


@compiled
def apply(pos: Vector, action: int) -> bool:
    """Applies an action or a chance outcome in place; False, and nothing done, if it is illegal."""
    chance = pos[PLAYER] == CHANCE
    allowed = chance_mask(pos) if chance else legal_mask(pos)
    if action < 0 or action >= 63 or (allowed >> action) & 1 == 0:
        return False
    if chance:
        apply_chance(pos, action)
    else:
        apply_decision(pos, action)
    return True
