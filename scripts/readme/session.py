"""Runs the examples of a README, in order, in a folder of their own."""

import builtins
import contextlib
import io
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scripts.readme.blocks import Block, Level, commands_of, find_blocks
from scripts.readme.tables import ROOT

_LINKED = ("Makefile", "pyproject.toml", "tests")
"""What of the project examples find in their folder; modules are found from everywhere."""

_OF_MAKE = re.compile(r"ARGS|MFLAGS|MAKE\w*")
"""Variables that a make which runs the examples hands on: an example's make is not below it."""

_TIMES = re.compile(r"\d[\d,.]*(?= m?s\b| us\b| seconds\b)")
"""Figures that differ from run to run."""


class ExampleError(Exception):
    """An example that does not do what the README says."""


class Session:
    """The examples of one README, which share a folder, and those in Python their names."""

    def __init__(self, folder: Path) -> None:
        """Makes the folder what a clone is, as far as examples can tell."""
        self.folder = folder
        self._names: dict[str, Any] = {"__name__": "__readme__"}
        for name in _LINKED:
            (folder / name).symlink_to(ROOT / name)
        environment = folder / ".venv"
        environment.mkdir()
        for part in Path(sys.prefix).iterdir():
            if part.name != ".ready":
                (environment / part.name).symlink_to(part)
        (environment / ".ready").touch()  # newer than what make compares it with
        self._variables = {
            **{name: value for name, value in os.environ.items() if not _OF_MAKE.fullmatch(name)},
            "PATH": os.pathsep.join([str(environment / "bin"), os.environ["PATH"]]),
            "MPLBACKEND": "Agg",
        }

    def run(self, block: Block, small: bool = False) -> str | None:
        """What a block shows when it is run now, in the form of `Block.shown`.

        Args:
          block: the example.
          small: with what takes less time in the place of what takes long.

        Raises:
          ExampleError: it fails.
        """
        if block.note.startswith("file: "):
            path = self.folder / block.note.removeprefix("file: ")
            path.write_text(block.body, encoding="utf-8")
            return None
        if block.language == "python":
            return self._run_python(block)
        if block.language == "sh":
            self._run_command(block, block.shortened(block.body) if small else block.body)
            return None
        return "".join(self._run_console(block, small))

    def _run_console(self, block: Block, small: bool) -> Iterator[str]:
        for command, _ in commands_of(block.body):
            yield f"$ {command}"
            yield self._run_command(block, block.shortened(command) if small else command)

    def _run_command(self, block: Block, command: str) -> str:
        """What commands of the shell print, errors apart."""
        run = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", command],
            capture_output=True,
            text=True,
            check=False,
            cwd=self.folder,
            env=self._variables,
        )
        # 141: what reads a pipe has seen enough, as head has
        if run.returncode not in (0, 141):
            raise ExampleError(
                f"{block.name}: exit code {run.returncode} of {command}\n{run.stdout}{run.stderr}"
            )
        return run.stdout.replace(f"{self.folder}/", "")

    def _run_python(self, block: Block) -> str:
        """What code prints."""
        printed = io.StringIO()
        code = compile("\n" * block.line + block.body, block.readme, "exec")
        self._names["input"] = _first_choice if block.note == "typed" else builtins.input
        with contextlib.chdir(self.folder), contextlib.redirect_stdout(printed):
            exec(code, self._names)
        return printed.getvalue()


def _first_choice(prompt: str = "") -> str:
    """What a player types who takes the first choice that a prompt lists between commas."""
    return re.split(r"[,:]", prompt)[0].strip()


def same(now: str, shown: str) -> bool:
    """Whether an output is what a README shows, but for times."""
    return _TIMES.sub("#", now) == _TIMES.sub("#", shown)


def alike(now: str, shown: str) -> bool:
    """Whether the first lines printed are the same but for numbers and spaces."""
    first = [
        [word for word in output.split("\n", 1)[0].split() if not re.search(r"\d", word)]
        for output in (commands_of(text)[0][1] for text in (now, shown))
    ]
    return first[0] == first[1]


def refreshed(text: str, readme: str, folder: Path, most: Level) -> str:
    """A README with what its examples print now.

    Args:
      text: the README.
      readme: its path from the root of the project.
      folder: an empty folder to work in.
      most: examples that take longer are left as they are.

    Raises:
      ExampleError: one fails.
    """
    session, new = Session(folder), {}
    for block in find_blocks(text, readme):
        if block.level <= most:
            now = session.run(block)
            if block.shown is not None and now is not None and not same(now, block.shown):
                new[block.place] = now
    for (begin, end), now in sorted(new.items(), reverse=True):
        text = text[:begin] + now + text[end:]
    return text
