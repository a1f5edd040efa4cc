"""Plays one game, and lets no bot see what its seat may not.

A bot never gets the state of the game. It gets one drawn from its information state: its own cards
and all public events are true, what it cannot know is random. Chance outcomes are told to nobody.
The exception are bots that say that they look at hidden cards (`options.Entry.sees_all`), which a
plan has only if its maker allowed it: they get the game with open cards and the true stock.

A bot is any object with a method `step`; what else it does not offer is not asked of it.
What it does wrong forfeits the game: an exception, an illegal action, no answer in time
(`clock`), a change to the state it was given, and in audited games (`audit`) choices that depend on
what it cannot know.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from bots.registry import make_bot, sees_all
from marjolet_spiel.cards import card_name
from marjolet_spiel.open_game import MarjoletOpenGame
from scripts.arena.plan.deals import PairDeals
from scripts.arena.play.audit import Audit
from scripts.arena.play.clock import CHOOSING, LISTENING, SETTING_UP, Clock, LateError
from scripts.arena.store.move_times import MoveTimes

MAX_REASON = 200
CHANGED = "it changed the state that it was given"


Make = Callable[[str, Any, int, int], Any]


@dataclass(frozen=True)
class Outcome:
    """How a game ended.

    Attributes:
      decisions: how many actions the players took.
      returns: the returns by seat; None after a forfeit.
      forfeit: the seat that forfeited, None if nobody did.
      reason: why, empty if nobody did.
      history: all actions, those of chance included.
      times: how long the bots took for their moves, by seat.
      reproducible: whether a twin of the bot did the same, by seat; None where nobody looked.
    """

    decisions: int
    returns: tuple[float, float] | None
    forfeit: int | None = None
    reason: str = ""
    history: tuple[int, ...] = ()
    times: tuple[MoveTimes, MoveTimes] = field(
        default_factory=lambda: (MoveTimes(), MoveTimes()), compare=False
    )
    reproducible: tuple[bool | None, bool | None] = (None, None)


class _ForfeitError(Exception):
    """A bot misbehaved: its seat and what it did."""

    def __init__(self, seat: int, reason: str) -> None:
        super().__init__(reason)
        self.seat = seat


def described(error: BaseException) -> str:
    """An error in one short line that is the same in each run and can be printed anywhere."""
    try:
        text = re.sub(r"0x[0-9a-fA-F]+", "0x...", " ".join(str(error).split()))
    except BaseException:  # a bot's own error class may fail even here
        text = ""
    text = f"{type(error).__name__}: {text}" if text else type(error).__name__
    text = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
    return text if len(text) <= MAX_REASON else text[: MAX_REASON - 3] + "..."


def play_game(
    game: Any,
    deals: PairDeals,
    specs: Sequence[str],
    seeds: Sequence[int],
    worlds: Any,
    audit_worlds: Any = None,
    clock: Clock | None = None,
    make: Make = make_bot,
) -> Outcome:
    """Plays a game from the first deal to the end or to a forfeit.

    Args:
      game: a loaded game of python_marjolet.
      deals: what chance does.
      specs: the bots by seat, as text.
      seeds: their seeds.
      worlds: the numpy generator of what is hidden in the states that bots are given.
      audit_worlds: another one, which makes this an audited game; None if it is not.
      clock: what asks the bots; by default one without a limit.
      make: makes a bot from its text, the game, its seat and its seed.
    """
    table = _Table(game, deals, specs, seeds, worlds, audit_worlds, clock or Clock(), make)
    returns, forfeit, reason = None, None, ""
    try:
        table.play()
        first, second = table.state.returns()
        returns = (float(first), float(second))
    except _ForfeitError as error:
        forfeit, reason = error.seat, str(error)
    history = tuple(table.state.history())
    first, second = (audit.is_reproducible if audit else None for audit in table.audits)
    return Outcome(table.decisions, returns, forfeit, reason, history, table.times, (first, second))


class _Table:
    """A game being played."""

    def __init__(
        self,
        game: Any,
        deals: PairDeals,
        specs: Sequence[str],
        seeds: Sequence[int],
        worlds: Any,
        audit_worlds: Any,
        clock: Clock,
        make: Make,
    ) -> None:
        self.state = game.new_initial_state()
        self.decisions = 0
        self.times = (MoveTimes(), MoveTimes())
        self._game, self._deals, self._specs, self._seeds = game, deals, specs, seeds
        self._worlds, self._audit_worlds, self._clock = worlds, audit_worlds, clock
        self._make = make
        self._bots: list[Any] = []
        self.audits: list[Audit | None] = [None, None]
        self._cheats = [sees_all(spec) for spec in specs]
        self._open = _open_state(game, deals) if any(self._cheats) else None

    def play(self) -> None:
        self._clock.begin()
        for seat in range(2):
            self._bots.append(self._ask(seat, SETTING_UP, self._made, seat)[0])
            self.audits[seat] = self._audit_of(seat)
        state = self.state
        while not state.is_terminal():
            if state.is_chance_node():
                outcome = self._deals.outcome(state)
                state.apply_action(outcome)
                self._clock.note(outcome, False)
            else:
                self._take_turn(state.current_player())
        for seat, audit in enumerate(self.audits):
            if audit is not None and audit.finding:
                raise _ForfeitError(seat, f"{CHOOSING}: {audit.finding}")

    def _made(self, seat: int) -> Any:
        return self._make(self._specs[seat], self._game, seat, self._seeds[seat])

    def _audit_of(self, seat: int) -> Audit | None:
        if self._audit_worlds is None or self._cheats[seat]:
            return None
        if not getattr(self._bots[seat], "reproducible", True):
            return None
        twins = [self._ask(seat, SETTING_UP, self._made, seat)[0] for _ in range(2)]
        return Audit(partial(self._ask, seat), *twins)

    def _ask(
        self, seat: int, doing: str, call: Callable[..., Any], *args: Any
    ) -> tuple[Any, float | None]:
        """The answer of a bot and its seconds; whatever it raises forfeits the game."""
        try:
            return self._clock.ask(self._specs[seat], seat, doing, call, *args)
        except LateError as error:
            raise _ForfeitError(seat, f"{doing}: {error}") from error
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt) and not self._clock.is_watched:
                raise  # somebody's Ctrl-C
            raise _ForfeitError(seat, f"{doing}: {described(error)}") from error

    def _take_turn(self, seat: int) -> None:
        if self._open is not None and self._cheats[seat]:
            seen = self._open.clone()
        else:
            seen = self.state.resample_from_infostate(seat, self._worlds)
        answer, seconds = self._show(seat, CHOOSING, self._bots[seat].step, seen)
        if seconds is not None:
            self.times[seat].add(seconds)
        action = self._checked(seat, answer)
        audit = self.audits[seat]
        if audit is not None:
            elsewhere = self.state.resample_from_infostate(seat, self._audit_worlds)
            audit.compare(action, seen, elsewhere)
        self.state.apply_action(action)
        if self._open is not None:
            self._open.apply_action(action)
        self.decisions += 1
        self._clock.note(action, True)
        self._tell(1 - seat, action)

    def _tell(self, listener: int, action: int) -> None:
        """Informs a bot of what the other one has just done."""
        bot, audit = self._bots[listener], self.audits[listener]
        if not (getattr(bot, "listens", True) and hasattr(bot, "inform_action")):
            return
        before = _before_last_action(self.state, listener, self._worlds)
        self._show(listener, LISTENING, bot.inform_action, before, 1 - listener, action)
        if audit is not None:
            elsewhere = _before_last_action(self.state, listener, self._audit_worlds)
            audit.inform(1 - listener, action, before, elsewhere)

    def _show(
        self, seat: int, doing: str, call: Callable[..., Any], seen: Any, *args: Any
    ) -> tuple[Any, float | None]:
        """The answer to a state, which must be afterwards as it was."""
        fields = seen.core.pos.tobytes()
        answer = self._ask(seat, doing, call, seen, *args)
        if seen.core.pos.tobytes() != fields:
            raise _ForfeitError(seat, f"{doing}: {CHANGED}")
        return answer

    def _checked(self, seat: int, action: Any) -> int:
        """The action as an int, if it is legal."""
        if isinstance(action, bool) or not isinstance(action, int | np.integer):
            raise _ForfeitError(seat, f"{CHOOSING}: {type(action).__name__} is no action id")
        if action not in self.state.legal_actions():
            raise _ForfeitError(seat, f"{CHOOSING}: action {int(action)} is not legal")
        return int(action)


def _before_last_action(state: Any, seat: int, worlds: Any) -> Any:
    """A state from before the last action in which it is possible, as `seat` sees it.

    What the action showed was hidden before it: the world is drawn after it and played up to it
    again.
    """
    world = state.resample_from_infostate(seat, worlds)
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
