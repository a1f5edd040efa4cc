"""A bot that plays a policy from a file, such as one that CFR has found for a small pack."""

from functools import lru_cache
from typing import Any

import pyspiel

from bots.file_stamp import Stamp, stamp_of
from bots.openspiel_bot import Policy, ViewBot
from marjolet_spiel.sampling import decision_seed
from marjolet_spiel.solvers.policy_file import Table, load_table

Seen = tuple[str, tuple[int, ...]]
"""The information state of the seat and its legal actions."""


class PolicyBot(ViewBot[Seen]):
    """A bot that samples from a tabular policy, with the same chances at every visit.

    What it takes depends on its seed and the information state alone. Information states that the
    table does not hold, as those that a sampling solver never visited, are played uniformly.

    Attributes:
      unknown: how many choices it made so by chance alone; where there is only one legal action
        there is no choice.
    """

    def __init__(self, table: Table, player: int, seed: int) -> None:
        """A bot for seat `player`.

        Args:
          table: pairs of an action and its probability, which sum to 1, by information-state
            string (`policy_file.load_table`). It is not copied.
          player: the seat, 0 or 1.
          seed: a whole number from 0.
        """
        super().__init__(player)
        self._table = table
        self._seed = seed
        self.unknown = 0

    def look(self, state: Any) -> Seen:
        """The information state and the legal actions."""
        return state.information_state_string(self.player), tuple(state.legal_actions())

    def distribution(self, view: Seen) -> Policy:
        """Every legal action with its probability; ValueError if the table has an illegal one."""
        key, legal = view
        row = self._table.get(key)
        if row is None:
            return [(action, 1.0 / len(legal)) for action in legal]
        chances = dict(row)
        illegal = [action for action in chances if action not in legal]
        if illegal:
            raise ValueError(
                f"policy: action {illegal[0]} is not legal at {key!r}; legal are {[*legal]}"
            )
        return [(action, chances.get(action, 0.0)) for action in legal]

    def decide(self, view: Seen) -> int:
        """An action drawn from the distribution."""
        key, legal = view
        policy = self.distribution(view)
        self.unknown += len(legal) > 1 and key not in self._table
        draw = decision_seed(self._seed, key.encode()) / 2**63
        possible = [(action, chance) for action, chance in policy if chance > 0]
        for action, chance in possible:
            draw -= chance
            if draw < 0:
                return action
        return possible[-1][0]  # the sum was below 1 by rounding


def policy_bot(game: Any, player: int, seed: int, path: str) -> PolicyBot:
    """A bot that plays the policy in a file. The file is read once, and again if it changes.

    Args:
      game: the game it is to play, which must be the one of the policy.
      player: the seat, 0 or 1.
      seed: a whole number from 0.
      path: a file that `policy_file.save_policy` wrote.

    Raises:
      ValueError: the file is missing, damaged or of another game; or there is no such seat.
    """
    return PolicyBot(_table(path, stamp_of(path), str(game)), player, seed)


@lru_cache(maxsize=4)
def _table(path: str, stamp: Stamp, game: str) -> Table:
    return load_table(path, pyspiel.load_game(game))
