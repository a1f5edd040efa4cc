"""Plays a seeded round robin on duplicate deals: ``python -m scripts.tournament``.

Without flags random plays greedy for about 20 seconds. More::

    python -m scripts.tournament --bots=random,greedy --pairs=200 --seed=1 --profile=dutch
    python -m scripts.tournament --bots="greedy;random:seed=1;random:seed=2" --target=300
    python -m scripts.tournament --bots=greedy --bots=random:seed=5 --game_params="sweep_bonus=40"
    python -m scripts.tournament --gauntlet=ismcts --bots="greedy pimc random"
    python -m scripts.tournament --bots="ismcts greedy" --sprt=0,10 --pairs=5000
    python -m scripts.tournament --flagfile=my.flags --dry_run

Every result is on disk as soon as its block is finished. The same command again goes on where it
stopped, and gives the same results as if it had not. So do ``--n_jobs=4``, and shards that other
machines play (``--shard=1/3``) once ``python -m scripts.merge`` has put them together.
"""

import sys
import time
from collections.abc import Sequence
from pathlib import Path

from absl import flags

from scripts.arena.plan.config import Config, Watch, make_config
from scripts.arena.plan.pairings import Plan
from scripts.arena.play.guard import PlayerError
from scripts.arena.play.runner import (
    ALL,
    Shard,
    make_sure_of_bots,
    parse_shard,
    play_here,
    run,
)
from scripts.arena.play.workers import Crew, LostWorkerError
from scripts.arena.report.console import (
    anchor_of,
    command_for,
    description,
    forecast_text,
    how_it_was_written,
    how_to_go_on,
    report,
)
from scripts.arena.report.findings import Findings, findings
from scripts.arena.report.forecast import forecast
from scripts.arena.report.markdown import write_report
from scripts.arena.store.manifest import StoreError
from scripts.arena.store.reading import times_of
from scripts.arena.store.store import Store
from scripts.command_line import STOPPED, check_no_words, complain, flags_parser, refuses
from scripts.phrases import counted, counted_are
from scripts.shared_flags import (
    BotsFlag,
    GameFlags,
    JobFlags,
    LimitFlags,
    OutputFlag,
    SeedFlag,
    define_anchor,
    define_report,
)

DEFAULT_BOTS = ["random", "greedy"]

FORFEITS, LOST_WORKER = 3, 4
"""Exit codes: after forfeits if they are not allowed, and when a worker died."""

FLAGS = flags.FlagValues()

_BOTS = BotsFlag(FLAGS, DEFAULT_BOTS, "the bots")
_PAIRS = flags.DEFINE_integer(
    "pairs", 2500, "duplicate pairs for each pairing of bots", flag_values=FLAGS
)
_SEED = SeedFlag(FLAGS)
_GAME = GameFlags(FLAGS)
_OUTPUT = OutputFlag(FLAGS, "results/tournament-HASH")
_JOBS = JobFlags(FLAGS)
_RECORD = flags.DEFINE_bool(
    "record",
    False,
    "keep every game, for python -m scripts.replay to play back",
    flag_values=FLAGS,
)
_GAUNTLET = flags.DEFINE_string(
    "gauntlet",
    "",
    "a bot that plays each of the others, while these do not meet",
    flag_values=FLAGS,
)
_SPRT = flags.DEFINE_string(
    "sprt",
    "",
    "t0,t1 ends a tournament of two bots as soon as it is decided whether the margin of the first "
    "is t0 or t1, in points a deal or the return of a match; --pairs is the most that is played",
    flag_values=FLAGS,
)
_SHARD = flags.DEFINE_string(
    "shard",
    None,
    "i/n plays the i-th of n parts, for python -m scripts.merge to put together",
    flag_values=FLAGS,
)
_DRY_RUN = flags.DEFINE_bool(
    "dry_run",
    False,
    "only say what would be played and about how long it would take",
    flag_values=FLAGS,
)
_ANCHOR = define_anchor(FLAGS)
_REPORT = define_report(FLAGS)
_LIMITS = LimitFlags(FLAGS)
_STRICT = flags.DEFINE_bool(
    "strict", False, f"end with exit code {FORFEITS} if any game was forfeited", flag_values=FLAGS
)
_CHEATING = flags.DEFINE_bool(
    "allow_cheating", False, "let bots play that look at hidden cards", flag_values=FLAGS
)
_AUDIT_PAIRS = flags.DEFINE_integer(
    "audit_pairs",
    1,
    "how many pairs, the first of each pairing, are searched for moves that depend on hidden cards",
    flag_values=FLAGS,
)
_BLOCK_PAIRS = flags.DEFINE_integer(
    "block_pairs", 10, "pairs that are stored together", flag_values=FLAGS
)


def config_of_flags() -> Config:
    """The configuration that the flags describe; ValueError if they are wrong."""
    limits = (_LIMITS.seconds(), _LIMITS.megabytes())
    watch = Watch(_AUDIT_PAIRS.value, *limits, allow_cheating=_CHEATING.value)
    return make_config(
        _GAME.text(),
        _BOTS.texts() if _BOTS.is_given or not _GAUNTLET.value else DEFAULT_BOTS,
        _PAIRS.value,
        _SEED.number(),
        _BLOCK_PAIRS.value,
        gauntlet=_GAUNTLET.value,
        sprt=_SPRT.value,
        watch=watch,
    )


def play(plan: Plan, folder: Path, anchor: str, crew: Crew, shard: Shard) -> int:
    """Plays a plan, or a shard of it, into its store and prints the result; the exit code."""
    command = command_for(plan.config, folder, anchor)
    command += [f"--shard={shard}"] if shard != ALL else []
    command += [f"--{flag.name}" for flag in (_RECORD, _STRICT) if flag.value]
    with Store(folder, plan, command, record=_RECORD.value) as store:
        print(description(plan, shard, folder, len(store.records)), flush=True)
        if store.older_versions:
            print(f"tournament: the store was made with {store.older_versions}", file=sys.stderr)
        code = run_timed(plan, store, crew, shard)
        if code:
            of = f"{len(store.records)} of {counted_are(len(plan.blocks), 'block')}"
            print(f"\nstopped: {of} finished\n")
        command += _JOBS.given()
        found = findings(plan, store.records, anchor)
        print(report(found))
        if _REPORT.value:
            print_report(found, store, command)
        print(how_to_go_on(folder, command, "go on" if code else "repeat"))
    has_forfeits = any(record.num_forfeits for record in store.records.values())
    return FORFEITS if not code and _STRICT.value and has_forfeits else code


def run_timed(plan: Plan, store: Store, crew: Crew, shard: Shard) -> int:
    """Plays what is missing, and says on stderr how long it took; the exit code."""
    before, start = len(store.records), time.perf_counter()
    try:
        if not run(plan, store, crew, shard):
            return STOPPED
    except (LostWorkerError, PlayerError) as error:
        complain("tournament", error)
        return LOST_WORKER
    played = len(store.records) - before
    if played > 0:
        took = time.perf_counter() - start
        print(f"{counted(played, 'block')} in {took:.1f} s", file=sys.stderr)
    return 0


def print_report(found: Findings, store: Store, command: Sequence[str]) -> None:
    """Writes the report beside the results, and prints where it is."""
    times = times_of(found.plan, found.records, store.times)
    try:
        files = write_report(found, times, store.folder, command, store.made_by)
    except OSError as error:
        complain("tournament", StoreError(f"{store.folder}: the report cannot be written: {error}"))
    else:
        print(f"\n{how_it_was_written(files)}")


@refuses("tournament", StoreError)
def main(argv: Sequence[str]) -> int:
    """Plays the tournament that the flags describe; bad input is one sentence and exit code 2."""
    check_no_words(argv)
    crew = _JOBS.crew()
    shard = ALL if _SHARD.value is None else parse_shard(_SHARD.value)
    plan = Plan(config_of_flags())
    if plan.config.sprt and shard != ALL:
        raise ValueError(
            f"shard: {_SHARD.value!r} cannot be given together with --sprt; whether a block is "
            "played depends on all before it"
        )
    anchor = anchor_of(plan.config, _ANCHOR.value)
    try:
        make_sure_of_bots(plan.config)
        if _DRY_RUN.value:
            return foretell(plan, crew, shard)
        return play(plan, folder_of_flags(plan, shard), anchor, crew, shard)
    except (LostWorkerError, PlayerError) as error:
        complain("tournament", error)
        return LOST_WORKER


def foretell(plan: Plan, crew: Crew, shard: Shard) -> int:
    """Prints what would be played, and about how long it would take; the exit code."""
    print(description(plan, shard, folder_of_flags(plan, shard)))
    print(forecast_text(plan, forecast(plan.config, play_here, crew.n_jobs), crew.n_jobs))
    return 0


def folder_of_flags(plan: Plan, shard: Shard) -> Path:
    """Where the results go."""
    part = "" if shard == ALL else f"-shard{shard.number}of{shard.count}"
    return _OUTPUT.folder(f"results/tournament-{plan.hash[:8]}{part}")


parse_flags = flags_parser("tournament", FLAGS, __doc__)


if __name__ == "__main__":
    sys.exit(main(parse_flags(sys.argv)))
