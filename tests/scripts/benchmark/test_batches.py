"""What is timed of batches of games: it counts what it does, and does it again when asked."""

import numpy as np
import pyspiel
import pytest

from scripts.benchmark import __main__ as benchmark
from scripts.benchmark import batches


@pytest.mark.parametrize("threads", [1, 2])
def test_ours_counts_decisions_and_goes_on_after_the_last_chosen_step(
    threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "GAMES", 20)
    monkeypatch.setattr(batches, "STEPS", 30)
    play = batches.our_batches("python_marjolet", threads)
    assert [play(1), play(20), play(21), play(20 * 70)] == [20, 20, 40, 20 * 70]


def test_openspiel_counts_decisions_and_goes_on_after_the_last_chosen_step(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(batches, "PEER_GAMES", 2)
    monkeypatch.setattr(batches, "STEPS", 60)
    play = batches.sync_vector_env(pyspiel.load_game("python_marjolet"))
    assert [play(1), play(2), play(3), play(2 * 130)] == [2, 2, 4, 2 * 130]


def test_chosen_actions_are_random_ones() -> None:
    env = batches.VectorEnv("python_marjolet", 200, 1)
    first = batches._random_play(env)[0]
    legal = env.reset().legal
    assert legal[np.arange(200), first].all()
    places = [legal[i, :action].sum() for i, action in enumerate(first)]
    assert (np.bincount(places) > 10).all()


def test_rows_of_batches(capsys: pytest.CaptureFixture[str]) -> None:
    benchmark.measure_batches(1, 0.02)
    one, beside, two = capsys.readouterr().out.splitlines()
    assert one.endswith(">= 1,000,000 decisions/s")
    assert "SyncVectorEnv of 16, our game: " in beside
    assert beside.endswith(" x  >= 100 x")
    assert "2 threads" in two
    assert "one thread: " in two
