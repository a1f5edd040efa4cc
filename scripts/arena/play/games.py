"""Plays the games of a plan: which bots sit where, with which cards and seeds."""

from collections.abc import Iterator

import marjolet_spiel  # noqa: F401  (a worker that imports this module can load the games)
from bots.registry import make_bot
from scripts.arena.plan.deals import PairDeals, audit_generator, bot_seed, world_generator
from scripts.arena.plan.game_text import load_game
from scripts.arena.plan.pairings import Block, Plan
from scripts.arena.play.clock import SETTING_UP, Clock
from scripts.arena.play.referee import described, play_game
from scripts.arena.store.records import GameRecord, PlayedBlock, PlayedGame


def play_block(plan: Plan, block: Block) -> PlayedBlock:
    """Plays a block in this process, whatever its bots do to it.

    The result depends on the arguments alone, whatever was played before.
    """
    return PlayedBlock.of(block, list(play_games(plan, block)))


def play_games(
    plan: Plan, block: Block, start: int = 0, clock: Clock | None = None
) -> Iterator[PlayedGame]:
    """Plays the games of a block from number `start` on, pair by pair, seating 0 first."""
    for pair, seating in block.games[start:]:
        yield _play(plan, block, pair, seating, clock)


def _play(plan: Plan, block: Block, pair: int, seating: int, clock: Clock | None) -> PlayedGame:
    """One game: in seating 1 the first bot of the pairing sits in seat 1."""
    config, game = plan.config, load_game(plan.config.game)
    bots = [block.first, block.second] if seating == 0 else [block.second, block.first]
    key = (config.seed, pair, seating, *bots)
    outcome = play_game(
        game,
        PairDeals(config.seed, pair, game.rules.pack),
        [config.bots[bot] for bot in bots],
        [bot_seed(config.seed, pair, seating, bots[seat], bots[1 - seat]) for seat in range(2)],
        world_generator(*key),
        audit_generator(*key) if pair < config.audit_pairs else None,
        clock,
    )
    times = outcome.times if seating == 0 else outcome.times[::-1]
    if outcome.returns is None:
        forfeit = None if outcome.forfeit is None else outcome.forfeit ^ seating
        rest = (outcome.decisions, None, forfeit, outcome.reason)
        return PlayedGame(GameRecord(pair, seating, *rest), outcome.history, times)
    record = GameRecord(pair, seating, outcome.decisions, outcome.returns[seating])
    return PlayedGame(record, outcome.history, times)


def check_bot(game: str, bot: str, clock: Clock | None = None) -> None:
    """Makes a bot, so that a missing file or the like is told before the first game.

    Raises:
      ValueError: it cannot be made for the game; the message says why.
    """
    try:
        (clock or Clock()).ask(bot, 0, SETTING_UP, make_bot, bot, load_game(game), 0, 0)
    except ValueError:
        raise
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt) and not (clock and clock.is_watched):
            raise
        raise ValueError(f"bot {bot!r}: cannot be made ({described(error)})") from error
