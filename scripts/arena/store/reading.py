"""What a store holds, read without locking it: blocks, times of moves and games."""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from scripts.arena.plan.pairings import Plan
from scripts.arena.store.journal import read_lines
from scripts.arena.store.manifest import StoreError
from scripts.arena.store.move_times import MoveTimes
from scripts.arena.store.recorded import GAMES, RecordedGame, TornLineError
from scripts.arena.store.recorded import read_games as read_recorded
from scripts.arena.store.records import BlockRecord

BLOCKS = "blocks.jsonl"
TIMES = "times.jsonl"


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
