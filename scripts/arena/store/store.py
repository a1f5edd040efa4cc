"""Results on disk: a folder with a manifest and one line of text a block.

A store belongs to one plan, and to one process while that writes to it. Blocks are appended and
pushed to the disk as they are finished, so a run that is stopped at any moment loses at most the
blocks it was playing: a torn last line is dropped, and the block is played again. In the end the
lines are put in the order of the plan, so that the same bytes result whoever played.

Beside the results lie the times of moves, which are no results and never the same, and if asked for
every game. Their lines are written first: they are there when the line of a block is.
"""

import json
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from scripts.arena.plan.config import config_of, flags_of
from scripts.arena.plan.pairings import Plan
from scripts.arena.store.journal import Journal
from scripts.arena.store.lock import FolderLock, LockedError
from scripts.arena.store.manifest import (
    MANIFEST,
    StoreError,
    manifest_of,
    read_manifest,
    versions,
)
from scripts.arena.store.move_times import MoveTimes
from scripts.arena.store.reading import BLOCKS, TIMES, read_games, read_records, read_times
from scripts.arena.store.recorded import GAMES, RecordedGame
from scripts.arena.store.records import BlockRecord, PlayedBlock
from scripts.arena.store.settings import check_settings
from scripts.phrases import counted

BYTES_A_GAME, BYTES_A_RECORDED_GAME = 100, 800
"""About how much a game takes on disk: its result and times, and its actions if they are kept."""


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
                f"{self.folder}: {counted(left, 'game')} take about {wanted / 1e6:.1f} MB, but "
                f"only {free / 1e6:.1f} MB are free there"
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
