"""What all bots of this package have in common: they decide from a view of their seat."""

from typing import Any

import pyspiel

from bots.view import SeatView, seat_view

Policy = list[tuple[int, float]]


class SeatBot(pyspiel.Bot):  # type: ignore[misc]
    """A bot that needs nothing but the view of its seat.

    Subclasses define `decide`, and `distribution` unless they always do the same in the same
    information state.

    Attributes:
      player: the seat it plays, 0 or 1.
      listens: whether it wants to be told of the opponent's actions; whoever runs the game may
        leave `inform_action` out for a bot that does not.
    """

    listens = False

    def __init__(self, player: int) -> None:
        """A bot for one seat; ValueError if there is no such seat."""
        super().__init__()
        if player not in (0, 1):
            raise ValueError(f"player: {player!r} is not allowed; it must be 0 or 1")
        self.player = player

    def decide(self, view: SeatView) -> int:
        """The action to take; only asked when the seat is on turn."""
        raise NotImplementedError

    def distribution(self, view: SeatView) -> Policy:
        """How likely each action is; of a deterministic bot the one it takes."""
        return [(self.decide(view), 1.0)]

    def _look(self, state: Any) -> SeatView:
        view = seat_view(state, self.player)
        if not view.legal:
            raise ValueError(f"bot: player {self.player} is not on turn in this state")
        return view

    # What OpenSpiel asks for.

    def player_id(self) -> int:
        """The seat."""
        return self.player

    def step(self, state: Any) -> int:
        """The action to take in a state in which the bot is on turn; ValueError in another."""
        return self.decide(self._look(state))

    def provides_policy(self) -> bool:
        """Always: see `get_policy`."""
        return True

    def get_policy(self, state: Any) -> Policy:
        """Pairs of an action and its probability, which sum to 1; moves no random generator on."""
        return self.distribution(self._look(state))

    def step_with_policy(self, state: Any) -> tuple[Policy, int]:
        """`get_policy` and the action that `step` takes."""
        view = self._look(state)
        policy = self.distribution(view)
        return policy, policy[0][0] if len(policy) == 1 else self.decide(view)

    def restart(self) -> None:
        """A new game begins: nothing is remembered. A random generator goes on where it is."""

    def restart_at(self, state: Any) -> None:
        """The game goes on from `state`: nothing is remembered."""

    def inform_action(self, state: Any, player_id: int, action: int) -> None:
        """Somebody else acted: nothing is remembered."""

    def inform_actions(self, state: Any, actions: list[int]) -> None:
        """Several actions were taken: nothing is remembered."""
