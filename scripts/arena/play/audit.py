"""Tells whether a bot looks at cards that its seat cannot see.

Two twins, made as the bot was and with its seed, are asked whenever it is. One is shown the very
state that the bot was shown, the other a state that differs from it just in what is hidden. If the
first twin does what the bot does throughout the game, then the bot is reproducible; if the second
one does not, then what it does depends on what is hidden. Bots that say that they are not
reproducible (an attribute `reproducible` that is False) cannot be told so.

What a bot is shown is drawn at random, so looking at it gains nothing; but its results would not be
those of a player.
"""

from collections.abc import Callable
from typing import Any

from scripts.arena.play.clock import CHOOSING, LISTENING

Ask = Callable[..., tuple[Any, Any]]
"""Asks a twin: for what, what is to be called, its arguments; gives the answer first, and raises an
Exception whatever the twin raises."""

FAILED = "failed"
FOUND = "decision {} depends on cards that it cannot see"


class Audit:
    """The audit of a bot in one game.

    Attributes:
      is_reproducible: whether the twin that is shown the same has always done the same.
      difference: the first decision, from 1, in which the other twin did not; 0 if there is none.
    """

    def __init__(self, ask: Ask, same: Any, other: Any) -> None:
        """An audit with two twins, the first to be shown the same and the second another world."""
        self.is_reproducible = True
        self.difference = 0
        self._ask = ask
        self._same, self._other = same, other
        self._decisions = 0

    @property
    def finding(self) -> str:
        """The first decision that depends on what is hidden, in words; empty if there is none."""
        return FOUND.format(self.difference) if self.is_reproducible and self.difference else ""

    def compare(self, action: int, seen: Any, elsewhere: Any) -> None:
        """Asks the twins for their moves where the bot, shown `seen`, has chosen `action`."""
        self._decisions += 1
        self._note(
            self._answer(CHOOSING, self._same.step, seen.clone()) == action,
            self._answer(CHOOSING, self._other.step, elsewhere) == action,
        )

    def inform(self, player: int, action: int, before: Any, elsewhere: Any) -> None:
        """Tells the twins of what the other player did, as the bot was told with `before`."""
        for_both = (player, action)
        self._note(
            self._answer(LISTENING, self._same.inform_action, before.clone(), *for_both) != FAILED,
            self._answer(LISTENING, self._other.inform_action, elsewhere, *for_both) != FAILED,
        )

    def _note(self, same_agrees: bool, other_agrees: bool) -> None:
        self.is_reproducible = self.is_reproducible and same_agrees
        if not other_agrees and not self.difference:
            self.difference = max(self._decisions, 1)

    def _answer(self, doing: str, call: Callable[..., Any], *args: Any) -> Any:
        """The answer of a twin; FAILED, which is no move, if it has none."""
        try:
            return self._ask(doing, call, *args)[0]
        except Exception:
            return FAILED
