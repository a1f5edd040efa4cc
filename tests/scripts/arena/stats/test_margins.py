"""The arithmetic of results, against numpy and scipy, and how it is shown."""

from dataclasses import replace
from math import inf, isnan, nan

import numpy as np
import pytest
from scipy import stats as scipy_stats

from scripts.arena.plan.config import make_config
from scripts.arena.plan.pairings import Plan
from scripts.arena.report.tables import result_table
from scripts.arena.stats.margins import (
    Tally,
    bot_results,
    deal_margins,
    estimate,
    pairing_result,
    pairing_results,
    variance_ratio,
)
from scripts.arena.store.records import BlockRecord, GameRecord
from tests.scripts.arena.results import found_of


def games(margins: list[tuple[float | None, float | None]], forfeit: int = 0) -> list[GameRecord]:
    """Games of pairs with these margins of the first bot; None is a forfeit."""
    return [
        GameRecord(pair, seating, 40, margin)
        if margin is not None
        else GameRecord(pair, seating, 5, None, forfeit, "because")
        for pair, both in enumerate(margins)
        for seating, margin in enumerate(both)
    ]


def test_estimates_are_those_of_scipy() -> None:
    values = np.random.default_rng(1).normal(30, 40, 57)
    found = estimate(values.tolist())
    low, high = scipy_stats.t.interval(
        0.95, len(values) - 1, loc=values.mean(), scale=scipy_stats.sem(values)
    )
    assert found.mean == pytest.approx(values.mean())
    assert (found.low, found.high) == pytest.approx((low, high))
    assert found.count == 57


def test_estimate_of_the_other_side() -> None:
    assert estimate([10.0, 20.0, 60.0]).flipped() == estimate([-10.0, -20.0, -60.0])
    assert estimate([3.0]).flipped() == estimate([-3.0])


def test_margins_of_deals_are_means_over_opponents() -> None:
    one = pairing_result("a", "b", games([(10, 20), (4, 6), (None, 1)]))
    two = pairing_result("c", "a", games([(30, 40), (2, None), (7, 9)]))
    assert deal_margins("a", [one, two]) == {0: (15 - 35) / 2, 1: 5, 2: -8}
    assert deal_margins("b", [one, two]) == {0: -15, 1: -5}


def test_estimates_by_hand() -> None:
    found = estimate([10.0, 20.0, 60.0])
    assert found.mean == 30
    assert found.high - found.mean == pytest.approx(4.302653 * np.sqrt(700) / np.sqrt(3), rel=1e-5)
    assert estimate([5.0]).mean == 5
    assert (estimate([5.0]).low, estimate([5.0]).high) == (-inf, inf)
    assert isnan(estimate([]).mean)


def test_intervals_hold_what_they_promise() -> None:
    rng = np.random.default_rng(2)
    inside = 0
    for _ in range(2000):
        found = estimate(rng.exponential(1.0, 30).tolist())
        inside += found.low <= 1.0 <= found.high
    assert 0.90 < inside / 2000 < 0.97


def test_margins_are_means_of_pair_means() -> None:
    result = pairing_result("a", "b", games([(100, -20), (40, 0), (-10, -10)]))
    assert result.pair_means == {0: 40, 1: 20, 2: -10}
    assert result.margin == estimate([40, 20, -10])
    assert result.tally == Tally(2, 1, 3)
    assert result.forfeits == {}


def test_forfeits_are_left_out_of_the_margin_and_counted() -> None:
    result = pairing_result("a", "b", games([(100, None), (40, 0), (None, None), (20, 20)], 1))
    assert result.pair_means == {1: 20, 3: 20}
    assert result.margin.mean == 20
    assert result.tally == Tally(4, 1, 0)
    assert result.forfeits == {(1, "because"): 3}
    assert (result.forfeits_of(0), result.forfeits_of(1)) == (0, 3)


def test_variance_ratio() -> None:
    rng = np.random.default_rng(3)
    independent = rng.normal(0, 10, (4000, 2))
    assert variance_ratio(independent.tolist()) == pytest.approx(1, abs=0.08)
    deal = rng.normal(0, 10, 4000)
    skill = rng.normal(0, 5, (4000, 2))
    swapped = np.stack([deal, -deal], axis=1) + skill
    assert variance_ratio(swapped.tolist()) == pytest.approx(25 / 125, abs=0.02)
    pairs = [(10.0, 0.0), (30.0, 20.0)]
    means, margins = [5, 25], [10, 0, 30, 20]
    by_hand = np.var(means, ddof=1) / (np.var(margins, ddof=1) / 2)
    assert variance_ratio(pairs) == pytest.approx(by_hand)
    assert isnan(variance_ratio(pairs[:1]))
    assert isnan(variance_ratio([(5.0, 5.0), (5.0, 5.0)]))


PLAN = Plan(make_config("python_marjolet", ["random", "greedy", "random:seed=2"], 4, block_pairs=2))


def records() -> list[BlockRecord]:
    """Results of all blocks: in each pair the margins are those below plus the pair's number."""
    margins = {(0, 1): -80.0, (0, 2): 10.0, (1, 2): 90.0}
    return [
        BlockRecord(
            block,
            tuple(
                GameRecord(pair, seating, 40, margins[block.first, block.second] + pair)
                for pair in block.pairs
                for seating in range(2)
            ),
        )
        for block in PLAN.blocks
    ]


def test_bots_are_ranked_by_their_mean_margin() -> None:
    ranking = bot_results(PLAN, pairing_results(PLAN, records()))
    assert [result.bot for result in ranking] == ["greedy", "random", "random:seed=2"]
    assert ranking[0].margin.mean == pytest.approx((80 - 1.5 + 90 + 1.5) / 2)
    assert ranking[1].margin == estimate([-35.0, -34.0, -33.0, -32.0])
    assert ranking[1].tally == Tally(8, 0, 8)
    assert sum(result.margin.mean for result in ranking) == pytest.approx(0)


def test_order_of_blocks_does_not_change_results() -> None:
    assert pairing_results(PLAN, records()[::-1]) == pairing_results(PLAN, records())


def test_partial_results_are_results() -> None:
    ranking = bot_results(PLAN, pairing_results(PLAN, records()[:1]))
    assert ranking[0].bot == "greedy"
    assert ranking[2].margin.count == 0
    assert isnan(ranking[2].margin.mean)


def test_table_shows_everything() -> None:
    every = records()
    spoilt = list(every[0].games)
    spoilt[1] = GameRecord(0, 1, 3, None, 1, "choosing: action 7 is not legal")
    every[0] = BlockRecord(every[0].block, tuple(spoilt))
    text = result_table(found_of(PLAN, every))
    row = next(line for line in text.splitlines() if line.startswith("random vs greedy "))
    assert row.split()[3:] == ["-78.0", "[-80.5,", "-75.5]", "0/0/7", "3", "2.50", "0/1"]
    assert "Forfeits (their pairs are left out of the margins):" in text
    assert "greedy against random, 1 game: choosing: action 7 is not legal" in text
    assert max(map(len, text.splitlines())) <= 100


def test_table_without_results_says_so() -> None:
    text = result_table(found_of(PLAN, []))
    assert "random vs greedy" in text
    assert "nan" not in text
    assert "inf" not in text
    assert "Forfeits (" not in text


def test_table_does_not_pass_off_equal_results_as_certain() -> None:
    same = [
        BlockRecord(block, tuple(GameRecord(p, s, 9, 1.0) for p in block.pairs for s in range(2)))
        for block in PLAN.blocks
    ]
    match = Plan(replace(PLAN.config, game="python_marjolet(target=300)"))
    text = result_table(found_of(match, same))
    assert "all equal" in text
    assert "+1.000" in text
    assert "return of a match" in text


def test_tally() -> None:
    assert Tally.of([1, -3, 0, 0.5, nan][:4]) == Tally(2, 1, 1)
    assert Tally(2, 1, 5).flipped() == Tally(5, 1, 2)
    assert Tally(2, 1, 5) + Tally(1, 1, 1) == Tally(3, 2, 6)
