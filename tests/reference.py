"""A slow rule book of Marjolet in plain Python: the oracle that the kernel is compared with.

Written from the rules alone. Everything is a string: cards ("AS"), melds ("JD-QS") and actions
("play AS"). Nothing here is clever or fast, so that each rule can be read next to its statement.
"""

from collections.abc import Iterable
from fractions import Fraction
from math import comb

SUITS = "SHDC"
RANKS = "ATKQJ987"
CHANCE, OVER = -1, -4
CATEGORIES = ("melds", "dix", "stock_end", "last", "sweep", "brisques")

PROFILES = {
    "spanish": ("disjoint", "once_per_deal", "deal_end", "no", 50),
    "english": ("shared", "always", "deal_end", "no", 50),
    "swedish": ("shared", "unless_swapped", "deal_end", "no", 50),
    "dutch": ("shared", "always", "immediate", "yes", 40),
}
"""Each profile's declaration, dix_play, target_check, endgame_melds and sweep_bonus."""

SET_VALUES = {
    "marjolet": {"A": 100, "T": 80, "K": 60, "Q": 40},
    "bezique": {"A": 100, "K": 80, "Q": 60, "J": 40},
}


def beats(card: str, other: str, trump: str) -> bool:
    """Whether `card`, played second, wins against the led card `other`."""
    if card[1] == other[1]:
        return RANKS.index(card[0]) < RANKS.index(other[0])
    return card[1] == trump


class Reference:
    """One match (or, with target 0, one deal) of Marjolet, from the lot for the deal to the end.

    `player` is 0 or 1 to act, -1 at a chance node, -4 when over. Public attributes name what lies
    on the table; `apply` is the only way to change them.
    """

    def __init__(
        self,
        *,
        profile: str = "english",
        target: int = 0,
        max_deals: int = 32,
        first_dealer: int = -1,
        num_suits: int = 4,
        ranks: str = RANKS,
        hand_size: int = 6,
        declaration: str = "",
        dix_play: str = "",
        stock_end_bonus: str = "",
        jack_queen: str = "",
        four_of_a_kind: str = "",
        target_check: str = "",
        endgame_melds: str = "",
        sweep_bonus: int = -1,
    ) -> None:
        if profile not in PROFILES:
            raise ValueError(f"profile {profile!r} is not one of {list(PROFILES)}")
        own = PROFILES[profile]
        self.declaration = declaration or own[0]
        self.dix_play = dix_play or own[1]
        self.target_check = target_check or own[2]
        self.endgame_melds = endgame_melds or own[3]
        self.sweep_bonus = own[4] if sweep_bonus == -1 else sweep_bonus
        self.stock_end_bonus = stock_end_bonus or "loser"
        self.jack_queen = jack_queen or "trump_jack"
        self.four_of_a_kind = four_of_a_kind or "marjolet"
        self.target, self.max_deals, self.hand_size = target, max_deals, hand_size
        self.suits = SUITS[:num_suits]
        self.pack = [rank + suit for suit in self.suits for rank in ranks]
        stock = len(self.pack) - 2 * hand_size
        if hand_size < 2 or stock < 2 or stock % 2:
            raise ValueError(f"hand_size {hand_size} leaves no even stock of at least 2")
        self.stock_tricks = stock // 2
        self.scores = [0, 0]
        self.deal_number = 1
        self._returns = [0.0, 0.0]
        self._dealer(first_dealer)

    def _dealer(self, dealer: int | str) -> None:
        """Clear the table; a dealer of -1 is still to be drawn by lot."""
        self.dealer = int(dealer)
        self.phase = "dealer" if self.dealer == -1 else "deal"
        self.player = CHANCE
        self.trick, self.leader = 0, -1
        self.led = self.trump = self.turn_up = self.indicator = ""
        self.hands: list[set[str]] = [set(), set()]
        self.exposed: list[set[str]] = [set(), set()]
        self.known: list[set[str]] = [set(), set()]
        self.captured: list[set[str]] = [set(), set()]
        self.face_down = set(self.pack)
        self.declared: list[list[str]] = [[], []]
        self.window: list[str] = []
        self.swapped = False
        self.last_tricks = [0, 0]
        self.points = [dict.fromkeys(CATEGORIES, 0) for _ in range(2)]

    def in_endgame(self) -> bool:
        """Whether the trick is one of the last, played without a stock."""
        return self.trick > self.stock_tricks

    def in_order(self, cards: Iterable[str]) -> list[str]:
        """Cards in ascending order: by suit S, H, D, C, then from the ace down."""
        return sorted(cards, key=self.pack.index)

    def chance(self) -> dict[str, Fraction]:
        """The outcomes of a chance node with their exact probabilities; empty elsewhere."""
        if self.phase == "dealer":
            return {f"dealer {player}": Fraction(1, 2) for player in range(2)}
        if self.phase == "deal":
            return self._next_dealt_card()
        if self.phase in ("turn", "draw"):
            each = Fraction(1, len(self.face_down))
            return {f"{self.phase} {card}": each for card in self.in_order(self.face_down)}
        return {}

    def _receiver(self) -> int:
        """Whose hand is being dealt: the non-dealer's whole hand comes first."""
        first = 1 - self.dealer
        return first if len(self.hands[first]) < self.hand_size else self.dealer

    def _next_dealt_card(self) -> dict[str, Fraction]:
        """A hand comes in ascending order, and all hands must be equally likely.

        Of the ways to fill the `missing` places from the `pool` of cards above the last one,
        comb(above, missing - 1) have a given card as their lowest.
        """
        hand = self.hands[self._receiver()]
        lowest = max((self.pack.index(card) for card in hand), default=-1)
        pool = [c for c in self.in_order(self.face_down) if self.pack.index(c) > lowest]
        missing = self.hand_size - len(hand)
        ways = [comb(len(pool) - i - 1, missing - 1) for i in range(len(pool))]
        total = comb(len(pool), missing)
        return {f"deal {c}": Fraction(n, total) for c, n in zip(pool, ways, strict=True) if n}

    def legal(self) -> list[str]:
        """The actions of the player to act: swap, plays, melds, done; empty at other nodes."""
        if self.phase == "lead":
            return [f"play {card}" for card in self.in_order(self.hands[self.player])]
        if self.phase == "follow":
            return [f"play {card}" for card in self.in_order(self._replies())]
        if self.phase == "declare":
            swap = ["swap"] if self._may_swap() else []
            return swap + [f"meld {meld}" for meld in self._declarable()] + ["done"]
        return []

    def _replies(self) -> set[str]:
        """Free while the stock lasts; then follow and beat, else follow, else trump, else free."""
        hand = self.hands[self.player]
        if not self.in_endgame():
            return hand
        suit = {card for card in hand if card[1] == self.led[1]}
        higher = {card for card in suit if beats(card, self.led, self.trump)}
        trumps = {card for card in hand if card[1] == self.trump}
        return higher or suit or trumps or hand

    def _may_swap(self) -> bool:
        """The winner of a stock trick who holds the dix may exchange it before any meld."""
        dix = "7" + self.trump
        return bool(self.indicator) and not self.window and dix in self.hands[self.player]

    def melds(self) -> dict[str, int]:
        """Every meld of this deal with its value, in the order of declaration in one window."""
        values = SET_VALUES[self.four_of_a_kind]
        sets = {"-".join(rank + suit for suit in self.suits): values[rank] for rank in values}
        pairs = {
            f"{rank}{suit}-Q{queen}": 40 if suit == queen == self.trump else 20
            for rank in "KJ"
            for suit in self.suits
            for queen in self.suits
            if self._is_pair(rank, suit, queen)
        }
        return {m: v for m, v in (sets | pairs).items() if set(m.split("-")) <= set(self.pack)}

    def _is_pair(self, rank: str, suit: str, queen: str) -> bool:
        """Whether the king or jack `rank` of `suit` makes a meld with that queen."""
        same, trump = suit == queen, suit == self.trump
        if rank == "K":
            return same and (trump or self.jack_queen != "suit_jack_marriage")
        if self.jack_queen == "suit_jack_marjolet":
            return same
        return trump or (same and self.jack_queen == "suit_jack_marriage")

    def _declarable(self) -> list[str]:
        """Melds in hand, not declared before, later in the order than the window's last one."""
        order = list(self.melds())
        if self.window:
            order = order[order.index(self.window[-1]) + 1 :]
        return [meld for meld in order if self._is_declarable(meld)]

    def _is_declarable(self, meld: str) -> bool:
        cards = set(meld.split("-"))
        used = {card for other in self.window for card in other.split("-")}
        if self.declaration == "disjoint" and cards & used:
            return False
        return cards <= self.hands[self.player] and meld not in self.declared[self.player]

    def apply(self, action: str) -> None:
        """Carry out one action or chance outcome; ValueError if it is not possible now."""
        if action not in self.legal() and not self.chance().get(action):
            raise ValueError(f"{action!r} is not possible in phase {self.phase!r}")
        verb, *what = action.split()  # each verb is a method
        getattr(self, f"_{verb}")(*what)

    def _deal(self, card: str) -> None:
        self.face_down.remove(card)
        self.hands[self._receiver()].add(card)
        if len(self.hands[self.dealer]) == self.hand_size:
            self.phase = "turn"

    def _turn(self, card: str) -> None:
        """The turn-up fixes trumps; a seven pays the dealer. The non-dealer leads."""
        self.face_down.remove(card)
        self.turn_up = self.indicator = card
        self.trump = card[1]
        self.leader = 1 - self.dealer
        self._lead()
        if card[0] == "7":
            self._score(self.dealer, "dix", 10)

    def _lead(self) -> None:
        """The leader starts the next trick."""
        self.trick += 1
        self.phase, self.player = "lead", self.leader

    def _play(self, card: str) -> None:
        player = self.player
        for cards in (self.hands, self.exposed, self.known):
            cards[player].discard(card)
        led, self.led = self.led, self.led or card
        if card == "7" + self.trump and self._dix_pays():
            self._score(player, "dix", 10)
        if self.phase == "lead":
            self.phase, self.player = "follow", 1 - player
        elif self.phase == "follow":
            self._decide_trick(led, card)

    def _dix_pays(self) -> bool:
        """Whether playing the dix is worth ten."""
        if self.dix_play == "always":
            return True
        paid_to_dealer = self.dix_play == "once_per_deal" and self.turn_up[0] == "7"
        return not self.swapped and not paid_to_dealer

    def _decide_trick(self, led: str, reply: str) -> None:
        """Give both cards to the winner, who then has a window, draws or leads."""
        winner = self.player if beats(reply, led, self.trump) else self.leader
        self.leader, self.led = winner, ""
        self.captured[winner] |= {led, reply}
        self.last_tricks[winner] += self.in_endgame()
        self.phase, self.player = "declare", winner
        self._score(winner, "brisques", 10 * sum(card[0] in "AT" for card in (led, reply)))
        if self.phase == "declare" and not any(self.hands):
            self._end_deal()
        elif self.phase == "declare" and self.endgame_melds == "no" and self.in_endgame():
            self._lead()

    def _swap(self) -> None:
        """The dix takes the place of the indicator, which everybody saw go into the hand."""
        hand, dix = self.hands[self.player], "7" + self.trump
        hand.remove(dix)
        hand.add(self.indicator)
        self.known[self.player].discard(dix)
        self.known[self.player].add(self.indicator)
        self.indicator, self.swapped = dix, True
        self._score(self.player, "dix", 10)

    def _meld(self, meld: str) -> None:
        self.declared[self.player].append(meld)
        self.window.append(meld)
        self.known[self.player] |= set(meld.split("-"))
        if not self.in_endgame():  # later the cards are shown, not left on the table
            self.exposed[self.player] |= set(meld.split("-"))
        self._score(self.player, "melds", self.melds()[meld])

    def _done(self) -> None:
        """After a stock trick both draw, the winner first; in the endgame the winner leads."""
        self.window = []
        if self.in_endgame():
            self._lead()
        elif self.trick == self.stock_tricks:
            self._last_draw()
        else:
            self.phase, self.player = "draw", CHANCE

    def _draw(self, card: str) -> None:
        self.face_down.remove(card)
        winner, loser = self.leader, 1 - self.leader
        if len(self.hands[winner]) < self.hand_size:
            self.hands[winner].add(card)
        else:
            self.hands[loser].add(card)
            self._lead()

    def _last_draw(self) -> None:
        """One card each: the last face-down card and the indicator. Exposed cards come back."""
        winner, loser = self.leader, 1 - self.leader
        self.hands[winner].add(self.face_down.pop())
        self.hands[loser].add(self.indicator)
        self.known[loser].add(self.indicator)
        self.indicator = ""
        self.exposed = [set(), set()]
        self._lead()
        self._score(winner if self.stock_end_bonus == "winner" else loser, "stock_end", 10)

    def deal_points(self) -> list[int]:
        """What each player has scored in this deal."""
        return [sum(points.values()) for points in self.points]

    def totals(self) -> list[int]:
        """Finished deals and this one together."""
        return [s + p for s, p in zip(self.scores, self.deal_points(), strict=True)]

    def returns(self) -> list[float]:
        """Point difference of a single deal, +1 / -1 / 0 for a match; zeros until it is over."""
        return list(self._returns)

    def _score(self, player: int, category: str, points: int) -> None:
        """Add points; where the target is checked at once, reaching it ends the match."""
        self.points[player][category] += points
        at_once = self.target > 0 and self.target_check == "immediate" and points > 0
        if at_once and self.totals()[player] >= self.target:
            self._finish(1.0 if player == 0 else -1.0)

    def _finish(self, result: float) -> None:
        """End the game; `result` is what player 0 gets."""
        self.phase, self.player, self.window = "over", OVER, []
        self._returns = [result, -result]

    def _end_deal(self) -> None:
        """The last trick and the sweep, then the match: decided, cut off, or another deal."""
        winner = self.leader
        self._score(winner, "last", 10)
        if self.phase != "over" and self.last_tricks[winner] == self.hand_size:
            self._score(winner, "sweep", self.sweep_bonus)
        first, second = self.totals()
        if self.phase == "over":
            return
        if not self.target:
            self._finish(first - second)
        elif max(first, second) >= self.target and first != second:
            self._finish(1.0 if first > second else -1.0)
        elif self.deal_number == self.max_deals:
            self._finish(0.0)
        else:
            self.scores = [first, second]
            self.deal_number += 1
            self._dealer(1 - self.dealer)
