"""The public tree of the last stock trick, and how it is made (for `tree.py`)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from marjolet_spiel import kernel
from marjolet_spiel.array_types import Floats, Ints, Vector
from marjolet_spiel.cards import bits
from marjolet_spiel.solvers import sequence_form
from marjolet_spiel.solvers.boundary.deals import Deals
from marjolet_spiel.solvers.boundary.leaves import (
    CHANGES_SIZE,
    GONE,
    GOT,
    fill_ends,
    fill_legal,
    follow_action,
    hand_now,
)
from marjolet_spiel.solvers.endgame.alpha_beta import deal_is_over
from marjolet_spiel.solvers.endgame.match_equity import UNIT
from marjolet_spiel.solvers.endgame.table import EndgameTable
from marjolet_spiel.solvers.sequence_game import Side


@dataclass(eq=False)
class Node:
    """What everybody sees at some point of the trick.

    Attributes:
      player: who is on turn.
      hands: int64 [n], what he may have held at the start, as masks, ascending.
      legal: int64 [n], his legal actions with each hand, as masks.
      first: int64 [n], the first entry of each of his information sets; -1 without a choice.
      children: what comes of each action; None where the trick is over.
    """

    player: int
    hands: Vector
    legal: Vector
    first: Vector
    children: dict[int, "Node | None"] = field(default_factory=dict)

    def row_of(self, hand: int) -> int:
        """The place of a hand; -1 if it cannot be the player's."""
        row = int(np.searchsorted(self.hands, hand))
        return row if row < len(self.hands) and self.hands[row] == hand else -1


class TreeBuilder:
    """Goes through the public tree; information sets are numbered parents before children."""

    def __init__(self, deals: Deals, weights: Floats, table: EndgameTable, is_match: bool) -> None:
        """A builder for some deals, given with their probabilities."""
        self._deals, self._weights = deals, weights
        self._unit = UNIT if is_match else 1
        both = [np.unique(deals[:, player], return_inverse=True) for player in range(2)]
        self._masks = [masks for masks, _ in both]
        self._of_deal = [numbers.ravel() for _, numbers in both]
        self._endgame = table.arrays()
        self._entries = [0, 0]
        self._firsts: list[list[Vector]] = [[], []]
        self._parents: list[list[Ints]] = [[], []]
        self._rows: list[list[Ints]] = [[], []]  # of the ends, by player
        self._payoffs: list[Floats] = []

    def build(self, public: Vector) -> tuple[Node, tuple[Side, Side]]:
        """The first node of a position, given without hidden cards, and what both players have."""
        sequences = [np.zeros(len(masks), dtype=np.int32) for masks in self._masks]
        everything, nothing = np.arange(len(self._deals)), np.zeros(CHANGES_SIZE, dtype=np.int64)
        root = self._node(self._laid_out(public, 0, nothing), everything, sequences)
        rows = [np.concatenate(rows) for rows in self._rows]
        payoffs = np.concatenate(self._payoffs)
        return root, (self._side(0, rows, payoffs), self._side(1, rows, payoffs))

    def _side(self, player: int, rows: list[Ints], payoffs: Floats) -> Side:
        entries = self._entries[player]
        none: Any = np.zeros(0, dtype=np.int64)
        first = np.concatenate([none, *self._firsts[player], np.array([entries])])
        parents = np.concatenate([none.astype(np.int32), *self._parents[player]])
        starts = np.zeros(entries + 2, dtype=np.int64)
        columns, values = np.empty_like(rows[0]), np.empty_like(payoffs)
        own, other = rows[player], rows[1 - player]
        sequence_form.sort_by_row(own, other, payoffs, starts, columns, values)
        return Side(first, parents, starts, columns, values, entries)

    def _node(self, pos: Vector, members: Vector, sequences: Sequence[Ints]) -> Node:
        """The node that some deals lead to; `pos` has the cards of the first of them."""
        player = int(pos[kernel.PLAYER])
        numbers = self._of_deal[player][members]
        alive = np.flatnonzero(np.bincount(numbers, minlength=len(self._masks[player])))
        hands, changes = self._masks[player][alive], self._changes(pos, members[0])
        legal, sizes = np.empty_like(hands), np.empty_like(hands)
        fill_legal(pos.copy(), hands, changes, legal, sizes)
        first = self._number(player, sizes, sequences[player][alive])
        node = Node(player, hands, legal, first)
        legal_of = np.zeros(len(self._masks[player]), dtype=np.int64)
        legal_of[alive] = legal
        of_members = legal_of[numbers]
        for action in bits(int(np.bitwise_or.reduce(legal))):
            chosen = members[of_members >> action & 1 == 1]
            after = list(sequences)
            after[player] = sequences[player].copy()
            follow_action(action, alive, legal, first, after[player])
            node.children[action] = self._child(pos, action, chosen, changes, after)
        return node

    def _number(self, player: int, sizes: Vector, parents: Ints) -> Vector:
        """Numbers the information sets of a node with a choice; the first entry of each, or -1."""
        choice = sizes > 1
        ends = self._entries[player] + np.cumsum(np.where(choice, sizes, 0))
        first = np.where(choice, ends - sizes, -1)
        self._firsts[player].append(first[choice])
        self._parents[player].append(parents[choice])
        self._entries[player] = int(ends[-1])
        return first

    def _child(
        self, pos: Vector, action: int, chosen: Vector, changes: Vector, sequences: Sequence[Ints]
    ) -> Node | None:
        """What comes of an action in some deals: a node, or None and ends that are added."""
        after = self._laid_out(pos, chosen[0], changes)
        kernel.apply_decision(after, action)
        in_trick = after[kernel.TRICK] <= after[kernel.STOCK_TRICKS]
        if in_trick and not deal_is_over(after, pos[kernel.DEAL]):
            return self._node(after, chosen, sequences)
        values = np.empty(len(chosen))
        fill_ends(pos, action, self._deals, chosen, changes, self._endgame, values)
        self._payoffs.append(values / self._unit * self._weights[chosen])
        for player in range(2):
            self._rows[player].append(sequences[player][self._of_deal[player][chosen]])
        return None

    def _laid_out(self, pos: Vector, deal: int, changes: Vector) -> Vector:
        """A position with the cards of a deal."""
        pos, (hand0, hand1, down) = pos.copy(), self._deals[deal]
        pos[kernel.HAND0] = hand_now(hand0, 0, changes)
        pos[kernel.HAND1] = hand_now(hand1, 1, changes)
        pos[kernel.DOWN] = down
        return pos

    def _changes(self, pos: Vector, member: int) -> Vector:
        """What has left and joined both hands since the start; `pos` has those of a deal."""
        changes = np.zeros(CHANGES_SIZE, dtype=np.int64)
        for player in range(2):
            then, now = self._deals[member, player], pos[kernel.HAND0 + player]
            changes[GONE + player] = then & ~now
            changes[GOT + player] = now & ~then
        return changes
