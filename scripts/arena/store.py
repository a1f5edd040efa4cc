"""Results on disk: a folder with a manifest and one line of text a block.

A store belongs to one plan, and to one process while that writes to it. Blocks are appended and
pushed to the disk as they are finished, so a run that is stopped at any moment loses at most the
blocks it was playing: a torn last line is dropped, and the block is played again. In the end the
lines are put in the order of the plan, so that the same bytes result whoever played.
"""

import json
import os
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from typing import Any

import numba
import numpy as np

import marjolet_spiel
from marjolet_spiel import RULES_VERSION
from scripts.arena.lock import FolderLock, LockedError
from scripts.arena.plan import Config, Plan
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


def manifest_of(
    plan: Plan, command: Sequence[str], made_by: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """What the manifest of a store says; without `made_by` the current versions made it."""
    return {
        "store_version": STORE_VERSION,
        "plan_hash": plan.hash,
        "rules_version": RULES_VERSION,
        "config": asdict(plan.config),
        "versions": versions() if made_by is None else dict(made_by),
        "command": list(command),
    }


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a store, with at least a plan hash, a configuration and versions.

    Raises:
      StoreError: there is none, or it is something else.
      OSError: it cannot be read.
    """
    path = folder / MANIFEST
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        found["plan_hash"], found["config"], dict(found["versions"])
    except (ValueError, KeyError, TypeError):
        raise StoreError(f"{path}: this is no manifest of a tournament") from None
    return found


def plan_of(folder: Path) -> Plan:
    """The plan of the store in a folder; StoreError if there is none."""
    try:
        found = read_manifest(folder)
    except OSError as error:
        raise StoreError(f"{folder}: is no store ({error.strerror or error})") from None
    try:
        plan = Plan(Config(**{**found["config"], "bots": tuple(found["config"]["bots"])}))
        same = plan.hash == found["plan_hash"]
    except (TypeError, KeyError):
        same = False
    if not same:
        raise StoreError(
            f"{folder}: its configuration does not give its plan {found['plan_hash']}; it was made "
            "by another version, or changed by hand"
        )
    return plan


def read_records(path: Path, plan: Plan) -> tuple[dict[int, BlockRecord], int]:
    """The blocks in a file by index, as they follow each other; and where its whole lines end.

    Raises:
      StoreError: a whole line is not as it was written.
      OSError: the file cannot be read.
    """
    records: dict[int, BlockRecord] = {}
    data = path.read_bytes()
    whole = data.rfind(b"\n") + 1
    lines = data[:whole].decode("utf-8", errors="replace").split("\n")[:-1]
    for number, line in enumerate(lines, 1):
        try:
            record = BlockRecord.from_line(line, plan)
        except ValueError as error:
            raise StoreError(f"{path}: line {number} was changed by hand: {error}") from None
        if record.block.index in records:
            raise StoreError(f"{path}: line {number} was changed by hand: it is there twice")
        records[record.block.index] = record
    return records, whole


class Store:
    """The store of a plan in a folder, locked until it is closed.

    Attributes:
      folder: where it is.
      records: the finished blocks by index.
      older_versions: versions that differ from those of the run that made the store.
    """

    def __init__(
        self,
        folder: Path,
        plan: Plan,
        command: Sequence[str] = (),
        made_by: Mapping[str, str] | None = None,
    ) -> None:
        """Opens a store, or makes one.

        Raises:
          StoreError: the folder holds something else, is in use, or cannot be written to.
        """
        self.folder = folder
        self.records: dict[int, BlockRecord] = {}
        self.older_versions: dict[str, str] = {}
        self._plan = plan
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._lock = FolderLock(folder)
        except LockedError as error:
            raise StoreError(f"{folder}: {error}") from None
        except OSError as error:
            raise _unusable(folder, error) from None
        try:
            self._check_manifest(manifest_of(plan, command, made_by))
            self._read_blocks()
            self._file = open(folder / BLOCKS, "ab")  # noqa: SIM115  (open as long as the store)
        except OSError as error:
            self._lock.release()
            raise _unusable(folder, error) from None
        except BaseException:
            self._lock.release()
            raise

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Lets go of the file and the folder."""
        try:
            self._file.close()
        finally:
            self._lock.release()

    def append(self, record: BlockRecord) -> None:
        """Adds a finished block, on disk before anything else; StoreError if that fails."""
        self.extend([record])

    def extend(self, records: Sequence[BlockRecord]) -> None:
        """Adds finished blocks, on disk before anything else; StoreError if that fails."""
        try:
            self._file.write(self._text(records))
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise _unusable(self.folder, error) from None
        self.records.update((record.block.index, record) for record in records)

    def settle(self) -> None:
        """Puts the blocks in the order of the plan, at once or not at all; StoreError if it fails.

        Until then they follow each other as they were finished.
        """
        order = sorted(self.records)
        if order == list(self.records):
            return
        path = self.folder / BLOCKS
        draft = path.with_suffix(".tmp")
        records = {index: self.records[index] for index in order}
        try:
            with open(draft, "wb") as file:
                file.write(self._text(records.values()))
                file.flush()
                os.fsync(file.fileno())
            self._file.close()
            os.replace(draft, path)
            self._file = open(path, "ab")  # noqa: SIM115  (open as long as the store)
        except OSError as error:
            raise _unusable(self.folder, error) from None
        self.records = records

    def _text(self, records: Iterable[BlockRecord]) -> bytes:
        return b"".join(record.to_line(self._plan).encode() + b"\n" for record in records)

    def _check_manifest(self, wanted: dict[str, Any]) -> None:
        path = self.folder / MANIFEST
        if not path.exists():
            if (self.folder / BLOCKS).exists():
                raise StoreError(f"{self.folder}: there is a {BLOCKS} without its {MANIFEST}")
            draft = path.with_suffix(".tmp")
            draft.write_text(json.dumps(wanted, indent=2) + "\n", encoding="utf-8")
            draft.replace(path)
            return
        found = read_manifest(self.folder)
        if found["plan_hash"] != wanted["plan_hash"]:
            raise StoreError(
                f"{self.folder}: this store belongs to plan {found['plan_hash']}, not to plan "
                f"{wanted['plan_hash']} which was asked for; choose another --output"
            )
        current = wanted["versions"]
        self.older_versions = {k: v for k, v in found["versions"].items() if current.get(k) != v}

    def _read_blocks(self) -> None:
        path = self.folder / BLOCKS
        if path.exists():
            self.records, whole = read_records(path, self._plan)
            if whole < path.stat().st_size:
                os.truncate(path, whole)  # the run was stopped while it wrote its last line


def _unusable(folder: Path, error: OSError) -> StoreError:
    return StoreError(f"{folder}: cannot be used for results ({error.strerror or error})")
