"""The bot that plays a network learnt in self-play (`solvers.network`), the endgame exactly."""

from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bots.file_stamp import Stamp, stamp_of
from bots.openspiel_bot import Policy, ViewBot
from marjolet_spiel.array_types import Vector
from marjolet_spiel.compact import compact_observation
from marjolet_spiel.rules import Rules
from marjolet_spiel.solvers.network import SHIPPED, Network, NetworkPlayer, read_network
from marjolet_spiel.worlds import seen_position


class NetView(NamedTuple):
    """What a seat sees.

    Attributes:
      pos: int64 [kernel.SIZE], the position (`worlds.seen_position`).
      seen: float32 [compact.SIZE], its compact observation.
    """

    pos: Vector
    seen: NDArray[np.float32]


class NetBot(ViewBot[NetView]):
    """A bot that plays a policy network.

    What it does depends on its seed and on what its seat sees alone. Matches are played for points
    until the endgame.
    """

    def __init__(
        self, rules: Rules, player: int, seed: int, network: Network, pure: bool = False
    ) -> None:
        """A bot for one seat.

        Args:
          rules: the rules; the network must have been trained for their pack.
          player: the seat, 0 or 1.
          seed: a whole number from 0.
          network: what it plays.
          pure: whether it takes the likeliest action instead of drawing one.
        """
        super().__init__(player, rules)
        self._seed, self._pure = seed, pure
        self.network = NetworkPlayer(network, rules)

    def look(self, state: Any) -> NetView:
        """The position and the observation of the seat."""
        return NetView(seen_position(state, self.player), compact_observation(state))

    def distribution(self, view: NetView) -> Policy:
        """How likely each legal action is, or the one that it takes."""
        if self._pure:
            return [(self.decide(view), 1.0)]
        return self.network.policy(view.pos, view.seen)

    def decide(self, view: NetView) -> int:
        """An action drawn from the distribution."""
        return self.network.choose(view.pos, view.seen, self._seed, self._pure)


def net_bot(
    game: Any, player: int, seed: int, path: str | None = None, pure: bool = False
) -> NetBot:
    """A bot that plays the network in a file. The file is read once, and again if it changes.

    Args:
      game: the game it is to play; its pack must be that of the network.
      player: the seat, 0 or 1.
      seed: a whole number from 0.
      path: a file that ``python -m scripts.train_net`` wrote; by default the one of the package.
      pure: see `NetBot`.

    Raises:
      ValueError: the file is missing, damaged, of another version or for another pack; or there is
        no such seat.
    """
    file = SHIPPED if path is None else Path(path)
    return NetBot(game.rules, player, seed, _network(file, stamp_of(file), game.rules), pure)


@lru_cache(maxsize=8)
def _network(path: Path, stamp: Stamp, rules: Rules) -> Network:
    return read_network(path, rules)
