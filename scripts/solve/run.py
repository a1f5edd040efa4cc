"""A run of a solver and the folder that keeps it, so that the same command goes on with it."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from marjolet_spiel.solvers.tabular.tree import GameTree
from scripts.arena.store.settings import check_settings, read_settings
from scripts.solve.curve import Point, read_curve, write_curve
from scripts.solve.runners import OPENSPIEL, Runner, make_runner, resumed_runner
from scripts.whole_files import write_whole


@dataclass
class Run:
    """A run and its folder.

    Attributes:
      name: what the game is called.
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


def read_run(run: Run) -> None:
    """Looks at the folder of a run, and reads the curve of the one that it goes on with, if any.

    Raises:
      ValueError: there is a run of other settings, a damaged one, or one that cannot go on.
    """
    if not run.manifest.exists():
        return
    check_settings(run.folder, read_settings(run.manifest), run.plan())
    if run.algorithm.startswith(OPENSPIEL):
        raise ValueError(
            f"--output: {run.folder} has this run already, and {run.algorithm} cannot go on with "
            "it, as OpenSpiel keeps no state; choose another folder"
        )
    if run.checkpoint.is_file():  # without one it was stopped before there was anything to keep
        run.points = read_curve(run.curve)


def runner_for(run: Run, tree: GameTree) -> Runner:
    """The solver of a run that was read: as its checkpoint has it, or a new one.

    What was measured after the last checkpoint is forgotten.

    Raises:
      ValueError: the checkpoint is damaged or of another game, or its measurement is missing.
    """
    if run.algorithm.startswith(OPENSPIEL) or not run.checkpoint.is_file():
        return make_runner(tree, run.algorithm, run.seed, run.openspiel_order)
    runner = resumed_runner(tree, run.checkpoint)
    if all(point.iteration != runner.iteration for point in run.points):
        missing = f"iteration {runner.iteration} of the checkpoint beside it"
        raise ValueError(f"curve {str(run.curve)!r}: lacks {missing}")
    run.points = [point for point in run.points if point.iteration <= runner.iteration]
    return runner


def keep(run: Run, runner: Runner, point: Point) -> None:
    """Adds a measurement and writes what there is, the checkpoint last."""
    run.points.append(point)
    run.folder.mkdir(parents=True, exist_ok=True)
    write_whole(run.manifest, json.dumps(run.plan(), indent=1) + "\n")
    write_curve(run.curve, run.points)
    runner.save(run.checkpoint)
