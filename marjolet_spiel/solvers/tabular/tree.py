"""The tree of a small game in flat arrays, and what policies are worth in it, exactly.

::

    tree = build_tree(ladder()["kqj7-english"].rules)
    policy = tree.uniform_policy()
    tree.expected_value(policy)  # of player 0
    tree.nash_conv(policy)
    tree.tabular_policy(policy)  # for OpenSpiel, keyed by information-state strings

A policy is a float64 vector with a number for each *entry*: an action of an information set in
which there is a choice. Forced nodes, three in four, are in no array: they change nothing. The tree
is kept twice: as words in the order of the histories (`flat_tree.flatten`), for sampling, and as a
sparse matrix (`sequence_form.py`), with which everything else is computed a hundred times as fast
as by walking.
"""

from collections.abc import Iterator
from dataclasses import asdict
from functools import cache
from typing import Any

import numpy as np
import pyspiel
from open_spiel.python import policy as python_policy

from marjolet_spiel import cards
from marjolet_spiel.array_types import Floats, Ints
from marjolet_spiel.cards import bits
from marjolet_spiel.events import EVENT_TEXTS
from marjolet_spiel.first_use import say_when_compiling
from marjolet_spiel.game import SHORT_NAME, MarjoletGame
from marjolet_spiel.rules import Rules
from marjolet_spiel.solvers.policy_file import TOLERANCE, Table, game_identity, table_of
from marjolet_spiel.state import dealing_probabilities

with say_when_compiling():
    from marjolet_spiel.solvers import sequence_form
    from marjolet_spiel.solvers.memory import TooLargeError, check_memory, memory_limit
    from marjolet_spiel.solvers.sequence_game import SequenceGame, Side
    from marjolet_spiel.solvers.tabular import flat_tree, views
    from marjolet_spiel.solvers.tabular.flat_tree import MAX_OUTCOMES, FlatTree
    from marjolet_spiel.solvers.tabular.size import (
        BYTES_OF_AN_END,
        TreeSize,
        depth_of,
        fill_views,
        positions_for,
        tree_size,
    )
    from marjolet_spiel.solvers.tabular.views import FORCED, LOOKS_ON

MAX_WORDS = 1 << 31
_CHUNK = 1 << 16


@cache
def chance_shares() -> Floats:
    """The distribution of each kind of chance node (`flat_tree.chance_kind`), a row a kind."""
    most = cards.NUM_CARDS // 2
    shares = np.zeros((MAX_OUTCOMES * (most + 1), MAX_OUTCOMES - 1))
    for outcomes in range(1, MAX_OUTCOMES):
        shares[outcomes, :outcomes] = 1.0 / outcomes
        for need in range(1, most + 1):
            row = dealing_probabilities(outcomes, need)
            shares[need * MAX_OUTCOMES + outcomes, :outcomes] = row
    return shares


class GameTree(SequenceGame):
    """The tree of a small game. `build_tree` makes it.

    Information sets are numbered from 0, those of player 0 before those of player 1, parents
    before children; only those in which there is a choice are.

    Attributes:
      rules: the rules of the game.
      identity: the game as text (`policy_file.game_identity`).
      size: what there is in it.
      first: int64 [sets + 1], the first entry of each information set.
      parents: int32 [sets], the sequence of its player that leads to it.
      legal: int64 [sets], its actions as a mask, in whose order the entries are.
      words: int32 [words], the histories (`flat_tree.flatten`).
      sides: what belongs to player 0 and to player 1.
    """

    def __init__(self, rules: Rules, size: TreeSize) -> None:
        """Use `build_tree`."""
        self.rules = rules
        self.identity = game_identity(self.game)
        self.size = size
        self._views = views.empty_views(sum(size.views), sum(size.information_sets))
        self.first, self.parents = self._views.first, self._views.parents
        self.legal = self._views.legal
        self.words: Ints = np.empty(size.words, dtype=np.int32)
        self.flat = FlatTree(self.words, self.first, chance_shares(), size.information_sets[0])
        self._fill_views()
        self.sides = self._fill_words()

    def _fill_views(self) -> None:
        counts = np.zeros(views.VIEW_COUNTS, dtype=np.int64)
        for player in range(2):
            counts = fill_views(self.rules, player, self._views, counts)
        self.first[-1] = counts[views.ENTRIES]

    def _fill_words(self) -> tuple[Side, Side]:
        size = self.size
        choices = np.empty((2, size.payoffs), dtype=np.int32)
        payoffs = np.empty(size.payoffs, dtype=np.float64)
        growth = np.zeros(flat_tree.GROWTH, dtype=np.int64)
        growth[flat_tree.SECOND_PLAYER] = size.entries[0]
        root = flat_tree.Sight(0, size.views[0], -1, -1, 0, 0)
        stack = positions_for(self.rules, depth_of(self.rules))
        ends = flat_tree.Ends(choices, payoffs, growth)
        flat_tree.flatten(stack, 0, root, 1.0, self._views, self.flat, ends)
        return self._side(0, choices, payoffs), self._side(1, choices, payoffs)

    def _side(self, player: int, ends: Ints, payoffs: Floats) -> Side:
        first_sets, sets = self.size.information_sets[0], self.size.information_sets[player]
        low = first_sets if player else 0
        starts = np.zeros(self.size.entries[player] + 2, dtype=np.int64)
        columns, values = np.empty_like(ends[0]), np.empty_like(payoffs)
        sequence_form.sort_by_row(ends[player], ends[1 - player], payoffs, starts, columns, values)
        first, parents = self.first[low : low + sets + 1], self.parents[low : low + sets]
        return Side(first, parents, starts, columns, values, self.num_entries)

    @property
    def game(self) -> Any:
        """The game as OpenSpiel has it."""
        return pyspiel.load_game(SHORT_NAME, asdict(self.rules))

    @property
    def num_entries(self) -> int:
        """The length of a policy."""
        return sum(self.size.entries)

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays: `size.tree_bytes`."""
        sides = (array for side in self.sides for array in side[2:5])
        return sum(array.nbytes for array in (*self._views, self.words, *sides))

    # What a policy is worth.

    def uniform_policy(self) -> Floats:
        """Every action of an information set with the same probability: float64 [entries]."""
        sizes = np.diff(self.first)
        return np.repeat(1.0 / sizes, sizes)

    def expected_value(self, policy: Floats) -> float:
        """The expected return of player 0 if both play a policy: float64 [entries]."""
        return self.value_of(policy, policy)

    def best_response(self, policy: Floats, player: int) -> tuple[float, Floats]:
        """The most a player can get against a policy, and a copy of it with how he gets it."""
        best = policy.copy()
        return self.respond(policy, player, best), best

    def best_response_values(self, policy: Floats) -> tuple[float, float]:
        """The most that player 0, and player 1, can get against a policy."""
        return self.best_response(policy, 0)[0], self.best_response(policy, 1)[0]

    def nash_conv(self, policy: Floats) -> float:
        """What both can gain together by best responses; 0 in an equilibrium."""
        return sum(self.best_response_values(policy))

    def exploitability(self, policy: Floats) -> float:
        """Half of `nash_conv`."""
        return self.nash_conv(policy) / 2

    # Policies as OpenSpiel has them.

    def information_states(self) -> Iterator[tuple[str, int]]:
        """Every information state of both players with its string, forced ones too.

        The second number is its information set or, if there is only one legal action,
        `views.FORCED` less this.
        """
        second = self.size.views[0]
        for player, numbers in enumerate(
            (range(second), range(second, len(self._views.events_seen)))
        ):
            yield from self._states_in(numbers, f"p{player}")

    def _states_in(self, numbers: range, root: str) -> Iterator[tuple[str, int]]:
        """The information states among the views of a player, whose own string is `root`."""
        words = EVENT_TEXTS[self.rules.num_suits]
        texts, ends = [root], [numbers.stop]  # of a view and those it came from
        for view, (event, following, kind) in zip(
            numbers[1:], self._rows(numbers[1:]), strict=True
        ):
            while ends[-1] <= view:
                del ends[-1], texts[-1]
            last = words[event >> 8] if event >> 8 else ""
            texts.append(texts[-1] + words[event & 255] + last)
            ends.append(following or ends[-1])
            if kind != LOOKS_ON:
                yield texts[-1], kind

    def _rows(self, numbers: range) -> Iterator[tuple[int, int, int]]:
        """What is known of each view, without making a list of millions."""
        for begin in range(numbers.start, numbers.stop, _CHUNK):
            part = slice(begin, min(begin + _CHUNK, numbers.stop))
            arrays = self._views[:3]
            yield from zip(*(array[part].tolist() for array in arrays), strict=True)

    def table(self, policy: Floats) -> Table:
        """A policy as pairs of an action and its probability by information-state string."""
        self.check_policy(policy, 0)
        first, actions = self.first.tolist(), [bits(mask) for mask in self.legal.tolist()]
        chances = policy.tolist()
        table: Table = {}
        for text, kind in self.information_states():
            if kind <= FORCED:
                table[text] = [(FORCED - kind, 1.0)]
            else:
                row = chances[first[kind] : first[kind + 1]]
                table[text] = list(zip(actions[kind], row, strict=True))
        return table

    def tabular_policy(self, policy: Floats) -> Any:
        """A policy as a `pyspiel.TabularPolicy`, with every information state of the game."""
        return pyspiel.TabularPolicy(self.table(policy))

    def python_policy(self, policy: Floats) -> Any:
        """A policy as a `TabularPolicy` of OpenSpiel's Python, which walks the whole game first."""
        table, wanted = self.table(policy), python_policy.TabularPolicy(self.game)
        for text, place in wanted.state_lookup.items():
            actions, chances = zip(*table[text], strict=True)
            wanted.action_probability_array[place, list(actions)] = chances
        return wanted

    def policy_from(self, policy: Any) -> Floats:
        """A policy of OpenSpiel as a vector: float64 [entries].

        Args:
          policy: a `TabularPolicy` of C++ or Python, or a table by information-state strings
            (`policy_file.table_of`). Where it lacks an information state it is uniform, where it
            lacks an action this has probability 0.

        Raises:
          ValueError: it is none, or it has an illegal action, or a row does not sum to 1.
        """
        table, vector = table_of(policy), self.uniform_policy()
        for text, kind in self.information_states():
            if kind >= 0 and text in table:
                row, legal = dict(table[text]), bits(int(self.legal[kind]))
                chances = [row.pop(action, 0.0) for action in legal]
                if row or min(chances) < 0 or abs(sum(chances) - 1) > TOLERANCE:
                    raise ValueError(
                        f"policy: {table[text]!r} at {text!r} is not allowed; it must be a "
                        f"distribution over {legal}"
                    )
                vector[self.first[kind] : self.first[kind + 1]] = chances
        return vector


def build_tree(game: Any, memory: int | None = None) -> GameTree:
    """Builds the tree of a small game, single deals or a short match.

    Args:
      game: a `python_marjolet` game, OpenSpiel's cached tree of one, or its `Rules`.
      memory: how many bytes may be used; by default half of the memory that is free.

    Raises:
      ValueError: it is another game.
      TooLargeError: it does not fit; the message has the figure. Nothing large was made then.
    """
    rules = rules_of(game)
    size = tree_size(rules, memory_limit(memory) // BYTES_OF_AN_END)
    check_memory("the tree", size.build_bytes, memory)
    if size.words > MAX_WORDS:
        raise TooLargeError(f"game: it is too large; {size.words:,} words, {MAX_WORDS:,} allowed")
    return GameTree(rules, size)


def rules_of(game: Any) -> Rules:
    """The rules of a game of hidden cards; ValueError if it is another game."""
    if isinstance(game, Rules):
        return game
    if isinstance(game, pyspiel.Game):
        if game.get_type().short_name == "cached_tree":
            parameters = dict(game.get_parameters()["game"])
            game = pyspiel.load_game(parameters.pop("name"), parameters)
        if isinstance(game, MarjoletGame):
            return game.rules
    raise ValueError(f"game: {game!s} is not allowed; it must be {SHORT_NAME} or the rules of it")
