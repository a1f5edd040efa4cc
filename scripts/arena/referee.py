"""Plays one game, and lets no bot see what its seat may not.

A bot never gets the state of the game. It gets one drawn from its information state: its own cards
and all public events are true, what it cannot know is random. Chance outcomes are told to nobody.
The exception are bots that say that they look at hidden cards (`options.Entry.sees_all`), which a
plan has only if its maker allowed it: they get the game with open cards and the true stock.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bots.registry import make_bot, sees_all
from marjolet_spiel.cards import card_name
from marjolet_spiel.open_game import MarjoletOpenGame
from scripts.arena.deals import PairDeals

MAX_REASON = 200


@dataclass(frozen=True)
class Outcome:
    """How a game ended.

    Attributes:
      decisions: how many actions the players took.
      returns: the returns by seat; None after a forfeit.
      forfeit: the seat that forfeited, None if nobody did.
      reason: why, empty if nobody did.
    """

    decisions: int
    returns: tuple[float, float] | None
    forfeit: int | None = None
    reason: str = ""


class _ForfeitError(Exception):
    """A bot misbehaved: its seat and what it did."""

    def __init__(self, seat: int, reason: str) -> None:
        super().__init__(reason)
        self.seat = seat


def _ask(seat: int, doing: str, call: Callable[..., Any], *args: Any) -> Any:
    """The answer of a bot; whatever it raises forfeits the game."""
    try:
        return call(*args)
    except (Exception, SystemExit) as error:
        raise _ForfeitError(seat, f"{doing}: {_described(error)}") from error


def _described(error: BaseException) -> str:
    """An error in one short line that is the same in each run."""
    try:
        text = re.sub(r"0x[0-9a-fA-F]+", "0x...", " ".join(str(error).split()))
    except Exception:  # a bot's own error class may fail even here
        text = ""
    text = f"{type(error).__name__}: {text}" if text else type(error).__name__
    return text if len(text) <= MAX_REASON else text[: MAX_REASON - 3] + "..."


def play_game(
    game: Any, deals: PairDeals, specs: Sequence[str], seeds: Sequence[int], worlds: Any
) -> Outcome:
    """Plays a game from the first deal to the end or to a forfeit.

    Args:
      game: a loaded game of python_marjolet.
      deals: what chance does.
      specs: the bots by seat, as text.
      seeds: their seeds.
      worlds: the numpy generator of what is hidden in the states that bots are given.
    """
    table = _Table(game, deals, worlds, [sees_all(spec) for spec in specs])
    try:
        for seat in range(2):
            args = (specs[seat], game, seat, seeds[seat])
            table.bots.append(_ask(seat, "setting up", make_bot, *args))
        table.play()
    except _ForfeitError as forfeit:
        return Outcome(table.decisions, None, forfeit.seat, str(forfeit))
    first, second = table.state.returns()
    return Outcome(table.decisions, (float(first), float(second)))


class _Table:
    """A game being played."""

    def __init__(
        self, game: Any, deals: PairDeals, worlds: Any, cheats: Sequence[bool] = (False, False)
    ) -> None:
        self.state = game.new_initial_state()
        self.bots: list[Any] = []
        self.decisions = 0
        self._deals = deals
        self._worlds = worlds
        self._cheats = cheats
        self._open = _open_state(game, deals) if any(cheats) else None

    def play(self) -> None:
        state = self.state
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(self._deals.outcome(state))
            else:
                self._take_turn(state.current_player())

    def _take_turn(self, seat: int) -> None:
        if self._open is not None and self._cheats[seat]:
            seen = self._open.clone()
        else:
            seen = self.state.resample_from_infostate(seat, self._worlds)
        action = self._checked(seat, _ask(seat, "choosing", self.bots[seat].step, seen))
        self.state.apply_action(action)
        if self._open is not None:
            self._open.apply_action(action)
        self.decisions += 1
        other = 1 - seat
        if getattr(self.bots[other], "listens", True):
            before = self._before_last_action(other)
            _ask(other, "listening", self.bots[other].inform_action, before, seat, action)

    def _checked(self, seat: int, action: Any) -> int:
        """The action as an int, if it is legal."""
        if isinstance(action, bool) or not isinstance(action, int | np.integer):
            raise _ForfeitError(seat, f"choosing: {type(action).__name__} is no action id")
        if action not in self.state.legal_actions():
            raise _ForfeitError(seat, f"choosing: action {int(action)} is not legal")
        return int(action)

    def _before_last_action(self, seat: int) -> Any:
        """A state from before the last action in which it is possible, as `seat` sees it.

        What the action showed was hidden before it: the world is drawn after it and played up to
        it again.
        """
        world = self.state.resample_from_infostate(seat, self._worlds)
        before = world.get_game().new_initial_state()
        for action in world.history()[:-1]:
            before.apply_action(action)
        return before


def _open_state(game: Any, deals: PairDeals) -> Any:
    """The beginning of the same game with open cards."""
    orders = [deals.order(deal) for deal in range(1, game.rules.deals + 1)]
    text = "".join(card_name(card) for order in orders for card in order)
    first = game.rules.first_dealer
    params = {"deal": text, "first_dealer": deals.dealer if first == -1 else first}
    return MarjoletOpenGame({**game.get_parameters(), **params}).new_initial_state()
