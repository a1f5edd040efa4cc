"""What a tournament found is computed once, whoever shows it."""

from pathlib import Path
from typing import Any

import pytest

from scripts.arena.plan.config import make_config
from scripts.arena.plan.pairings import Plan
from scripts.arena.play.runner import run
from scripts.arena.report import findings as module
from scripts.arena.report.console import report
from scripts.arena.report.markdown import write_report
from scripts.arena.stats.sequential import SequentialTest
from scripts.arena.store.store import Store
from tests.scripts.arena.results import found_of, plan_of, records_of, some_margins
from tests.scripts.test_tournament import call

COMPUTED = ("pairing_results", "bot_results", "bootstrap", "ratings", "meta_game", "Stopping")


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of what is computed, as often as it is."""
    names: list[str] = []

    def counted(name: str, compute: Any) -> Any:
        def count(*args: Any) -> Any:
            names.append(name)
            return compute(*args)

        return count

    for name in COMPUTED:
        monkeypatch.setattr(module, name, counted(name, getattr(module, name)))
    return names


def test_a_tournament_computes_everything_once(tmp_path: Path, computed: list[str]) -> None:
    words = ["--bots=random;greedy;random:seed=2", "--pairs=4", "--move_limit=0"]
    assert call(*words, "--report", f"--output={tmp_path}") == 0
    assert (tmp_path / "report.md").exists()
    assert sorted(computed) == sorted(COMPUTED)


def test_two_bots_are_not_compared_unless_a_report_is_written(
    tmp_path: Path, computed: list[str]
) -> None:
    plan = plan_of(2, 12)
    found = found_of(plan, records_of(plan, some_margins(2, 12)))
    report(found)
    report(found)
    assert sorted(computed) == ["Stopping", "bot_results", "pairing_results"]
    write_report(found, {}, tmp_path, ["again"])
    assert sorted(computed) == [
        "Stopping",
        "bootstrap",
        "bot_results",
        "pairing_results",
        "ratings",
    ]


def test_what_is_added_to_a_store_later_is_not_found() -> None:
    plan = plan_of(2, 12)
    first, second = records_of(plan, some_margins(2, 12))
    store = {1: second}
    found = module.findings(plan, store, "random")
    store[0] = first
    assert list(found.records) == [1]
    assert found.finished == 1


def test_the_beginning_of_a_plan_is_tested_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = Plan(make_config("python_marjolet", ["greedy", "random"], 6, 1, 2, sprt="0,5"))
    with Store(tmp_path, plan) as store:
        assert run(plan, store)
        seen: list[int] = []
        add = SequentialTest.add

        def counted(test: SequentialTest, pair_means: Any) -> Any:
            seen.append(test.verdict.blocks)
            return add(test, pair_means)

        monkeypatch.setattr(SequentialTest, "add", counted)
        assert run(plan, store)
    assert seen == [0, 1, 2]
