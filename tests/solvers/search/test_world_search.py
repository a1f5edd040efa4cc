"""Values in one world against exhaustive search."""

import pytest
from open_spiel.python.algorithms import minimax

from marjolet_spiel.solvers.endgame.match_equity import UNIT
from marjolet_spiel.solvers.search.world_search import MAX_ROWS
from tests.positions import load, stock_choices
from tests.solvers.search.worlds import Searcher
from tests.variants import Params, each_variant

NO_WINDOWS: Params = {"num_suits": 4, "ranks": "AT98", "hand_size": 3}
"""A pack in which there is never a meld, nor a swap."""

EXHAUSTIVE: dict[str, Params] = {
    "english": {"num_suits": 2, "ranks": "KQJ7", "hand_size": 3},
    "dutch": {"profile": "dutch", "num_suits": 2, "ranks": "KQJ7", "hand_size": 3},
    "spanish": {"profile": "spanish", "num_suits": 2, "ranks": "AKQJ7", "hand_size": 3},
    "match": {"num_suits": 2, "ranks": "KQJ7", "hand_size": 3, "target": 60, "max_deals": 1},
    "no windows": {**NO_WINDOWS, "num_suits": 2, "ranks": "AT987", "hand_size": 2},
}


@pytest.mark.parametrize("params", EXHAUSTIVE.values(), ids=EXHAUSTIVE.keys())
def test_deep_searches_of_a_world_are_exhaustive(params: Params) -> None:
    """Against OpenSpiel's alpha-beta on the game with open cards and the same stock."""
    searcher = Searcher(load(params).rules)
    unit = UNIT if params.get("target") else 1
    values = set()
    for seed in range(8):
        for state in stock_choices(params, seed):
            world = state.open_world(seed, state.current_player())
            exact, _ = minimax.alpha_beta_search(
                world.get_game(), world, maximum_depth=1000, maximizing_player_id=0
            )
            assert searcher.value(world) / unit == pytest.approx(exact)
            values.add(exact)
    assert len(values) > 2


def test_narrow_bounds_do_not_change_what_lies_within() -> None:
    searcher = Searcher(load({}).rules)
    for state in stock_choices({}, 3)[::3]:
        world = state.open_world(1)
        value = searcher.value(world, depth=3)
        assert searcher.value(world, depth=3, alpha=value - 1, beta=value + 1) == value
        assert searcher.value(world, depth=3, alpha=value + 1, beta=value + 9) <= value + 1
        assert searcher.value(world, depth=3, alpha=value - 9, beta=value - 1) >= value - 1


@each_variant
def test_a_world_as_deep_as_can_be_fits_into_the_rows(params: Params) -> None:
    most = load(params).max_game_length() if not params.get("target") else 60
    assert most < MAX_ROWS
