"""Solves a small pack and measures how fast: ``python -m scripts.solve``.

Without flags CFR+ solves the smallest pack in a second. More::

    python -m scripts.solve --pack=kqj7-dutch --algorithm=dcfr --iterations=1000
    python -m scripts.solve --pack=kqj7-dutch --algorithm=dcfr --iterations=5000 --resume
    python -m scripts.solve --pack=qj7 --algorithm=os:cfr+ --compare=results/solve-qj7-cfr+
    python -m scripts.solve --pack="python_marjolet(num_suits=3,ranks=QJ,hand_size=2)"

Iterations, seconds and exploitability go to ``curve.csv`` in the folder of results, drawn as
``curve.png`` and ``curve.svg``; ``policy.npz`` plays in tournaments as ``policy:FILE``. Ctrl-C ends
a run with all that it has computed on disk, and ``--resume`` goes on as if it had not.
"""

import json
import re
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from absl import app, flags
from tqdm import tqdm

from marjolet_spiel.rules import Rules, ladder
from marjolet_spiel.solvers.policy_file import save_policy
from marjolet_spiel.solvers.tabular.tree import GameTree, build_tree
from scripts.arena.plan.game_text import game_text, parse_game
from scripts.command_line import STOPPED, StopSign, flags_parser, refuses
from scripts.solve.curve import Point, draw, next_measurement, read_curve, write_curve
from scripts.solve.runners import (
    NAMES,
    OPENSPIEL,
    Runner,
    check_algorithm,
    make_runner,
    resumed_runner,
)

# Imported, it keeps its flags to itself: other scripts have some of the same names.
FLAGS = flags.FLAGS if __name__ == "__main__" else flags.FlagValues()

_PACK = flags.DEFINE_string(
    "pack",
    "qj7",
    "what is solved: " + ", ".join(ladder()) + ", or the text of a game such as "
    "'python_marjolet(num_suits=2,ranks=QJ7,hand_size=2)'",
    flag_values=FLAGS,
)
_ALGORITHM = flags.DEFINE_string("algorithm", "cfr+", ", ".join(NAMES), flag_values=FLAGS)
_ITERATIONS = flags.DEFINE_integer(
    "iterations", 1000, "iterations, those before included", flag_values=FLAGS
)
_SEED = flags.DEFINE_integer("seed", 1, "the seed of algorithms that sample", flag_values=FLAGS)
_ORDER = flags.DEFINE_bool(
    "openspiel_order",
    False,
    "let our full-width algorithms add up in OpenSpiel's order: slower, the same to the last bit",
    flag_values=FLAGS,
)
_OUTPUT = flags.DEFINE_string(
    "output",
    None,
    "folder for the results; by default results/solve-PACK-ALGORITHM",
    flag_values=FLAGS,
)
_RESUME = flags.DEFINE_bool("resume", False, "go on with what is in the folder", flag_values=FLAGS)
_COMPARE = flags.DEFINE_multi_string(
    "compare", [], "folder of another run whose curve is drawn too", flag_values=FLAGS
)
_GIGABYTES = flags.DEFINE_float(
    "memory", None, "gigabytes that may be used; by default half of what is free", flag_values=FLAGS
)

MAX_SEED = (1 << 31) - 1
MAX_POLICY_STATES = 2_000_000
"""A policy of more information states is not written: its keys alone take gigabytes."""

_CHUNK_SECONDS = 0.1


@dataclass
class Run:
    """A run and its folder.

    Attributes:
      name: what the pack is called.
      game: its text.
      algorithm: what solves it.
      seed: the seed.
      openspiel_order: see the flag.
      folder: where the results go.
      points: what was measured.
    """

    name: str
    game: str
    algorithm: str
    seed: int
    openspiel_order: bool
    folder: Path
    points: list[Point] = field(default_factory=list)

    @property
    def curve(self) -> Path:
        """The file with the measurements."""
        return self.folder / "curve.csv"

    @property
    def manifest(self) -> Path:
        """The file that says what is run."""
        return self.folder / "run.json"

    @property
    def checkpoint(self) -> Path:
        """The file with what the solver has learnt."""
        return self.folder / "checkpoint.npz"

    def plan(self) -> dict[str, Any]:
        """What must be the same in a run that goes on with this one."""
        return {
            "game": self.game,
            "algorithm": self.algorithm,
            "seed": self.seed,
            "openspiel_order": self.openspiel_order,
        }


def run_of_flags() -> Run:
    """The run that the flags describe; ValueError if they are wrong."""
    name, algorithm = _PACK.value, check_algorithm(_ALGORITHM.value)
    for flag, low, high in ((_ITERATIONS, 1, 10**12), (_SEED, 0, MAX_SEED)):
        if not low <= flag.value <= high:
            raise ValueError(
                f"--{flag.name}: {flag.value} is not allowed; it must be from {low} to {high}"
            )
    if _GIGABYTES.value is not None and not _GIGABYTES.value > 0:
        raise ValueError(f"--memory: {_GIGABYTES.value} is not allowed; it must be more than 0")
    if name in ladder():
        game = game_text(ladder()[name].parameters)
    elif name.startswith("python_marjolet"):
        game = game_text(parse_game(name))
    else:
        names = ", ".join(ladder())
        raise ValueError(f"--pack: {name!r} is not allowed; it must be {names}, or a game")
    words = re.sub(r"[^\w+]+", "-", f"solve-{name}-{algorithm}")
    folder = Path(_OUTPUT.value) if _OUTPUT.value else Path("results") / words
    return Run(name, game, algorithm, _SEED.value, _ORDER.value, folder)


def check_folder(run: Run, resume: bool) -> None:
    """Looks at the folder of a run, and reads the curve of the one it goes on with.

    Raises:
      ValueError: there is a run where there should be none, or none or another where there should.
    """
    if not resume:
        if run.manifest.exists():
            raise ValueError(
                f"--output: {run.folder} has a run already; go on with it by --resume or choose "
                "another folder"
            )
        return
    if run.algorithm.startswith(OPENSPIEL):
        raise ValueError(f"--resume: {run.algorithm} cannot go on, as OpenSpiel keeps no state")
    if not run.checkpoint.is_file():
        raise ValueError(f"--resume: there is no checkpoint in {run.folder}")
    there = _read_manifest(run.manifest)
    for key, value in run.plan().items():
        if there.get(key) != value:
            raise ValueError(
                f"--resume: the run in {run.folder} has {key} {there.get(key)!r}, not {value!r}"
            )
    run.points = read_curve(run.curve)


def _read_manifest(path: Path) -> dict[str, Any]:
    try:
        plan = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ValueError(f"--resume: {path} cannot be read: {error}") from None
    return plan if isinstance(plan, dict) else {}


def runner_for(run: Run, tree: GameTree, resume: bool) -> Runner:
    """The solver of a run. What was measured after its last checkpoint is forgotten."""
    if not resume:
        return make_runner(tree, run.algorithm, run.seed, run.openspiel_order)
    runner = resumed_runner(tree, run.checkpoint)
    run.points = [point for point in run.points if point.iteration <= runner.iteration]
    return runner


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
    """Measures where a run is, and writes its curve and then its checkpoint."""
    policy = runner.policy()
    worth = (tree.exploitability(policy), tree.expected_value(policy))
    before = run.points[-1].seconds if run.points else 0.0
    point = Point(runner.iteration, before + seconds, *worth)
    run.points.append(point)
    run.folder.mkdir(parents=True, exist_ok=True)
    run.manifest.write_text(json.dumps(run.plan(), indent=1) + "\n", encoding="utf-8")
    write_curve(run.curve, run.points)
    runner.save(run.checkpoint)
    return point


def row(iteration: object, seconds: object, exploitability: object, value: object) -> str:
    """A row of the table that is printed."""
    return f"{iteration:>12} {seconds:>12} {exploitability:>16} {value:>12}"


def row_of(point: Point) -> str:
    """A measurement as a row."""
    worth = (f"{point.exploitability:.8f}", f"{point.value:.6f}")
    return row(f"{point.iteration:,}", f"{point.seconds:.3f}", *worth)


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
                bar.set_postfix(exploitability=f"{point.exploitability:.3g}")
                tqdm.write(row_of(point), file=sys.stdout)


def finish(run: Run, runner: Runner, tree: GameTree, others: dict[str, list[Point]]) -> None:
    """Writes the policy and draws the curve."""
    states = sum(tree.size.information_sets) + sum(tree.size.forced_sets)
    path = run.folder / "policy.npz"
    if states > MAX_POLICY_STATES:
        print(f"no {path.name}: {states:,} information states are too many for one")
    else:
        save_policy(path, tree.game, tree.table(runner.policy()))
        print(f"plays as policy:{path}")
    try:
        draw(run.folder, f"{run.name}: exploitability", {run.algorithm: run.points, **others})
    except ImportError:
        print("solve: without matplotlib no curve is drawn", file=sys.stderr)
    print(f"results in {run.folder}")


def describe(run: Run, tree: GameTree) -> str:
    """What is being solved."""
    size = tree.size
    return (
        f"{run.game}\n"
        f"{size.histories:,} histories, {size.terminals:,} of them ends; "
        f"{sum(size.information_sets):,} information sets with a choice; "
        f"{tree.nbytes / 1e6:,.1f} MB\n"
    )


@refuses("solve", OSError)
def main(argv: Sequence[str]) -> int:
    """Solves what the flags describe; bad input is one sentence and exit code 2."""
    with StopSign() as stop:
        return _solve(argv, stop)


def _solve(argv: Sequence[str], stop: StopSign) -> int:
    if len(argv) > 1:
        raise ValueError(f"unknown argument {argv[1]!r}; see --help")
    run = run_of_flags()
    others = {Path(name).name: read_curve(Path(name) / "curve.csv") for name in _COMPARE.value}
    memory = int(_GIGABYTES.value * 1e9) if _GIGABYTES.value else None
    check_folder(run, _RESUME.value)
    tree = build_tree(Rules.from_parameters(parse_game(run.game)), memory)
    print(describe(run, tree), flush=True)
    runner = runner_for(run, tree, _RESUME.value)
    solve(run, runner, tree, _ITERATIONS.value, stop)
    if run.points:
        finish(run, runner, tree, others)
    return STOPPED if stop.is_set and runner.iteration < _ITERATIONS.value else 0


parse_flags = flags_parser("solve", FLAGS)


if __name__ == "__main__":
    app.run(main, flags_parser=parse_flags)
