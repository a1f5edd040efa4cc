"""Batches of games in compiled code: arrays, and what moves a game on to its next decision.

Each game has a generator of its own for each episode, so what happens in it depends neither on the
other games nor on threads.
"""

from typing import NamedTuple

import numpy as np

from marjolet_spiel import kernel
from marjolet_spiel.array_types import UnsignedByteRows, Vector, VectorRows
from marjolet_spiel.compact import PLAYS_SIZE, note_play
from marjolet_spiel.compiling import compiled, compiled_recursive, count, lowest
from marjolet_spiel.events import DEAL, LOT, TURN, event_base
from marjolet_spiel.kernel import copy_to, deal_points
from marjolet_spiel.sampling import (
    CARDS,
    COUNTER,
    KEY,
    deal_randomly,
    next_word,
    order_stock,
    random_outcome,
)
from marjolet_spiel.solvers.endgame.alpha_beta import EndgameArrays
from marjolet_spiel.solvers.search.leaves import exact_leaf, solvable

# What is known of a game, beside its position.
SEED, EPISODE, LENGTH, DEAL_BEGIN, SCORED, LEGAL = range(6)
FACTS_SIZE = 6


class GameArrays(NamedTuple):
    """The games of a batch.

    Row i is game i; row n + i is the one that it ended last, as it was at its end, so that what
    players saw there can still be asked for when the next one has begun.

    Attributes:
      positions: int64 [2n, kernel.SIZE].
      deals: int64 [2n, kernel.SIZE], the positions in which the deals in progress began.
      generators: int64 [n, sampling.GENERATOR_SIZE], with the order of the stock.
      plays: int64 [2n, compact.PLAYS_SIZE], what is remembered of each deal.
      logs: uint8 [2n, longest], the events of each game (`events.py`).
      facts: int64 [2n, FACTS_SIZE]: the seed of the game, its episode, the length of its log, where
        the deal begins in the log, the point difference of player 0 that was rewarded, and the
        legal actions as a mask.
      start: int64 [kernel.SIZE], where every game begins.
    """

    positions: VectorRows
    deals: VectorRows
    generators: VectorRows
    plays: VectorRows
    logs: UnsignedByteRows
    facts: VectorRows
    start: Vector


class Ways(NamedTuple):
    """How a batch goes on.

    Attributes:
      skip_forced: whether decisions with one legal action are taken by themselves.
      as_scored: whether rewards come as points are scored, and not at the end of games.
      exact_endgame: whether games end with the stock, valued exactly.
    """

    skip_forced: bool
    as_scored: bool
    exact_endgame: bool


@compiled
def _log(games: GameArrays, i: int, event: int) -> None:
    games.logs[i, games.facts[i, LENGTH]] = event
    games.facts[i, LENGTH] += 1


@compiled
def act(games: GameArrays, i: int, action: int) -> None:
    """Takes a legal action in a game."""
    pos = games.positions[i]
    note_play(games.plays[i], pos, action)
    _log(games, i, action)
    kernel.apply_decision(pos, action)


@compiled
def _log_hand(games: GameArrays, i: int, hand: int) -> None:
    while hand:
        _log(games, i, DEAL + lowest(hand))
        hand &= hand - 1


@compiled
def _begin_deal(games: GameArrays, i: int) -> None:
    copy_to(games.positions[i], games.deals[i])
    games.facts[i, DEAL_BEGIN] = games.facts[i, LENGTH]
    games.plays[i, :] = 0


@compiled
def _log_deal(games: GameArrays, i: int) -> None:
    pos = games.positions[i]
    _log_hand(games, i, pos[kernel.HAND1 - pos[kernel.DEALER]])
    _log_hand(games, i, pos[kernel.HAND0 + pos[kernel.DEALER]])
    _log(games, i, TURN + pos[kernel.TURN_UP])


@compiled
def _deal(games: GameArrays, i: int) -> None:
    """Deals both hands, turns a card up and orders the stock."""
    _begin_deal(games, i)
    deal_randomly(games.positions[i], games.generators[i])
    _log_deal(games, i)
    order_stock(games.positions[i], games.generators[i])


@compiled
def deal_in_order(games: GameArrays, i: int, order: Vector, dealer: int) -> None:
    """Deals the first deal of a game from a pack in a given order.

    Args:
      games: the games.
      i: one that has just begun.
      order: the hand of the non-dealer, that of the dealer, the turn-up, the stock.
      dealer: who deals, if that is drawn by lot.
    """
    pos, rng = games.positions[i], games.generators[i]
    if pos[kernel.PHASE] == kernel.DEALER_LOT:
        _log(games, i, LOT + dealer)
        kernel.apply_chance(pos, dealer)
    _begin_deal(games, i)
    size = pos[kernel.HAND_SIZE]
    for place in range(len(order)):
        rng[CARDS + place] = order[place]
    for place in range(2 * size):
        owner = pos[kernel.DEALER] if place >= size else 1 - pos[kernel.DEALER]
        pos[kernel.HAND0 + owner] |= 1 << order[place]
    pos[kernel.DOWN] &= ~(pos[kernel.HAND0] | pos[kernel.HAND1])
    pos[kernel.PHASE] = kernel.TURNING
    kernel.apply_chance(pos, order[2 * size])
    _log_deal(games, i)


@compiled
def _take_chance(games: GameArrays, i: int) -> None:
    pos, rng = games.positions[i], games.generators[i]
    if pos[kernel.PHASE] == kernel.DEALING:
        _deal(games, i)
        return
    if pos[kernel.PHASE] == kernel.DRAW:
        outcome = rng[CARDS + pos[kernel.NUM_CARDS] - count(pos[kernel.DOWN])]
    else:
        outcome = random_outcome(pos, rng)
    _log(games, i, event_base(pos) + outcome)
    kernel.apply_chance(pos, outcome)


@compiled
def begin(games: GameArrays, i: int, episode: int) -> None:
    """Begins an episode of a game: its generator is made from the seed and the episode."""
    copy_to(games.start, games.positions[i])
    facts, rng = games.facts[i], games.generators[i]
    rng[KEY] = facts[SEED]
    rng[COUNTER] = episode
    rng[KEY] = np.int64(next_word(rng))
    rng[COUNTER] = 0
    facts[EPISODE] = episode
    facts[LENGTH] = 0
    facts[DEAL_BEGIN] = 0
    facts[SCORED] = 0


@compiled
def copy_game(games: GameArrays, i: int, to: GameArrays, row: int) -> None:
    """Copies all of a game but its generator to a row of the same or of other arrays."""
    copy_to(games.positions[i], to.positions[row])
    copy_to(games.deals[i], to.deals[row])
    for k in range(PLAYS_SIZE):
        to.plays[row, k] = games.plays[i, k]
    for k in range(games.facts[i, LENGTH]):
        to.logs[row, k] = games.logs[i, k]
    for k in range(FACTS_SIZE):
        to.facts[row, k] = games.facts[i, k]


@compiled
def _keep_ended(games: GameArrays, i: int) -> None:
    """Copies a game that has ended to its second row."""
    row = i + len(games.generators)
    copy_game(games, i, games, row)
    games.facts[row, LEGAL] = 0


@compiled
def _scored(pos: Vector) -> int:
    """Points of player 0 less those of player 1, of all deals."""
    deal = deal_points(pos, 0) - deal_points(pos, 1)
    return pos[kernel.SCORE0] - pos[kernel.SCORE1] + deal


@compiled_recursive
def run_on(games: GameArrays, i: int, ways: Ways, endgame: EndgameArrays) -> tuple[int, bool]:
    """Moves a game on to a decision; one that ends is begun anew.

    Returns:
      The reward of player 0 since the last decision, and whether a game ended.
    """
    pos, facts = games.positions[i], games.facts[i]
    reward, done = 0, False
    while True:
        if pos[kernel.PLAYER] == kernel.CHANCE:
            _take_chance(games, i)
            continue
        exact = ways.exact_endgame and solvable(pos)
        if exact or pos[kernel.PHASE] == kernel.OVER:
            final = exact_leaf(pos, endgame) if exact else kernel.return_of_player_0(pos)
            if ways.as_scored:
                final = (final if exact else _scored(pos)) - facts[SCORED]
            reward, done = final, True
            _keep_ended(games, i)
            begin(games, i, facts[EPISODE] + 1)
            continue
        legal = kernel.legal_mask(pos)
        if ways.skip_forced and legal & (legal - 1) == 0:
            act(games, i, lowest(legal))
            continue
        facts[LEGAL] = legal
        if ways.as_scored and not done:
            reward = _scored(pos) - facts[SCORED]
            facts[SCORED] += reward
        return reward, done
