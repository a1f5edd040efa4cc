"""What a front end prints of a store: its tables, and the command that goes on."""

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from bots.registry import parse_spec, sees_all
from scripts.arena.plan.config import Config, gigabytes_text
from scripts.arena.plan.game_text import kind_of_game
from scripts.arena.plan.pairings import Plan
from scripts.arena.play.runner import ALL, Shard
from scripts.arena.report.comparison import comparison_table
from scripts.arena.report.findings import Findings
from scripts.arena.report.forecast import Forecast
from scripts.arena.report.layout import aligned
from scripts.arena.report.tables import result_table, verdict_text
from scripts.phrases import counted, counted_are


def anchor_of(config: Config, text: str | None) -> str:
    """The bot whose rating is 0, by default the first; ValueError if it does not play."""
    if text is None:
        return config.bots[0]
    try:
        anchor = str(parse_spec(text))
    except ValueError:
        anchor = text
    if anchor not in config.bots:
        raise ValueError(
            f"anchor: {anchor!r} does not play; it must be one of {', '.join(config.bots)}"
        )
    return anchor


def command_for(config: Config, folder: Path, anchor: str) -> list[str]:
    """The command that plays, repeats or resumes a tournament, word by word."""
    words = ["python", "-m", "scripts.tournament", f"--game={config.game}"]
    words += [f"--bots={bot}" for bot in config.bots]
    words += [f"--pairs={config.pairs}", f"--seed={config.seed}"]
    words += [f"--block_pairs={config.block_pairs}", f"--output={folder}"]
    words += [f"--gauntlet={config.gauntlet}"] if config.gauntlet else []
    words += [f"--sprt={config.sprt}"] if config.sprt else []
    words += [f"--audit_pairs={config.audit_pairs}"] if config.audit_pairs != 1 else []
    words += [f"--move_limit={config.move_limit:g}"]
    words += [f"--memory={gigabytes_text(config.memory_limit)}"] if config.move_limit else []
    words += ["--allow_cheating"] if any(map(sees_all, config.bots)) else []
    words += [f"--anchor={anchor}"] if anchor != config.bots[0] else []
    return words


def description(plan: Plan, shard: Shard, folder: Path, there: int = 0) -> str:
    """What is about to be played.

    Args:
      plan: all of it.
      shard: the part of it that is played.
      folder: where the results go.
      there: how many blocks are finished.
    """
    config = plan.config
    bots = ", ".join(bot for bot in config.bots if bot != config.gauntlet)
    bots = f"gauntlet of {config.gauntlet} against {bots}" if config.gauntlet else f"bots: {bots}"
    pairs = f"{counted(config.pairs, 'duplicate pair')} a pairing, {plan.num_games} games"
    pairs += f", seed {config.seed}"
    blocks = len(plan.blocks)
    lines = [f"{config.game}: {kind_of_game(config.game)}", bots]
    lines += [f"at most {pairs}"] if config.sprt else [pairs]
    if shard != ALL:
        size = sum(map(shard.has, plan.blocks))
        lines.append(f"shard {shard}: {size} of {counted(blocks, 'block')}")
    state = f" ({there} of {counted_are(blocks, 'block')} there)" if there else ""
    return "\n".join([*lines, f"results in {folder}{state}", ""])


def forecast_text(plan: Plan, forecast: Forecast, n_jobs: int) -> str:
    """How long a plan will take, in words."""
    rows = [["bot", "ms a move"]]
    for bot, seconds in zip(plan.config.bots, forecast.move_seconds, strict=True):
        rows.append([bot, f"{1000 * seconds:.3g}"])
    most = "at most " if plan.config.sprt else ""
    took = f"{most}about {_duration(forecast.worker_seconds)}"
    with_jobs = "" if n_jobs == 1 else f" with --n_jobs={n_jobs} on this machine"
    return f"{aligned(rows)}\n\n{took}{with_jobs}, judging by a few games; nothing was stored"


def _duration(seconds: float) -> str:
    for unit, size in (("days", 86400.0), ("hours", 3600.0), ("minutes", 60.0)):
        if seconds >= 2 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{max(seconds, 0.1):.1f} seconds"


def report(found: Findings) -> str:
    """All tables of what was found; those that compare bots from three of them on."""
    tables = [result_table(found)]
    tables += [text] if (text := verdict_text(found)) else []
    tables += [comparison_table(found)] if len(found.plan.config.bots) > 2 else []
    return "\n\n".join(tables)


def how_it_was_written(files: Sequence[Path]) -> str:
    """Where a report is, the text first and then its pictures."""
    text, *pictures = files
    more = f", with {len(pictures)} pictures in {pictures[0].parent}" if pictures else ""
    return f"The report is {text}{more}"


def how_to_go_on(folder: Path, command: Sequence[str], purpose: str) -> str:
    """Where the store is, and the command for a purpose such as "go on"."""
    again = shlex.join([_interpreter(), *command[1:]])
    return f"\nThe store is {folder}; to {purpose}:\n  {again}"


def _interpreter() -> str:
    """The Python that runs this, as it can be called from the current folder."""
    path = Path(sys.executable)
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)
