"""Everything a player may look at, in one dict, to compare what two states show him."""

from functools import cache
from itertools import product
from typing import Any

import pyspiel
from open_spiel.python.observation import make_observation

from tests.openspiel.walks import Game, State

PrivateInfo = pyspiel.PrivateInfoType
PRIVATE = {
    "none": PrivateInfo.NONE,
    "own": PrivateInfo.SINGLE_PLAYER,
    "all": PrivateInfo.ALL_PLAYERS,
}
Kind = tuple[bool, bool, str]
KINDS: tuple[Kind, ...] = tuple(product([True, False], [True, False], PRIVATE))
"""Of observers: with public information, with the history, whose private information."""


def observer(game: Game, kind: Kind) -> Any:
    """An observer as `open_spiel.python.observation` makes it."""
    public, recall, private = kind
    return make_observation(
        game,
        pyspiel.IIGObservationType(
            public_info=public, perfect_recall=recall, private_info=PRIVATE[private]
        ),
    )


@cache
def _fair_observers(text: str) -> dict[Kind, Any]:
    game = pyspiel.load_game(text)
    return {kind: observer(game, kind) for kind in KINDS if kind[2] != "all"}


def sights(state: State, player: int) -> dict[str, object]:
    """All views of `player` by name: what must not differ between worlds he cannot tell apart."""
    seen: dict[str, object] = {
        "player to act": state.current_player(),
        "information state": state.information_state_string(player),
        "information state tensor": state.information_state_tensor(player),
        "observation": state.observation_string(player),
        "observation tensor": state.observation_tensor(player),
        "struct": state.to_observation_struct(player).to_dict(),
        "json": state.to_observation_struct(player).to_json(),
        "repr": repr(state),
        "returns": state.returns(),
    }
    if state.current_player() == player:
        seen["legal actions"] = state.legal_actions()
        seen["mask"] = state.legal_actions_mask(player)
        names = [state.action_to_string(player, action) for action in state.legal_actions()]
        seen["names of actions"] = names
        structs = [
            state.action_to_struct(player, action).to_dict() for action in state.legal_actions()
        ]
        seen["structs of actions"] = structs
    for kind, observer_ in _fair_observers(str(state.get_game())).items():
        seen[f"{kind} string"] = observer_.string_from(state, player)
        if observer_.tensor is not None:
            observer_.set_from(state, player)
            seen[f"{kind} tensor"] = observer_.tensor.tolist()
    return seen
