"""What each legal action of each game of a batch leads to, the games staying as they are.

For learning from all actions at once: a critic that sees all cards values each successor.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from marjolet_spiel import compact, kernel
from marjolet_spiel.array_types import Bytes, SingleFloatRows, SingleFloats, Truths, Vector
from marjolet_spiel.compact import write_hidden
from marjolet_spiel.compiling import compiled_recursive
from marjolet_spiel.sampling import GENERATOR_SIZE
from marjolet_spiel.solvers.endgame.alpha_beta import EndgameArrays
from marjolet_spiel.vector.games import (
    GameArrays,
    Ways,
    act,
    copy_game,
    run_on,
)
from marjolet_spiel.vector.stepping import View, observe


class Successors(NamedTuple):
    """The next decisions after each legal action of each game, game by game, actions ascending.

    Attributes:
      game: int64 [k], the game that the action is taken in.
      action: int64 [k], the action.
      observation: float32 [k, d], what the player sees who is on turn then.
      hidden: float32 [k, compact.HIDDEN_SIZE], what he does not see.
      player: int8 [k], who he is.
      reward: float32 [k], the reward of player 0 on the way; player 1 gets its negative.
      done: bool [k], whether the game ends; what is seen counts for nothing then.
    """

    game: Vector
    action: Vector
    observation: SingleFloatRows
    hidden: SingleFloatRows
    player: Bytes
    reward: SingleFloats
    done: Truths


def make_successors(legal: NDArray[np.bool_], size: int) -> Successors:
    """Room for the successors of games with these legal actions, observations being of a size."""
    game, action = np.nonzero(legal)
    k = len(game)
    return Successors(
        game=game.astype(np.int64),
        action=action.astype(np.int64),
        observation=np.empty((k, size), dtype=np.float32),
        hidden=np.empty((k, compact.HIDDEN_SIZE), dtype=np.float32),
        player=np.empty(k, dtype=np.int8),
        reward=np.empty(k, dtype=np.float32),
        done=np.empty(k, dtype=np.bool_),
    )


@compiled_recursive
def write_successors(
    games: GameArrays,
    one: GameArrays,
    ways: Ways,
    view: View,
    endgame: EndgameArrays,
    out: Successors,
) -> None:
    """Takes each action in a copy of its game; `one` is room for that copy."""
    for k in range(len(out.game)):
        copy_game(games, out.game[k], one, 0)
        for j in range(GENERATOR_SIZE):
            one.generators[0, j] = games.generators[out.game[k], j]
        act(one, 0, out.action[k])
        reward, done = run_on(one, 0, ways, endgame)
        out.reward[k] = np.float32(reward)
        out.done[k] = done
        player = one.positions[0, kernel.PLAYER]
        out.player[k] = player
        observe(one, 0, player, view, endgame.stack[0], out.observation[k])
        out.hidden[k, :] = 0.0
        write_hidden(one.positions[0], one.generators[0], player, out.hidden[k])
