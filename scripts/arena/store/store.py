"""Results on disk: a folder with a manifest and one line of text a block.

A store belongs to one plan, and to one process while that writes to it. Blocks are appended and
pushed to the disk as they are finished, so a run that is stopped at any moment loses at most the
blocks it was playing: a torn last line is dropped, and the block is played again. In the end the
lines are put in the order of the plan, so that the same bytes result whoever played.

Beside the results lie the times of moves, which are no results and never the same, and if asked for
every game. Their lines are written first: they are there when the line of a block is.
"""

import json
import platform
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from typing import Any

import numba
import numpy as np

import marjolet_spiel
from bots.registry import parse_spec
from bots.registry.imported import is_import_path, module_digest
from marjolet_spiel import RULES_VERSION
from scripts.arena.plan.config import Config, config_of, flags_of
from scripts.arena.plan.pairings import Plan
from scripts.arena.store.journal import Journal, read_lines
from scripts.arena.store.lock import FolderLock, LockedError
from scripts.arena.store.move_times import MoveTimes
from scripts.arena.store.recorded import GAMES, RecordedGame, TornLineError
from scripts.arena.store.recorded import read_games as read_recorded
from scripts.arena.store.records import BlockRecord, PlayedBlock
from scripts.arena.store.settings import check_settings

STORE_VERSION = 1
MANIFEST = "manifest.json"
BLOCKS = "blocks.jsonl"
TIMES = "times.jsonl"

BYTES_A_GAME, BYTES_A_RECORDED_GAME = 100, 800
"""About how much a game takes on disk: its result and times, and its actions if they are kept."""


class StoreError(Exception):
    """A store cannot be used; the message is one sentence that says why."""


def versions(config: Config) -> dict[str, str]:
    """The versions of what results depend on; of the bots of others a digest of their file."""
    names = [parse_spec(bot).name for bot in config.bots]
    return {
        "marjolet_spiel": marjolet_spiel.__version__,
        "open_spiel": metadata.version("open_spiel"),
        "numpy": np.__version__,
        "numba": numba.__version__,
        "python": platform.python_version(),
        **{name: module_digest(name) for name in names if is_import_path(name)},
    }


def manifest_of(plan: Plan, command: Sequence[str], made_by: Mapping[str, str]) -> dict[str, Any]:
    """What the manifest of a store says, made by some versions."""
    return {
        "store_version": STORE_VERSION,
        "plan_hash": plan.hash,
        "rules_version": RULES_VERSION,
        "config": asdict(plan.config),
        "versions": dict(made_by),
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
        plan = Plan(config_of(found["config"]))
        same = plan.hash == found["plan_hash"]
    except (TypeError, KeyError):
        same = False
    if not same:
        raise StoreError(
            f"{folder}: its configuration does not give its plan {found['plan_hash']}; it was made "
            "by another version, or changed by hand"
        )
    return plan


def read_records(folder: Path, plan: Plan) -> dict[int, BlockRecord]:
    """The blocks in a store by index, as they follow each other.

    Raises:
      StoreError: a whole line is not as it was written.
      OSError: the file cannot be read.
    """
    records: dict[int, BlockRecord] = {}
    for number, line in enumerate(read_lines(folder / BLOCKS), 1):
        with _line_of(folder / BLOCKS, number):
            record = BlockRecord.from_line(line, plan)
            if record.block.index in records:
                raise ValueError("it is there twice")
        records[record.block.index] = record
    return records


def read_times(folder: Path) -> dict[int, tuple[MoveTimes, MoveTimes]]:
    """The times of moves in the blocks of a store, of the first and the second bot, by block.

    Raises:
      StoreError: a whole line is not as it was written.
      OSError: the file cannot be read.
    """
    times: dict[int, tuple[MoveTimes, MoveTimes]] = {}
    for number, line in enumerate(read_lines(folder / TIMES), 1):
        with _line_of(folder / TIMES, number):
            fields = json.loads(line)
            first, second = map(MoveTimes.from_dict, fields["times"])
            times[int(fields["block"])] = (first, second)
    return times


def read_games(folder: Path) -> dict[int, list[RecordedGame]]:
    """The games that a store keeps, by block; none if it keeps no games.

    Raises:
      StoreError: a whole line is not as it was written.
      OSError: the file cannot be read.
    """
    games: dict[int, list[RecordedGame]] = {}
    path = folder / GAMES
    if not path.exists() or not path.stat().st_size:
        return games
    try:
        for _, game in read_recorded(path):
            games.setdefault(game.block, []).append(game)
    except TornLineError:
        pass
    except ValueError as error:
        raise StoreError(str(error)) from None
    return games


@contextmanager
def _line_of(path: Path, number: int) -> Iterator[None]:
    """Says which line it is that cannot be used."""
    try:
        yield
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise StoreError(f"{path}: line {number} was changed by hand: {error}") from None


def times_of(
    plan: Plan, blocks: Iterable[int], times: Mapping[int, tuple[MoveTimes, MoveTimes]]
) -> dict[int, MoveTimes]:
    """The times of the moves of each bot, by its index in the configuration, in some blocks."""
    every: dict[int, MoveTimes] = {bot: MoveTimes() for bot in range(len(plan.config.bots))}
    for index in blocks:
        if index in times:
            block = plan.blocks[index]
            for bot, part in zip((block.first, block.second), times[index], strict=True):
                every[bot].update(part)
    return every


class Store:
    """The store of a plan in a folder, locked until it is closed.

    Attributes:
      folder: where it is.
      records: the finished blocks by index.
      times: how long the first and the second bot of blocks took for their moves, by index.
      keeps_games: whether every game is kept.
      made_by: the versions of the run that made the store.
      older_versions: those of them that differ from the current ones.
    """

    def __init__(
        self,
        folder: Path,
        plan: Plan,
        command: Sequence[str] = (),
        made_by: Mapping[str, str] | None = None,
        record: bool = False,
    ) -> None:
        """Opens a store, or makes one.

        Args:
          folder: where.
          plan: what is to be played.
          command: what plays it, for the manifest.
          made_by: versions for the manifest; by default those of now.
          record: whether to keep every game; a store that has some keeps them all in any case.

        Raises:
          StoreError: the folder holds something else, is in use, or cannot be written to.
        """
        self.folder = folder
        self.records: dict[int, BlockRecord] = {}
        self.times: dict[int, tuple[MoveTimes, MoveTimes]] = {}
        self.made_by = versions(plan.config) if made_by is None else dict(made_by)
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
            self._check_manifest(manifest_of(plan, command, self.made_by))
            self._open(record)
        except OSError as error:
            self._lock.release()
            raise _unusable(folder, error) from None
        except BaseException:
            self._lock.release()
            raise

    def _open(self, record: bool) -> None:
        self.records = read_records(self.folder, self._plan)
        times = read_times(self.folder)
        self.times = {index: times[index] for index in self.records if index in times}
        self.keeps_games = record or (self.folder / GAMES).exists()
        if self.keeps_games:
            self._drop_unfinished_games()
        self._check_space()
        self._blocks = Journal(self.folder / BLOCKS)
        self._times = Journal(self.folder / TIMES)
        self._games = Journal(self.folder / GAMES) if self.keeps_games else None

    def _drop_unfinished_games(self) -> None:
        """Leaves the games of just the blocks that are there, which must all have theirs."""
        games = read_games(self.folder)
        for index, record in self.records.items():
            if len(games.get(index, [])) < len(record.games):
                raise StoreError(
                    f"{self.folder}: block {index} was played without --record; leave the flag "
                    "out, or choose another --output"
                )
        if list(games) != list(self.records):
            with closing(Journal(self.folder / GAMES)) as journal:
                journal.replace(_game_lines(games, self.records))

    def _check_space(self) -> None:
        """StoreError if the disk has no room for what is still to come."""
        left = self._plan.num_games - sum(len(record.games) for record in self.records.values())
        wanted = left * (BYTES_A_GAME + BYTES_A_RECORDED_GAME * self.keeps_games)
        free = shutil.disk_usage(self.folder).free
        if free < wanted:
            raise StoreError(
                f"{self.folder}: {left} games take about {wanted / 1e6:.1f} MB, but only "
                f"{free / 1e6:.1f} MB are free there"
            )

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Lets go of the files and the folder."""
        try:
            for journal in self._journals:
                journal.close()
        finally:
            self._lock.release()

    @property
    def _journals(self) -> list[Journal]:
        """All files, that of the blocks last."""
        games = [] if self._games is None else [self._games]
        return [*games, self._times, self._blocks]

    def append(self, played: PlayedBlock) -> None:
        """Adds a finished block, on disk before anything else; StoreError if that fails."""
        record, index = played.record, played.record.block.index
        try:
            if self._games is not None:
                self._games.append(game.to_line() for game in recorded_games(self._plan, played))
            self._times.append([_times_line(index, played.times)])
        except OSError as error:
            raise _unusable(self.folder, error) from None
        self.extend([record])
        self.times[index] = played.times

    def extend(
        self,
        records: Sequence[BlockRecord],
        times: Mapping[int, tuple[MoveTimes, MoveTimes]] | None = None,
        games: Mapping[int, Sequence[RecordedGame]] | None = None,
    ) -> None:
        """Adds blocks that were stored elsewhere; StoreError if the disk does not take them."""
        indices = [record.block.index for record in records]
        try:
            if self._games is not None and games is not None:
                self._games.append(_game_lines(games, indices))
            if times:
                known = {index: times[index] for index in indices if index in times}
                self._times.append(_times_line(*one) for one in known.items())
                self.times |= known
            self._blocks.append(record.to_line(self._plan) for record in records)
        except OSError as error:
            raise _unusable(self.folder, error) from None
        self.records.update(zip(indices, records, strict=True))

    def settle(self, blocks: int | None = None) -> None:
        """Puts the blocks in the order of the plan, at once or not at all; StoreError if it fails.

        Until then they follow each other as they were finished.

        Args:
          blocks: how many to keep, the first ones of the plan; by default all.
        """
        order = [index for index in sorted(self.records) if blocks is None or index < blocks]
        if order == list(self.records):
            return
        try:
            # What is left of the others after a stop in between is put right when it is opened.
            self._blocks.replace(self.records[index].to_line(self._plan) for index in order)
            kept = {index: self.times[index] for index in order if index in self.times}
            self._times.replace(_times_line(*one) for one in kept.items())
            if self._games is not None:
                self._games.replace(_game_lines(read_games(self.folder), order))
        except OSError as error:
            raise _unusable(self.folder, error) from None
        self.records = {index: self.records[index] for index in order}
        self.times = kept

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
            self._name_difference(found["config"])
            raise StoreError(
                f"{self.folder}: this store belongs to plan {found['plan_hash']}, not to plan "
                f"{wanted['plan_hash']} which was asked for; choose another --output"
            )
        self.made_by, current = dict(found["versions"]), versions(self._plan.config)
        self.older_versions = {k: v for k, v in self.made_by.items() if current.get(k) != v}

    def _name_difference(self, fields: Mapping[str, Any]) -> None:
        """StoreError that names the flag by which the store is another one, if one does."""
        try:
            there = flags_of(config_of(fields))
        except (TypeError, KeyError):  # it is of another version
            return
        try:
            check_settings(self.folder, there, flags_of(self._plan.config))
        except ValueError as error:
            raise StoreError(str(error)) from None


def recorded_games(plan: Plan, played: PlayedBlock) -> Iterator[RecordedGame]:
    """The games of a block, as they are kept."""
    block, names = played.record.block, plan.config.bots
    for game, history in zip(played.record.games, played.histories, strict=True):
        first, second = (block.first, block.second)[:: -1 if game.seating else 1]
        own = None if game.margin is None else (game.margin, -game.margin)
        yield RecordedGame(
            block=block.index,
            pair=game.pair,
            seating=game.seating,
            game=plan.config.game,
            bots=(names[first], names[second]),
            history=history,
            returns=own if own is None or not game.seating else own[::-1],
            forfeit=None if game.forfeit is None else game.forfeit ^ game.seating,
            reason=game.reason,
        )


def _times_line(block: int, times: tuple[MoveTimes, MoveTimes]) -> str:
    return json.dumps({"block": block, "times": [part.to_dict() for part in times]})


def _game_lines(
    games: Mapping[int, Sequence[RecordedGame]], blocks: Iterable[int]
) -> Iterator[str]:
    """The lines of the games of some blocks; of what is there twice the last."""
    for index in blocks:
        found = {(game.pair, game.seating): game for game in games.get(index, [])}
        yield from (found[key].to_line() for key in sorted(found))


def _unusable(folder: Path, error: OSError) -> StoreError:
    return StoreError(f"{folder}: cannot be used for results ({error.strerror or error})")
