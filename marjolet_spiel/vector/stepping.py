"""Steps of whole batches in compiled code: actions checked, games moved on, batches written."""

from typing import NamedTuple

import numpy as np

from marjolet_spiel import kernel
from marjolet_spiel.array_types import (
    Bytes,
    SingleFloatRows,
    SingleFloats,
    TruthRows,
    Truths,
    Vector,
    VectorRows,
)
from marjolet_spiel.compact import write_compact, write_hidden
from marjolet_spiel.compiling import compiled, compiled_recursive, lowest
from marjolet_spiel.features import write_deal, write_private, write_public
from marjolet_spiel.kernel import NONE, copy_to
from marjolet_spiel.solvers.endgame.alpha_beta import EndgameArrays
from marjolet_spiel.vector.games import (
    DEAL_BEGIN,
    EPISODE,
    LEGAL,
    LENGTH,
    SCORED,
    GameArrays,
    Ways,
    act,
    begin,
    deal_in_order,
    run_on,
)

# What a game may do in the place of an action.
WAIT, ANEW = -1, -2

OBSERVATION, INFORMATION_STATE, COMPACT = range(3)
OBSERVATIONS = ("observation", "information_state", "compact")


class View(NamedTuple):
    """How observations are written (`features.Layout`).

    Attributes:
      kind: the place of the observation in `OBSERVATIONS`.
      at: int64, where each piece begins.
      card_at: int64 [32], the place of each card.
      meld_at: int64 [25], the place of each meld.
    """

    kind: int
    at: Vector
    card_at: Vector
    meld_at: Vector


class BatchArrays(NamedTuple):
    """What a batch shows; a row is a game (see `environment.Batch`)."""

    observation: SingleFloatRows
    legal: TruthRows
    player: Bytes
    reward: SingleFloatRows
    done: Truths
    episode: Vector


@compiled
def observe(
    games: GameArrays, row: int, player: int, view: View, scratch: Vector, out: SingleFloats
) -> None:
    """Writes what a player sees; of the compact kind all zero unless he is on turn."""
    pos, facts = games.positions[row], games.facts[row]
    out[:] = 0.0
    if view.kind == COMPACT:
        if player == pos[kernel.PLAYER]:
            write_compact(pos, games.plays[row], player, facts[LEGAL], out)
        return
    write_public(pos, view.at, view.card_at, view.meld_at, out)
    write_private(pos, player, view.at, view.card_at, out)
    if view.kind == INFORMATION_STATE:
        copy_to(games.deals[row], scratch)
        log = games.logs[row][facts[DEAL_BEGIN] :]
        events = facts[LENGTH] - facts[DEAL_BEGIN]
        write_deal(scratch, log, events, player, view.at, view.card_at, view.meld_at, out)


@compiled
def _show(games: GameArrays, i: int, view: View, scratch: Vector, batch: BatchArrays) -> None:
    """Writes what is to be known for the next decision of a game."""
    facts, player = games.facts[i], games.positions[i, kernel.PLAYER]
    observe(games, i, player, view, scratch, batch.observation[i])
    batch.player[i] = player
    batch.episode[i] = facts[EPISODE]
    batch.legal[i, :] = False
    legal = facts[LEGAL]
    while legal:
        batch.legal[i, lowest(legal)] = True
        legal &= legal - 1


@compiled
def first_illegal(games: GameArrays, actions: Vector) -> int:
    """The first game whose action is not legal, or `NONE`; those below zero are no actions."""
    for i in range(len(actions)):
        action = actions[i]
        if action >= kernel.NUM_ACTIONS:
            return i
        if action >= 0 and games.facts[i, LEGAL] >> action & 1 == 0:
            return i
    return NONE


@compiled
def _go_to_first_decision(games: GameArrays, i: int, ways: Ways, endgame: EndgameArrays) -> None:
    """Goes on from the beginning of a game; points scored by then come later."""
    run_on(games, i, ways, endgame)
    games.facts[i, SCORED] = 0


@compiled_recursive
def step_span(
    games: GameArrays,
    actions: Vector,
    first: int,
    last: int,
    ways: Ways,
    view: View,
    endgame: EndgameArrays,
    batch: BatchArrays,
) -> None:
    """Takes a legal action in each of games `first` to `last` - 1 and shows the next decisions.

    A game with `WAIT` in the place of an action stays as it is, one with `ANEW` is given up for
    its next episode.
    """
    for i in range(first, last):
        action, reward, done = actions[i], 0, False
        if action == ANEW:
            begin(games, i, games.facts[i, EPISODE] + 1)
            _go_to_first_decision(games, i, ways, endgame)
        elif action != WAIT:
            act(games, i, action)
            reward, done = run_on(games, i, ways, endgame)
        batch.reward[i, 0] = np.float32(reward)
        batch.reward[i, 1] = np.float32(-reward)
        batch.done[i] = done
        if action != WAIT:
            _show(games, i, view, endgame.stack[0], batch)


@compiled_recursive
def show_again(games: GameArrays, view: View, endgame: EndgameArrays, batch: BatchArrays) -> None:
    """Shows all games as they are, without rewards."""
    batch.reward[:, :] = 0.0
    batch.done[:] = False
    for i in range(len(batch.player)):
        _show(games, i, view, endgame.stack[0], batch)


@compiled_recursive
def begin_in_order(
    games: GameArrays,
    orders: VectorRows,
    dealers: Vector,
    ways: Ways,
    view: View,
    endgame: EndgameArrays,
    batch: BatchArrays,
) -> None:
    """Begins episode 0 of all games from packs in given orders (`games.deal_in_order`)."""
    for i in range(len(orders)):
        begin(games, i, 0)
        deal_in_order(games, i, orders[i], dealers[i])
        _go_to_first_decision(games, i, ways, endgame)
    show_again(games, view, endgame, batch)


@compiled_recursive
def observe_rows(
    games: GameArrays,
    rows: Vector,
    players: Vector,
    view: View,
    scratch: Vector,
    out: SingleFloatRows,
) -> None:
    """Writes what a player sees in each of some rows of games to float32 [k, ...]."""
    for k in range(len(rows)):
        observe(games, rows[k], players[k], view, scratch, out[k])


@compiled_recursive
def hidden_span(games: GameArrays, out: SingleFloatRows) -> None:
    """Writes what the players on turn do not see (`compact.write_hidden`) to float32 [n, ...]."""
    out[:, :] = 0.0
    for i in range(len(out)):
        pos = games.positions[i]
        write_hidden(pos, games.generators[i], pos[kernel.PLAYER], out[i])
