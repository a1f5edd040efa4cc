"""Trains a network by self-play: ``python -m scripts.train_net``.

What it writes is played by the bot ``net:FILE``. For example::

    python -m scripts.train_net                                  # the four profiles, an hour
    python -m scripts.train_net --profile=dutch --lessons=500
    python -m scripts.train_net --pack=kqj7-dutch --lessons=200 --opponents=random
    python -m scripts.train_net --hyperparameters="width=128;targets=all;entropy=0.05"
    python -m scripts.tournament --bots="net:results/net/net.npz;greedy" --pairs=500

A lesson plays some decisions in many games side by side and learns from them by PPO, with a critic
that sees all cards. Between lessons the network is judged: on duplicate deals that it is not
trained on, against some bots. The network is ``net.npz`` in the folder of results, what it was
worth when ``evaluations.jsonl``, drawn as ``curve.png`` and ``curve.svg``. Beside them lies
``checkpoint.npz``, written every few minutes, at the end and after Ctrl-C. The same command goes on
from there, and what comes of it is the same as if it had never stopped. If learning diverges it
goes back to the checkpoint and says so.
"""

import sys
from collections.abc import Sequence
from typing import Any

from absl import flags
from tqdm import tqdm

from marjolet_spiel.first_use import say_when_compiling
from marjolet_spiel.rules import PROFILES, ladder
from scripts.arena.plan.config import MAX_SEED, check_whole
from scripts.arena.plan.game_text import game_text, rules_of
from scripts.command_line import STOPPED, check_no_words, flags_parser, refuses
from scripts.drawing import NoPictureError
from scripts.shared_flags import BotsFlag, CheckpointFlag, GameFlags, OutputFlag, PackFlag, SeedFlag
from scripts.train_net.hyperparameters import parse_hyperparameters
from scripts.train_net.job import Job
from scripts.train_net.picture import draw

HOW_TO_LEARN = "pip install -e '.[learn]'"

FLAGS = flags.FlagValues()

MAX_LESSONS, MAX_PAIRS, MAX_EVALUATIONS = 10**7, 10**6, 1000

_LESSONS = flags.DEFINE_integer(
    "lessons", 2500, "how many lessons in all; rates fall until the last", flag_values=FLAGS
)
_GAME = GameFlags(FLAGS, several=True)
_PACK = PackFlag(FLAGS, None, "a small pack instead of the four profiles")
_OPPONENTS = BotsFlag(
    FLAGS, ["greedy", "ismcts:sims=100"], "the bots that judge it", name="opponents"
)
_PAIRS = flags.DEFINE_integer(
    "pairs", 500, "duplicate pairs against each of them, in each game", flag_values=FLAGS
)
_EVALUATIONS = flags.DEFINE_integer(
    "evaluations", 10, "how often it is judged, the last time at the end", flag_values=FLAGS
)
_HYPERPARAMETERS = flags.DEFINE_string(
    "hyperparameters",
    "",
    "how learning goes, as 'NAME=VALUE;NAME=VALUE'; scripts/README.md explains them",
    flag_values=FLAGS,
)
_SEED = SeedFlag(FLAGS)
_DEAL_SEED = flags.DEFINE_integer(
    "deal_seed", 1_000_003, "the seed of the deals on which it is judged", flag_values=FLAGS
)
_OUTPUT = OutputFlag(FLAGS, "results/net", holds=", net.npz among them")
_CHECKPOINTS = CheckpointFlag(FLAGS)


def games_of_flags() -> tuple[str, ...]:
    """The texts of the games; ValueError if the flags are wrong."""
    pack = _PACK.name_beside(_GAME)
    if pack is not None:
        return (game_text(ladder()[pack].parameters),)
    profiles = [game_text({"profile": name}) for name in PROFILES]
    games = _GAME.texts() if _GAME.given() else profiles
    rules = [rules_of(game) for game in games]
    if any(one.is_match for one in rules):
        raise ValueError("--target: deals are trained; the network plays in matches too")
    if len({(one.pack, one.hand_size) for one in rules}) > 1:
        raise ValueError("--game: games of several packs are not allowed; a network is for one")
    return tuple(dict.fromkeys(games))


def job_of_flags() -> Job:
    """The job that the flags describe; ValueError if they are wrong."""
    check_whole("lessons", _LESSONS.value, 1, MAX_LESSONS)
    check_whole("pairs", _PAIRS.value, 2, MAX_PAIRS)
    check_whole("evaluations", _EVALUATIONS.value, 0, MAX_EVALUATIONS)
    check_whole("deal_seed", _DEAL_SEED.value, 0, MAX_SEED)
    return Job(
        games_of_flags(),
        parse_hyperparameters(_HYPERPARAMETERS.value),
        _LESSONS.value,
        _SEED.number(),
        tuple(_OPPONENTS.texts()),
        _PAIRS.value,
        _EVALUATIONS.value,
        _DEAL_SEED.value,
        _OUTPUT.folder("results/net"),
    )


def begin(job: Job) -> Any:
    """A `Run` of a job; ValueError if there can be none."""
    try:
        with say_when_compiling():
            from scripts.train_net.evaluation import check_opponent
            from scripts.train_net.run import Run
    except ModuleNotFoundError as error:
        if error.name not in ("jax", "jaxlib", "optax"):
            raise
        raise ValueError(f"{error.name} is not installed: {HOW_TO_LEARN}") from None
    for opponent in job.opponents:
        check_opponent(opponent, job.games[0])
    return Run(job)


def say(text: str) -> None:
    """A line on stderr, below which the bar goes on."""
    tqdm.write(text, file=sys.stderr)


def finish(run: Any) -> None:
    """Says what came of a training and draws it."""
    job, training = run.job, run.training
    print(
        f"{job.network}: {job.network.stat().st_size / 1e6:.2f} MB, {training.lesson:,} lessons, "
        f"{training.decisions:,} decisions, {training.deals:,} deals in {run.minutes:.1f} minutes"
    )
    for result in run.results[-len(job.games) * len(job.opponents) :]:
        print(result.in_words())
    if run.results:
        try:
            draw(job.folder, run.results)
            print(f"the learning curve is {job.folder / 'curve.png'}")
        except NoPictureError as error:
            print(f"train_net: no curve is drawn, as {error}", file=sys.stderr)


@refuses("train_net", OSError)
def main(argv: Sequence[str]) -> int:
    """Trains what the flags describe; bad input is one sentence and exit code 2."""
    check_no_words(argv)
    job, save_every = job_of_flags(), _CHECKPOINTS.seconds()
    run = begin(job)
    if run.training.lesson:
        say(f"going on after {run.training.lesson:,} lessons")
    ended = run.go_on(save_every, say)
    finish(run)
    if not ended:
        say("stopped; the same command goes on")
    return 0 if ended else STOPPED


parse_flags = flags_parser("train_net", FLAGS, __doc__)


if __name__ == "__main__":
    sys.exit(main(parse_flags(sys.argv)))
