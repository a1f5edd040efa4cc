"""Information states and observations, as strings and tensors.

One class serves every `pyspiel.IIGObservationType`: public information or not, private information
of nobody, the observer or both, with the history (perfect recall) or without.

The string of an information state (public, private, perfect recall) is everything a player has
seen since the game began, event by event (`events.view_text`): recall is strict, over all deals of
a match. The tensor keeps the history of the deal in progress, and of the deals before it their
scores. Within one deal two tensors are equal exactly when the strings are.

Observations are made from the public part of the position and the observer's hand alone.
"""

from functools import lru_cache
from typing import Any

import numpy as np
import pyspiel

from marjolet_spiel import cards, features, kernel
from marjolet_spiel.array_types import Vector
from marjolet_spiel.events import view_text
from marjolet_spiel.notation import describe
from marjolet_spiel.rules import Rules

_SEES = {
    pyspiel.PrivateInfoType.NONE: "none",
    pyspiel.PrivateInfoType.SINGLE_PLAYER: "own",
    pyspiel.PrivateInfoType.ALL_PLAYERS: "all",
}


@lru_cache(maxsize=256)
def layout_for(rules: Rules, public: bool, recall: bool, sees: str, open_: bool) -> features.Layout:
    """The tensor layout of an observation type; in the open game nothing is private."""
    if open_:
        sees = "all" if public else "none"
    names = features.piece_names(public, recall, sees, open_ and public)
    return features.layout(rules, names)


class MarjoletObserver:
    """An observer as OpenSpiel wants it.

    Attributes:
      tensor: float32 [size], or None if the observation type has no pieces.
      dict: the named pieces, views of `tensor` in their shapes (`features.PIECES`).
    """

    def __init__(
        self,
        rules: Rules,
        iig_obs_type: Any,
        params: Any = None,
        open_: bool = False,
    ) -> None:
        if params:
            raise ValueError(f"observer: parameters {params!r} are not allowed; there are none")
        self._public = bool(iig_obs_type.public_info)
        self._recall = bool(iig_obs_type.perfect_recall)
        self._sees = _SEES[iig_obs_type.private_info]
        self._open = open_
        self._layout = layout_for(rules, self._public, self._recall, self._sees, open_)
        size = self._layout.size
        self.tensor = np.zeros(size, np.float32) if size else None
        self.dict: dict[str, Any] = {}
        offset = 0
        for name, shape in self._layout.shapes.items():
            length = int(np.prod(shape))
            assert self.tensor is not None
            self.dict[name] = self.tensor[offset : offset + length].reshape(shape)
            offset += length

    def set_from(self, state: Any, player: int) -> None:
        """Fills `tensor` with what `player` sees of `state`."""
        if self.tensor is not None:
            state.write_tensor(self._layout, player, self.tensor)

    def string_from(self, state: Any, player: int) -> str:
        """What `player` sees of `state` as text; empty if this type has nothing to say."""
        sees = {"none": 0, "own": 1 << player, "all": 3}[self._sees]
        if self._open:
            return open_text(state, self._recall) if self._public else ""
        if not self._recall:
            return observation_text(state.core.pos, sees, self._public)
        name = f"p{player}" if self._sees == "own" else ""
        return name + history_text(state, sees, self._public)


def observation_text(pos: Vector, sees: int, public: bool) -> str:
    """What can be seen of a position now, as text.

    Args:
      pos: a kernel position.
      sees: whose hands are seen: bit p for player p.
      public: whether public information is in it.
    """
    if public:
        return describe(pos, sees)
    hands = [
        f"Player {player}: " + " ".join(cards.names_of(int(pos[kernel.HAND0 + player])))
        for player in range(2)
        if sees >> player & 1
    ]
    return "\n".join(hands)


def history_text(state: Any, sees: int, public: bool = True) -> str:
    """What was seen of a state's history (see `events.view`), from a set-up position if any."""
    core = state.core
    return str(state.start_text(sees, public)) + view_text(core.start, core.log, sees, public)


def open_text(state: Any, recall: bool) -> str:
    """A state of the open game with the order of its stock: its history, or the position now."""
    if recall:
        return history_text(state, 3) + " | " + " ".join(state.stock_names())
    return describe(state.core.pos, 3, state.stock_names())
