"""How long a plan will take, from a few games of each bot."""

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from scripts.arena.plan.config import Config
from scripts.arena.plan.pairings import Block, Plan
from scripts.arena.store.move_times import MoveTimes
from scripts.arena.store.records import PlayedBlock

ENOUGH_SECONDS = 1.0
"""How long two bots play for a forecast, if a pair takes less."""

PATIENCE_SECONDS = 20.0
"""If the first pair takes longer than this no other one is played, though it includes compiling."""

Play = Callable[[Plan, Block], PlayedBlock]


@dataclass(frozen=True)
class Sample:
    """Some games between two bots.

    Attributes:
      seconds: how long they took.
      games: how many.
      decisions: actions of both players in all of them.
      times: those of the first and of the second bot's moves.
    """

    seconds: float
    games: int
    decisions: int
    times: tuple[MoveTimes, MoveTimes]


@dataclass(frozen=True)
class Forecast:
    """What a plan will take.

    Attributes:
      move_seconds: seconds a move of each bot, by its index.
      seconds: of all games, one after the other.
      worker_seconds: with the workers that there are cores for.
    """

    move_seconds: tuple[float, ...]
    seconds: float
    worker_seconds: float


def forecast(config: Config, play: Play, n_jobs: int = 1) -> Forecast:
    """Plays a few games of each bot against the next one, and reckons what the plan will take.

    Args:
      config: what is planned.
      play: plays a block of a plan.
      n_jobs: how many blocks are to be played at once; -1 for as many as there are cores.
    """
    samples = _samples(config, play)
    overhead = sum(s.seconds - sum(t.seconds for t in s.times) for s in samples) / sum(
        max(s.decisions, 1) for s in samples
    )
    decisions = sum(s.decisions for s in samples) / sum(s.games for s in samples)
    moves = _move_seconds(samples)
    plan, seconds = Plan(config), 0.0
    for first, second in plan.pairings:
        a_decision = overhead + (moves[first] + moves[second]) / 2
        seconds += 2 * config.pairs * decisions * a_decision
    cores = os.cpu_count() or 1
    workers = min(cores if n_jobs == -1 else n_jobs, cores, len(plan.blocks))
    return Forecast(tuple(moves), seconds, seconds / workers)


def _samples(config: Config, play: Play) -> list[Sample]:
    """Each bot against the next one, the last against the first if there are more than two."""
    size = len(config.bots)
    rounds = [(bot, (bot + 1) % size) for bot in range(size if size > 2 else 1)]
    return [_sample(play, config, *two) for two in rounds]


def _sample(play: Play, config: Config, first: int, second: int) -> Sample:
    """Games between two bots; those in which something was compiled do not count if others can."""
    bots = (config.bots[first], config.bots[second])
    small = replace(config, bots=bots, pairs=1, gauntlet="", sprt="", audit_pairs=0)
    begin = time.perf_counter()
    played = [_timed(play, replace(small, seed=0))]
    if played[0].seconds < PATIENCE_SECONDS:
        played.clear()
        begin = time.perf_counter()
        while not played or time.perf_counter() - begin < ENOUGH_SECONDS:
            played.append(_timed(play, replace(small, seed=len(played) + 1)))
    return Sample(
        sum(part.seconds for part in played),
        sum(part.games for part in played),
        sum(part.decisions for part in played),
        (
            MoveTimes.together(part.times[0] for part in played),
            MoveTimes.together(part.times[1] for part in played),
        ),
    )


def _timed(play: Play, config: Config) -> Sample:
    plan, begin = Plan(config), time.perf_counter()
    played = play(plan, plan.blocks[0])
    games = played.record.games
    decisions = sum(game.decisions for game in games)
    return Sample(time.perf_counter() - begin, len(games), decisions, played.times)


def _move_seconds(samples: Sequence[Sample]) -> list[float]:
    """Seconds a move of each bot; 0 for one that has made none in time."""
    size = max(len(samples), 2)
    times = [MoveTimes() for _ in range(size)]
    for bot, sample in enumerate(samples):
        times[bot].update(sample.times[0])
        times[(bot + 1) % size].update(sample.times[1])
    return [part.mean if part.moves else 0.0 for part in times]
