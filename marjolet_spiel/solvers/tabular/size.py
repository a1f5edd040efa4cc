"""How large the tree of a small game is, counted before it is built.

::

    size = tree_size(Rules.of(num_suits=2, ranks="KQJ7", hand_size=3, first_dealer=0))
    size.terminals, size.information_sets, size.tree_bytes

Every figure is counted, in compiled code and little memory; what is too large to be counted is
refused with a bound or an estimate.
"""

from dataclasses import dataclass
from math import comb

import numpy as np

from marjolet_spiel import kernel
from marjolet_spiel.array_types import Vector
from marjolet_spiel.first_use import say_when_compiling
from marjolet_spiel.rules import Rules
from marjolet_spiel.sampling import generator
from marjolet_spiel.solvers.memory import TooLargeError

with say_when_compiling():
    from marjolet_spiel.solvers.tabular import views, walk

Pair = tuple[int, int]

PROBES = 2000
"""Random games for an estimate."""

HOPELESS = 30
"""An estimate so many times above the limit need not be checked by counting."""

DEFAULT_TERMINALS = 1_000_000_000
_FIRST_WORLDS = 1 << 10
_VIEW_BYTES = 2 + 4 + 4
_PAYOFF_BYTES = 2 * (4 + 8)
_SET_BYTES = 8 + 4 + 8
_SORTING_BYTES = 4 + 4 + 8
_SOLVER_ARRAYS = 6
BYTES_OF_AN_END = _PAYOFF_BYTES + 4
"""What the tree takes at least for each history that does not end in a draw."""


@dataclass(frozen=True)
class TreeSize:
    """What there is in a game, as OpenSpiel sees it, and what our tree of it takes.

    Pairs are for player 0 and player 1.

    Attributes:
      deals: ways to deal both hands and to turn a card up (in a match: for the first deal).
      terminals: histories that are over.
      drawn_games: those of them whose return is 0.
      decisions: histories at which a player is to act.
      forced_decisions: those of them with one legal action.
      chances: histories at which chance is to act.
      forced_chances: those of them with one possible outcome.
      information_sets: information states in which their player has a choice.
      forced_sets: those in which he has none.
      entries: actions of the information sets, all together: the numbers of a policy.
      views: all that a player can see, information states in which he only looks on included.
    """

    deals: int
    terminals: int
    drawn_games: int
    decisions: int
    forced_decisions: int
    chances: int
    forced_chances: int
    information_sets: Pair
    forced_sets: Pair
    entries: Pair
    views: Pair

    @property
    def histories(self) -> int:
        """All histories, chance nodes and ends included."""
        return self.terminals + self.decisions + self.chances

    @property
    def nodes(self) -> int:
        """Histories without the forced ones: the nodes of our tree."""
        return self.histories - self.forced_decisions - self.forced_chances

    @property
    def words(self) -> int:
        """Length of the flat tree: a word for an end, two for a node."""
        return 2 * self.nodes - self.terminals

    @property
    def payoffs(self) -> int:
        """Ends that are no draw."""
        return self.terminals - self.drawn_games

    @property
    def tree_bytes(self) -> int:
        """Bytes of the arrays of a `game_tree.GameTree`."""
        sets, places = sum(self.information_sets), sum(self.entries) + 4
        return (
            _VIEW_BYTES * sum(self.views)
            + _SET_BYTES * sets
            + 8
            + 4 * self.words
            + _PAYOFF_BYTES * self.payoffs
            + 8 * places
        )

    @property
    def build_bytes(self) -> int:
        """Bytes of all arrays while the tree is built."""
        return self.tree_bytes + _SORTING_BYTES * self.payoffs

    @property
    def solver_bytes(self) -> int:
        """Bytes of the arrays of a solver by entry or sequence, its average policy included."""
        return 8 * _SOLVER_ARRAYS * (sum(self.entries) + 2)


def positions_for(rules: Rules, rows: int) -> Vector:
    """The position before the first deal, in each of so many rows: int64 [rows, kernel.SIZE]."""
    return np.tile(kernel.initial_position(rules), (rows, 1))


def depth_of(rules: Rules) -> int:
    """Rows enough for a walk through all histories."""
    return rules.max_game_length() + rules.max_chance_nodes() + 2


def num_deals(rules: Rules) -> int:
    """Ways to deal both hands and to turn a card up, for each player who may deal."""
    free = rules.num_cards - rules.hand_size
    hands = comb(rules.num_cards, rules.hand_size) * comb(free, rules.hand_size)
    return hands * rules.stock_size * (2 if rules.first_dealer == -1 else 1)


def estimate_terminals(rules: Rules, seed: int = 1, probes: int = PROBES) -> float:
    """An estimate of the number of terminal histories from random games.

    Args:
      rules: the rules.
      seed: a whole number from 0.
      probes: how many games.
    """
    rng, start = generator(seed), kernel.initial_position(rules)
    return float(np.mean([walk.probe(start.copy(), rng) for _ in range(probes)]))


def tree_size(rules: Rules, limit: int = DEFAULT_TERMINALS) -> TreeSize:
    """Counts the tree of a game.

    Args:
      rules: the rules.
      limit: how many histories may end without a draw.

    Raises:
      TooLargeError: there are more.
    """
    histories = _count_histories(rules, limit).tolist()
    counted = [_count_views(rules, player).tolist() for player in range(2)]
    pairs = [*zip(*counted, strict=True)]
    return TreeSize(
        deals=num_deals(rules),
        terminals=histories[walk.TERMINALS],
        drawn_games=histories[walk.DRAWN_GAMES],
        decisions=histories[walk.DECISIONS],
        forced_decisions=histories[walk.FORCED_DECISIONS],
        chances=histories[walk.CHANCES],
        forced_chances=histories[walk.FORCED_CHANCES],
        information_sets=pairs[views.SETS],
        forced_sets=pairs[views.FORCED_SETS],
        entries=pairs[views.ENTRIES],
        views=pairs[views.VIEWS],
    )


def _count_histories(rules: Rules, limit: int) -> Vector:
    """int64 [walk.HISTORY_COUNTS]."""
    estimate = estimate_terminals(rules)
    if estimate > HOPELESS * limit:
        raise TooLargeError(
            f"game: it is too large; about {estimate:.0e} histories end (an estimate from {PROBES} "
            f"random games), but only {limit:,} are allowed"
        )
    counts = np.zeros(walk.HISTORY_COUNTS, dtype=np.int64)
    walk.count_histories(positions_for(rules, depth_of(rules)), 0, limit, counts)
    if counts[walk.TERMINALS] - counts[walk.DRAWN_GAMES] >= limit:
        raise TooLargeError(
            f"game: it is too large; {counts[walk.TERMINALS]:,} histories that end were "
            f"counted and there may be more (about {estimate:.0e} by an estimate from {PROBES} "
            f"random games), but fewer than {limit:,} that are no draw are allowed"
        )
    return counts


def _count_views(rules: Rules, player: int) -> Vector:
    """int64 [views.VIEW_COUNTS]."""
    return fill_views(
        rules, player, views.empty_views(0, 0), np.zeros(views.VIEW_COUNTS, dtype=np.int64)
    )


def fill_views(rules: Rules, player: int, arrays: views.Views, counts: Vector) -> Vector:
    """Walks through all views of a player (`views.walk_views`).

    Args:
      rules: the rules.
      player: 0 or 1.
      arrays: filled in, or of length 0.
      counts: int64 [views.VIEW_COUNTS], where the walk begins.

    Returns:
      The counts after it.
    """
    size = _FIRST_WORLDS
    while True:  # how many worlds there can be at a time is seen only as they are made
        after = counts.copy()
        after[views.FIRST_ENTRY] = after[views.ENTRIES]
        worlds = views.Worlds(positions_for(rules, size), np.zeros(size, dtype=np.int64))
        views.walk_views(worlds, 0, 1, player, 0, 0, arrays, after)
        if not after[views.OVERFLOW]:
            return after
        size *= 2
