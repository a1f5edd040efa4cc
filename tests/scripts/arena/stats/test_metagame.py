"""The meta-game: known equilibria, AlphaRank as OpenSpiel computes it, and the printed tables."""

import importlib
import sys
import types
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import norm

from scripts.arena.plan.pairings import Plan
from scripts.arena.report.comparison import comparison_table
from scripts.arena.stats import metagame
from scripts.arena.stats.bootstrap import RESAMPLES, bootstrap
from scripts.arena.stats.metagame import NOISE, alpharank, meta_game, nash
from scripts.arena.store.reading import BLOCKS
from tests.scripts.arena.results import Pair, found_of, plan_of, records_of
from tests.scripts.test_tournament import call

CIRCLE = np.array([[0.0, 1, -1], [-1, 0, 1], [1, -1, 0]])


def normal(mean: float, pairs: int, seed: int) -> list[Pair]:
    """Margins of pairs around a mean."""
    values = np.random.default_rng(seed).normal(mean, 20, (pairs, 2)).round()
    return [(float(one), float(two)) for one, two in values]


def antisymmetric(count: int, size: int, seed: int) -> NDArray[np.float64]:
    """Random payoffs, shape [count, size, size]."""
    games = np.random.default_rng(seed).normal(size=(count, size, size))
    return games - np.swapaxes(games, 1, 2)


def test_rock_paper_scissors() -> None:
    assert nash(CIRCLE[None])[0] == pytest.approx([1 / 3] * 3)
    assert alpharank(CIRCLE[None])[0] == pytest.approx([1 / 3] * 3)
    weighted = np.array([[0.0, 1, -2], [-1, 0, 3], [2, -3, 0]])
    assert nash(weighted[None])[0] == pytest.approx([3 / 6, 2 / 6, 1 / 6])


def test_best_bot_takes_it_all() -> None:
    ladder = np.array([[0.0, -1, -5], [1, 0, -1], [5, 1, 0]])
    assert nash(ladder[None])[0] == pytest.approx([0, 0, 1])
    assert alpharank(ladder[None])[0] == pytest.approx([0, 0, 1], abs=1e-5)


def test_dominated_bot_has_no_weight() -> None:
    game = np.zeros((4, 4))
    game[:3, :3] = CIRCLE
    game[3, :3] = [-1.5, -1.5, -1.5]
    game[:3, 3] = 1.5
    assert nash(game[None])[0] == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0])
    assert alpharank(game[None])[0] == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0], abs=1e-5)


def test_equal_bots_share() -> None:
    assert nash(np.zeros((2, 3, 3))) == pytest.approx(np.full((2, 3), 1 / 3))
    twins = np.array([[0.0, 0, 1], [0, 0, 1], [-1, -1, 0]])
    assert nash(twins[None])[0] == pytest.approx([0.5, 0.5, 0])
    assert alpharank(twins[None])[0] == pytest.approx([0.5, 0.5, 0], abs=1e-5)
    circle_with_twins = np.zeros((4, 4))
    circle_with_twins[:3, :3] = CIRCLE
    circle_with_twins[3, :3], circle_with_twins[:3, 3] = CIRCLE[2], -CIRCLE[2]
    found = nash(circle_with_twins[None])[0]
    assert found[:2] == pytest.approx([1 / 3, 1 / 3])
    assert found[2:].sum() == pytest.approx(1 / 3)
    assert found[2:].min() > 0.05


LADDER = np.array([[0.0, 2, 5], [-2, 0, 1], [-5, -1, 0]])
LEVEL_AT_THE_TOP = np.array([[0.0, 0, 1], [0, 0, 3], [-1, -3, 0]])


def test_games_that_unbeaten_bots_decide_need_no_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metagame, "_by_program", None)
    games = np.array([LADDER, LEVEL_AT_THE_TOP, np.zeros((3, 3)), LADDER[::-1, ::-1]])
    wanted = [[1, 0, 0], [0.5, 0.5, 0], [1 / 3, 1 / 3, 1 / 3], [0, 0, 1]]
    assert nash(games) == pytest.approx(np.array(wanted))
    with pytest.raises(TypeError):
        nash(CIRCLE[None])


def test_bots_that_are_neither_beaten_by_the_unbeaten_nor_unbeaten_may_play() -> None:
    """The first draws with the second and beats the third, which beats the second."""
    game = np.array([[0.0, 0, 1], [0, 0, -1], [-1, 1, 0]])
    # Of the mixtures of the first two none is beaten as long as the second weighs at most a half.
    assert nash(game[None])[0] == pytest.approx([0.75, 0.25, 0])


@pytest.mark.parametrize("size", [2, 3, 4, 5, 7])
def test_no_bot_beats_the_mixture(size: int) -> None:
    games = antisymmetric(200, size, size) * 100
    mixtures = nash(games)
    assert mixtures.sum(axis=1) == pytest.approx(np.ones(200))
    assert mixtures.min() >= 0
    assert np.einsum("mij,mj->mi", games, mixtures).max() < 1e-6
    assert nash(games[::-1])[::-1] == pytest.approx(mixtures, abs=1e-9)


@pytest.mark.parametrize("size", [2, 3, 5])
def test_alpharank_is_that_of_openspiel(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """OpenSpiel's own cannot be imported without a module for pictures, which stays out here."""
    package = "open_spiel.python.egt"
    monkeypatch.setitem(
        sys.modules, f"{package}.alpharank_visualizer", types.ModuleType("alpharank_visualizer")
    )
    monkeypatch.delitem(sys.modules, f"{package}.alpharank", raising=False)
    theirs = importlib.import_module(f"{package}.alpharank")
    games = antisymmetric(20, size, size).round()  # some payoffs are 0
    for game, ours in zip(games, alpharank(games), strict=True):
        wanted = theirs.compute([game], use_inf_alpha=True, inf_alpha_eps=NOISE)[2]
        assert ours == pytest.approx(wanted, abs=1e-7)


PLAN = plan_of(3, 60)
MARGINS = {(0, 1): normal(4, 60, 1), (0, 2): normal(-3, 60, 2), (1, 2): normal(25, 60, 3)}


def test_payoffs_are_means_and_antisymmetric() -> None:
    game = meta_game(bootstrap(PLAN, records_of(PLAN, MARGINS)))
    assert game is not None
    for (one, two), pairs in MARGINS.items():
        assert game.payoffs[one, two] == pytest.approx(np.mean(pairs))
    assert np.array_equal(game.payoffs, -game.payoffs.T)
    assert game.superiority + game.superiority.T == pytest.approx(np.ones((3, 3)))
    assert game.superiority[1, 2] == 1
    assert 0.5 < game.superiority[0, 1] < 1
    for weights in (game.nash, game.alpharank):
        assert weights.value.sum() == pytest.approx(1)
        assert (weights.low <= weights.value + 1e-9).all()
        assert (weights.high >= weights.value - 1e-9).all()
    assert game.nash.high[0] > game.nash.low[0]


def test_superiority_is_how_sure_the_sign_is() -> None:
    """With many pairs it is the normal probability of a mean above 0."""
    plan = plan_of(3, 400)
    pairs = normal(0.8, 400, 8)
    margins = {(0, 1): pairs, (0, 2): pairs, (1, 2): pairs}
    game = meta_game(bootstrap(plan, records_of(plan, margins)))
    means = np.mean(pairs, axis=1)
    wanted = norm.cdf(means.mean() / (means.std() / np.sqrt(400)))
    assert game is not None
    assert game.superiority[0, 1] == pytest.approx(wanted, abs=4 * 0.5 / np.sqrt(RESAMPLES))


def test_order_of_blocks_does_not_change_the_meta_game() -> None:
    records = records_of(PLAN, MARGINS)
    match = Plan(replace(PLAN.config, game="python_marjolet(target=300)"))
    text = comparison_table(found_of(match, records, "greedy"))
    assert comparison_table(found_of(match, records[::-1], "greedy")) == text
    assert "return of a match" in text
    assert max(map(len, text.splitlines())) <= 100


def test_forfeits_are_left_out() -> None:
    plan = plan_of(3, 62)
    spoilt = {pairing: [*pairs, (900.0, None), (None, 9.0)] for pairing, pairs in MARGINS.items()}
    one = meta_game(bootstrap(plan, records_of(plan, spoilt)))
    two = meta_game(bootstrap(PLAN, records_of(PLAN, MARGINS)))
    assert one is not None
    assert two is not None
    assert np.array_equal(one.payoffs, two.payoffs)
    assert np.array_equal(one.nash.low, two.nash.low)


def test_bots_that_did_not_meet_make_no_meta_game() -> None:
    part = {pairing: MARGINS[pairing] for pairing in [(0, 1), (0, 2)]}
    assert meta_game(bootstrap(PLAN, records_of(PLAN, part))) is None
    assert meta_game(bootstrap(PLAN, [])) is None


THREE = "--bots=random;greedy;random:seed=2"
HEADS = ("Elo ratings", "Payoffs:", "Superiority:", "Nash:")


def test_tables_are_printed_for_three_bots(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [THREE, "--pairs=6", f"--output={tmp_path}"]
    assert call(*words) == 0
    out = capsys.readouterr().out
    assert [out.index(head) for head in HEADS] == sorted(out.index(head) for head in HEADS)
    assert any(line.startswith("random ") and "anchor" in line for line in out.splitlines())
    assert "random is 0;" in out
    assert "--anchor" not in out
    before = (tmp_path / BLOCKS).read_bytes()
    assert call(*words, "--anchor=greedy") == 0  # the same plan: nothing is played again
    again = capsys.readouterr().out
    assert "greedy is 0;" in again
    assert again.rstrip().endswith("--anchor=greedy")
    assert (tmp_path / BLOCKS).read_bytes() == before


def test_tables_are_not_printed_for_two_bots(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("--bots=random,greedy", "--pairs=2", f"--output={tmp_path}") == 0
    out = capsys.readouterr().out
    assert not any(head in out for head in HEADS)


@pytest.mark.parametrize("anchor", ["gredy", "ismcts", "random:seed=9", ""])
def test_anchor_must_play(anchor: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(THREE, f"--anchor={anchor}", f"--output={tmp_path}/out") == 2
    out, err = capsys.readouterr()
    assert out == ""
    wanted = f"anchor: {anchor!r} does not play; it must be one of random, greedy, random:seed=2"
    assert err == f"tournament: {wanted}\n"
    assert not (tmp_path / "out").exists()


def test_anchor_is_no_part_of_the_plan() -> None:
    assert "anchor" not in PLAN.config.__dataclass_fields__
