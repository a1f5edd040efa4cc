"""Elo ratings: known answers, bounds, and intervals that hold what they promise."""

from math import inf, isnan, log10
from typing import Any

import numpy as np
import pytest

from scripts.arena.plan.pairings import Plan
from scripts.arena.report.comparison import comparison_table
from scripts.arena.stats import bootstrap as bootstrap_module
from scripts.arena.stats.bootstrap import Bootstrap, bootstrap, resample
from scripts.arena.stats.ratings import LOST_PAIRS, Rating, fit, ratings
from scripts.arena.store.records import BlockRecord
from tests.scripts.arena.results import BOTS, Pair, found_of, plan_of, records_of


def rate(plan: Plan, records: list[BlockRecord], anchor: int = 0) -> dict[str, Rating]:
    """The ratings by bot."""
    rated = ratings(plan.config.bots, bootstrap(plan, records), anchor)
    return {rating.bot: rating for rating in rated}


def mixed(pairs: int, seed: int = 1) -> list[Pair]:
    """Margins of games some of which are won, lost and drawn."""
    signs = np.random.default_rng(seed).choice([-10, 0, 10, 20], (pairs, 2))
    return [(float(one), float(two)) for one, two in signs]


def test_three_games_of_four_are_191_points() -> None:
    plan = plan_of(2, 100)
    pairs: list[Pair] = [(30, -5)] * 50 + [(30, 5)] * 50
    found = rate(plan, records_of(plan, {(0, 1): pairs}), anchor=1)["random"]
    assert found.elo == pytest.approx(190.85, abs=0.01)
    assert found.score == 0.75
    assert found.pairs == 100
    assert found.low < 190.85 < found.high


def test_draws_are_half_wins() -> None:
    wins = np.array([[0, 10], [5, 0]])
    draws = np.array([[0, 5], [5, 0]])
    one, two = fit(wins, draws)
    assert one - two == pytest.approx(400 * log10(12.5 / 7.5))


@pytest.mark.parametrize("seed", range(5))
def test_ratings_explain_the_scores(seed: int) -> None:
    """The ratings of greatest likelihood are those that predict each bot's score."""
    rng = np.random.default_rng(seed)
    wins = np.triu(rng.integers(1, 200, (6, 6)), 1) + np.tril(rng.integers(1, 20, (6, 6)), -1)
    draws = np.triu(rng.integers(0, 30, (6, 6)), 1)
    draws = draws + draws.T
    elo = fit(wins, draws)
    games = wins + wins.T + draws
    expected = games / (1 + 10 ** ((elo[None, :] - elo[:, None]) / 400))
    assert expected.sum(axis=1) == pytest.approx((wins + draws / 2).sum(axis=1), abs=1e-3)


def test_lopsided_results_converge() -> None:
    wins = np.zeros((4, 4))
    wins[:2, 2:] = 9999
    wins[[0, 1, 2, 3], [1, 0, 3, 2]] = 5000
    wins[2, 0] = 1
    elo = fit(wins, np.zeros((4, 4)))
    games = wins + wins.T
    expected = games / (1 + 10 ** ((elo[None, :] - elo[:, None]) / 400))
    assert expected.sum(axis=1) == pytest.approx(wins.sum(axis=1), abs=1e-3)


def test_anchor_shifts_all_ratings_alike() -> None:
    plan = plan_of(3, 40)
    records = records_of(plan, {(0, 1): mixed(40, 1), (0, 2): mixed(40, 2), (1, 2): mixed(40, 3)})
    first, second = rate(plan, records, 0), rate(plan, records, 1)
    assert (first["random"].elo, first["random"].low, first["random"].high) == (0, 0, 0)
    assert first["random"].is_anchor
    for bot in plan.config.bots:
        shifted = second[bot].elo - second["random"].elo
        assert shifted == pytest.approx(first[bot].elo, abs=1e-6)
    assert second["random"].low == pytest.approx(-first["greedy"].high, abs=1e-6)


def test_order_of_blocks_does_not_change_ratings() -> None:
    plan = plan_of(3, 40)
    records = records_of(plan, {(0, 1): mixed(40, 1), (0, 2): mixed(40, 2), (1, 2): mixed(40, 3)})
    shuffled = [records[i] for i in np.random.default_rng(1).permutation(len(records))]
    assert rate(plan, shuffled) == rate(plan, records)
    table = comparison_table(found_of(plan, records))
    assert comparison_table(found_of(plan, shuffled)) == table


def test_seed_of_the_plan_draws_the_resamples() -> None:
    margins = {(0, 1): mixed(40, 1), (0, 2): mixed(40, 2), (1, 2): mixed(40, 3)}
    one, two = plan_of(3, 40, seed=1), plan_of(3, 40, seed=2)
    first = rate(one, records_of(one, margins))["greedy"]
    second = rate(two, records_of(two, margins))["greedy"]
    assert first.elo == second.elo
    assert first.low != second.low
    assert first.low == pytest.approx(second.low, abs=15)


def test_pairs_with_a_forfeit_are_left_out() -> None:
    plan = plan_of(3, 30)
    margins = {(0, 1): mixed(30, 1), (0, 2): mixed(30, 2), (1, 2): mixed(30, 3)}
    short = {pairing: pairs[:28] for pairing, pairs in margins.items()}
    spoilt = {pairing: [*pairs, (5.0, None), (None, None)] for pairing, pairs in short.items()}
    without = plan_of(3, 28)
    assert rate(plan, records_of(plan, spoilt)) == rate(without, records_of(without, short))


def test_bot_that_won_every_game_gets_a_bound() -> None:
    plan = plan_of(3, 40)
    lost: list[Pair] = [(-20, -30)] * 40
    margins = {(0, 1): lost, (0, 2): mixed(40), (1, 2): [(20.0, 30.0)] * 40}
    records = records_of(plan, margins)
    above = rate(plan, records)["greedy"]
    assert isnan(above.elo)
    assert above.high == inf
    one_pairing = 400 * log10(40 / LOST_PAIRS)
    assert one_pairing - 60 < above.low < one_pairing + 60
    assert ratings(plan.config.bots, bootstrap(plan, records), 0)[0].bot == above.bot
    below = rate(plan, records, anchor=1)
    for bot in ("random", "random:seed=2"):
        assert isnan(below[bot].elo)
        assert below[bot].low == -inf
        assert -one_pairing - 60 < below[bot].high < -one_pairing + 60
    text = comparison_table(found_of(plan, records))
    assert f"above +{above.low:.0f}" in text
    assert "(rule of three)" in text
    assert "nan" not in text
    assert "inf" not in text
    assert max(map(len, text.splitlines())) <= 100


def test_bounds_lie_at_the_end_of_an_exact_interval() -> None:
    """With one opponent the rule of three is near the one-sided 95% bound of a binomial."""
    plan = plan_of(2, 200)
    records = records_of(plan, {(0, 1): [(20.0, 30.0)] * 200})
    bound = rate(plan, records, anchor=1)["random"].low
    exact = 0.05 ** (1 / 200)
    assert bound == pytest.approx(400 * log10(exact / (1 - exact)), abs=2)


def test_rare_wins_give_finite_intervals() -> None:
    plan = plan_of(2, 50)
    records = records_of(plan, {(0, 1): [(20.0, 30.0)] * 49 + [(10.0, -10.0)]})
    found = rate(plan, records, anchor=1)["random"]
    assert found.elo == pytest.approx(400 * log10(99))
    assert found.elo < found.high < 400 * log10(201) + 1
    assert 0 < found.low < found.elo


def test_partial_results() -> None:
    plan = plan_of(3, 40)
    some = rate(plan, records_of(plan, {(0, 1): mixed(40)}))
    assert np.isfinite(some["greedy"].elo)
    unknown = some["random:seed=2"]
    assert isnan(unknown.elo)
    assert (unknown.low, unknown.high, unknown.pairs) == (-inf, inf, 0)
    single = plan_of(3, 1)
    few = rate(single, records_of(single, {(0, 1): [(5.0, -5.0)]}))["greedy"]
    assert isnan(few.elo)  # one pair: its error cannot be told
    assert all(isnan(r.elo) for r in rate(plan, []).values() if not r.is_anchor)


@pytest.mark.parametrize("margins", [{}, {(0, 1): mixed(40)}], ids=["nothing", "one pairing"])
def test_table_of_partial_results(margins: dict[tuple[int, int], list[Pair]]) -> None:
    plan = plan_of(3, 40)
    text = comparison_table(found_of(plan, records_of(plan, margins)))
    assert "No meta-game: not every two bots have met" in text
    assert "nan" not in text
    assert "inf" not in text


def test_equal_results_are_not_passed_off_as_certain() -> None:
    plan = plan_of(3, 5)
    same: list[Pair] = [(10.0, -10.0)] * 5
    records = records_of(plan, {(0, 1): same, (0, 2): same, (1, 2): same})
    assert "all equal" in comparison_table(found_of(plan, records, "greedy"))


def test_long_tournaments_are_resampled_in_runs_of_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = plan_of(3, 40)
    margins = {(0, 1): mixed(40, 1), (0, 2): mixed(40, 2), (1, 2): mixed(40, 3)}
    one_by_one = bootstrap(plan, records_of(plan, margins))
    monkeypatch.setattr(bootstrap_module, "MAX_UNITS", 20)
    in_runs = bootstrap(plan, records_of(plan, margins))
    assert (one_by_one.units, in_runs.units) == (40, 20)
    assert np.array_equal(one_by_one.total.margins, in_runs.total.margins)
    assert in_runs.resampled.pairs[:, 0, 1].tolist() == [40] * len(in_runs.resampled.pairs)


def simulated(elo: np.ndarray[Any, Any], pairs: int, rng: np.random.Generator) -> Bootstrap:
    """Resamples of a tournament of bots of known strength, a tenth of whose games are drawn.

    Luck is partly the same in both games of a pair and in all pairings with its number.
    """
    size = len(elo)
    units = np.zeros((pairs, 4, size, size))
    shared = rng.random((pairs, 1))
    for one, two in zip(*np.triu_indices(size, 1), strict=True):
        own = rng.random((pairs, 2))
        luck = np.where(rng.random((pairs, 2)) < 0.4, shared, own)
        chance = 1 / (1 + 10 ** ((elo[two] - elo[one]) / 400))
        won = (luck < chance - 0.05).sum(axis=1)
        drawn = (luck < chance + 0.05).sum(axis=1) - won
        units[:, 2, one, two], units[:, 2, two, one] = won, 2 - won - drawn
        units[:, [0, 3], one, two] = units[:, [0, 3], two, one] = np.stack([1 + 0 * won, drawn], 1)
    return resample(units, rng)


def test_intervals_hold_what_they_promise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap_module, "RESAMPLES", 300)
    elo, rng = np.array([0.0, 60.0, 250.0]), np.random.default_rng(4)
    inside = np.zeros(3)
    for _ in range(300):
        found = {r.bot: r for r in ratings(BOTS[:3], simulated(elo, 80, rng), 0)}
        ends = np.array([(found[bot].low, found[bot].high) for bot in BOTS[:3]])
        inside += (ends[:, 0] <= elo) & (elo <= ends[:, 1])
    assert inside[0] == 300
    assert (inside[1:] / 300 > 0.90).all()
    assert (inside[1:] / 300 < 0.99).all()
