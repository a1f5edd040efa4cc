"""Who plays the other seat of a batch of games: chance, a policy for many games, or bots.

None of them sees more than its seat may: policies get observations, bots get states that are drawn
from their information states.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from marjolet_spiel.vector.environment import VectorEnv
from marjolet_spiel.vector.in_play import Batch

RANDOM = "random"

Policy = Callable[
    [NDArray[np.float32], NDArray[np.bool_]], NDArray[np.integer[Any]] | Sequence[int]
]
"""Chooses in k games at once: from what it sees, float32 [k, d], and the legal actions,
bool [k, 59], an action for each. It may keep neither array."""


@dataclass(frozen=True)
class Bots:
    """A bot of OpenSpiel's kind for each game, one after the other: any speed, any bot.

    Attributes:
      make: called as ``make(game, player, seed)`` at the first decision of each game; what it
        returns has `step(state)`, which gives an action. The state is one that the player cannot
        tell from the true one.
    """

    make: Callable[[Any, int, int], Any]


class Chooser(Protocol):
    """Chooses actions in those games of an environment in which an opponent is on turn."""

    def __call__(self, batch: Batch, games: NDArray[np.int64]) -> Any: ...


def make_chooser(opponent: Any, env: VectorEnv, seed: int) -> Chooser:
    """What chooses for an opponent: `RANDOM`, an import path, a `Policy` or `Bots`.

    Raises:
      ValueError: it is none of them.
    """
    if isinstance(opponent, str) and ":" in opponent:
        opponent = Bots(_imported(opponent))
    if isinstance(opponent, Bots):
        return BotChooser(opponent, env, seed)
    if callable(opponent):
        return lambda batch, games: opponent(batch.observation[games], batch.legal[games])
    if isinstance(opponent, str) and opponent == RANDOM:
        rng = np.random.default_rng(seed)
        return lambda batch, games: random_actions(batch.legal[games], rng)
    raise ValueError(
        f"opponent: {opponent!r} is not allowed; it must be {RANDOM!r}, where a maker of bots is "
        "imported from (my_package.my_module:make_bot), a function of observations [k, d] and "
        "legal actions [k, 59], or Bots(make) with make(game, player, seed)"
    )


def _imported(path: str) -> Callable[[Any, int, int], Any]:
    """The maker of bots that a path such as "my_package.my_module:make_bot" names."""
    module, _, name = path.partition(":")
    try:
        make = getattr(import_module(module), name)
    except (ImportError, AttributeError, TypeError, ValueError) as error:
        raise ValueError(f"opponent: {path!r} cannot be imported: {error}") from error
    if not callable(make):
        raise ValueError(f"opponent: {path!r} is not allowed; it must be called to make a bot")
    return make


def random_actions(legal: NDArray[np.bool_], rng: np.random.Generator) -> NDArray[np.int64]:
    """A legal action of each of k games, uniformly random.

    Args:
      legal: bool [k, 59].
      rng: where chance comes from.
    """
    numbered = legal.cumsum(axis=1, dtype=np.int8)
    which = (rng.random(len(legal)) * numbered[:, -1]).astype(np.int8)
    return np.argmax(numbered > which[:, None], axis=1)


class BotChooser:
    """Asks the bot of each game."""

    def __init__(self, bots: Bots, env: VectorEnv, seed: int) -> None:
        self._make, self._env, self._seed = bots.make, env, seed
        self._worlds = np.random.default_rng(seed)
        self._bots: dict[int, tuple[int, Any]] = {}

    def __call__(self, batch: Batch, games: NDArray[np.int64]) -> list[Any]:
        return [self._ask(i, int(batch.episode[i]), int(batch.player[i])) for i in games.tolist()]

    def _ask(self, i: int, episode: int, player: int) -> Any:
        state = self._env.state(i)
        known, bot = self._bots.get(i, (-1, None))
        if known != episode:
            seeds = np.random.SeedSequence(self._seed, spawn_key=(i, episode))
            bot = self._make(state.get_game(), player, int(seeds.generate_state(1)[0]))
            if not hasattr(bot, "step"):
                raise ValueError(f"opponent: {bot!r} is not allowed; a bot must have step(state)")
            self._bots[i] = episode, bot
        return bot.step(state.resample_from_infostate(player, self._worlds))


def checked_choice(chosen: Any, legal: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The actions of an opponent in k games.

    Raises:
      ValueError: they are of another form, or one is not legal.
    """
    actions = np.asarray(chosen)
    if actions.shape != (len(legal),) or not np.issubdtype(actions.dtype, np.integer):
        raise ValueError(
            f"opponent: {actions.dtype} {list(actions.shape)} is not allowed; it must choose whole "
            f"numbers [{len(legal)}], an action id for each game"
        )
    known = np.where((actions < 0) | (actions >= legal.shape[1]), 0, actions)
    wrong = (known != actions) | ~legal[np.arange(len(legal)), known]
    if wrong.any():
        allowed = np.flatnonzero(legal[wrong.argmax()]).tolist()
        raise ValueError(
            f"opponent: its action {actions[wrong.argmax()]} is not legal; legal are {allowed}"
        )
    return actions.astype(np.int64)
