"""Plays a seeded round robin on duplicate deals: ``python -m scripts.tournament``.

Without flags random plays greedy for about 20 seconds. More::

    python -m scripts.tournament --bots=random,greedy --pairs=200 --seed=1 --profile=dutch
    python -m scripts.tournament --bots="greedy;random:seed=1;random:seed=2" --target=300
    python -m scripts.tournament --bots=greedy --bots=random:seed=5 --game_params="sweep_bonus=40"

Every result is on disk as soon as its block is finished. The same command again goes on where it
stopped, and gives the same results as if it had not. So do ``--n_jobs=4``, and shards that other
machines play (``--shard=1/3``) once ``python -m scripts.merge`` has put them together.
"""

import sys
import time
from collections.abc import Sequence
from pathlib import Path

from absl import app, flags

from bots.registry import split_specs
from marjolet_spiel.rules import DEFAULT_PARAMETERS, PROFILES, Rules
from scripts.arena.game_text import game_text, parse_assignments, parse_game
from scripts.arena.plan import Config, Plan, check_bots, make_config
from scripts.arena.report import anchor_of, command_for, how_to_go_on, report
from scripts.arena.runner import ALL, Shard, missing_blocks, parse_shard, run
from scripts.arena.store import Store, StoreError
from scripts.arena.workers import BACKENDS, Crew, LostWorkerError, make_crew
from scripts.command_line import BAD_INPUT, STOPPED, complain, flags_parser

_BOTS = flags.DEFINE_multi_string(
    "bots",
    ["random,greedy"],
    "the bots, as NAME or NAME:OPTION=VALUE,...; several are separated by blanks or ';', or by "
    "commas if none has options, or the flag is repeated",
)
_PAIRS = flags.DEFINE_integer("pairs", 2500, "duplicate pairs for each pairing of bots")
_SEED = flags.DEFINE_integer("seed", 1, "the root of all randomness")
_PROFILE = flags.DEFINE_string("profile", "english", "whose rules: " + ", ".join(PROFILES))
_TARGET = flags.DEFINE_integer("target", 0, "points that win a match; 0 plays single deals")
_PARAMETERS = flags.DEFINE_string(
    "game_params",
    "",
    "more parameters of the game as 'NAME=VALUE;NAME=VALUE': " + ", ".join(DEFAULT_PARAMETERS),
)
_GAME = flags.DEFINE_string(
    "game",
    None,
    "the game as one text such as 'python_marjolet(profile=dutch,target=300)', instead of "
    "--profile, --target and --game_params",
)
_OUTPUT = flags.DEFINE_string(
    "output", None, "folder for the results; by default results/tournament-HASH"
)
_CHEATING = flags.DEFINE_bool("allow_cheating", False, "let bots play that look at hidden cards")
_ANCHOR = flags.DEFINE_string(
    "anchor", None, "the bot whose Elo rating is 0, by default the first; shown from three bots on"
)
_BLOCK_PAIRS = flags.DEFINE_integer("block_pairs", 10, "pairs that are stored together")

_JOBS = flags.DEFINE_integer("n_jobs", 1, "how many blocks are played at once; -1: all cores")
_BACKEND = flags.DEFINE_string(
    "backend",
    None,
    f"how joblib starts the workers: {', '.join(BACKENDS)}; by default serial for one job, else "
    "loky",
)
_SHARD = flags.DEFINE_string(
    "shard", None, "i/n plays the i-th of n parts, for python -m scripts.merge to put together"
)

LOST_WORKER = 3


def game_of_flags() -> str:
    """The text of the game that the flags describe; ValueError if they are wrong."""
    others = (_PROFILE, _TARGET, _PARAMETERS)
    if _GAME.value is not None:
        given = [f"--{flag.name}" for flag in others if flag.present]
        if given:
            raise ValueError(f"--game: cannot be given together with {', '.join(given)}")
        return game_text(parse_game(_GAME.value))
    more = [part for part in _PARAMETERS.value.split(";") if part.strip()]
    own = [f"{flag.name}={flag.value}" for flag in (_PROFILE, _TARGET)]
    named = {part.partition("=")[0].strip() for part in more}
    for flag in (_PROFILE, _TARGET):
        if flag.present and flag.name in named:
            raise ValueError(f"--{flag.name}: is given in --game_params too")
    own = [part for part in own if part.partition("=")[0] not in named]
    return game_text(parse_assignments([*own, *more], "--game_params"))


def config_of_flags() -> Config:
    """The configuration that the flags describe; ValueError if they are wrong."""
    bots = split_specs(_BOTS.value)
    numbers = (_PAIRS.value, _SEED.value, _BLOCK_PAIRS.value)
    return make_config(game_of_flags(), bots, *numbers, allow_cheating=_CHEATING.value)


def describe(plan: Plan, store: Store, shard: Shard = ALL) -> str:
    """What is about to be played."""
    config, rules = plan.config, Rules.from_parameters(parse_game(plan.config.game))
    kind = f"matches to {rules.target}" if rules.is_match else "single deals"
    there = len(store.records)
    size = sum(map(shard.has, plan.blocks))
    part = "" if shard == ALL else f"shard {shard}: {size} of {len(plan.blocks)} blocks\n"
    state = f" ({there} of {len(plan.blocks)} blocks are there)" if there else ""
    return (
        f"{config.game}: {rules.profile} rules, {kind}\n"
        f"bots: {', '.join(config.bots)}\n"
        f"{config.pairs} duplicate pairs a pairing, {plan.num_games} games, seed {config.seed}\n"
        f"{part}"
        f"results in {store.folder}{state}\n"
    )


def play(plan: Plan, folder: Path, anchor: str, crew: Crew, shard: Shard) -> int:
    """Plays a plan, or a shard of it, into its store and prints the result; the exit code."""
    command = command_for(plan.config, folder, anchor)
    command += [f"--shard={shard}"] if shard != ALL else []
    with Store(folder, plan, command) as store:
        print(describe(plan, store, shard), flush=True)
        if store.older_versions:
            print(f"tournament: the store was made with {store.older_versions}", file=sys.stderr)
        blocks, start = len(missing_blocks(plan, store, shard)), time.perf_counter()
        try:
            code = 0 if run(plan, store, crew, shard) else STOPPED
        except LostWorkerError as error:
            print(f"tournament: {error}", file=sys.stderr)
            code = LOST_WORKER
        seconds = time.perf_counter() - start
        if code:
            print(f"\nstopped: {len(store.records)} of {len(plan.blocks)} blocks are finished\n")
        command += [f"--{flag.name}={flag.value}" for flag in (_JOBS, _BACKEND) if flag.present]
        print(report(plan, store.records, anchor))
        print(how_to_go_on(folder, command, "go on" if code else "repeat"))
        if blocks and not code:
            print(f"{blocks} blocks in {seconds:.1f} s", file=sys.stderr)
    return code


def main(argv: Sequence[str]) -> int:
    """Plays the tournament that the flags describe; bad input is one sentence and exit code 2."""
    try:
        if len(argv) > 1:
            raise ValueError(f"unknown argument {argv[1]!r}; see --help")
        crew = make_crew(_JOBS.value, _BACKEND.value)
        shard = ALL if _SHARD.value is None else parse_shard(_SHARD.value)
        plan = Plan(config_of_flags())
        anchor = anchor_of(plan.config, _ANCHOR.value)
        check_bots(plan.config)
        part = "" if shard == ALL else f"-shard{shard.number}of{shard.count}"
        default = Path("results") / f"tournament-{plan.hash[:8]}{part}"
        folder = Path(_OUTPUT.value) if _OUTPUT.value else default
        return play(plan, folder, anchor, crew, shard)
    except (ValueError, StoreError) as error:
        complain("tournament", error)
        return BAD_INPUT


parse_flags = flags_parser("tournament")


if __name__ == "__main__":
    app.run(main, flags_parser=parse_flags)
