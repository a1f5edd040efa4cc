"""`MarjoletState`: the OpenSpiel state, a thin coat over `core.Core`.

Methods that pyspiel binds in C++ and that are defined here too (`legal_actions`,
`information_state_tensor`, ...) save the way through C++ for callers in Python, which costs more
than the work itself; what they do not handle, such as a wrong player, goes to `super()`.
"""

import base64
import json
import pickle
from collections.abc import Iterable, Mapping
from functools import cache
from math import comb
from typing import Any

import numpy as np
import pyspiel

from marjolet_spiel import features, kernel, worlds
from marjolet_spiel.array_types import SingleFloats, Vector
from marjolet_spiel.cards import bits
from marjolet_spiel.core import Core, core_from
from marjolet_spiel.events import events_with_actors
from marjolet_spiel.kernel import CHANCE, OVER_PLAYER
from marjolet_spiel.notation import (
    action_name,
    action_struct,
    chance_name,
    describe,
    parse_action,
    parse_action_struct,
)
from marjolet_spiel.observer import history_text, layout_for, observation_text
from marjolet_spiel.positions import observation_dict, position_dict
from marjolet_spiel.sampling import generator_from


@cache
def dealing_probabilities(outcomes: int, need: int) -> tuple[float, ...]:
    """How likely each of the ascending outcomes is the lowest of a random choice of `need`."""
    free = outcomes + need - 1
    every = comb(free, need)
    return tuple(comb(free - 1 - i, need - 1) / every for i in range(outcomes))


class MarjoletState(pyspiel.State):  # type: ignore[misc]
    """A state of `python_marjolet`.

    Attributes:
      core: the position and its history; changed only by acting on this state (`core.py`).
    """

    core: Core

    def __init__(self, game: Any) -> None:
        """Only `Game.new_initial_state` makes states."""
        super().__init__(game)
        self.core = game.first_core

    # What OpenSpiel asks for.

    def current_player(self) -> int:
        """0, 1, -1 at chance nodes, -4 when the game is over."""
        return self.core.player

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.core.player == OVER_PLAYER

    def is_chance_node(self) -> bool:
        """Whether chance is to act."""
        return self.core.player == CHANCE

    def _legal_actions(self, player: int) -> list[int]:
        return bits(self.core.mask)

    def legal_actions(self, player: int | None = None) -> list[int]:
        """The legal actions, ascending; chance outcomes at a chance node."""
        core = self.core
        if core.player == player or player is None or core.player == CHANCE:
            return bits(core.mask)
        return super().legal_actions(player)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The outcomes with their probabilities; ValueError if this is no chance node."""
        core = self.core
        if core.player != CHANCE:
            raise ValueError("chance_outcomes: this is not a chance node")
        outcomes = bits(core.mask)
        if core.need:
            shares = dealing_probabilities(len(outcomes), core.need)
            return list(zip(outcomes, shares))  # noqa: B905  (strict takes its time)
        share = 1.0 / len(outcomes)
        return [(outcome, share) for outcome in outcomes]

    def _apply_action(self, action: int) -> None:
        core = self.core
        if not (0 <= action < kernel.NUM_ACTIONS and core.mask >> action & 1):
            raise self._illegal(action)
        self.core = core.after(action)

    def _illegal(self, action: int) -> ValueError:
        if self.is_terminal():
            return ValueError(f"action: {action!r} is not legal; the game is over")
        allowed = ", ".join(f"{a} ({self._name(a)})" for a in self.legal_actions())
        return ValueError(f"action: {action!r} is not legal; legal are {allowed}")

    def _name(self, action: int) -> str:
        return self._action_to_string(self.core.player, action)

    def _action_to_string(self, player: int, action: int) -> str:
        pos = self.core.pos
        if player == CHANCE:
            return chance_name(action, int(pos[kernel.PHASE]))
        return action_name(action, int(pos[kernel.NUM_SUITS]))

    def string_to_action(self, *args: Any) -> int:
        """The legal action that a text names; ValueError for any other text."""
        text = args[-1]
        if not isinstance(text, str):
            raise ValueError(f"action: {text!r} is not allowed; it must be a text like 'play AS'")
        action = parse_action(text, int(self.core.pos[kernel.NUM_SUITS]))
        return self._named_legally(text, action)

    def _named_legally(self, text: str, action: int) -> int:
        legal = self.legal_actions()
        if action not in legal or self._name(action) != text:
            names = ", ".join(repr(self._name(a)) for a in legal) or "none: the game is over"
            raise ValueError(f"action: {text!r} is not legal; legal are {names}")
        return action

    def returns(self) -> list[float]:
        """What each player gets: the point difference, in a match +1, 0, -1; 0 before the end."""
        first = float(kernel.return_of_player_0(self.core.pos))
        return [first, 0.0 - first]

    def __str__(self) -> str:
        """Everything, hidden cards included."""
        return describe(self.core.pos, 3)

    def to_string(self) -> str:
        """Everything, hidden cards included."""
        return str(self)

    def __repr__(self) -> str:
        """What everybody may see: no hidden card."""
        return f"<{type(self).__name__}\n{describe(self.core.pos, 0)}>"

    # Views of a player.

    def information_state_string(self, player: int | None = None) -> str:
        """Everything `player` has seen in this game (see `observer.py`)."""
        player = self.core.player if player is None else player
        if player == 0 or player == 1:
            return f"p{player}" + history_text(self, 1 << player)
        return super().information_state_string(player)

    def observation_string(self, player: int | None = None) -> str:
        """What `player` can see now, in words."""
        player = self.core.player if player is None else player
        if player == 0 or player == 1:
            return observation_text(self.core.pos, 1 << player, True)
        return super().observation_string(player)

    def information_state_tensor(self, player: int | None = None) -> list[float]:
        """The history of the deal as `player` saw it (`features.PIECES` names the pieces)."""
        player = self.core.player if player is None else player
        if player == 0 or player == 1:
            return self._tensor(player, True)
        return super().information_state_tensor(player)

    def observation_tensor(self, player: int | None = None) -> list[float]:
        """What `player` can see now (`features.PIECES` names the pieces)."""
        player = self.core.player if player is None else player
        if player == 0 or player == 1:
            return self._tensor(player, False)
        return super().observation_tensor(player)

    def _tensor(self, player: int, recall: bool) -> list[float]:
        game = self.get_game()
        plan = layout_for(game.rules, True, recall, "own", game.is_open)
        out = np.empty(plan.size, dtype=np.float32)
        self.write_tensor(plan, player, out)
        return out.tolist()

    def write_tensor(self, plan: features.Layout, player: int, out: SingleFloats) -> None:
        """Fills float32 [plan.size] `out` with what `player` sees."""
        core = self.core
        features.write_tensor(plan, core.pos, core.start, core.log, player, out)

    def start_text(self, sees: int, public: bool) -> str:
        """The set-up position that the history starts from, as seen; empty for a whole game."""
        start = self.core.start
        if start.tobytes() == self.get_game().start_bytes:
            return ""
        return " from " + json.dumps(observation_text(start, sees, public))

    # Structs.

    def _to_struct(self) -> dict[str, Any]:
        return position_dict(self.core.pos)

    def to_dict(self) -> dict[str, Any]:
        """The whole position, hidden cards included (`positions.position_dict`)."""
        return self._to_struct()

    def _to_observation_struct(self, player: int) -> dict[str, Any]:
        check_player(player)
        return observation_dict(self.core.pos, player)

    def _action_to_struct(self, player: int, action: int) -> dict[str, Any]:
        return action_struct(self._action_to_string(player, action))

    def _struct_to_actions(self, struct: Mapping[str, Any]) -> list[int]:
        return [self._parsed_struct(struct)[0]]

    def _parsed_struct(self, struct: Mapping[str, Any]) -> tuple[int, str]:
        """The action of a struct and its text; ValueError if it is none of whoever is to act."""
        action, text = parse_action_struct(struct, int(self.core.pos[kernel.NUM_SUITS]))
        chance = text.partition(" ")[0] in ("dealer", "deal", "turn", "draw")
        if chance != (self.core.player == CHANCE):
            who = "chance" if self.core.player == CHANCE else "a player"
            raise ValueError(f"action struct: {dict(struct)!r} is not allowed; {who} is to act")
        return action, text

    def struct_to_actions(self, struct: Any) -> list[int]:
        """The action of a struct, given as a `pyspiel.ActionStruct`, a dict or JSON text."""
        return self._struct_to_actions(struct_dict(struct, "action struct"))

    def validate_action_struct(self, struct: Any) -> Any:
        """A `pyspiel.Status`: whether a struct (also a dict or JSON text) is a legal action."""
        try:
            action, text = self._parsed_struct(struct_dict(struct, "action struct"))
            self._named_legally(text, action)
        except ValueError as error:
            return pyspiel.Status(pyspiel.StatusValue.ERROR_STATUS, str(error))
        return pyspiel.Status(pyspiel.StatusValue.OK_STATUS, "")

    def apply_action_struct(self, struct: Any) -> Any:
        """Applies a struct (also a dict or JSON text) if it is legal; returns a status."""
        status = self.validate_action_struct(struct)
        if status.ok():
            self.apply_action(self.struct_to_actions(struct)[0])
        return status

    # Beyond OpenSpiel.

    def history_of_log(self) -> list[tuple[int, int]]:
        """Who did what since the log began, as `full_history` has it."""
        return events_with_actors(self.core.start, self.core.log)

    def position(self) -> Vector:
        """A copy of the kernel position: int64 [kernel.SIZE]. It holds the hidden cards."""
        return self.core.pos.copy()

    def resample_from_infostate(self, player: int, sampler: Any) -> "MarjoletState":
        """A state that `player` cannot tell from this one, each equally likely (`worlds.py`).

        Args:
          player: 0 or 1.
          sampler: a source of randomness (see `sampling.generator_from`).

        Returns:
          A new state with a whole legal history of its own.
        """
        check_player(player)
        rng = generator_from(sampler, "sampler")
        start, log = worlds.resample(self.core.start, self.core.log, player, rng)
        core = core_from(start, log)
        return state_from(self.get_game(), core, events_with_actors(start, log))

    def open_world(self, rng: Any, player: int | None = None) -> "MarjoletState":
        """This position in the open game, with the order of the face-down cards drawn at random.

        Args:
          rng: a source of randomness (see `sampling.generator_from`).
          player: if given, what this player does not see is resampled first.
        """
        return self.get_game().open_world(self, generator_from(rng), player)


def check_player(player: Any) -> None:
    """Raises ValueError for anything but a player."""
    if player not in (0, 1):
        raise ValueError(f"player: {player!r} is not allowed; it must be 0 or 1")


def state_from(game: Any, core: Core, history: Iterable[tuple[int, int]]) -> Any:
    """A state of `game` with a core and a history (who did what), unchecked.

    By way of the format in which OpenSpiel serializes Python states: it is the only one to let
    a history in, and takes a third of the time of playing it again.
    """
    events = ",".join([f"{player}:{action}" for player, action in history])
    attributes = base64.b64encode(pickle.dumps({"core": core})).decode()
    text = f"history={events}\nmove_number={events.count(':')}\n__dict__={attributes}"
    return pyspiel.Game.deserialize_state(game, text)


def struct_dict(struct: Any, what: str) -> Mapping[str, Any]:
    """The fields of a struct given as a struct of OpenSpiel, a dict or JSON text.

    Raises:
      ValueError: it is none of them; the message begins with `what`.
    """
    if isinstance(struct, pyspiel.SpielStruct):
        struct = struct.to_dict()
    if isinstance(struct, str):
        try:
            struct = json.loads(struct)
        except json.JSONDecodeError as error:
            raise ValueError(f"{what}: {struct!r} is not JSON: {error}") from None
    if not isinstance(struct, Mapping):
        raise ValueError(f"{what}: {struct!r} is not allowed; it must be a dict")
    return struct
