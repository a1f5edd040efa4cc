"""Bots that decide from the named facts of a `SeatView`."""

from typing import Any

from bots.openspiel_bot import ViewBot
from bots.view import SeatView, seat_view


class SeatBot(ViewBot[SeatView]):
    """A bot that needs nothing but the view of its seat."""

    def look(self, state: Any) -> SeatView:
        """The view of the seat."""
        return seat_view(state, self.player)
