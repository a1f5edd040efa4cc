"""Flags that several commands have, defined once so that they mean the same in each.

`--bots`, `--seed`, `--game` with `--profile`, `--target` and `--game_params`, `--n_jobs` with
`--backend`, `--output` (always a folder), `--memory` (always gigabytes) with `--move_limit`,
`--anchor` and `--report`.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from absl import flags

from bots.registry import split_specs
from marjolet_spiel.rules import DEFAULT_PARAMETERS, PROFILES, ladder
from scripts.arena.plan.config import MAX_MEMORY, MAX_SEED, MEGABYTES, check_whole, gigabytes_text
from scripts.arena.plan.game_text import game_text, parse_assignments, parse_game
from scripts.arena.play.clock import FIRST_SECONDS
from scripts.arena.play.workers import BACKENDS, Crew, make_crew

GIGABYTE = 2**30
"""Bytes."""

_MEMORY_LIMIT = 4.0  # gigabytes


class BotsFlag:
    """Some bots: `--bots`, or a flag of another name that is written likewise."""

    def __init__(
        self, values: flags.FlagValues, default: Sequence[str], purpose: str, name: str = "bots"
    ) -> None:
        """Defines the flag; `purpose` says what the bots do."""
        self._flag = flags.DEFINE_multi_string(
            name,
            list(default),
            f"{purpose}, as NAME or NAME:OPTION=VALUE,...; several are separated by blanks or ';', "
            "or by commas if none has options, or the flag is repeated",
            flag_values=values,
        )

    @property
    def is_given(self) -> bool:
        """Whether the command line has it."""
        return self._flag.present > 0

    def texts(self) -> list[str]:
        """The texts of the bots, one by one; not checked."""
        return split_specs(self._flag.value)


class SeedFlag:
    """The seed: `--seed`."""

    def __init__(self, values: flags.FlagValues, most: int = MAX_SEED) -> None:
        """Defines the flag, with the largest seed that is allowed."""
        self._most = most
        self._flag = flags.DEFINE_integer(
            "seed", 1, "the root of all randomness", flag_values=values
        )

    def number(self) -> int:
        """The seed; ValueError if it is not allowed."""
        check_whole("seed", self._flag.value, 0, self._most)
        return self._flag.value


class GameFlags:
    """The game: `--game` as one text, or `--profile`, `--target` and `--game_params`."""

    def __init__(self, values: flags.FlagValues, several: bool = False) -> None:
        """Defines the flags; `several` lets `--game` be repeated."""
        define: Any = flags.DEFINE_multi_string if several else flags.DEFINE_string
        self._game = define(
            "game",
            None,
            "the game as one text such as 'python_marjolet(profile=dutch,target=300)', instead of "
            "--profile, --target and --game_params" + ("; repeated for several" * several),
            flag_values=values,
        )
        self._profile = flags.DEFINE_string(
            "profile", "english", "whose rules: " + ", ".join(PROFILES), flag_values=values
        )
        self._target = flags.DEFINE_integer(
            "target", 0, "points that win a match; 0 plays single deals", flag_values=values
        )
        self._parameters = flags.DEFINE_string(
            "game_params",
            "",
            "more parameters of the game as 'NAME=VALUE;NAME=VALUE': "
            + ", ".join(DEFAULT_PARAMETERS),
            flag_values=values,
        )

    def given(self) -> list[str]:
        """Those of the flags that the command line has, such as ``--game``."""
        every = (self._game, self._profile, self._target, self._parameters)
        return [f"--{flag.name}" for flag in every if flag.present]

    def text(self) -> str:
        """The text of the game; ValueError if the flags are wrong."""
        return self.texts()[0]

    def texts(self) -> list[str]:
        """The texts of all games, at least one; ValueError if the flags are wrong."""
        if self._game.value is None:
            return [self._text_of_parts()]
        others = [name for name in self.given() if name != "--game"]
        if others:
            raise ValueError(f"--game: cannot be given together with {', '.join(others)}")
        games = self._game.value
        return [game_text(parse_game(g)) for g in ([games] if isinstance(games, str) else games)]

    def _text_of_parts(self) -> str:
        more = [part for part in self._parameters.value.split(";") if part.strip()]
        named = {part.partition("=")[0].strip() for part in more}
        own: list[flags.FlagHolder[Any]] = [self._profile, self._target]
        for flag in own:
            if flag.present and flag.name in named:
                raise ValueError(f"--{flag.name}: is given in --game_params too")
        parts = [f"{flag.name}={flag.value}" for flag in own if flag.name not in named]
        return game_text(parse_assignments([*parts, *more], "--game_params"))


class PackFlag:
    """A small pack of the ladder, whose rules are the game: `--pack`."""

    def __init__(self, values: flags.FlagValues, default: str | None, purpose: str) -> None:
        """Defines the flag; `purpose` says what is done with it."""
        self._flag = flags.DEFINE_string(
            "pack", default, f"{purpose}: {', '.join(ladder())}", flag_values=values
        )

    def name_beside(self, game: GameFlags) -> str | None:
        """The name of the pack; None if there is none, or other flags say the game.

        Raises:
          ValueError: there is no such pack, or both say the game.
        """
        name, given = self._flag.value, game.given()
        if given and self._flag.present:
            raise ValueError(f"--pack: cannot be given together with {', '.join(given)}")
        if given or name is None:
            return None
        if name not in ladder():
            raise ValueError(
                f"--pack: {name!r} is not allowed; it must be one of {', '.join(ladder())}; "
                "--game names other games"
            )
        return str(name)


class CheckpointFlag:
    """How often what was trained is saved: `--checkpoint_minutes`."""

    def __init__(self, values: flags.FlagValues) -> None:
        """Defines the flag."""
        self._flag = flags.DEFINE_float(
            "checkpoint_minutes", 2.0, "minutes between two checkpoints", flag_values=values
        )

    def seconds(self) -> float:
        """The seconds between two checkpoints; ValueError if they are not allowed."""
        if not self._flag.value >= 0:
            raise ValueError(
                f"checkpoint_minutes: {self._flag.value} is not allowed; it must be 0 or more"
            )
        return 60.0 * self._flag.value


class OutputFlag:
    """The folder for results: `--output`."""

    def __init__(self, values: flags.FlagValues, default: str | None, holds: str = "") -> None:
        """Defines the flag.

        Args:
          values: where.
          default: the folder if it is not given, in words; None if it must be.
          holds: what goes there, if that needs to be said.
        """
        where = "" if default is None else f"; by default {default}"
        self._flag = flags.DEFINE_string(
            "output", None, f"folder for the results{holds}{where}", flag_values=values
        )

    def folder(self, default: str | Path | None = None) -> Path:
        """The folder, or the default one; ValueError if there is neither, or it is a file."""
        if not self._flag.value and default is None:
            raise ValueError("--output: is missing; --output=FOLDER says where the results go")
        folder = Path(self._flag.value or default or "")
        if folder.exists() and not folder.is_dir():
            raise ValueError(f"--output: {folder} cannot be used for results; it is no folder")
        return folder


class JobFlags:
    """Who works: `--n_jobs` and `--backend`."""

    def __init__(self, values: flags.FlagValues) -> None:
        """Defines the flags."""
        self._jobs = flags.DEFINE_integer(
            "n_jobs",
            1,
            "how many pieces of work are done at once; -1: one a core",
            flag_values=values,
        )
        self._backend = flags.DEFINE_string(
            "backend",
            None,
            f"how joblib starts the workers: {', '.join(BACKENDS)}; by default serial for one job, "
            "else loky",
            flag_values=values,
        )

    def crew(self) -> Crew:
        """The workers; ValueError if the flags are wrong."""
        return make_crew(self._jobs.value, self._backend.value)

    def given(self) -> list[str]:
        """The flags as the command line has them."""
        every: list[flags.FlagHolder[Any]] = [self._jobs, self._backend]
        return [f"--{flag.name}={flag.value}" for flag in every if flag.present]


class MemoryFlag:
    """How much memory may be used, in gigabytes: `--memory`."""

    def __init__(self, values: flags.FlagValues, default: float | None, purpose: str) -> None:
        """Defines the flag; `purpose` says what may use it, and what no value or 0 means."""
        self._flag = flags.DEFINE_float(
            "memory", default, f"gigabytes {purpose}", flag_values=values
        )

    @property
    def is_given(self) -> bool:
        """Whether the command line has it."""
        return self._flag.present > 0

    def bytes(self) -> int | None:
        """The memory in bytes; None without a value. ValueError if it is not allowed."""
        value = self._flag.value
        if value is None:
            return None
        if not 0 < value <= MAX_MEMORY:
            raise ValueError(
                f"--memory: {value:g} is not allowed; it must be a number of gigabytes above 0"
            )
        return int(value * GIGABYTE)

    def megabytes(self) -> int:
        """The memory in whole megabytes; 0 for no limit. ValueError if it is not allowed."""
        value, most = self._flag.value, MAX_MEMORY // MEGABYTES
        least = 1 / MEGABYTES
        if value is None or not (value == 0 or least <= value <= most):
            raise ValueError(
                f"--memory: {value} is not allowed; it must be a number of gigabytes from 0.001 to "
                f"{most}, or 0 for no limit"
            )
        return round(value * MEGABYTES)


class LimitFlags:
    """What bots may use while they play: `--move_limit` and `--memory`."""

    def __init__(self, values: flags.FlagValues) -> None:
        """Defines the flags."""
        self._move = flags.DEFINE_float(
            "move_limit",
            60.0,
            f"seconds for a move, and {FIRST_SECONDS:.0f} more for the first in a process, as it "
            "may compile; a bot that takes longer is ended and forfeits. 0: no limit, and a bot "
            "that hangs or ends its process does that to the command",
            flag_values=values,
        )
        self._memory = MemoryFlag(
            values,
            _MEMORY_LIMIT,
            "that the process may use in which the bots of a game play (on Linux); 0: no limit",
        )

    def seconds(self) -> float:
        """The limit for a move; 0 for none. It is checked with the configuration."""
        return self._move.value

    def megabytes(self) -> int:
        """The limit of the process, which there is only with one for moves; 0 for none."""
        megabytes = self._memory.megabytes()
        if self._move.value:
            return megabytes
        if self._memory.is_given and megabytes:
            raise ValueError(
                f"--memory: {gigabytes_text(megabytes)} cannot be kept with --move_limit=0, as "
                "bots then play in the process that asks for their games"
            )
        return 0


def define_anchor(values: flags.FlagValues) -> "flags.FlagHolder[str | None]":
    """Defines `--anchor`."""
    return flags.DEFINE_string(
        "anchor",
        None,
        "the bot whose Elo rating is 0, by default the first; shown from three bots on",
        flag_values=values,
    )


def define_report(values: flags.FlagValues) -> "flags.FlagHolder[bool]":
    """Defines `--report`."""
    return flags.DEFINE_bool(
        "report", True, "write report.md and its pictures beside the results", flag_values=values
    )
