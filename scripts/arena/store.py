"""Results on disk: a folder with a manifest and one line of text a block.

A store belongs to one plan. Blocks are appended and pushed to the disk as they are finished, so a
run that is stopped at any moment loses at most the block it was playing: a torn last line is
dropped, and the block is played again.
"""

import json
import os
import platform
from collections.abc import Sequence
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from typing import Any

import numba
import numpy as np

import marjolet_spiel
from marjolet_spiel import RULES_VERSION
from scripts.arena.plan import Plan
from scripts.arena.records import BlockRecord

STORE_VERSION = 1
MANIFEST = "manifest.json"
BLOCKS = "blocks.jsonl"


class StoreError(Exception):
    """A store cannot be used; the message is one sentence that says why."""


def versions() -> dict[str, str]:
    """The versions of what results depend on."""
    return {
        "marjolet_spiel": marjolet_spiel.__version__,
        "open_spiel": metadata.version("open_spiel"),
        "numpy": np.__version__,
        "numba": numba.__version__,
        "python": platform.python_version(),
    }


def manifest_of(plan: Plan, command: Sequence[str]) -> dict[str, Any]:
    """What the manifest of a store says."""
    return {
        "store_version": STORE_VERSION,
        "plan_hash": plan.hash,
        "rules_version": RULES_VERSION,
        "config": asdict(plan.config),
        "versions": versions(),
        "command": list(command),
    }


class Store:
    """The store of a plan in a folder.

    Attributes:
      folder: where it is.
      records: the finished blocks by index.
      older_versions: versions that differ from those of the run that made the store.
    """

    def __init__(self, folder: Path, plan: Plan, command: Sequence[str] = ()) -> None:
        """Opens a store, or makes one.

        Raises:
          StoreError: the folder holds something else, or cannot be written to.
        """
        self.folder = folder
        self.records: dict[int, BlockRecord] = {}
        self.older_versions: dict[str, str] = {}
        self._plan = plan
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._check_manifest(manifest_of(plan, command))
            self._read_blocks()
            self._file = open(folder / BLOCKS, "ab")  # noqa: SIM115  (open as long as the store)
        except OSError as error:
            raise _unusable(folder, error) from None

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Lets go of the file."""
        self._file.close()

    def append(self, record: BlockRecord) -> None:
        """Adds a finished block, on disk before anything else; StoreError if that fails."""
        try:
            self._file.write(record.to_line(self._plan).encode() + b"\n")
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise _unusable(self.folder, error) from None
        self.records[record.block.index] = record

    def _check_manifest(self, wanted: dict[str, Any]) -> None:
        path = self.folder / MANIFEST
        if not path.exists():
            if (self.folder / BLOCKS).exists():
                raise StoreError(f"{self.folder}: there is a {BLOCKS} without its {MANIFEST}")
            draft = path.with_suffix(".tmp")
            draft.write_text(json.dumps(wanted, indent=2) + "\n", encoding="utf-8")
            draft.replace(path)
            return
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
            plan_hash, made_by = found["plan_hash"], dict(found["versions"])
        except (ValueError, KeyError, TypeError):
            raise StoreError(f"{path}: this is no manifest of a tournament") from None
        if plan_hash != wanted["plan_hash"]:
            raise StoreError(
                f"{self.folder}: this store belongs to plan {plan_hash}, not to plan "
                f"{wanted['plan_hash']} which was asked for; choose another --output"
            )
        current = wanted["versions"]
        self.older_versions = {k: v for k, v in made_by.items() if current.get(k) != v}

    def _read_blocks(self) -> None:
        path = self.folder / BLOCKS
        if not path.exists():
            return
        data = path.read_bytes()
        whole = data.rfind(b"\n") + 1
        if whole < len(data):
            os.truncate(path, whole)  # the run was stopped while it wrote its last line
        lines = data[:whole].decode("utf-8", errors="replace").split("\n")[:-1]
        for number, line in enumerate(lines, 1):
            try:
                record = BlockRecord.from_line(line, self._plan)
            except ValueError as error:
                raise StoreError(f"{path}: line {number} was changed by hand: {error}") from None
            if record.block.index in self.records:
                raise StoreError(f"{path}: line {number} was changed by hand: it is there twice")
            self.records[record.block.index] = record


def _unusable(folder: Path, error: OSError) -> StoreError:
    return StoreError(f"{folder}: cannot be used for results ({error.strerror or error})")
