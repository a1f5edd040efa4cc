"""Tournaments as work to be timed, beside a bare loop that plays the same games."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from bots.registry import make_bot
from scripts.arena.plan.config import Config, Watch, make_config
from scripts.arena.plan.deals import PairDeals
from scripts.arena.plan.game_text import load_game
from scripts.arena.plan.pairings import Plan
from scripts.arena.play.games import play_block
from scripts.arena.play.runner import play_here, play_in_worker
from scripts.arena.play.workers import Crew, play_parallel
from scripts.arena.store.records import PlayedBlock
from scripts.benchmark.timing import Work

BLOCK_PAIRS = 10


def config_of(bot: str, move_limit: float = 60.0) -> Config:
    """A bot against itself with another seed."""
    other = f"{bot}{',' if ':' in bot else ':'}seed=1"
    return make_config("python_marjolet", [bot, other], 1, watch=Watch(0, move_limit))


def bare_loop(bot: str) -> Work:
    """The games without referee, store and new bots: bots are shown the true state."""
    config, game = config_of(bot), load_game("python_marjolet")
    players = [make_bot(spec, game, seat, 1) for seat, spec in enumerate(config.bots)]

    def play(n: int) -> int:
        for number in range(n):
            _play_bare(game, PairDeals(config.seed, number // 2, game.rules.pack), players)
        return n

    return play


def _play_bare(game: Any, deals: PairDeals, players: list[Any]) -> None:
    state = game.new_initial_state()
    for player in players:
        player.restart()
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(deals.outcome(state))
        else:
            state.apply_action(players[state.current_player()].step(state))


def one_worker(bot: str, watched: bool = True) -> Work:
    """The games by the arena; watched, in a process of their own."""
    config = config_of(bot, 60.0 if watched else 0.0)

    def play(n: int) -> int:
        plan = _plan(config, n)
        one = play_here if watched else play_block
        return _games(one(plan, block) for block in plan.blocks)

    return play


def two_workers(bot: str) -> Work:
    """The games by two workers of loky, which stay between measurements."""
    config = config_of(bot)

    def play(n: int) -> int:
        plan = _plan(config, n)
        return _games(play_parallel(play_in_worker, plan.config, plan.blocks, Crew(2, "loky")))

    return play


def _plan(config: Config, games: int) -> Plan:
    pairs = max(1, games // 2)
    return Plan(replace(config, pairs=pairs, block_pairs=min(BLOCK_PAIRS, pairs)))


def _games(played: Iterable[PlayedBlock]) -> int:
    return sum(len(block.record.games) for block in played)
