"""A two-player game in sequence form, and what policies are worth in it, exactly.

What trees of small packs and of the last stock trick have in common. The functions behind it, and
what sequences and realization plans are, are in `sequence_form`.
"""

from typing import NamedTuple

import numpy as np

from marjolet_spiel.array_types import Floats, Ints, Vector
from marjolet_spiel.solvers import sequence_form


class Side(NamedTuple):
    """What belongs to one player.

    Attributes:
      first: int64 [sets + 1], the first entry of each of his information sets in a policy, and the
        end of the last one; parents stand before children.
      parents: int32 [sets], the sequence of his that leads to it.
      starts: int64 [sequences + 1], where the payoffs of each sequence begin.
      columns: int32 [payoffs], the sequences of the other player.
      payoffs: float64 [payoffs]: the return of player 0 times the probability of chance.
      policy_size: the length of a policy, which may be one of both players together.
    """

    first: Vector
    parents: Ints
    starts: Vector
    columns: Ints
    payoffs: Floats
    policy_size: int

    @property
    def num_sets(self) -> int:
        """How many information sets he has."""
        return len(self.parents)

    @property
    def sequences(self) -> int:
        """How many sequences he has: the empty one, and one for each entry."""
        return len(self.starts) - 1

    @property
    def entries(self) -> slice:
        """The entries of his information sets in a policy."""
        return slice(int(self.first[0]), int(self.first[-1]))


class SequenceGame:
    """A game as a matrix over the sequences of both players.

    A policy is float64 [policy_size]; of a policy only the entries of the player in question count.
    What belongs to a policy stands before whose it is.

    Attributes:
      sides: what belongs to player 0 and to player 1.
    """

    sides: tuple[Side, Side]

    def plan(self, policy: Floats, player: int) -> Floats:
        """The realization plan of a player's policy: float64 [sequences].

        Raises:
          ValueError: it is no policy.
        """
        side = self.sides[player]
        self.check_policy(policy, player)
        plan = np.empty(side.sequences)
        sequence_form.fill_plan(side.first, side.parents, policy, plan)
        return plan

    def check_policy(self, policy: Floats, player: int) -> None:
        """Refuses what cannot be the policy of a player by its type or shape: ValueError."""
        size = self.sides[player].policy_size
        if policy.shape != (size,) or policy.dtype != np.float64:
            raise ValueError(
                f"policy: {policy.dtype} {policy.shape} is not allowed; it must be float64 "
                f"({size},)"
            )

    def values_against(self, plan: Floats, player: int, values: Floats) -> None:
        """What the ends after each of a player's sequences are worth to him against a plan.

        Args:
          plan: float64 [sequences], of the other player.
          player: 0 or 1.
          values: float64 [sequences], filled in.
        """
        other = self.sides[1 - player]
        sign = 1.0 if player == 0 else -1.0
        matrix = (other.starts, other.columns, other.payoffs)
        sequence_form.fill_values(*matrix, plan, sign, values)

    def value_of(self, first: Floats, second: Floats) -> float:
        """The expected return of player 0 if he plays one policy and player 1 the other."""
        plan = self.plan(first, 0)
        values = np.empty_like(plan)
        self.values_against(self.plan(second, 1), 0, values)
        return float(sequence_form.value_of(plan, values))

    def respond(self, policy: Floats, player: int, best: Floats) -> float:
        """The most a player can get against a policy of the other; how is filled into `best`."""
        side = self.sides[player]
        values = np.empty(side.sequences)
        self.values_against(self.plan(policy, 1 - player), player, values)
        return float(sequence_form.respond(side.first, side.parents, values, best))
