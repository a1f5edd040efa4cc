"""One way to play Marjolet by strings, over the reference or over the public OpenSpiel API.

A `Table` shows the position in the form of `state.to_dict()` and takes action strings, so that a
test written once runs over both. `Script` answers the chance nodes of a deal laid out beforehand.
"""

import copy
from collections.abc import Sequence
from typing import Any, Protocol, Self

import pyspiel

import marjolet_spiel  # noqa: F401  (registers the game)
from tests.reference import SUITS, Reference
from tests.variants import Params

View = dict[str, Any]
GAME = "python_marjolet"
REFUSALS = (ValueError, pyspiel.SpielError)
"""What an action that is not possible may raise."""


class Table(Protocol):
    """What a test may ask of a game in progress."""

    def view(self) -> View: ...
    def legal(self) -> list[str]: ...
    def chance(self) -> dict[str, float]: ...
    def apply(self, action: str) -> None: ...
    def returns(self) -> list[float]: ...
    def clone(self) -> Self: ...


class ReferenceTable:
    """The reference, shown as `to_dict()` shows a state."""

    def __init__(self, params: Params) -> None:
        self.reference = Reference(**params)  # type: ignore[arg-type]

    def view(self) -> View:
        """The position under the keys of `to_dict()`."""
        now = self.reference
        view: View = {
            name: [now.in_order(cards) for cards in getattr(now, name)]
            for name in ("hands", "exposed", "known", "captured")
        }
        view |= {
            name: copy.deepcopy(getattr(now, name))
            for name in (
                *("phase", "dealer", "deal_number", "trick", "leader", "led", "trump", "turn_up"),
                *("indicator", "declared", "window", "swapped", "last_tricks", "points", "scores"),
            )
        }
        return view | {
            "current_player": now.player,
            "stock": now.in_order(now.face_down),
            "stock_left": len(now.face_down) + bool(now.indicator),
            "deal_points": now.deal_points(),
        }

    def legal(self) -> list[str]:
        """The actions of the player to act."""
        return self.reference.legal()

    def chance(self) -> dict[str, float]:
        """Outcomes of a chance node, else nothing."""
        return {action: float(p) for action, p in self.reference.chance().items()}

    def apply(self, action: str) -> None:
        """One action or chance outcome."""
        self.reference.apply(action)

    def returns(self) -> list[float]:
        """What each player has won."""
        return self.reference.returns()

    def clone(self) -> Self:
        """A table that goes its own way from here."""
        return copy.deepcopy(self)


class GameTable:
    """A state of the OpenSpiel game."""

    def __init__(self, params: Params, state: Any = None) -> None:
        self.game = pyspiel.load_game(GAME, dict(params))
        self.state = self.game.new_initial_state() if state is None else state

    @classmethod
    def at(cls, params: Params, view: View) -> "GameTable":
        """The game set up at a position."""
        table = cls(params)
        table.state = table.game.new_initial_state(view)
        return table

    def view(self) -> View:
        """The position as the state tells it."""
        view: View = self.state.to_dict()
        return view

    def legal(self) -> list[str]:
        """The actions of the player to act."""
        if self.state.is_chance_node():
            return []
        return [self.state.action_to_string(action) for action in self.state.legal_actions()]

    def chance(self) -> dict[str, float]:
        """Outcomes of a chance node, else nothing."""
        if not self.state.is_chance_node():
            return {}
        outcomes = self.state.chance_outcomes()
        return {self.state.action_to_string(action): p for action, p in outcomes}

    def apply(self, action: str) -> None:
        """One action or chance outcome."""
        self.state.apply_action(self.state.string_to_action(action))

    def returns(self) -> list[float]:
        """What each player has won."""
        returns: list[float] = self.state.returns()
        return returns

    def clone(self) -> Self:
        """A table that goes its own way from here."""
        twin = copy.copy(self)
        twin.state = self.state.clone()
        return twin


TABLES: tuple[type[ReferenceTable] | type[GameTable], ...] = (ReferenceTable, GameTable)


class Script:
    """The chance outcomes of one deal: hands, turn-up, then the stock in drawing order."""

    def __init__(
        self, hands: Sequence[Sequence[str]], turn_up: str, stock: Sequence[str], dealer: int
    ) -> None:
        dealt = [card for p in (1 - dealer, dealer) for card in sorted(hands[p], key=card_order)]
        self.outcomes = [f"deal {card}" for card in dealt] + [f"turn {turn_up}"]
        self.outcomes += [f"draw {card}" for card in stock[:-1]]  # the last one has no node

    def settle(self, table: Table) -> None:
        """Answer chance nodes until a player is to act; another deal is none of ours."""
        while self.outcomes and table.chance():
            table.apply(self.outcomes.pop(0))


def card_order(card: str) -> tuple[int, int]:
    """Sort key: suit S, H, D, C, then from the ace down."""
    return SUITS.index(card[1]), "ATKQJ987".index(card[0])


def meld_order(meld: str) -> tuple[int, ...]:
    """Sort key of the order in a window: sets from the aces down, K-Q pairs, J-Q pairs."""
    cards = meld.split("-")
    if cards[0][0] == cards[1][0]:
        return 0, "ATKQJ".index(cards[0][0])
    return 1, "KJ".index(cards[0][0]), SUITS.index(cards[0][1]), SUITS.index(cards[1][1])
