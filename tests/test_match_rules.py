"""How matches end: the rows of `data/scenarios.json`, each with a deal really played to its points.

`data/match_deals.json` holds a whole deal for every row. It is played up to its last card, the
scores of the deals before are put in, and the last card decides. Rows whose points add up to less
than a full pack always yields use a pack without aces and tens.
"""

import json
from typing import Any

import pytest

from tests.places import DATA
from tests.tables import TABLES, GameTable, ReferenceTable, Script, Table, View
from tests.test_scenarios import FILE, Scenario, by_id
from tests.variants import Params

DEALS = {
    row["id"]: row for row in json.loads((DATA / "match_deals.json").read_text(encoding="utf-8"))
}
Kind = type[ReferenceTable] | type[GameTable]


def play_all_but_the_last_card(kind: Kind, params: Params, deal: Scenario) -> Table:
    """A single deal, one card from its end."""
    table: Table = kind({**params, "target": 0, "first_dealer": deal["dealer"]})
    script = Script(deal["hands"], deal["indicator"], deal["stock"], deal["dealer"])
    script.settle(table)
    for action in deal["actions"][:-1]:
        assert action in table.legal()
        table.apply(action)
        script.settle(table)
    return table


def put_in_match(table: Table, params: Params, scores: list[int], deal_number: int) -> Table:
    """The same position in a match with these scores before the deal."""
    if isinstance(table, ReferenceTable):
        table.reference.target = int(params["target"])
        table.reference.max_deals = int(params.get("max_deals", 32))
        table.reference.scores, table.reference.deal_number = list(scores), deal_number
        return table
    return GameTable.at(params, table.view() | {"scores": scores, "deal_number": deal_number})


def last_card(kind: Kind, row: Scenario, deal_number: int, **more: Any) -> Table:
    """The row's match after the last card of the row's deal."""
    deal = DEALS[row["id"]]
    params: Params = {
        "profile": row["profile"],
        "target": row["target"],
        **deal["params"],
        **more,
    }
    table = play_all_but_the_last_card(kind, params, deal)
    table = put_in_match(table, params, row["before"], deal_number)
    assert table.view()["scores"] == row["before"]
    assert table.returns() == [0, 0]
    table.apply(deal["actions"][-1])
    return table


def deals_so_far(row: Scenario) -> int:
    """A likely number for the deal in progress: some 250 points were made in each before it."""
    return 1 + -(-sum(row["before"]) // 250)


def assert_next_deal(view: View, row: Scenario) -> None:
    """Totals carried over, the other one deals, and the table is clear."""
    totals = [b + p for b, p in zip(row["before"], row["deal_points"], strict=True)]
    assert view["scores"] == totals
    assert view["deal_number"] == deals_so_far(row) + 1
    assert view["dealer"] == 1 - DEALS[row["id"]]["dealer"]
    assert (view["phase"], view["current_player"]) == ("deal", -1)
    assert (view["trick"], view["leader"], view["turn_up"]) == (0, -1, "")
    assert view["deal_points"] == [0, 0]
    for key in ("hands", "captured", "exposed", "known", "declared"):
        assert view[key] == [[], []]


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("row", by_id(FILE["match_rules"]))
def test_higher_total_wins_at_the_end_of_a_deal(row: Scenario, kind: Kind) -> None:
    table = last_card(kind, row, deals_so_far(row))
    view = table.view()
    if row["result"] == "win":
        assert (view["phase"], view["current_player"]) == ("over", -4)
        assert table.returns() == ([1, -1] if row["winner"] == 0 else [-1, 1])
        assert view["deal_points"] == row["deal_points"]
        assert view["scores"] == row["before"]
    else:
        assert table.returns() == [0, 0]
        assert_next_deal(view, row)


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize(
    "row", by_id([row for row in FILE["match_rules"] if row["result"] == "continue"])
)
def test_undecided_match_is_drawn_after_max_deals(row: Scenario, kind: Kind) -> None:
    number = deals_so_far(row)
    table = last_card(kind, row, number, max_deals=number)
    assert table.view()["phase"] == "over"
    assert table.view()["deal_number"] == number
    assert table.returns() == [0, 0]


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize(
    "row", by_id([row for row in FILE["match_rules"] if row["result"] == "win"])
)
def test_decided_match_is_won_in_its_last_deal(row: Scenario, kind: Kind) -> None:
    number = deals_so_far(row)
    table = last_card(kind, row, number, max_deals=number)
    assert table.returns() == ([1, -1] if row["winner"] == 0 else [-1, 1])


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("row", by_id(FILE["match_rules"]))
def test_single_deal_returns_the_point_difference(row: Scenario, kind: Kind) -> None:
    deal = DEALS[row["id"]]
    table = play_all_but_the_last_card(kind, {"profile": row["profile"], **deal["params"]}, deal)
    table.apply(deal["actions"][-1])
    first, second = row["deal_points"]
    assert table.view()["deal_points"] == [first, second]
    assert table.returns() == [first - second, second - first]
