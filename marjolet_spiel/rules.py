"""The switches of the rules, the four profiles and the bounds that follow from them.

`Rules` is the resolved form: it has no "as the profile says" any more. Build one by
``Rules.of(profile="dutch", target=500)`` or from the parameters of a loaded game.
"""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from types import MappingProxyType
from typing import Any

from marjolet_spiel import cards

RULES_VERSION = 1
"""Changes whenever the same actions may lead to other points; saved states carry it."""

Value = str | int

PROFILES: Mapping[str, Mapping[str, Value]] = MappingProxyType(
    {
        "spanish": {"declaration": "disjoint", "dix_play": "once_per_deal"},
        "english": {},
        "swedish": {"dix_play": "unless_swapped"},
        "dutch": {"sweep_bonus": 40, "endgame_melds": "yes", "target_check": "immediate"},
    }
)
"""What each profile changes against the values that stand first in `SWITCHES`."""

SWITCHES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "declaration": ("shared", "disjoint"),
        "dix_play": ("always", "unless_swapped", "once_per_deal"),
        "stock_end_bonus": ("loser", "winner"),
        "jack_queen": ("trump_jack", "suit_jack_marjolet", "suit_jack_marriage"),
        "four_of_a_kind": ("marjolet", "bezique"),
        "target_check": ("deal_end", "immediate"),
        "endgame_melds": ("no", "yes"),
    }
)
"""The string switches and their values, the default first."""

DEFAULT_SWEEP_BONUS = 50

DEFAULT_PARAMETERS: Mapping[str, Value] = MappingProxyType(
    {
        "profile": "english",
        "target": 0,
        "max_deals": 32,
        "first_dealer": -1,
        "num_suits": 4,
        "ranks": cards.RANKS,
        "hand_size": 6,
        "players": 2,
        **dict.fromkeys(SWITCHES, ""),
        "sweep_bonus": -1,
    }
)
"""The game parameters of OpenSpiel with their defaults."""

PARAMETER_HELP: Mapping[str, str] = MappingProxyType(
    {
        "profile": "whose rules: " + ", ".join(PROFILES),
        "target": "points that win a match; 0 plays one deal for the point difference",
        "max_deals": "a match without a winner after so many deals is a draw (1 to 1000)",
        "first_dealer": "0, 1, or -1 for a draw by lot",
        "num_suits": "suits in the pack, 2 to 4",
        "ranks": f"ranks in the pack, some of {cards.RANKS} in that order",
        "hand_size": "cards in a hand, and tricks in the endgame; at least 2",
        "players": "always 2",
        "declaration": "may melds of one window share cards: shared, disjoint",
        "dix_play": "when the dix pays as it is played: always, unless_swapped, once_per_deal",
        "stock_end_bonus": "who gets 10 at the last stock trick: loser, winner",
        "jack_queen": "which plain jack-queen pairs count: trump_jack, suit_jack_marjolet "
        "(own suit instead of trump jack and plain queen), suit_jack_marriage (instead of plain "
        "king and queen)",
        "four_of_a_kind": "marjolet (A 100, T 80, K 60, Q 40), bezique (A 100, K 80, Q 60, J 40)",
        "target_check": "when a match can end: deal_end, immediate",
        "endgame_melds": "windows for melds after endgame tricks: no, yes",
        "sweep_bonus": "points for all endgame tricks on top of the last trick's 10; -1 as the "
        "profile says",
    }
)
"""One line on each game parameter; the README's table is made from it."""

SET_VALUES: Mapping[str, tuple[int, ...]] = MappingProxyType(
    {"marjolet": (100, 80, 60, 40, 0), "bezique": (100, 0, 80, 60, 40)}
)
"""Points of the sets of aces, tens, kings, queens and jacks by `four_of_a_kind`."""

MARRIAGE, TRUMP_MARRIAGE = 20, 40
MAX_TARGET = 1_000_000
MAX_DEALS = 1000
MAX_SWEEP_BONUS = 1000


def _bad(name: str, value: object, allowed: str) -> ValueError:
    return ValueError(f"{name}: {value!r} is not allowed; {name} must be {allowed}")


@dataclass(frozen=True, slots=True)
class Rules:
    """Every switch of the game, resolved and checked. See `PARAMETER_HELP` for the meanings."""

    profile: str
    target: int
    max_deals: int
    first_dealer: int
    num_suits: int
    ranks: str
    hand_size: int
    declaration: str
    dix_play: str
    stock_end_bonus: str
    jack_queen: str
    four_of_a_kind: str
    target_check: str
    endgame_melds: str
    sweep_bonus: int

    @classmethod
    def of(cls, **parameters: Value) -> "Rules":
        """The rules for game parameters, defaults filled in; ValueError names what is wrong."""
        return cls.from_parameters(parameters)

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> "Rules":
        """The rules for a mapping of game parameters (see `normalize_parameters`)."""
        full = normalize_parameters(parameters)
        profile = PROFILES[full["profile"]]
        values = {field.name: full[field.name] for field in fields(cls)}
        for name, allowed in SWITCHES.items():
            if values[name] == "":
                values[name] = profile.get(name, allowed[0])
        if values["sweep_bonus"] == -1:
            values["sweep_bonus"] = profile.get("sweep_bonus", DEFAULT_SWEEP_BONUS)
        return cls(**values)

    @property
    def pack(self) -> int:
        """The cards of the pack as a bit mask."""
        return cards.pack_mask(self.num_suits, self.ranks)

    @property
    def num_cards(self) -> int:
        """Cards in the pack."""
        return self.num_suits * len(self.ranks)

    @property
    def stock_size(self) -> int:
        """Cards of the stock, the indicator included."""
        return self.num_cards - 2 * self.hand_size

    @property
    def stock_tricks(self) -> int:
        """Tricks of the stock phase; the last of them takes the last two cards of the stock."""
        return self.stock_size // 2

    @property
    def num_tricks(self) -> int:
        """Tricks of a whole deal."""
        return self.num_cards // 2

    @property
    def is_match(self) -> bool:
        """Whether the game is a match to a target and not a single deal."""
        return self.target > 0

    @property
    def deals(self) -> int:
        """The most deals a game can have."""
        return self.max_deals if self.is_match else 1

    def meld_value(self, meld: int, trump: int) -> int:
        """Points of a meld when suit `trump` is trumps; 0 if it does not count or does not fit."""
        ids = cards.meld_cards(meld, self.num_suits)
        if cards.mask_of(ids) & ~self.pack or len(ids) > self.hand_size - 1:
            return 0
        if meld < cards.FIRST_MARRIAGE:
            return SET_VALUES[self.four_of_a_kind][meld]
        first, queen = (card // cards.SUIT_SIZE for card in ids)
        if first == trump == queen:
            return TRUMP_MARRIAGE
        if meld < cards.FIRST_JACK_QUEEN:
            return 0 if self.jack_queen == "suit_jack_marriage" else MARRIAGE
        if first == trump:
            return 0 if self.jack_queen == "suit_jack_marjolet" else MARRIAGE
        return MARRIAGE if first == queen and self.jack_queen != "trump_jack" else 0

    def melds(self) -> tuple[int, ...]:
        """The melds that count under some trump suit, ascending."""
        suits = range(self.num_suits)
        return tuple(
            meld
            for meld in range(cards.NUM_MELDS)
            if any(self.meld_value(meld, trump) for trump in suits)
        )

    def max_melds_per_deal(self) -> int:
        """The most melds both players together can declare in one deal."""
        return max(
            sum(self.meld_value(meld, trump) > 0 for meld in range(cards.NUM_MELDS))
            for trump in range(self.num_suits)
        )

    def max_deal_points(self) -> int:
        """No player can score more in one deal; his opponent then scores nothing."""
        melds = max(
            sum(self.meld_value(meld, trump) for meld in range(cards.NUM_MELDS))
            for trump in range(self.num_suits)
        )
        brisques = 10 * self.num_suits * sum(rank in self.ranks for rank in "AT")
        stock_end, last = 10, 10
        return melds + brisques + self.max_dix() + stock_end + last + self.sweep_bonus

    def max_dix(self) -> int:
        """The most that the seven of trumps pays in one deal."""
        if "7" not in self.ranks:
            return 0
        return 10 if self.dix_play == "once_per_deal" else 20

    def max_deal_length(self) -> int:
        """The most decisions in one deal: cards, windows closed, one swap and every meld."""
        windows = self.stock_tricks
        if self.endgame_melds == "yes":
            windows += self.hand_size - 1
        return self.num_cards + windows + ("7" in self.ranks) + self.max_melds_per_deal()

    def deal_chance_nodes(self) -> int:
        """Chance nodes of a whole deal: cards dealt, the turn-up, all draws but the last two."""
        return 2 * self.hand_size + 1 + self.stock_size - 2

    def max_game_length(self) -> int:
        """The most decisions in one game."""
        return self.deals * self.max_deal_length()

    def max_chance_nodes(self) -> int:
        """The most chance nodes in one game."""
        return (self.first_dealer == -1) + self.deals * self.deal_chance_nodes()

    def max_utility(self) -> float:
        """The largest return of a player: the smallest is its negative."""
        return 1.0 if self.is_match else float(self.max_deal_points())


def normalize_parameters(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """All game parameters, defaults filled in and each value checked.

    Raises:
      ValueError: names the parameter, its value and what is allowed.
    """
    for name in parameters:
        if name not in DEFAULT_PARAMETERS:
            allowed = ", ".join(DEFAULT_PARAMETERS)
            raise ValueError(f"parameter: {name!r} is unknown; the parameters are {allowed}")
    full: dict[str, Any] = {**DEFAULT_PARAMETERS, **parameters}
    for name, default in DEFAULT_PARAMETERS.items():
        _check_type(name, full[name], type(default))
    _check_choices(full)
    _check_numbers(full)
    _check_pack(full)
    return full


def _check_type(name: str, value: object, kind: type) -> None:
    if type(value) is not kind:
        raise _bad(name, value, "a whole number" if kind is int else "a string")


def _check_choices(full: Mapping[str, Any]) -> None:
    if full["profile"] not in PROFILES:
        raise _bad("profile", full["profile"], "one of " + ", ".join(PROFILES))
    for name, allowed in SWITCHES.items():
        if full[name] not in ("", *allowed):
            raise _bad(name, full[name], f"one of {', '.join(allowed)}, or '' for the profile's")


def _check_numbers(full: Mapping[str, Any]) -> None:
    ranges = {
        "target": (0, MAX_TARGET),
        "max_deals": (1, MAX_DEALS),
        "first_dealer": (-1, 1),
        "num_suits": (2, len(cards.SUITS)),
        "hand_size": (2, cards.NUM_CARDS),
        "players": (2, 2),
        "sweep_bonus": (-1, MAX_SWEEP_BONUS),
    }
    for name, (low, high) in ranges.items():
        if not low <= full[name] <= high:
            allowed = f"{low}" if low == high else f"from {low} to {high}"
            raise _bad(name, full[name], allowed)
    if full["sweep_bonus"] != -1 and full["sweep_bonus"] % 10:
        raise _bad("sweep_bonus", full["sweep_bonus"], "a multiple of 10, as every score is")


def _check_pack(full: Mapping[str, Any]) -> None:
    ranks, suits, hand = full["ranks"], full["num_suits"], full["hand_size"]
    chosen = [cards.RANKS.find(rank) for rank in ranks]
    if not ranks or -1 in chosen or any(a >= b for a, b in itertools.pairwise(chosen)):
        raise _bad("ranks", ranks, f"some of {cards.RANKS}, each once, in that order")
    if ranks.isdigit():
        raise _bad("ranks", ranks, "with at least one letter (OpenSpiel reads digits as a number)")
    stock = suits * len(ranks) - 2 * hand
    if stock < 2 or stock % 2:
        raise _bad(
            "hand_size",
            hand,
            f"such that {suits} suits of {ranks}, {suits * len(ranks)} cards, leave an even stock "
            f"of at least 2 beside two hands (this leaves {stock})",
        )


@dataclass(frozen=True, slots=True)
class SmallPack:
    """A small pack to solve, a rung of the `ladder`.

    Attributes:
      name: what it is called.
      parameters: those of the game that differ from the defaults. The dealer is fixed, so that
        values are for the non-dealer, player 1, and the dealer, player 0.
      help: one line on what it has.
    """

    name: str
    parameters: Mapping[str, Value]
    help: str

    @property
    def rules(self) -> Rules:
        """Its rules."""
        return Rules.from_parameters(self.parameters)

    @property
    def game(self) -> str:
        """The game as text for `pyspiel.load_game`."""
        return f"python_marjolet({','.join(f'{k}={v}' for k, v in self.parameters.items())})"


def _small_pack(name: str, num_suits: int, ranks: str, hand_size: int, help: str) -> SmallPack:
    parameters: dict[str, Value] = {
        "num_suits": num_suits,
        "ranks": ranks,
        "hand_size": hand_size,
        "first_dealer": 0,
    }
    _, _, profile = name.partition("-")
    if profile in PROFILES:
        parameters = {"profile": profile, **parameters}
    return SmallPack(name, MappingProxyType(parameters), help)


@cache
def ladder() -> Mapping[str, SmallPack]:
    """Small packs by name, from the one that is solved at once to one that is too large for it.

    `solvers.tree_size` counts how large they are.
    """
    kqjs = {
        "spanish": "the dix pays once a deal",
        "english": "trumps, tricks, the dix, its swap and melds; no brisques, no draws",
        "swedish": "a swapped dix pays no more",
        "dutch": "melds after endgame tricks",
    }
    packs = (
        _small_pack("qj7", 2, "QJ7", 2, "trumps, tricks, the dix and its swap; no melds"),
        _small_pack("qj", 4, "QJ", 3, "four suits and the melds of jacks and queens; no dix"),
        _small_pack("aqj7", 2, "AQJ7", 3, "brisques beside melds and the dix; no marriages"),
        *(_small_pack(f"kqj7-{name}", 2, "KQJ7", 3, help) for name, help in kqjs.items()),
        _small_pack("kqj7-draws", 2, "KQJ7", 2, "two stock tricks, so cards are drawn; no melds"),
        _small_pack("akqj7", 2, "AKQJ7", 4, "everything but draws"),
        _small_pack("akqj7-draws", 2, "AKQJ7", 3, "everything: two stock tricks, melds, brisques"),
    )
    return MappingProxyType({pack.name: pack for pack in packs})
