"""`python_marjolet`: the game of imperfect information in OpenSpiel."""

from collections.abc import Mapping
from typing import Any

import pyspiel

from marjolet_spiel import cards, kernel
from marjolet_spiel.base_game import MarjoletBaseGame, make_game_info, make_game_type
from marjolet_spiel.core import Core, core_from
from marjolet_spiel.open_game import MarjoletOpenState, open_world_of
from marjolet_spiel.rules import DEFAULT_PARAMETERS, Rules, normalize_parameters
from marjolet_spiel.set_up import position_from_dict
from marjolet_spiel.state import MarjoletState, struct_dict

SHORT_NAME = "python_marjolet"

GAME_TYPE = make_game_type(
    SHORT_NAME,
    "Marjolet",
    pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    DEFAULT_PARAMETERS,
)


class MarjoletGame(MarjoletBaseGame):
    """Marjolet with hidden cards: see `rules.PARAMETER_HELP` for the parameters."""

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        full = normalize_parameters(params or {})
        rules = Rules.from_parameters(full)
        # Dealt, turned and drawn cards are card ids, which are the same in every pack.
        outcomes = rules.num_suits * cards.SUIT_SIZE
        super().__init__(GAME_TYPE, make_game_info(rules, outcomes), full)
        start = kernel.initial_position(rules)
        self._begin(rules, core_from(start))

    def new_initial_state(self, setup: Any = None) -> MarjoletState:
        """A new game, or a position set up for study.

        Args:
          setup: None; or a position as `state.to_dict()` gives it, as a dict, a struct or JSON.

        Raises:
          ValueError: the position is impossible; the message says why.
        """
        state = MarjoletState(self)
        if setup is not None:
            start = position_from_dict(self.first_core.start, struct_dict(setup, "position"))
            state.core = core_from(start)
        return state

    def open_world(self, state: MarjoletState, rng: Any, player: int | None) -> MarjoletOpenState:
        """What `MarjoletState.open_world` gives; `rng` is a generator of `sampling`."""
        return open_world_of(state, rng, player)

    def _can_reach(self, core: Core) -> bool:
        return core.order == b""  # only the open game has one

    def max_chance_nodes_in_history(self) -> int:
        """The most chance nodes of one game."""
        return self.rules.max_chance_nodes()


pyspiel.register_game(GAME_TYPE, MarjoletGame)
