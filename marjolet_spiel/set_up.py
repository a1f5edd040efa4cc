"""Positions set up for study: from dicts to kernel positions, with every check there is."""

from collections.abc import Mapping
from typing import Any

from marjolet_spiel import cards, kernel
from marjolet_spiel.array_types import Vector
from marjolet_spiel.cards import bits, names_of
from marjolet_spiel.kernel import NONE, PHASE_NAMES
from marjolet_spiel.positions import POINT_FIELDS, card_or_none, position_dict
from marjolet_spiel.simulate import CATEGORIES

REQUIRED_KEYS = (
    *("phase", "dealer", "deal_number", "trick", "leader", "led", "turn_up", "indicator"),
    *("hands", "captured", "stock", "declared", "window", "swapped", "last_tricks", "points"),
    "scores",
)
DERIVED_KEYS = ("current_player", "trump", "exposed", "known", "stock_left", "deal_points")
"""Keys that follow from the others: a set-up position may leave them out, not contradict."""

_MOST = 1_000_000_000  # no number of a position comes near it


def position_from_dict(start: Vector, setup: Mapping[str, Any]) -> Vector:
    """The kernel position that a dict describes.

    Args:
      start: any position under the same rules.
      setup: the keys of `position_dict`; those of `DERIVED_KEYS` may be missing.

    Raises:
      ValueError: the position is malformed or cannot occur; the message says why. What is not
        checked is whether the captured cards can have come to their captors in legal tricks.
    """
    return _Setup(start, setup).position()


class _Setup:
    """One dict on its way to a position, with the checks."""

    def __init__(self, start: Vector, setup: Mapping[str, Any]) -> None:
        if not isinstance(setup, Mapping):
            raise ValueError(f"position: {setup!r} is not allowed; it must be a dict")
        self.setup = setup
        self.pos = start.copy()
        known = {*REQUIRED_KEYS, *DERIVED_KEYS}
        for key in setup:
            if key not in known:
                raise ValueError(f"position: key {key!r} is unknown; keys are {sorted(known)}")
        for key in REQUIRED_KEYS:
            if key not in setup:
                raise ValueError(f"position: key {key!r} is missing")

    def position(self) -> Vector:
        """The position, checked."""
        self._read_numbers()
        self._read_cards()
        self._read_melds()
        self._derive_visible()
        self._check_sizes()
        self._check_points()
        self._set_player()
        full = position_dict(self.pos)
        for key in full:
            given = self.setup.get(key, full[key])
            if _sorted_cards(given) != _sorted_cards(full[key]):
                raise self._bad(key, f"it follows from the rest as {full[key]!r}")
        return self.pos

    def _bad(self, key: str, why: str) -> ValueError:
        return ValueError(f"position: {key} = {self.setup.get(key)!r} is not possible: {why}")

    def _whole(self, key: str, low: int, high: int) -> int:
        value = self.setup[key]
        if type(value) is not int or not low <= value <= high:
            raise self._bad(key, f"it must be a whole number from {low} to {high}")
        return value

    def _pair(self, key: str, kind: type) -> list[Any]:
        value = self.setup[key]
        if (
            not isinstance(value, list | tuple)
            or len(value) != 2
            or any(type(part) is not kind for part in value)
        ):
            raise self._bad(key, f"it must be a list of two, each a {kind.__name__}")
        if kind is int and max(abs(part) for part in value) > _MOST:
            raise self._bad(key, f"numbers go up to {_MOST}")
        return list(value)

    def _read_numbers(self) -> None:
        pos, setup = self.pos, self.setup
        if setup["phase"] not in PHASE_NAMES:
            raise self._bad("phase", "it must be one of " + ", ".join(PHASE_NAMES))
        pos[kernel.PHASE] = PHASE_NAMES.index(setup["phase"])
        in_lot = pos[kernel.PHASE] == kernel.DEALER_LOT
        pos[kernel.DEALER] = self._whole("dealer", NONE if in_lot else 0, NONE if in_lot else 1)
        most = int(pos[kernel.MAX_DEALS]) if pos[kernel.TARGET] else 1
        pos[kernel.DEAL] = self._whole("deal_number", 1, most)
        before_play = pos[kernel.PHASE] <= kernel.TURNING
        low, high = (0, 0) if before_play else (1, int(pos[kernel.NUM_TRICKS]))
        pos[kernel.TRICK] = self._whole("trick", low, high)
        low, high = (NONE, NONE) if before_play else (0, 1)
        pos[kernel.LEADER] = self._whole("leader", low, high)
        if type(setup["swapped"]) is not bool:
            raise self._bad("swapped", "it must be True or False")
        pos[kernel.SWAPPED] = setup["swapped"]
        for player, wins in enumerate(self._pair("last_tricks", int)):
            pos[kernel.WINS0 + player] = wins
        self._read_scores()

    def _read_scores(self) -> None:
        pos = self.pos
        scores = self._pair("scores", int)
        for player, score in enumerate(scores):
            if score < 0 or score % 10:
                raise self._bad("scores", "scores are multiples of 10 from 0")
            pos[kernel.SCORE0 + player] = score
        if sum(scores) and (pos[kernel.TARGET] == 0 or pos[kernel.DEAL] == 1):
            raise self._bad("scores", "no deal was played before this one")
        reached = max(scores) >= pos[kernel.TARGET] > 0
        if reached and (pos[kernel.IMMEDIATE] or scores[0] != scores[1]):
            raise self._bad("scores", f"the match to {pos[kernel.TARGET]} was already won")

    def _read_cards(self) -> None:
        pos, setup = self.pos, self.setup
        seen = 0
        places = [("hands", kernel.HAND0), ("captured", kernel.CAPTURED0)]
        for key, field in places:
            for player, names in enumerate(self._pair(key, list)):
                pos[field + player] = self._mask(key, names)
                seen = self._add(key, seen, int(pos[field + player]))
        pos[kernel.DOWN] = self._mask("stock", setup["stock"])
        seen = self._add("stock", seen, int(pos[kernel.DOWN]))
        for key, field in (("indicator", kernel.INDICATOR), ("led", kernel.LED)):
            pos[field] = self._one(key)
            if pos[field] != NONE:
                seen = self._add(key, seen, 1 << int(pos[field]))
        pos[kernel.TURN_UP] = self._one("turn_up")
        pos[kernel.TRUMP] = NONE if pos[kernel.TURN_UP] == NONE else pos[kernel.TURN_UP] >> 3
        missing = int(pos[kernel.PACK]) & ~seen
        if missing and not self._dix_ended_match(missing):
            names = " ".join(names_of(missing))
            raise ValueError(f"position: the cards {names} are nowhere")

    def _dix_ended_match(self, missing: int) -> bool:
        """Answering with the dix ended the match: the card was never taken by anyone."""
        pos = self.pos
        ended = pos[kernel.PHASE] == kernel.OVER and pos[kernel.IMMEDIATE] == 1
        dix = pos[kernel.TRUMP] != NONE and missing == 1 << int(kernel.seven_of_trumps(pos))
        return bool(ended and dix and pos[kernel.LED] != NONE)

    def _mask(self, key: str, names: Any) -> int:
        if not isinstance(names, list | tuple) or any(type(name) is not str for name in names):
            raise self._bad(key, "cards are a list of names such as 'AS'")
        try:
            mask = cards.parse_cards(names)
        except ValueError as error:
            raise self._bad(key, str(error)) from None
        if mask & ~int(self.pos[kernel.PACK]):
            foreign = names_of(mask & ~int(self.pos[kernel.PACK]))
            raise self._bad(key, f"{' '.join(foreign)} is not in the pack")
        return mask

    def _one(self, key: str) -> int:
        name = self.setup[key]
        return NONE if name == "" else bits(self._mask(key, [name]))[0]

    def _add(self, key: str, seen: int, mask: int) -> int:
        if seen & mask:
            raise self._bad(key, f"{' '.join(names_of(seen & mask))} is also elsewhere")
        return seen | mask

    def _read_melds(self) -> None:
        pos, suits = self.pos, int(self.pos[kernel.NUM_SUITS])
        for player, names in enumerate(self._pair("declared", list)):
            for name in names:
                meld = self._meld("declared", name, suits)
                pos[kernel.DECLARED0 + player] |= 1 << meld
                own = int(pos[kernel.HAND0 + player]) | self._played()
                if int(kernel.cards_in_meld(pos, meld)) & ~own:
                    raise self._bad("declared", f"{name}: player {player} did not have all cards")
        if int(pos[kernel.DECLARED0]) & int(pos[kernel.DECLARED1]):
            raise self._bad("declared", "a meld counts once a deal")
        self._read_window(suits)

    def _read_window(self, suits: int) -> None:
        pos = self.pos
        if not isinstance(self.setup["window"], list | tuple):
            raise self._bad("window", "it must be a list of melds")
        used = 0
        for name in self.setup["window"]:
            meld = self._meld("window", name, suits)
            needed = int(kernel.cards_in_meld(pos, meld))
            pos[kernel.WINDOW] |= 1 << meld
            if pos[kernel.PHASE] != kernel.DECLARE:
                raise self._bad("window", "there is none in this phase")
            leader = pos[kernel.LEADER]
            if not pos[kernel.DECLARED0 + leader] >> meld & 1:
                raise self._bad("window", f"{name} is not declared by player {leader}")
            if needed & ~int(pos[kernel.HAND0 + leader]):
                raise self._bad("window", f"{name} is not in the hand of player {leader}")
            if needed & used and pos[kernel.DISJOINT]:
                raise self._bad("window", "a card serves one meld a window")
            used |= needed

    def _meld(self, key: str, name: Any, suits: int) -> int:
        try:
            meld = cards.parse_meld(name, suits)
        except ValueError as error:
            raise self._bad(key, str(error)) from None
        if self.pos[kernel.TRUMP] == NONE or not kernel.meld_value(self.pos, meld):
            raise self._bad(key, f"{name} does not count here")
        return meld

    def _played(self) -> int:
        pos = self.pos
        led = 0 if pos[kernel.LED] == NONE else 1 << int(pos[kernel.LED])
        return int(pos[kernel.CAPTURED0]) | int(pos[kernel.CAPTURED1]) | led

    def _stock_over(self) -> bool:
        pos = self.pos
        return bool(pos[kernel.TRICK] > pos[kernel.STOCK_TRICKS])

    def _derive_visible(self) -> None:
        pos = self.pos
        for player in range(2):
            public = 0
            for meld in bits(int(pos[kernel.DECLARED0 + player])):
                public |= int(kernel.cards_in_meld(pos, meld))
            hand = int(pos[kernel.HAND0 + player])
            pos[kernel.EXPOSED0 + player] = 0 if self._stock_over() else public & hand
            if pos[kernel.TURN_UP] != NONE:
                public |= 1 << int(pos[kernel.TURN_UP])
                if self._stock_over() and pos[kernel.SWAPPED]:
                    public |= 1 << int(kernel.seven_of_trumps(pos))
            pos[kernel.KNOWN0 + player] = public & hand

    def _check_sizes(self) -> None:
        pos, phase = self.pos, int(self.pos[kernel.PHASE])
        hands = [int(pos[kernel.HAND0 + player]).bit_count() for player in range(2)]
        if phase <= kernel.TURNING:
            self._check_dealing(hands)
            return
        self._check_indicator()
        trick, size = int(pos[kernel.TRICK]), int(pos[kernel.HAND_SIZE])
        gone = max(0, trick - int(pos[kernel.STOCK_TRICKS]) - 1)
        full, leader = size - gone, int(pos[kernel.LEADER])
        after_trick = [full - 1, full - 1]
        after_lead = [full - (player == leader) for player in range(2)]
        one_drawn = [full - (player != leader) for player in range(2)]
        allowed = {
            kernel.LEAD: [[full, full]],
            kernel.FOLLOW: [after_lead],
            kernel.DECLARE: [after_trick],
            kernel.DRAW: [after_trick, one_drawn],
            kernel.OVER: [[full, full], after_trick, after_lead],
        }[phase]
        if hands not in allowed:
            raise self._bad(
                "hands",
                f"in phase {PHASE_NAMES[phase]} of trick {trick} they have "
                f"{' or '.join(map(str, allowed))} cards, not {hands}",
            )
        on_table = pos[kernel.LED] != NONE
        self._check_tricks(hands not in ([full, full], after_lead) and not on_table)
        self._check_leader()

    def _check_dealing(self, hands: list[int]) -> None:
        pos, size = self.pos, int(self.pos[kernel.HAND_SIZE])
        phase, dealer = int(pos[kernel.PHASE]), int(pos[kernel.DEALER])
        for key in ("turn_up", "indicator", "led"):
            if self.setup[key] != "":
                raise self._bad(key, "nothing is turned up or led before the deal is done")
        if pos[kernel.CAPTURED0] or pos[kernel.CAPTURED1]:
            raise self._bad("captured", "nothing is captured before the deal is done")
        if pos[kernel.SWAPPED] or pos[kernel.WINS0] or pos[kernel.WINS1]:
            raise self._bad("phase", "no trick was played before the deal is done")
        first, second = (0, 0) if dealer == NONE else (hands[1 - dealer], hands[dealer])
        if phase == kernel.DEALER_LOT:
            fits = hands == [0, 0] and pos[kernel.DEAL] == 1 and pos[kernel.FIRST_DEALER] == NONE
        elif phase == kernel.TURNING:
            fits = first == second == size
        else:
            fits = second == 0 <= first <= size or first == size > second
        if not fits:
            raise self._bad("hands", f"{hands} cards cannot be dealt in phase {PHASE_NAMES[phase]}")
        if phase == kernel.DEALING:
            free = int(kernel.dealable(pos)).bit_count()
            if free < size - hands[int(kernel.hand_being_dealt(pos))]:
                raise self._bad("hands", "hands are dealt in ascending order of the cards")

    def _check_indicator(self) -> None:
        pos = self.pos
        if pos[kernel.TURN_UP] == NONE:
            raise self._bad("turn_up", "a card was turned up")
        seven = int(kernel.seven_of_trumps(pos))
        expected = int(pos[kernel.TURN_UP])
        if pos[kernel.SWAPPED]:
            if expected == seven or not int(pos[kernel.PACK]) >> seven & 1:
                raise self._bad("swapped", "there was no dix to swap")
            expected = seven
        if self._stock_over():
            expected = NONE
        if pos[kernel.INDICATOR] != expected:
            raise self._bad("indicator", f"it must be {card_or_none(expected)!r}")
        if (pos[kernel.LED] != NONE) and pos[kernel.PHASE] not in (kernel.FOLLOW, kernel.OVER):
            raise self._bad("led", "no card is led in this phase")
        if pos[kernel.LED] == NONE and pos[kernel.PHASE] == kernel.FOLLOW:
            raise self._bad("led", "a card is led in this phase")

    def _check_tricks(self, taken: bool) -> None:
        pos = self.pos
        tricks = int(pos[kernel.TRICK]) - 1 + taken
        captured = [int(pos[kernel.CAPTURED0 + player]).bit_count() for player in range(2)]
        if sum(captured) != 2 * tricks or captured[0] % 2:
            raise self._bad("captured", f"{tricks} tricks of two cards were taken, not {captured}")
        wins = [int(pos[kernel.WINS0 + player]) for player in range(2)]
        ended = max(0, tricks - int(pos[kernel.STOCK_TRICKS]))
        if (
            min(wins) < 0
            or sum(wins) != ended
            or any(2 * w > c for w, c in zip(wins, captured, strict=True))
        ):
            raise self._bad("last_tricks", f"{ended} endgame tricks were taken")

    def _check_leader(self) -> None:
        pos = self.pos
        undecided = pos[kernel.PHASE] in (kernel.LEAD, kernel.FOLLOW)
        if undecided and pos[kernel.TRICK] == 1 and pos[kernel.LEADER] == pos[kernel.DEALER]:
            raise self._bad("leader", "the non-dealer leads the first trick")
        if not undecided and pos[kernel.PHASE] != kernel.OVER:
            if not pos[kernel.CAPTURED0 + pos[kernel.LEADER]]:
                raise self._bad("leader", "he has won no trick")
            if self._stock_over() and not pos[kernel.ENDGAME_MELDS]:
                raise self._bad("phase", "there are no windows in the endgame")
        taken = pos[kernel.TRICK] - pos[kernel.STOCK_TRICKS] - undecided
        wins = pos[kernel.WINS0 + pos[kernel.LEADER]]
        if taken > 0 and pos[kernel.PHASE] != kernel.OVER and not wins:
            raise self._bad("leader", "he has won none of the last tricks")
        drawing = pos[kernel.PHASE] == kernel.DRAW
        if drawing and pos[kernel.TRICK] >= pos[kernel.STOCK_TRICKS]:
            raise self._bad("phase", "the last cards of the stock are drawn without a chance node")

    def _check_points(self) -> None:
        pos = self.pos
        points = self._pair("points", dict)
        for player, given in enumerate(points):
            small = all(type(v) is int and abs(v) <= _MOST for v in given.values())
            if set(given) != set(CATEGORIES) or not small:
                raise self._bad("points", f"each has whole numbers for {', '.join(CATEGORIES)}")
            for category, field in POINT_FIELDS.items():
                pos[field + player] = given[category]
            declared = bits(int(pos[kernel.DECLARED0 + player]))
            worth = sum(int(kernel.meld_value(pos, meld)) for meld in declared)
            if given["melds"] != worth:
                raise self._bad("points", f"the melds of player {player} are worth {worth}")
        for category, total in self._expected_points().items():
            found = [given[category] for given in points]
            if sum(found) not in total or min(found) < 0 or any(v % 10 for v in found):
                raise self._bad("points", f"{category} {found} must add up to one of {total}")

    def _expected_points(self) -> dict[str, list[int]]:
        """What the points of both players can add up to, by category."""
        pos = self.pos
        over, ended = pos[kernel.PHASE] == kernel.OVER, pos[kernel.TARGET] > 0
        played_out = over and self._played().bit_count() == pos[kernel.NUM_CARDS]
        bonus = int(pos[kernel.SWEEP_BONUS])
        swept = pos[kernel.HAND_SIZE] in (pos[kernel.WINS0], pos[kernel.WINS1])
        return {
            "dix": [self._expected_dix()],
            "stock_end": [10 if self._stock_over() else 0],
            "last": ([0, 10] if ended else [10]) if played_out else [0],
            "sweep": ([0, bonus] if ended else [bonus]) if played_out and swept else [0],
        }

    def _expected_dix(self) -> int:
        pos = self.pos
        if pos[kernel.TURN_UP] == NONE:
            return 0
        seven = int(kernel.seven_of_trumps(pos))
        where = self._played() | int(pos[kernel.HAND0]) | int(pos[kernel.HAND1])
        where |= int(pos[kernel.DOWN]) | (
            0 if pos[kernel.INDICATOR] == NONE else 1 << int(pos[kernel.INDICATOR])
        )
        played = self._played() >> seven & 1 or not where >> seven & 1
        in_pack = int(pos[kernel.PACK]) >> seven & 1
        paid = 10 * bool(pos[kernel.TURN_UP] == seven) + 10 * bool(pos[kernel.SWAPPED])
        return paid + 10 * bool(in_pack and played and kernel.dix_pays(pos, seven))

    def _set_player(self) -> None:
        pos, phase = self.pos, int(self.pos[kernel.PHASE])
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
