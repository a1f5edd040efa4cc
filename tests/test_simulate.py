"""Batches of playouts: reproducible, independent of threads, and distributed as they should be."""

import dataclasses
import os
import random
import subprocess
import sys

import numpy as np
import pyspiel
import pytest
from scipy import stats

import marjolet_spiel  # noqa: F401  (registers the games)
from marjolet_spiel import kernel, sampling, simulate
from marjolet_spiel.rules import Rules
from tests.places import ROOT
from tests.variants import each_profile


def same(a: simulate.Playouts, b: simulate.Playouts) -> bool:
    """Whether two results are equal in every array."""
    return all(
        np.array_equal(getattr(a, field.name), getattr(b, field.name))
        for field in dataclasses.fields(a)
    )


@pytest.mark.parametrize("target", [0, 150])
def test_result_depends_on_the_seed_alone(target: int) -> None:
    rules = Rules.of(profile="dutch", target=target)
    once = simulate.play_random(rules, 501, seed=4)
    assert same(once, simulate.play_random(rules, 501, seed=4, threads=3))
    assert not same(once, simulate.play_random(rules, 501, seed=5))


def test_first_games_do_not_depend_on_how_many_follow() -> None:
    rules = Rules.of()
    few, many = (simulate.play_random(rules, n, seed=8) for n in (10, 100))
    assert np.array_equal(few.points, many.points[:10])


@each_profile
def test_returns_are_the_difference_of_the_points(profile: str) -> None:
    played = simulate.play_random(Rules.of(profile=profile), 2_000, seed=1)
    assert np.array_equal(played.returns[:, 0], played.totals[:, 0] - played.totals[:, 1])
    assert np.array_equal(played.returns.sum(axis=1), np.zeros(2_000))
    assert (played.deals == 1).all()
    by_leader = played.by_leader()
    assert np.array_equal(by_leader.sum(axis=1), played.totals.sum(axis=1))


@pytest.mark.parametrize("profile", ["english", "dutch"])
def test_points_of_a_match_are_those_of_all_its_deals(profile: str) -> None:
    played = simulate.play_random(Rules.of(profile=profile, target=300), 500, seed=2)
    assert (played.totals.max(axis=1) >= 300).all()
    winner = played.totals.argmax(axis=1)
    assert np.array_equal(played.returns[np.arange(500), winner], np.ones(500))


def test_melds_are_counted_as_they_score() -> None:
    rules = Rules.of()
    played = simulate.play_random(rules, 5_000, seed=3)
    sets = np.array([rules.meld_value(meld, 0) for meld in range(5)])
    assert (played.melds.max(axis=0) <= 1).all()
    least = played.melds[:, :, :5] @ sets + 20 * played.melds[:, :, 5:].sum(axis=2)
    melds = played.points[:, :, 0]
    assert (least <= melds).all()
    assert (melds <= least + 20 * played.melds[:, :, 5:].sum(axis=2)).all()


def test_playouts_from_positions_agree_with_play_through_the_api() -> None:
    game = pyspiel.load_game("python_marjolet(first_dealer=0)")
    rng = random.Random(7)
    state = game.new_initial_state()
    for _ in range(40):
        state.apply_action(rng.choice(state.legal_actions()))
    positions = np.repeat(state.position()[np.newaxis], 4_000, axis=0)
    ours = simulate.play_from(positions, range(4_000)).returns[:, 0]
    theirs = []
    for _ in range(1_500):
        playout = state.clone()
        while not playout.is_terminal():
            playout.apply_action(rng.choice(playout.legal_actions()))
        theirs.append(playout.returns()[0])
    assert stats.ks_2samp(ours, theirs).pvalue > 1e-3


def test_playouts_from_the_middle_of_the_deal_deal_the_rest_fairly() -> None:
    """A hand is dealt in ascending order: what is dealt already says something about the rest."""
    rules = Rules.of(num_suits=2, ranks="QJ7", hand_size=2, first_dealer=0)
    pos = kernel.initial_position(rules)
    assert kernel.apply(pos, 3)  # QS: the other card may be any of the five above it
    seconds = []
    for seed in range(3_000):
        child, rng = pos.copy(), sampling.generator(seed)
        sampling.chance_randomly(child, rng)
        seconds.append(int(child[kernel.HAND1]) & ~(1 << 3))
    _, counts = np.unique(seconds, return_counts=True)
    assert len(counts) == 5
    assert stats.chisquare(counts).pvalue > 1e-3


def test_random_numbers_are_uniform() -> None:
    rng = sampling.generator(12)
    values = [sampling.below(rng, 19) for _ in range(19_000)]
    assert stats.chisquare(np.bincount(values, minlength=19)).pvalue > 1e-3
    bits = [sampling.random_bit(rng, 0b1011000101 << 30) for _ in range(5_000)]
    _, counts = np.unique(bits, return_counts=True)
    assert len(counts) == 5
    assert stats.chisquare(counts).pvalue > 1e-3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rules": "english"}, "^rules: 'english' is not allowed"),
        ({"n": 0}, "^n: 0 is not allowed"),
        ({"n": 2.5}, "^n: 2.5 is not allowed"),
        ({"n": True}, "^n: True is not allowed"),
        ({"seed": -1}, "^seed: -1 is not allowed"),
        ({"threads": 0}, "^threads: 0 is not allowed"),
    ],
)
def test_nonsense_is_refused(arguments: dict[str, object], message: str) -> None:
    good = {"rules": Rules.of(), "n": 1, "seed": 0}
    with pytest.raises(ValueError, match=message):
        simulate.play_random(**{**good, **arguments})  # type: ignore[arg-type]


def test_nonsense_positions_are_refused() -> None:
    good = kernel.initial_position(Rules.of())[np.newaxis]
    with pytest.raises(ValueError, match="^positions: .* is not allowed"):
        simulate.play_from(good[:, :-1], [1])
    with pytest.raises(ValueError, match="^positions: .* is not allowed"):
        simulate.play_from(good.astype(float), [1])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="^seeds: 2 seeds for 1 positions"):
        simulate.play_from(good, [1, 2])
    with pytest.raises(ValueError, match="^seeds: -3 is not allowed"):
        simulate.play_from(good, [-3])


def test_playouts_show_themselves_in_one_short_line() -> None:
    playouts = simulate.play_random(Rules.of(), 100, seed=1)
    means = playouts.totals.mean(axis=0)
    assert repr(playouts) == f"Playouts(n=100, mean points {means[0]:.1f}, {means[1]:.1f})"


def test_integers_wrap_around_in_silence_in_every_thread_without_compiling() -> None:
    program = (
        "import threading; from marjolet_spiel.simulate import *\n"
        "def play(): print(play_random(Rules.of(), 6, seed=1, threads=2).totals.sum())\n"
        "own = threading.Thread(target=play); own.start(); own.join(); play()"
    )
    run = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(ROOT), "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    expected = simulate.play_random(Rules.of(), 6, seed=1).totals.sum()
    assert (run.stdout, run.stderr) == (f"{expected}\n{expected}\n", "")
