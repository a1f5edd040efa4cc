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
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from marjolet_spiel import kernel
from marjolet_spiel.cards import bits, names_of
from marjolet_spiel.kernel import Vector
from marjolet_spiel.notation import action_name
from marjolet_spiel.solvers import sequence_form
from marjolet_spiel.solvers.alpha_beta import MAX_DEPTH, SPACE_SIZE, deal_is_over
from marjolet_spiel.solvers.boundary_deals import (
    Deals,
    check_position,
    check_size,
    checked_weights,
    enumerate_deals,
    public_part,
)
from marjolet_spiel.solvers.boundary_leaves import (
    CHANGES_SIZE,
    GONE,
    GOT,
    fill_ends,
    fill_legal,
    follow_action,
    hand_now,
)
from marjolet_spiel.solvers.endgame import EndgameTable, endgame_table
from marjolet_spiel.solvers.match_equity import UNIT
from marjolet_spiel.solvers.policy_file import TOLERANCE
from marjolet_spiel.solvers.sequence_form import Floats

Ints = NDArray[np.int32]


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


class Side(NamedTuple):
    """What belongs to one player.

    Attributes:
      first: int64 [sets + 1], the first entry of each of his information sets.
      parents: int32 [sets], the sequence of his that leads to it.
      sequences: how many sequences he has: the empty one, and one for each entry.
      starts: int64 [sequences + 1], where the payoffs of each sequence begin.
      columns: int32 [ends], the sequences of the other player.
      payoffs: float64 [ends]: the return of player 0 times the probability of the deal.
    """

    first: Vector
    parents: Ints
    sequences: int
    starts: Vector
    columns: Ints
    payoffs: Floats

    @property
    def num_sets(self) -> int:
        """How many information sets there are."""
        return len(self.parents)

    @property
    def num_entries(self) -> int:
        """The length of a policy."""
        return self.sequences - 1


class _Builder:
    """Goes through the public tree; information sets are numbered parents before children."""

    def __init__(self, deals: Deals, weights: Floats, table: EndgameTable, is_match: bool) -> None:
        self._deals, self._weights, self._table = deals, weights, table
        self._unit = UNIT if is_match else 1
        both = [np.unique(deals[:, player], return_inverse=True) for player in range(2)]
        self._masks = [masks for masks, _ in both]
        self._of_deal = [numbers.ravel() for _, numbers in both]
        self._stack = np.zeros((MAX_DEPTH, kernel.SIZE), dtype=np.int64)
        self._space = np.zeros(SPACE_SIZE, dtype=np.int64)
        self._entries = [0, 0]
        self._firsts: list[list[Vector]] = [[], []]
        self._parents: list[list[Ints]] = [[], []]
        self._rows: list[list[Ints]] = [[], []]  # of the ends, by player
        self._payoffs: list[Floats] = []

    def build(self, public: Vector) -> tuple[Node, tuple[Side, Side]]:
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
        return Side(first, parents, entries + 1, starts, columns, values)

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
        solver = (self._stack, self._space, self._table.index, self._table.values)
        fill_ends(pos, action, self._deals, chosen, changes, *solver, values)
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


class BoundaryTree:
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
          weights: how likely each deal is (`boundary_deals.checked_weights`), in the order of
            `boundary_deals.enumerate_deals`; by default all alike.

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
        builder = _Builder(self.deals, self.weights, table, bool(pos[kernel.TARGET] > 0))
        self.root, self.sides = builder.build(self.start)

    @property
    def num_ends(self) -> int:
        """How many ends there are."""
        return len(self.sides[0].payoffs)

    @property
    def nbytes(self) -> int:
        """Bytes of the ends, which take most of the memory."""
        return sum(side.columns.nbytes + side.payoffs.nbytes for side in self.sides)

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

    def plan(self, player: int, policy: Floats) -> Floats:
        """The probability of each sequence of a player: float64 [sequences]."""
        side = self.sides[player]
        if policy.shape != (side.num_entries,) or policy.dtype != np.float64:
            raise ValueError(
                f"policy: {policy.dtype} {policy.shape} is not allowed; it must be float64 "
                f"({side.num_entries},)"
            )
        plan = np.empty(side.sequences)
        sequence_form.fill_plan(side.first, side.parents, 0, side.num_sets, policy, plan)
        return plan

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

    def expected_value(self, policies: Sequence[Floats]) -> float:
        """The expected return of player 0 if each plays his policy."""
        plan = self.plan(0, policies[0])
        values = np.empty_like(plan)
        self.values_against(self.plan(1, policies[1]), 0, values)
        return float(sequence_form.value_of(plan, values))

    def best_response(self, player: int, policy: Floats) -> tuple[float, Floats]:
        """The most that a player can get against a policy of the other, and how he gets it."""
        side = self.sides[player]
        values, best = np.empty(side.sequences), np.empty(side.num_entries)
        self.values_against(self.plan(1 - player, policy), player, values)
        value = sequence_form.respond(side.first, side.parents, 0, side.num_sets, values, best)
        return float(value), best

    def policy_from(self, player: int, ask: Ask, everywhere: bool = False) -> Floats:
        """A policy from a function that is asked in each information set.

        Args:
          player: 0 or 1.
          ask: gives the probabilities of some legal actions in an `InformationSet`.
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
