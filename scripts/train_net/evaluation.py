"""How a network does against bots, on the arena's duplicate deals, many games side by side.

The same deals, seeds and moves as in a tournament of the network (first) and the bot (second): what
comes out is equal, but no game is recorded, and no bot has a process of its own.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bots.openspiel_bot import ViewBot
from bots.registry import ENTRIES, make_bot, parse_spec, sees_all
from marjolet_spiel.rules import Rules
from marjolet_spiel.solvers.network import NetworkPlayer
from marjolet_spiel.vector import VectorEnv
from marjolet_spiel.worlds import seen_position
from scripts.arena.plan.deals import PairDeals, bot_seed
from scripts.arena.plan.game_text import load_game

_CHUNK = 128  # pairs that are played side by side
_NETWORK, _OPPONENT = 0, 1  # the places of the players in the tournament


class _Games(NamedTuple):
    """Both games of some pairs, one after the other."""

    orders: list[list[int]]
    dealers: list[int]
    seeds: list[int]
    bots: list[ViewBot[Any]]


def check_opponent(text: str, game: str) -> None:
    """ValueError unless it is a bot of ours that can play a game and sees no hidden card."""
    if parse_spec(text).name not in ENTRIES or sees_all(text):
        raise ValueError(
            f"--opponents: {text!r} is not allowed; it must be one of our bots that sees what its "
            "seat sees"
        )
    make_bot(text, load_game(game), 1, 0)


def margins(
    player: NetworkPlayer, opponent: str, rules: Rules, root: int, pairs: Sequence[int]
) -> NDArray[np.float64]:
    """What a network wins against a bot.

    Args:
      player: the network.
      opponent: a bot that `check_opponent` lets pass.
      rules: single deals.
      root: the seed of the tournament that would play the same deals.
      pairs: the numbers of the duplicate pairs.

    Returns:
      float64 [pairs], points a deal, the mean of both games of each pair.
    """
    parts = [pairs[first : first + _CHUNK] for first in range(0, len(pairs), _CHUNK)]
    return np.concatenate([_play(player, opponent, rules, root, part) for part in parts])


def _prepare(opponent: str, env: VectorEnv, root: int, pairs: Sequence[int]) -> _Games:
    games = _Games([], [], [], [])
    spec = parse_spec(opponent)
    for pair in pairs:
        deals = PairDeals(root, pair, env.rules.pack)
        for seating in range(2):
            games.orders.append(deals.order(1))
            games.dealers.append(deals.dealer)
            games.seeds.append(bot_seed(root, pair, seating, _NETWORK, _OPPONENT))
            seed = bot_seed(root, pair, seating, _OPPONENT, _NETWORK)
            games.bots.append(make_bot(spec, env.game, 1 - seating, seed))
    return games


def _play(
    player: NetworkPlayer, opponent: str, rules: Rules, root: int, pairs: Sequence[int]
) -> NDArray[np.float64]:
    n = 2 * len(pairs)
    env = VectorEnv(rules, n, 0, "compact")
    games = _prepare(opponent, env, root, pairs)
    batch = env.reset(orders=np.array(games.orders), dealers=np.array(games.dealers))
    seats = np.arange(n) % 2  # of the network
    result, playing = np.zeros(n), np.ones(n, dtype=bool)
    while playing.any():
        actions = np.argmax(batch.legal, axis=1)
        for i in map(int, np.flatnonzero(playing)):
            state = env.state(i)
            if state.current_player() == seats[i]:
                pos = seen_position(state, int(seats[i]))
                actions[i] = player.choose(pos, batch.observation[i], games.seeds[i], False)
            else:
                actions[i] = games.bots[i].step(state)
        batch = env.step(actions, moving=playing)
        result[batch.done] = batch.reward[np.arange(n), seats][batch.done]
        playing &= ~batch.done
    return result.reshape(-1, 2).mean(axis=1)
