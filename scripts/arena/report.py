"""What a front end prints of a store: its tables, and the command that goes on."""

import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from bots.registry import parse_spec, sees_all
from marjolet_spiel.rules import Rules
from scripts.arena.comparison import comparison_table
from scripts.arena.game_text import parse_game
from scripts.arena.plan import Config, Plan
from scripts.arena.records import BlockRecord
from scripts.arena.table import result_table


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
    words += ["--allow_cheating"] if any(map(sees_all, config.bots)) else []
    words += [f"--anchor={anchor}"] if anchor != config.bots[0] else []
    return words


def report(plan: Plan, records: Mapping[int, BlockRecord], anchor: str) -> str:
    """All tables of some blocks by index. In what order they are there makes no difference."""
    ordered = [records[index] for index in sorted(records)]
    is_match = Rules.from_parameters(parse_game(plan.config.game)).is_match
    tables = [result_table(plan, ordered, is_match)]
    if len(plan.config.bots) > 2:
        tables.append(comparison_table(plan, ordered, is_match, anchor))
    return "\n\n".join(tables)


def how_to_go_on(folder: Path, command: Sequence[str], purpose: str) -> str:
    """Where the store is, and the command for a purpose such as "go on"."""
    again = shlex.join([_interpreter(), *command[1:]])
    return f"\nThe store is {folder}; to {purpose}:\n  {again}"


def _interpreter() -> str:
    """The Python that runs this, as it can be called from the current folder."""
    path = Path(sys.executable)
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)
