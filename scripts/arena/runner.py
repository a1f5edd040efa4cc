"""Plays the blocks of a plan that a store does not hold yet, one after the other or in parallel."""

import re
import sys
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from tqdm import tqdm

import marjolet_spiel  # noqa: F401  (a worker that imports this module can load the games)
from scripts.arena.deals import PairDeals, bot_seed, world_generator
from scripts.arena.game_text import load_game
from scripts.arena.plan import Block, Config, Plan
from scripts.arena.records import BlockRecord, GameRecord
from scripts.arena.referee import play_game
from scripts.arena.store import Store
from scripts.arena.workers import Crew, play_parallel


def play_block(plan: Plan, block: Block) -> BlockRecord:
    """Plays a block. The result depends on the arguments alone, whatever was played before."""
    game = load_game(plan.config.game)
    games: list[GameRecord] = []
    for pair in block.pairs:
        deals = PairDeals(plan.config.seed, pair, game.rules.pack)
        games += [_play(plan, block, game, deals, pair, seating) for seating in range(2)]
    return BlockRecord(block, tuple(games))


def _play(
    plan: Plan, block: Block, game: Any, deals: PairDeals, pair: int, seating: int
) -> GameRecord:
    """One game of a pair: in seating 1 the first bot of the pairing sits in seat 1."""
    root, names = plan.config.seed, plan.config.bots
    bots = [block.first, block.second] if seating == 0 else [block.second, block.first]
    seeds = [bot_seed(root, pair, seating, bots[seat], bots[1 - seat]) for seat in range(2)]
    worlds = world_generator(root, pair, seating, *bots)
    outcome = play_game(game, deals, [names[bot] for bot in bots], seeds, worlds)
    if outcome.returns is None:
        forfeit = None if outcome.forfeit is None else outcome.forfeit ^ seating
        return GameRecord(pair, seating, outcome.decisions, None, forfeit, outcome.reason)
    return GameRecord(pair, seating, outcome.decisions, outcome.returns[seating])


def play_in_worker(config: Config, block: Block) -> BlockRecord:
    """Plays a block in a process that knows nothing of the plan yet."""
    return play_block(Plan(config), block)


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


def missing_blocks(plan: Plan, store: Store, shard: Shard = ALL) -> list[Block]:
    """The blocks of a shard that a store lacks, in the order of the plan."""
    return [block for block in plan.blocks if shard.has(block) and block.index not in store.records]


def run(plan: Plan, store: Store, crew: Crew | None = None, shard: Shard = ALL) -> bool:
    """Plays what is missing of a shard and adds it to the store, each block when it is finished.

    Afterwards the blocks of the store are in the order of the plan. Shows a progress bar on stderr
    if that is a terminal. Without a crew this process plays alone.

    Returns:
      Whether all was played: False if the user stopped it (Ctrl-C). Finished blocks are kept.

    Raises:
      LostWorkerError: a worker died. Finished blocks are kept.
    """
    blocks = missing_blocks(plan, store, shard)
    games = sum(2 * block.num_pairs for block in blocks)
    there = sum(2 * record.block.num_pairs for record in store.records.values())
    try:
        with (
            closing(_played(plan, blocks, crew or Crew())) as records,
            tqdm(
                total=there + games, initial=there, unit="game", disable=None, file=sys.stderr
            ) as bar,
        ):
            for record in records:
                store.append(record)
                bar.update(2 * record.block.num_pairs)
        store.settle()
    except KeyboardInterrupt:
        return False
    return True


def _played(plan: Plan, blocks: Sequence[Block], crew: Crew) -> Generator[BlockRecord, None, None]:
    """The results of some blocks, one by one."""
    if crew.is_serial or not blocks:
        yield from (play_block(plan, block) for block in blocks)
    else:
        yield from play_parallel(play_in_worker, plan.config, blocks, crew)
