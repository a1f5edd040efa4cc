"""The checked positions of `data/scenarios.json`, over the reference and over the public API.

The scenarios declare the melds of a window in any order; the game has one order. So the melds of
a window are applied sorted, each time on a clone of the state in which the window began.
"""

import json
from typing import Any

import pytest

from tests.places import DATA
from tests.tables import (
    REFUSALS,
    TABLES,
    GameTable,
    ReferenceTable,
    Script,
    Table,
    View,
    card_order,
    meld_order,
)
from tests.variants import Params

FILE = json.loads((DATA / "scenarios.json").read_text(encoding="utf-8"))

Scenario = dict[str, Any]


def by_id(rows: list[Scenario]) -> list[Any]:
    """Rows as pytest parameters that carry their id."""
    return [pytest.param(row, id=row["id"]) for row in rows]


class Driver:
    """Plays a scenario. A twin without a target keeps the points of a deal that a match ends."""

    def __init__(self, kind: type[ReferenceTable] | type[GameTable], scenario: Scenario) -> None:
        params: Params = {
            "profile": scenario["profile"],
            "first_dealer": scenario["dealer"],
            **scenario["params"],
        }
        self.match: Table = kind(params)
        self.single: Table = kind({**params, "target": 0})
        self.is_match = bool(params.get("target"))
        self.hand_size = len(scenario["hands"][0])
        layout = (scenario["hands"], scenario["indicator"], scenario["stock"], scenario["dealer"])
        self.scripts = (Script(*layout), Script(*layout))
        self.window: list[str] = []
        self.start: tuple[Table, Table] | None = None
        self._settle()

    def _settle(self) -> None:
        for script, table in zip(self.scripts, (self.match, self.single), strict=True):
            script.settle(table)

    def _apply(self, action: str) -> None:
        assert action in self.match.legal()
        self.match.apply(action)
        self.single.apply(action)

    def act(self, action: str) -> None:
        """One action of a scenario."""
        if action.startswith("meld "):
            self._declare(action.removeprefix("meld "))
            return
        self.window, self.start = [], None
        self._apply(action)
        self._settle()

    def _declare(self, meld: str) -> None:
        """Start the window over and declare everything of it in the game's order."""
        self.start = self.start or (self.match, self.single)
        self.match, self.single = (table.clone() for table in self.start)
        self.window.append(meld)
        for each in sorted(self.window, key=meld_order):
            self._apply(f"meld {each}")

    def may_declare(self, meld: str) -> bool:
        """Whether this meld can join those of the window, in the game's order."""
        table = (self.start[0] if self.start else self.match).clone()
        for each in sorted([*self.window, meld], key=meld_order):
            if f"meld {each}" not in table.legal():
                return False
            table.apply(f"meld {each}")
        return True

    def declarable(self) -> set[str]:
        """All melds the winner may still declare in this window, in any order."""
        start = self.start[0] if self.start else self.match
        named = {action.removeprefix("meld ") for action in start.legal() if "meld " in action}
        return {meld for meld in named if self.may_declare(meld)}

    def deal(self) -> View:
        """The position in the deal of the scenario, also when the match has gone on to another."""
        match = self.match.view()
        return self.single.view() if match["deal_number"] > 1 else match

    def winner(self) -> int | None:
        """The winner of the match, None as long as there is none."""
        if not self.is_match or self.match.view()["phase"] != "over":
            return None
        returns = self.match.returns()
        assert sorted(returns) == [-1, 1]
        return returns.index(1)


def gains(view: View, before: View) -> dict[str, list[int]]:
    """Points by category that were made since `before`, categories without points left out."""
    made = {
        category: [view["points"][p][category] - before["points"][p][category] for p in range(2)]
        for category in view["points"][0]
    }
    return {category: points for category, points in made.items() if any(points)}


def assert_opening(driver: Driver, position: Scenario) -> View:
    """The position reached by the setup is the one the scenario describes."""
    view = driver.match.view()
    for key in ("trick", "leader", "trump", "turn_up", "stock_left", "swapped"):
        assert view[key] == position[key], key
    for key in ("hands", "exposed"):
        assert view[key] == [sorted(cards, key=card_order) for cards in position[key]]
    assert view["indicator"] == (position["indicator"] or "")
    assert view["declared"] == [[], []]
    assert not position["declared"]
    hidden = position["face_down_next"]
    assert view["stock"] == sorted(hidden, key=card_order)
    scored = [{k: v for k, v in points.items() if v} for points in view["points"]]
    assert scored == position["points_so_far"]
    return view


def assert_check(driver: Driver, check: Scenario, before: View) -> None:
    """Every key of one check."""
    match, deal, legal = driver.match.view(), driver.deal(), driver.match.legal()
    over = deal["phase"] == "over"
    found = {
        "player": None if match["current_player"] == -4 else match["current_player"],
        "phase": match["phase"],
        "legal_plays": {action[5:] for action in legal if action.startswith("play ")},
        "declarable": driver.declarable(),
        "swap": "swap" in legal,
        "gain": gains(deal, before),
        "deal_points": deal["deal_points"],
        "indicator": deal["indicator"],
        "stock_left": deal["stock_left"],
        "trick": deal["trick"],
        "trick_winner": deal["leader"],
        "deal_over": over and deal["hands"] == [[], []],
        "match_winner": driver.winner(),
    }
    for player in range(2):
        found[f"hand{player}"] = set(deal["hands"][player])
        found[f"exposed{player}"] = set(deal["exposed"][player])
    for key, expected in check.items():
        wanted = set(expected) if isinstance(found[key], set) else expected
        assert found[key] == wanted, key


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("scenario", by_id(FILE["scenarios"]))
def test_scenario(scenario: Scenario, kind: type[ReferenceTable] | type[GameTable]) -> None:
    driver = Driver(kind, scenario)
    for step in scenario["setup_actions"]:
        assert driver.match.view()["current_player"] == step["player"]
        driver.act(step["action"])
    before = assert_opening(driver, scenario["position"])
    for step in scenario["steps"]:
        if "check" in step:
            assert_check(driver, step["check"], before)
        elif "illegal" in step:
            assert_illegal(driver, step["illegal"])
        else:
            assert driver.match.view()["current_player"] == step["player"]
            driver.act(step["action"])
    assert_match_goes_on(driver, scenario)


def assert_illegal(driver: Driver, action: str) -> None:
    """The action is not offered, whatever the order of the melds, and it is refused."""
    assert action not in driver.match.legal()
    assert not action.startswith("meld ") or not driver.may_declare(action.removeprefix("meld "))
    with pytest.raises(REFUSALS):
        driver.match.clone().apply(action)


def assert_match_goes_on(driver: Driver, scenario: Scenario) -> None:
    """A match without a winner at the end of a deal: totals carried over, dealer changed."""
    match, deal = driver.match.view(), driver.deal()
    if deal["phase"] != "over" or not driver.is_match or driver.winner() is not None:
        return
    assert match["deal_number"] == 2
    assert match["scores"] == deal["deal_points"]
    assert match["dealer"] == 1 - scenario["dealer"]
    assert match["phase"] == "deal"
    assert match["current_player"] == -1


def test_every_check_of_the_file_is_known() -> None:
    kinds = {key for s in FILE["scenarios"] for step in s["steps"] for key in step}
    assert kinds == {"action", "player", "check", "illegal"}
    assert len(FILE["scenarios"]) >= 86


@pytest.mark.parametrize("kind", TABLES)
def test_no_swap_after_a_meld_in_the_same_window(
    kind: type[ReferenceTable] | type[GameTable],
) -> None:
    scenario = next(row for row in FILE["scenarios"] if row["id"] == "D03")
    driver = Driver(kind, scenario)
    actions = [step["action"] for step in scenario["steps"] if "action" in step]
    for action in actions[: actions.index("swap")]:
        driver.act(action)
    assert driver.match.legal() == ["swap", "meld KC-QC", "done"]
    driver.act("meld KC-QC")
    assert driver.match.legal() == ["done"]
    assert_illegal(driver, "swap")
