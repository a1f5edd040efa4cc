"""Trains full-pack CFR: ``python -m scripts.train_cfr``.

What it writes is played by the bot ``cfr:FILE``. For example::

    python -m scripts.train_cfr --minutes=10
    python -m scripts.train_cfr --iterations=4000000     # goes on until there are so many
    python -m scripts.train_cfr --profile=dutch --iterations=2000000 --output=results/dutch
    python -m scripts.tournament --bots="cfr:results/cfr/policy.npz;greedy" --pairs=500

The policy is ``policy.npz`` in the folder of results. Beside it lies ``checkpoint.npz``, written
every few minutes, at the end and after Ctrl-C; what ends the program otherwise costs what was done
since the last one. The same command goes on from there, and the policy is the same as if it had
never stopped.
"""

import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any

from absl import flags
from tqdm import tqdm

from marjolet_spiel.first_use import say_when_compiling
from marjolet_spiel.rules import Rules
from scripts.arena.plan.game_text import parse_game
from scripts.arena.store.settings import check_settings, read_settings
from scripts.command_line import STOPPED, StopSign, check_no_words, flags_parser, refuses
from scripts.shared_flags import CheckpointFlag, GameFlags, OutputFlag, SeedFlag
from scripts.whole_files import write_whole

with say_when_compiling():
    from marjolet_spiel.solvers.blueprint.file import write_policy
    from marjolet_spiel.solvers.blueprint.training import (
        DEFAULT_ROWS,
        Training,
        check_rows,
        table_bytes,
    )

FLAGS = flags.FlagValues()

_ITERATIONS = flags.DEFINE_integer(
    "iterations",
    None,
    "how many iterations in all, those before included; an iteration is two deals",
    flag_values=FLAGS,
)
_MINUTES = flags.DEFINE_float(
    "minutes", None, "train so long, instead of --iterations", flag_values=FLAGS
)
_GAME = GameFlags(FLAGS)
_SEED = SeedFlag(FLAGS)
_OUTPUT = OutputFlag(FLAGS, "results/cfr", holds=", policy.npz among them")
_CHECKPOINTS = CheckpointFlag(FLAGS)
_ROWS = flags.DEFINE_integer(
    "rows", DEFAULT_ROWS, "places for buckets in the table, a power of two", flag_values=FLAGS
)

DEFAULT_ITERATIONS = 1_000_000
_CHUNK = 500
_FIRST_MARGIN, _NEXT_MARGIN = 5.0, 20.0  # seconds
_QUICK_PAIRS, _PAIRS = 5_000, 50_000
_MARGIN_SEED = 1_000_003


@dataclass(frozen=True)
class Job:
    """A training and its folder.

    Attributes:
      game: the text of the game.
      seed: the root of all randomness.
      rows: rows of its table.
      folder: where it is kept.
    """

    game: str
    seed: int
    rows: int
    folder: Path

    @property
    def policy(self) -> Path:
        """The file that is played."""
        return self.folder / "policy.npz"

    @property
    def checkpoint(self) -> Path:
        """The file from which the training goes on."""
        return self.folder / "checkpoint.npz"

    @property
    def manifest(self) -> Path:
        """The file that says what is trained."""
        return self.folder / "run.json"

    def settings(self) -> dict[str, Any]:
        """What must be the same in a training that goes on with this one."""
        return {"game": self.game, "seed": self.seed, "rows": self.rows}


@dataclass
class Due:
    """Says when something is due that is done again and again.

    Attributes:
      at: the moment from which on it is due, in seconds.
      every: seconds from when it is done to when it is due again.
    """

    at: float
    every: float

    def is_due(self, now: float) -> bool:
        """Whether it is; then it counts as done."""
        if now < self.at:
            return False
        self.at = now + self.every
        return True


def begin(job: Job) -> Training:
    """A new training, or the one in the folder; ValueError if there can be none."""
    rules = Rules.from_parameters(parse_game(job.game))
    if rules.is_match:
        raise ValueError(
            f"--target: {rules.target} is not allowed; deals are trained, and the policy plays in "
            "matches too"
        )
    check_rows(job.rows)
    if job.manifest.exists():
        check_settings(job.folder, read_settings(job.manifest), job.settings())
    if job.checkpoint.exists():
        return Training.load(job.checkpoint, rules)
    return Training(rules, job.seed, job.rows)


def size_text(rows: int) -> str:
    """What a table takes."""
    return f"a table of {rows:,} rows, {table_bytes(rows) / 1e6:.1f} MB"


def save(training: Training, job: Job) -> None:
    """Writes what is trained, the checkpoint and the policy."""
    write_whole(job.manifest, json.dumps(job.settings(), indent=1) + "\n")
    training.save(job.checkpoint)
    write_policy(job.policy, training.rules, training.policy())


def margin_text(training: Training, pairs: int) -> str:
    """How the average policy does against the heuristic policy."""
    margin, half = training.margin(pairs, _MARGIN_SEED)
    return f"{margin:+.1f} ± {half:.1f}"


def train(
    training: Training, job: Job, iterations: int | None, seconds: float, save_every: float
) -> bool:
    """Trains and saves; whether it came to the end and was not stopped.

    Args:
      training: what is trained.
      job: where it is kept.
      iterations: how many in all; None if only the time counts.
      seconds: how long at most.
      save_every: seconds between two checkpoints.
    """
    start = time.monotonic()
    checkpoint, margin = (
        Due(start + save_every, save_every),
        Due(start + _FIRST_MARGIN, _NEXT_MARGIN),
    )
    with StopSign() as stop, _bar(training, iterations) as bar:
        while not stop.is_set:
            left = _CHUNK if iterations is None else iterations - training.iterations
            now = time.monotonic()
            if left <= 0 or now - start >= seconds:
                break
            training.run(min(_CHUNK, left))
            bar.update(min(_CHUNK, left))
            if margin.is_due(now):
                text = margin_text(training, _QUICK_PAIRS)
                bar.set_postfix_str(f"{training.buckets} buckets, {text} a deal against heuristic")
            if checkpoint.is_due(now):
                save(training, job)
        save(training, job)
        return not stop.is_set


def _bar(training: Training, iterations: int | None) -> Any:
    return tqdm(
        total=iterations,
        initial=training.iterations,
        unit="it",
        disable=None,
        file=sys.stderr,
    )


def say(text: str) -> None:
    """A line on stderr."""
    print(text, file=sys.stderr, flush=True)


def duration_of_flags() -> tuple[int | None, float]:
    """How many iterations and seconds are trained at most; ValueError if the flags are wrong."""
    iterations, minutes = _ITERATIONS.value, _MINUTES.value
    if iterations is not None and minutes is not None:
        raise ValueError("minutes: goes without --iterations, as one of them ends the training")
    for name, value in (("iterations", iterations), ("minutes", minutes)):
        if value is not None and not value > 0:
            raise ValueError(f"{name}: {value} is not allowed; it must be more than 0")
    if minutes is not None:
        return None, 60 * minutes
    return DEFAULT_ITERATIONS if iterations is None else iterations, inf


def run() -> int:
    """Trains as the flags say; the exit code. ValueError if they are wrong."""
    iterations, seconds = duration_of_flags()
    save_every = _CHECKPOINTS.seconds()
    job = Job(_GAME.text(), _SEED.number(), _ROWS.value, _OUTPUT.folder("results/cfr"))
    training = begin(job)
    job.folder.mkdir(parents=True, exist_ok=True)
    before = f"going on after {training.iterations:,} iterations, " if training.iterations else ""
    say(before + size_text(training.rows))
    ended = train(training, job, iterations, seconds, save_every)
    say(summary(training, job.policy))
    if not ended:
        say("stopped; the same command goes on")
    return 0 if ended else STOPPED


def summary(training: Training, policy: Path) -> str:
    """What came of a training."""
    text = (
        f"{policy}: {policy.stat().st_size / 1e6:.2f} MB, {training.iterations:,} iterations, "
        f"{training.updates:,} decisions updated in {training.buckets:,} buckets"
    )
    if training.refused:
        text += f" (no place for one {training.refused:,} times: more --rows)"
    margin = margin_text(training, _PAIRS)
    return f"{text}\n{margin} points a deal against the heuristic policy (95%, {_PAIRS:,} pairs)"


@refuses("train_cfr", OSError)
def main(argv: Sequence[str]) -> int:
    """Trains; bad input is one sentence and exit code 2."""
    check_no_words(argv)
    return run()


parse_flags = flags_parser("train_cfr", FLAGS, __doc__)


if __name__ == "__main__":
    sys.exit(main(parse_flags(sys.argv)))
