"""Positions as a player sees them: the same in all his worlds, and true but for hidden cards."""

import numpy as np

from marjolet_spiel import kernel
from marjolet_spiel.worlds import seen_position
from tests.positions import decisions
from tests.variants import Params, each_variant


@each_variant
def test_seen_positions_are_equal_for_all_worlds_of_an_information_state(params: Params) -> None:
    rng = np.random.default_rng(3)
    for state in decisions(params, 5):
        for player in range(2):
            seen = seen_position(state, player)
            for _ in range(3):
                world = state.resample_from_infostate(player, rng)
                assert np.array_equal(seen_position(world, player), seen)


@each_variant
def test_seen_positions_are_true_but_for_hidden_cards(params: Params) -> None:
    for state in decisions(params, 6):
        pos = state.position()
        for player in range(2):
            seen, his = seen_position(state, player), kernel.HAND1 - player
            changed = {int(field) for field in np.flatnonzero(seen != pos)}
            assert changed <= {his, kernel.DOWN}
            assert seen[his] & pos[kernel.KNOWN1 - player] == pos[kernel.KNOWN1 - player]
            assert seen[his] | seen[kernel.DOWN] == pos[his] | pos[kernel.DOWN]
            assert seen[his] & seen[kernel.DOWN] == 0
            assert int(seen[his]).bit_count() == int(pos[his]).bit_count()
            if pos[kernel.DOWN] == 0:
                assert not changed


def test_seen_positions_are_those_of_the_open_game_too() -> None:
    for state in decisions({"first_dealer": 1}, 7):
        for player in range(2):
            seen = seen_position(state.open_world(1, player), player)
            assert np.array_equal(seen, seen_position(state, player))
