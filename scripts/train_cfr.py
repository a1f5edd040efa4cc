"""Trains full-pack CFR: ``python -m scripts.train_cfr``.

What it writes is played by the bot ``cfr:FILE``. For example::

    python -m scripts.train_cfr --minutes=10
    python -m scripts.train_cfr --profile=dutch --iterations=2000000 --output=results/dutch.npz
    python -m scripts.train_cfr --iterations=4000000 --resume
    python -m scripts.tournament --bots="cfr:results/cfr.npz;greedy" --pairs=500

Beside the file lies a checkpoint, ``FILE.checkpoint``, written every few minutes, at the end and
after Ctrl-C; what ends the program otherwise costs what was done since the last one. With
``--resume`` the training goes on from there, and gives the same file as one that never stopped.
"""

import sys
import time
from collections.abc import Sequence
from pathlib import Path

from absl import app, flags
from tqdm import tqdm

from marjolet_spiel.first_use import say_when_compiling
from marjolet_spiel.rules import PROFILES, Rules
from scripts.arena.plan.config import MAX_SEED
from scripts.arena.plan.game_text import parse_assignments
from scripts.command_line import STOPPED, StopSign, flags_parser, refuses

with say_when_compiling():
    from marjolet_spiel.solvers.blueprint.file import write_policy
    from marjolet_spiel.solvers.blueprint.training import (
        DEFAULT_ROWS,
        Training,
        check_rows,
        table_bytes,
    )

FLAGS = flags.FLAGS if __name__ == "__main__" else flags.FlagValues()
"""Flags of its own unless it is the program: others have flags of the same names."""

_PROFILE = flags.DEFINE_string(
    "profile", "english", "whose rules: " + ", ".join(PROFILES), flag_values=FLAGS
)
_PARAMETERS = flags.DEFINE_string(
    "game_params", "", "more parameters of the game as 'NAME=VALUE;NAME=VALUE'", flag_values=FLAGS
)
_ITERATIONS = flags.DEFINE_integer(
    "iterations",
    None,
    "how many iterations in all, those before --resume included; an iteration is two deals",
    flag_values=FLAGS,
)
_MINUTES = flags.DEFINE_float(
    "minutes", None, "train so long, instead of --iterations", flag_values=FLAGS
)
_SEED = flags.DEFINE_integer(
    "seed", 1, "the root of all randomness; a resumed training keeps its own", flag_values=FLAGS
)
_OUTPUT = flags.DEFINE_string(
    "output", "results/cfr.npz", "the file with the policy", flag_values=FLAGS
)
_RESUME = flags.DEFINE_bool(
    "resume", False, "go on from the checkpoint, if there is one", flag_values=FLAGS
)
_CHECKPOINT_MINUTES = flags.DEFINE_float(
    "checkpoint_minutes", 2.0, "minutes between two checkpoints", flag_values=FLAGS
)
_ROWS = flags.DEFINE_integer(
    "rows",
    DEFAULT_ROWS,
    "places for buckets in the table, a power of two; a resumed training keeps its own",
    flag_values=FLAGS,
)

DEFAULT_ITERATIONS = 1_000_000
_CHUNK = 500
_FIRST_MARGIN, _NEXT_MARGIN = 5.0, 20.0  # seconds
_QUICK_PAIRS, _PAIRS = 5_000, 50_000
_MARGIN_SEED = 1_000_003


def checkpoint_of(output: Path) -> Path:
    """Where the checkpoint of a policy file lies."""
    return output.with_name(output.name + ".checkpoint")


def begin(rules: Rules, seed: int, rows: int, output: Path, resume: bool) -> Training:
    """A new training or the one of the checkpoint; ValueError if there can be none."""
    checkpoint = checkpoint_of(output)
    if not checkpoint.exists():
        check_rows(rows)
        say(size_text(rows))
        return Training(rules, seed, rows)
    if not resume:
        raise ValueError(
            f"output: there is a training already, {str(checkpoint)!r}; --resume goes on with it, "
            "another --output or removing it begins anew"
        )
    return Training.load(checkpoint, rules)


def size_text(rows: int) -> str:
    """What a table takes."""
    return f"a table of {rows:,} rows, {table_bytes(rows) / 1e6:.1f} MB"


def save(training: Training, output: Path) -> None:
    """Writes the checkpoint and the policy."""
    training.save(checkpoint_of(output))
    write_policy(output, training.rules, training.policy())


def margin_text(training: Training, pairs: int) -> str:
    """How the average policy does against the sense of cards."""
    margin, half = training.margin(pairs, _MARGIN_SEED)
    return f"{margin:+.1f} ± {half:.1f}"


def train(
    training: Training, output: Path, iterations: int | None, seconds: float, save_every: float
) -> bool:
    """Trains and saves; whether it came to the end and was not stopped.

    Args:
      training: what is trained.
      output: the file with the policy.
      iterations: how many in all; None if only the time counts.
      seconds: how long at most.
      save_every: seconds between two checkpoints.
    """
    start = last_save = time.monotonic()
    next_margin = start + _FIRST_MARGIN
    with (
        StopSign() as stop,
        tqdm(
            total=iterations,
            initial=training.iterations,
            unit="it",
            disable=None,
            file=sys.stderr,
        ) as bar,
    ):
        while not stop.is_set:
            left = _CHUNK if iterations is None else iterations - training.iterations
            now = time.monotonic()
            if left <= 0 or now - start >= seconds:
                break
            training.run(min(_CHUNK, left))
            bar.update(min(_CHUNK, left))
            if now >= next_margin:
                text = margin_text(training, _QUICK_PAIRS)
                bar.set_postfix_str(f"{training.buckets} buckets, {text} a deal against sense")
                next_margin = now + _NEXT_MARGIN
            if now - last_save >= save_every:
                save(training, output)
                last_save = now
        save(training, output)
        return not stop.is_set


def say(text: str) -> None:
    """A line on stderr."""
    print(text, file=sys.stderr, flush=True)


def run() -> int:
    """Trains as the flags say; the exit code. ValueError if they are wrong."""
    iterations, minutes = _ITERATIONS.value, _MINUTES.value
    if iterations is not None and minutes is not None:
        raise ValueError("minutes: goes without --iterations, as one of them ends the training")
    if iterations is None and minutes is None:
        iterations = DEFAULT_ITERATIONS
    for name, value in (("iterations", iterations), ("minutes", minutes)):
        if value is not None and not value > 0:
            raise ValueError(f"{name}: {value} is not allowed; it must be more than 0")
    if not _CHECKPOINT_MINUTES.value >= 0:
        raise ValueError(f"checkpoint_minutes: {_CHECKPOINT_MINUTES.value} is not allowed")
    if not 0 <= _SEED.value <= MAX_SEED:
        raise ValueError(f"seed: {_SEED.value} is not allowed; it must be from 0 to {MAX_SEED}")
    parameters = parse_assignments(_PARAMETERS.value.split(";"), "game_params")
    rules = Rules.from_parameters({**parameters, "profile": _PROFILE.value})
    output = Path(_OUTPUT.value)
    training = begin(rules, _SEED.value, _ROWS.value, output, _RESUME.value)
    output.parent.mkdir(parents=True, exist_ok=True)
    if training.iterations:
        say(f"going on after {training.iterations:,} iterations, {size_text(training.rows)}")
    seconds = float("inf") if minutes is None else 60 * minutes
    ended = train(training, output, iterations, seconds, 60 * _CHECKPOINT_MINUTES.value)
    say(summary(training, output))
    if not ended:
        say("stopped; the same command with --resume goes on")
    return 0 if ended else STOPPED


def summary(training: Training, output: Path) -> str:
    """What came of a training."""
    text = (
        f"{output}: {output.stat().st_size / 1e6:.2f} MB, {training.iterations:,} iterations, "
        f"{training.updates:,} decisions updated in {training.buckets:,} buckets"
    )
    if training.refused:
        text += f" (no place for one {training.refused:,} times: more --rows)"
    margin = margin_text(training, _PAIRS)
    return f"{text}\n{margin} points a deal against the sense of cards (95%, {_PAIRS:,} pairs)"


@refuses("train_cfr", OSError)
def main(argv: Sequence[str]) -> int:
    """Trains; bad input is one sentence and exit code 2."""
    if len(argv) > 1:
        raise ValueError(f"unknown argument {argv[1]!r}; see --help")
    return run()


parse_flags = flags_parser("train_cfr", FLAGS)


if __name__ == "__main__":
    app.run(main, flags_parser=parse_flags)
