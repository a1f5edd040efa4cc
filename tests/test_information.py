"""What a player may tell apart: the pairs of deals of `data/scenarios.json`.

Two deals, the same actions. Whoever has seen the same in both must be in the same information
state, and whoever has seen something else must not.
"""

import pytest

from tests.tables import GameTable, Script
from tests.test_scenarios import FILE, Scenario, by_id

PAIRS = by_id(FILE["information_pairs"])


def play(deal: Scenario, actions: list[Scenario]) -> GameTable:
    """One of the two deals after the actions."""
    table = GameTable(
        {"profile": deal["profile"], "first_dealer": deal["dealer"], **deal["params"]}
    )
    script = Script(deal["hands"], deal["indicator"], deal["stock"], deal["dealer"])
    script.settle(table)
    for step in actions:
        assert table.state.current_player() == step["player"]
        assert step["action"] in table.legal()
        table.apply(step["action"])
        script.settle(table)
    return table


def play_both(pair: Scenario) -> tuple[GameTable, GameTable]:
    """Both deals after the actions."""
    return play(pair["deal_a"], pair["actions"]), play(pair["deal_b"], pair["actions"])


@pytest.mark.parametrize("pair", PAIRS)
def test_same_sights_are_the_same_information_state(pair: Scenario) -> None:
    first, second = play_both(pair)
    assert pair["same_information_state_for"]
    for player in pair["same_information_state_for"]:
        for name in ("information_state_string", "observation_string"):
            assert getattr(first.state, name)(player) == getattr(second.state, name)(player)
        for name in ("information_state_tensor", "observation_tensor"):
            ours, theirs = getattr(first.state, name)(player), getattr(second.state, name)(player)
            assert list(ours) == list(theirs)


@pytest.mark.parametrize("pair", PAIRS)
def test_other_sights_are_another_information_state(pair: Scenario) -> None:
    first, second = play_both(pair)
    assert pair["different_information_state_for"]
    for player in pair["different_information_state_for"]:
        ours, theirs = (t.state.information_state_string(player) for t in (first, second))
        assert ours != theirs
        ours, theirs = (t.state.information_state_tensor(player) for t in (first, second))
        assert list(ours) != list(theirs)


@pytest.mark.parametrize("pair", PAIRS)
def test_views_agree_all_the_way_to_an_information_state(pair: Scenario) -> None:
    player = pair["same_information_state_for"][0]
    for length in range(len(pair["actions"]) + 1):
        first = play(pair["deal_a"], pair["actions"][:length])
        second = play(pair["deal_b"], pair["actions"][:length])
        for name in ("information_state_string", "observation_string"):
            assert getattr(first.state, name)(player) == getattr(second.state, name)(player)
