"""The last stock trick as a game of its own: who may know what, and what each end is worth.

Chance deals what is hidden, the leader plays a card, the other answers, the winner has his window,
and the last two cards are drawn. Then both hands are known by counting, so what is left is worth
its value under best play. Everything that is done is seen by both, so the game is a tree of
*public* positions (`Node`); at each, the player on turn has an information set for each hand that
he may have. With the ends as a sparse matrix over the sequences of both players
(`sequence_form.py`) a strategy is evaluated, or answered as well as can be, in a millisecond.

Policies are float64 vectors with a number for each *entry* of one player: an action of one of his
information sets in which there is a choice.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from marjolet_spiel import kernel
from marjolet_spiel.array_types import Floats, Vector
from marjolet_spiel.cards import bits, names_of
from marjolet_spiel.notation import action_name
from marjolet_spiel.solvers.boundary.deals import (
    check_position,
    check_size,
    checked_weights,
    enumerate_deals,
    public_part,
)
from marjolet_spiel.solvers.boundary.nodes import Node, TreeBuilder
from marjolet_spiel.solvers.endgame.table import endgame_table
from marjolet_spiel.solvers.policy_file import TOLERANCE
from marjolet_spiel.solvers.sequence_game import SequenceGame


class InformationSet(NamedTuple):
    """What a player knows when he has a choice.

    Attributes:
      player: 0 or 1.
      hand: his cards at the start of the trick, as a mask.
      actions: what was done since, by both.
      legal: his legal actions, ascending.
      first: the entry of the first of them; those of the others follow.
    """

    player: int
    hand: int
    actions: tuple[int, ...]
    legal: tuple[int, ...]
    first: int


Ask = Callable[[InformationSet], Mapping[int, float]]
"""A strategy: the probabilities of actions in an information set."""


class BoundaryTree(SequenceGame):
    """The last stock trick from some position on.

    Attributes:
      start: int64 [kernel.SIZE], the public part of the position.
      deals: int64 [deals, 3], those that are possible: both hands and the face-down card, as masks.
      weights: float64 [deals], how likely each is.
      root: the first node.
      sides: what belongs to player 0 and to player 1.
    """

    def __init__(self, pos: Vector, weights: Any = None) -> None:
        """Goes through all deals.

        Args:
          pos: a position of the last stock trick or its window; hidden cards do not matter.
          weights: how likely each deal is (`deals.checked_weights`), in the order of
            `deals.enumerate_deals`; by default all alike.

        Raises:
          ValueError: it is another position, or the weights do not fit.
          TooLargeError: there are too many deals.
        """
        check_position(pos)
        check_size(pos)
        deals = enumerate_deals(pos)
        chances = checked_weights(deals, weights)
        self.start = public_part(pos)
        self.deals, self.weights = deals[chances > 0], chances[chances > 0]
        table = endgame_table(int(pos[kernel.SWEEP_BONUS]))
        builder = TreeBuilder(self.deals, self.weights, table, bool(pos[kernel.TARGET] > 0))
        self.root, self.sides = builder.build(self.start)

    @property
    def num_ends(self) -> int:
        """How many ends there are."""
        return len(self.sides[0].payoffs)

    # Information sets.

    def node_after(self, actions: Sequence[int]) -> Node:
        """The node after some actions; ValueError if there is none."""
        node = self.root
        for i, action in enumerate(actions):
            child = node.children.get(int(action))
            if child is None:
                raise ValueError(
                    f"actions: {self._named(actions)} is not allowed; after {i} of them the trick "
                    f"can go on with {self._named(a for a, c in node.children.items() if c)}"
                )
            node = child
        return node

    def information_sets(self, player: int) -> Iterator[InformationSet]:
        """All in which a player has a choice, those that lead to others before them."""
        yield from _sets_below(self.root, (), player)

    def entries_of(self, player: int, hand: int, actions: Sequence[int]) -> dict[int, int]:
        """The entry of each legal action of a player; -1 if there is but one action.

        Args:
          player: who is on turn.
          hand: his cards at the start of the trick, as a mask.
          actions: what was done since, by both.

        Raises:
          ValueError: he is not on turn then, or cannot have had this hand.
        """
        node = self.node_after(actions)
        row = node.row_of(int(hand)) if node.player == player else -1
        if row < 0:
            cards = " ".join(names_of(int(hand)))
            raise ValueError(
                f"hand: {cards} is not allowed; player {node.player} is on turn then, who has one "
                f"of {len(node.hands)} other hands"
            )
        legal, first = bits(int(node.legal[row])), int(node.first[row])
        return {action: first if first < 0 else first + i for i, action in enumerate(legal)}

    def _named(self, actions: Any) -> str:
        suits = int(self.start[kernel.NUM_SUITS])
        return ", ".join(action_name(int(action), suits) for action in actions) or "nothing"

    # What policies are worth.

    def uniform_policy(self, player: int) -> Floats:
        """Every action with the same probability: float64 [entries of the player]."""
        sizes = np.diff(self.sides[player].first)
        return np.repeat(1.0 / sizes, sizes)

    def expected_value(self, policies: Sequence[Floats]) -> float:
        """The expected return of player 0 if each plays his policy."""
        return self.value_of(*policies)

    def best_response(self, policy: Floats, player: int) -> tuple[float, Floats]:
        """The most that a player can get against a policy of the other, and how he gets it."""
        best = np.empty(self.sides[player].policy_size)
        return self.respond(policy, player, best), best

    def policy_from(self, ask: Ask, player: int, everywhere: bool = False) -> Floats:
        """A policy from a function that is asked in each information set.

        Args:
          ask: gives the probabilities of some legal actions in an `InformationSet`.
          player: 0 or 1.
          everywhere: whether it is asked too where the player's own choices before never lead;
            otherwise the policy is uniform there, which no opponent ever sees.

        Raises:
          ValueError: what it gives is no distribution.
        """
        side, policy = self.sides[player], self.uniform_policy(player)
        plan = np.ones(side.sequences)
        for number, here in enumerate(self.information_sets(player)):
            entries = slice(here.first, here.first + len(here.legal))
            reach = plan[side.parents[number]]
            if reach > 0 or everywhere:
                policy[entries] = _row(here, ask(here))
            plan[1 + entries.start : 1 + entries.stop] = reach * policy[entries]
        return policy


def _row(here: InformationSet, given: Mapping[int, float]) -> list[float]:
    """Probabilities of the legal actions in order; ValueError if they are no distribution."""
    row = [float(given.get(action, 0.0)) for action in here.legal]
    if min(row) < 0 or abs(sum(row) - 1) > TOLERANCE or not set(given) <= set(here.legal):
        raise ValueError(
            f"policy: {dict(given)!r} is not allowed; it must be a distribution over "
            f"{list(here.legal)}"
        )
    return row


def _sets_below(node: Node, actions: tuple[int, ...], player: int) -> Iterator[InformationSet]:
    if node.player == player:
        for row in np.flatnonzero(node.first >= 0).tolist():
            legal = tuple(bits(int(node.legal[row])))
            yield InformationSet(player, int(node.hands[row]), actions, legal, int(node.first[row]))
    for action, child in node.children.items():
        if child is not None:
            yield from _sets_below(child, (*actions, action), player)
