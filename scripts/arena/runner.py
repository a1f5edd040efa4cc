"""Plays the blocks of a plan that a store does not hold yet, one after the other."""

import sys
from collections.abc import Iterator
from typing import Any

from tqdm import tqdm

from scripts.arena.deals import PairDeals, bot_seed, world_generator
from scripts.arena.game_text import load_game
from scripts.arena.plan import Block, Plan
from scripts.arena.records import BlockRecord, GameRecord
from scripts.arena.referee import play_game
from scripts.arena.store import Store


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


def missing_blocks(plan: Plan, store: Store) -> list[Block]:
    """The blocks of a plan that a store lacks, in the order of the plan."""
    return [block for block in plan.blocks if block.index not in store.records]


def run(plan: Plan, store: Store) -> bool:
    """Plays what is missing and adds it to the store, block by block.

    Shows a progress bar on stderr if that is a terminal.

    Returns:
      Whether all was played: False if the user stopped it (Ctrl-C). Finished blocks are kept.
    """
    try:
        for block in _with_progress(plan, missing_blocks(plan, store)):
            store.append(play_block(plan, block))
    except KeyboardInterrupt:
        return False
    return True


def _with_progress(plan: Plan, blocks: list[Block]) -> Iterator[Block]:
    """The blocks one by one, while a bar counts the games of those that are done."""
    games = sum(2 * block.num_pairs for block in blocks)
    before = plan.num_games - games
    with tqdm(
        total=plan.num_games, initial=before, unit="game", disable=None, file=sys.stderr
    ) as bar:
        for block in blocks:
            yield block
            bar.update(2 * block.num_pairs)
