"""What all bots of this package have in common: they decide from what their seat sees."""

from typing import Any, Generic, TypeVar

import pyspiel

from marjolet_spiel import kernel
from marjolet_spiel.array_types import Vector
from marjolet_spiel.rules import Rules

Policy = list[tuple[int, float]]
View = TypeVar("View")


def _header(pos: Vector) -> bytes:
    """The rules of a position, but for who deals first."""
    return pos[: kernel.FIRST_DEALER].tobytes()


class ViewBot(pyspiel.Bot, Generic[View]):  # type: ignore[misc]
    """A bot that looks at a state in some way, and decides from what it saw.

    Subclasses define `look` and `decide`, and `distribution` unless they always do the same in
    the same information state. What `look` gives must be equal for all states of one information
    state.

    Attributes:
      player: the seat it plays, 0 or 1.
      listens: whether it wants to be told of the opponent's actions; whoever runs the game may
        leave `inform_action` out for a bot that does not.
      reproducible: whether its choices depend on its seed and on what its seat sees alone; false
        for one that is limited by time.
    """

    listens = False
    reproducible = True

    def __init__(self, player: int, rules: Rules | None = None) -> None:
        """A bot for one seat; with rules it refuses states of a game with others.

        Raises:
          ValueError: there is no such seat.
        """
        super().__init__()
        if player not in (0, 1):
            raise ValueError(f"player: {player!r} is not allowed; it must be 0 or 1")
        self.player = player
        self._rules = rules
        self._header = b"" if rules is None else _header(kernel.initial_position(rules))

    def look(self, state: Any) -> View:
        """What the seat sees; only asked when it is on turn."""
        raise NotImplementedError

    def decide(self, view: View) -> int:
        """The action to take."""
        raise NotImplementedError

    def distribution(self, view: View) -> Policy:
        """How likely each action is; of a deterministic bot the one it takes."""
        return [(self.decide(view), 1.0)]

    def _look(self, state: Any) -> View:
        core = getattr(state, "core", None)
        if core is None:
            raise ValueError(
                f"bot: a state of {state.get_game()} is not allowed; it plays Marjolet"
            )
        if self._rules is not None and self._header != _header(core.pos):
            raise ValueError(
                f"bot: a state of {state.get_game()} is not allowed; it was made for {self._rules}"
            )
        if state.current_player() != self.player:
            raise ValueError(f"bot: player {self.player} is not on turn in this state")
        return self.look(state)

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
