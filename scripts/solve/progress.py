"""Running a solver and measuring it on the way, at moments evenly spaced on a logarithmic axis."""

import sys
import time
from typing import Any

from tqdm import tqdm

from marjolet_spiel.solvers.tabular.tree import GameTree
from scripts.command_line import StopSign
from scripts.solve.curve import Point, next_measurement
from scripts.solve.run import Run, keep
from scripts.solve.runners import Runner

_CHUNK_SECONDS = 0.1


def solve(run: Run, runner: Runner, tree: GameTree, iterations: int, stop: StopSign) -> None:
    """Runs and measures up to so many iterations, or until it is to stop."""
    print(row("iterations", "seconds", "exploitability", "value"), flush=True)
    for point in run.points:
        print(row_of(point), flush=True)
    with tqdm(
        total=iterations,
        initial=runner.iteration,
        desc=run.algorithm,
        unit="it",
        unit_scale=True,
        disable=None,
        leave=False,
        file=sys.stderr,
    ) as bar:
        while runner.iteration < iterations and not stop.is_set:
            before = runner.iteration
            seconds = advance(runner, next_measurement(before, iterations), stop, bar)
            if runner.iteration > before:
                point = measure(run, runner, tree, seconds)
                keep(run, runner, point)
                bar.set_postfix(exploitability=f"{point.exploitability:.3g}")
                tqdm.write(row_of(point), file=sys.stdout)


def advance(runner: Runner, until: int, stop: StopSign, bar: Any) -> float:
    """Runs up to an iteration, or until it is to stop; the seconds that it took."""
    seconds, chunk = 0.0, 1
    while runner.iteration < until and not stop.is_set:
        before, start = runner.iteration, time.perf_counter()
        runner.run(min(chunk, until - runner.iteration))
        taken = time.perf_counter() - start
        seconds += taken
        bar.update(runner.iteration - before)
        chunk = 2 * chunk if taken < _CHUNK_SECONDS / 2 else max(1, chunk // 2)
    return seconds


def measure(run: Run, runner: Runner, tree: GameTree, seconds: float) -> Point:
    """Where a run is, so many seconds after the last measurement."""
    policy = runner.policy()
    before = run.points[-1].seconds if run.points else 0.0
    worth = (tree.exploitability(policy), tree.expected_value(policy))
    return Point(runner.iteration, before + seconds, *worth)


def row(iteration: object, seconds: object, exploitability: object, value: object) -> str:
    """A row of the table that is printed."""
    return f"{iteration:>12} {seconds:>12} {exploitability:>16} {value:>12}"


def row_of(point: Point) -> str:
    """A measurement as a row."""
    worth = (f"{point.exploitability:.8f}", f"{point.value:.6f}")
    return row(f"{point.iteration:,}", f"{point.seconds:.3f}", *worth)
