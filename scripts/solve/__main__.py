"""Solves a small pack and measures how fast: ``python -m scripts.solve``.

Without flags CFR+ solves the smallest pack in a second. More::

    python -m scripts.solve --pack=kqj7-dutch --algorithm=dcfr --iterations=1000
    python -m scripts.solve --pack=kqj7-dutch --algorithm=dcfr --iterations=5000    # goes on
    python -m scripts.solve --pack=qj7 --algorithm=os:cfr+ --compare=results/solve-qj7-cfr+
    python -m scripts.solve --game="python_marjolet(num_suits=3,ranks=QJ,hand_size=2)"

Iterations, seconds and exploitability go to ``curve.csv`` in the folder of results, drawn as
``curve.png`` and ``curve.svg``; ``policy.npz`` plays in tournaments as ``policy:FILE``. Ctrl-C ends
a run with all that it has computed on disk, and the same command goes on as if it had not.
"""

import re
import sys
from collections.abc import Sequence
from pathlib import Path

from absl import flags

from marjolet_spiel.rules import Rules, ladder
from marjolet_spiel.solvers.policy_file import save_policy
from marjolet_spiel.solvers.tabular.tree import GameTree, build_tree
from scripts.arena.plan.config import check_whole
from scripts.arena.plan.game_text import game_text, parse_game
from scripts.command_line import STOPPED, StopSign, check_no_words, flags_parser, refuses
from scripts.drawing import NoPictureError
from scripts.shared_flags import GameFlags, MemoryFlag, OutputFlag, PackFlag, SeedFlag
from scripts.solve.curve import Point, draw, read_curve
from scripts.solve.progress import solve
from scripts.solve.run import Run, read_run, runner_for
from scripts.solve.runners import NAMES, Runner, check_algorithm

MAX_ITERATIONS = 10**12
MAX_SEED = (1 << 31) - 1
"""OpenSpiel's solvers take no larger one."""

MAX_POLICY_STATES = 2_000_000
"""A policy of more information states is not written: its keys alone take gigabytes."""

FLAGS = flags.FlagValues()

_PACK = PackFlag(FLAGS, "qj7", "the small pack that is solved")
_ALGORITHM = flags.DEFINE_string(
    "algorithm", "cfr+", "what solves it: " + ", ".join(NAMES), flag_values=FLAGS
)
_ITERATIONS = flags.DEFINE_integer(
    "iterations", 1000, "iterations in all, those of a run that goes on included", flag_values=FLAGS
)
_GAME = GameFlags(FLAGS)
_SEED = SeedFlag(FLAGS, MAX_SEED)
_OUTPUT = OutputFlag(FLAGS, "results/solve-PACK-ALGORITHM")
_COMPARE = flags.DEFINE_multi_string(
    "compare", [], "folder of another run whose curve is drawn too", flag_values=FLAGS
)
_ORDER = flags.DEFINE_bool(
    "openspiel_order",
    False,
    "let our full-width algorithms add up in OpenSpiel's order: slower, the same to the last bit",
    flag_values=FLAGS,
)
_MEMORY = MemoryFlag(FLAGS, None, "that the tree may use; by default half of what is free")


def game_of_flags() -> tuple[str, str]:
    """What the game is called, and its text; ValueError if the flags are wrong."""
    name = _PACK.name_beside(_GAME)
    if name is None:
        return _GAME.text(), _GAME.text()
    return name, game_text(ladder()[name].parameters)


def run_of_flags() -> Run:
    """The run that the flags describe; ValueError if they are wrong."""
    name, game = game_of_flags()
    algorithm = check_algorithm(_ALGORITHM.value)
    check_whole("iterations", _ITERATIONS.value, 1, MAX_ITERATIONS)
    words = re.sub(r"[^\w+]+", "-", f"solve-{name}-{algorithm}")
    folder = _OUTPUT.folder(Path("results") / words)
    return Run(name, game, algorithm, _SEED.number(), _ORDER.value, folder)


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
    except NoPictureError as error:
        print(f"solve: no curve is drawn, as {error}", file=sys.stderr)
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
    check_no_words(argv)
    with StopSign() as stop:
        return _solve(run_of_flags(), stop)


def _solve(run: Run, stop: StopSign) -> int:
    others = {Path(name).name: read_curve(Path(name) / "curve.csv") for name in _COMPARE.value}
    memory = _MEMORY.bytes()
    read_run(run)
    tree = build_tree(Rules.from_parameters(parse_game(run.game)), memory)
    print(describe(run, tree), flush=True)
    runner = runner_for(run, tree)
    solve(run, runner, tree, _ITERATIONS.value, stop)
    if run.points:
        finish(run, runner, tree, others)
    return STOPPED if stop.is_set and runner.iteration < _ITERATIONS.value else 0


parse_flags = flags_parser("solve", FLAGS, __doc__)


if __name__ == "__main__":
    sys.exit(main(parse_flags(sys.argv)))
