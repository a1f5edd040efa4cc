"""Plays the blocks of a plan that a store does not hold yet, one after the other or in parallel."""

import atexit
import re
import sys
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass

from tqdm import tqdm

from scripts.arena.plan.config import Config
from scripts.arena.plan.pairings import Block, Plan
from scripts.arena.play.games import check_bot, play_block
from scripts.arena.play.guard import Guard
from scripts.arena.play.workers import Crew, play_parallel
from scripts.arena.stats.stopping import Stopping
from scripts.arena.store.records import PlayedBlock
from scripts.arena.store.store import Store

_guards: dict[tuple[float, int], Guard] = {}
"""The guard of this process by its limits; there is never a second one."""


def play_in_worker(config: Config, block: Block) -> PlayedBlock:
    """Plays a block in a process that knows nothing of the plan yet."""
    return play_here(Plan(config), block)


def play_here(plan: Plan, block: Block) -> PlayedBlock:
    """Plays a block in this process, or in the process that the guard of this one watches."""
    guard = _guard(plan.config)
    return play_block(plan, block) if guard is None else guard.play_block(plan, block)


def _guard(config: Config) -> Guard | None:
    """The guard of this process for the limits of a configuration; None if it has none."""
    if not config.move_limit:
        return None
    limits = (config.move_limit, config.memory_limit)
    if limits not in _guards:
        end_guards()
        _guards[limits] = Guard(*limits)
    return _guards[limits]


@atexit.register
def end_guards() -> None:
    """Ends the process in which bots play for this one, if there is one."""
    while _guards:
        _guards.popitem()[1].close()


def make_sure_of_bots(config: Config) -> None:
    """Makes each bot once where it would play; ValueError if one cannot be made."""
    guard = _guard(config)
    make = check_bot if guard is None else guard.check_bot
    for bot in config.bots:
        make(config.game, bot)


@dataclass(frozen=True)
class Shard:
    """Every n-th block of a plan, for a machine of several; made by `parse_shard`.

    Attributes:
      number: which one, from 1 to `count`.
      count: how many shards there are.
    """

    number: int = 1
    count: int = 1

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"

    def has(self, block: Block) -> bool:
        """Whether a block belongs to it."""
        return block.index % self.count == self.number - 1


def parse_shard(text: str) -> Shard:
    """The shard that a text such as "2/3" stands for; ValueError if it is none."""
    match = re.fullmatch(r"([1-9]\d{0,5})/([1-9]\d{0,5})", text.strip(), re.ASCII)
    if match is None or int(match[1]) > int(match[2]):
        raise ValueError(
            f"shard: {text!r} is not allowed; it reads i/n with i from 1 to n, such as 2/3"
        )
    return Shard(int(match[1]), int(match[2]))


ALL = Shard()


def missing_blocks(plan: Plan, store: Store, stopping: Stopping, shard: Shard = ALL) -> list[Block]:
    """The blocks of a shard that a store lacks, in the order of the plan.

    None if the sequential test is decided.
    """
    if stopping.decided(store.records) is not None:
        return []
    return [block for block in plan.blocks if shard.has(block) and block.index not in store.records]


def run(plan: Plan, store: Store, crew: Crew | None = None, shard: Shard = ALL) -> bool:
    """Plays what is missing of a shard and adds it to the store, each block when it is finished.

    Afterwards the blocks of the store are in the order of the plan, and end where a sequential test
    was decided. Shows a progress bar on stderr if that is a terminal. Without a crew this process
    plays alone.

    Returns:
      Whether all was played: False if the user stopped it (Ctrl-C). Finished blocks are kept.

    Raises:
      LostWorkerError: a worker died. Finished blocks are kept.
      PlayerError: a process in which bots play died by itself. Finished blocks are kept.
    """
    stopping = Stopping(plan)
    blocks = missing_blocks(plan, store, stopping, shard)
    games = sum(len(block.games) for block in blocks)
    there = sum(len(record.games) for record in store.records.values())
    try:
        with (
            closing(_played(plan, blocks, crew or Crew())) as results,
            tqdm(
                total=there + games, initial=there, unit="game", disable=None, file=sys.stderr
            ) as bar,
        ):
            for played in results:
                store.append(played)
                bar.update(len(played.record.games))
                if stopping.decided(store.records) is not None:
                    break
        store.settle(stopping.decided(store.records))
    except KeyboardInterrupt:
        return False
    return True


def _played(plan: Plan, blocks: Sequence[Block], crew: Crew) -> Generator[PlayedBlock, None, None]:
    """The results of some blocks, one by one."""
    if crew.is_serial:
        yield from (play_here(plan, block) for block in blocks)
    elif blocks:
        end_guards()
        yield from play_parallel(play_in_worker, plan.config, blocks, crew)
