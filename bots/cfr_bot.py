"""The bot that plays what full-pack CFR has learnt (`blueprint.training`), the endgame exactly."""

from functools import lru_cache
from typing import Any

import numpy as np

from bots.file_stamp import Stamp, stamp_of
from bots.openspiel_bot import Policy, ViewBot
from marjolet_spiel import kernel
from marjolet_spiel.array_types import Vector
from marjolet_spiel.rules import Rules
from marjolet_spiel.sampling import decision_seed
from marjolet_spiel.solvers.blueprint.abstraction import (
    BUCKET,
    CANDIDATES,
    CHOICE_SIZE,
    MAX_CLASSES,
    SCRATCH_SIZE,
    describe,
    heuristic_policy,
)
from marjolet_spiel.solvers.blueprint.file import CfrPolicy, read_policy
from marjolet_spiel.solvers.blueprint.last_stock_trick import EXTRA_ROWS
from marjolet_spiel.solvers.endgame.table import endgame_table
from marjolet_spiel.solvers.search.exact import ExactEndgame
from marjolet_spiel.solvers.search.leaves import solvable
from marjolet_spiel.worlds import seen_position


class CfrBot(ViewBot[Vector]):
    """A bot that plays an average policy over buckets (`blueprint.abstraction`).

    What it does depends on its seed and on what its seat sees alone. Matches are played for points
    until the endgame. Buckets that the policy does not hold are played by the heuristic policy.
    """

    def __init__(
        self, rules: Rules, player: int, seed: int, policy: CfrPolicy, pure: bool = True
    ) -> None:
        """A bot for one seat.

        Args:
          rules: the rules.
          player: the seat, 0 or 1.
          seed: a whole number from 0.
          policy: what it plays; it must have been trained for these rules.
          pure: whether it takes the most likely candidate instead of drawing one. An average policy
            keeps some of the mistakes of its beginning, and of noise, which are left out so:
            Ganzfried, Sandholm and Waugh, "Strategy purification", 2011.
        """
        super().__init__(player, rules)
        self._seed = seed
        self._policy = policy
        self._pure = pure
        self._endgame = ExactEndgame(endgame_table(rules.sweep_bonus))
        self._choice = np.zeros(CHOICE_SIZE, dtype=np.int64)
        self._scratch = np.zeros(SCRATCH_SIZE)
        self._arrays = endgame_table(rules.sweep_bonus).arrays(EXTRA_ROWS)

    def look(self, state: Any) -> Vector:
        """The position as the seat sees it."""
        return seen_position(state, self.player)

    def distribution(self, view: Vector) -> Policy:
        """The candidates with their probabilities, or the one action it takes."""
        legal = int(kernel.legal_mask(view))
        if legal & (legal - 1) == 0:
            return [(legal.bit_length() - 1, 1.0)]
        if solvable(view):
            return [(self._endgame.best(view), 1.0)]
        weights = self._weights(view)
        if self._pure:
            return [(int(self._choice[CANDIDATES + weights.index(max(weights))]), 1.0)]
        actions = self._choice[CANDIDATES:].tolist()
        total = sum(weights)
        pairs = zip(actions, weights, strict=True)
        return [(action, weight / total) for action, weight in pairs if weight > 0]

    def _weights(self, view: Vector) -> list[float]:
        """What the candidates of a decision weigh, by class; it fills in `_choice`."""
        describe(view, self._choice, self._scratch, self._arrays)
        shares = self._policy.shares_of(int(self._choice[BUCKET]))
        if shares is not None:
            return [float(share) for share in shares]
        policy = np.zeros(MAX_CLASSES)
        heuristic_policy(self._choice, self._scratch, policy)
        best = int(policy.argmax())
        return [float(kind == best) for kind in range(MAX_CLASSES)]

    def decide(self, view: Vector) -> int:
        """An action drawn from the distribution."""
        policy = self.distribution(view)
        draw = decision_seed(self._seed, view.tobytes()) / 2**63
        for action, chance in policy:
            draw -= chance
            if draw < 0:
                return action
        return policy[-1][0]  # the sum was below 1 by rounding


def cfr_bot(game: Any, player: int, seed: int, path: str, pure: bool = True) -> CfrBot:
    """A bot that plays the policy in a file. The file is read once, and again if it changes.

    Args:
      game: the game it is to play; its deals must have the rules of the policy.
      player: the seat, 0 or 1.
      seed: a whole number from 0.
      path: a file that `blueprint.file.write_policy` wrote, or ``python -m scripts.train_cfr``.
      pure: see `CfrBot`.

    Raises:
      ValueError: the file is missing, damaged, of another version or for other rules; or there is
        no such seat.
    """
    return CfrBot(game.rules, player, seed, _policy(path, stamp_of(path), game.rules), pure)


@lru_cache(maxsize=4)
def _policy(path: str, stamp: Stamp, rules: Rules) -> CfrPolicy:
    return read_policy(path, rules)
