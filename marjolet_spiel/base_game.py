"""What the two games share: how OpenSpiel is told of them, and how states are read back."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import pyspiel

from marjolet_spiel import kernel
from marjolet_spiel.core import Core
from marjolet_spiel.observer import MarjoletObserver
from marjolet_spiel.rules import Rules


def make_game_type(
    short_name: str, long_name: str, chance: Any, information: Any, parameters: Mapping[str, Any]
) -> Any:
    """The `pyspiel.GameType` of one of the two games."""
    return pyspiel.GameType(
        short_name=short_name,
        long_name=long_name,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=chance,
        information=information,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=2,
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        provides_factored_observation_string=True,
        parameter_specification=dict(parameters),
        default_loadable=True,
    )


@lru_cache(maxsize=256)  # worlds of the open game are made by the thousand
def make_game_info(rules: Rules, max_chance_outcomes: int) -> Any:
    """The `pyspiel.GameInfo` under `rules`; each bound is reasoned out in `Rules`."""
    return pyspiel.GameInfo(
        num_distinct_actions=kernel.NUM_ACTIONS,
        max_chance_outcomes=max_chance_outcomes,
        num_players=2,
        min_utility=-rules.max_utility(),
        max_utility=rules.max_utility(),
        utility_sum=0.0,
        max_game_length=rules.max_game_length(),
    )


class MarjoletBaseGame(pyspiel.Game):  # type: ignore[misc]
    """What both games share.

    Attributes:
      rules: the rules in force.
      first_core: the inside of every new state.
      start_bytes: the position before the first deal, as bytes.
    """

    is_open = False
    rules: Rules
    first_core: Core
    start_bytes: bytes

    def _begin(self, rules: Rules, first_core: Core) -> None:
        self.rules = rules
        self.first_core = first_core
        first_core.shared = True
        self.start_bytes = first_core.start.tobytes()

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> MarjoletObserver:
        """An observer; without a type the default observation (public, own hand, no history)."""
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        return MarjoletObserver(self.rules, kind, params, self.is_open)

    def deserialize_state(self, text: str) -> Any:
        """A state from what `state.serialize()` gave, checked against its own history.

        Raises:
          ValueError: the text is damaged or belongs to another game.
        """
        try:
            state = super().deserialize_state(text)
        except Exception as error:  # whatever pickle and OpenSpiel make of a damaged text
            raise ValueError(f"state: the serialized state cannot be read: {error}") from None
        core = getattr(state, "core", None)
        if not isinstance(core, Core):
            raise ValueError("state: the serialized state holds no position")
        header = slice(0, kernel.PHASE)
        if core.start[header].tobytes() != self.first_core.start[header].tobytes():
            raise ValueError(f"state: the serialized state belongs to other rules than {self}")
        history = [(event.player, event.action) for event in state.full_history()]
        if history != state.history_of_log() or state.move_number() != len(history):
            raise ValueError("state: the history of the serialized state is not that of its cards")
        if not self._can_reach(core):
            raise ValueError(f"state: the serialized state belongs to another game than {self}")
        return state

    def _can_reach(self, core: Core) -> bool:
        """Whether the order of the cards in `core` is one of this game."""
        raise NotImplementedError

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.get_parameters(),)

    def __copy__(self) -> "MarjoletBaseGame":
        return self

    def __deepcopy__(self, memo: Any) -> "MarjoletBaseGame":
        return self
