"""The histories of a small game in flat arrays, without forced nodes, for solvers to walk."""

from typing import NamedTuple

from marjolet_spiel import kernel
from marjolet_spiel.array_types import FloatRows, Floats, IntRows, Ints, Vector, VectorRows
from marjolet_spiel.compiling import compiled, compiled_recursive, count, lowest
from marjolet_spiel.solvers.tabular.views import Views, view_after
from marjolet_spiel.solvers.tabular.walk import copy_deal, options, seen, take

# Where the flat tree grows.
WORDS, PAYOFFS, SECOND_PLAYER = range(3)
GROWTH = 3

TERMINAL = -(1 << 30)
OVER = TERMINAL // 2
"""A word of the flat tree below this is `TERMINAL` plus the return of player 0."""

MAX_OUTCOMES = 33
"""One more than the most outcomes of a chance node, the radix of kinds of chance nodes."""


class FlatTree(NamedTuple):
    """A tree as solvers walk it.

    Attributes:
      words: int32 [size]. A history that is over is one word (`TERMINAL` plus the return of player
        0), a node two: its information set, or for chance -1 less its kind; and where what follows
        it ends.
      first: int64 [sets + 1], the first entry of each information set.
      shares: float64 [kinds, outcomes], the distributions of chance nodes (`chance_kind`).
      second: the first information set of player 1.
    """

    words: Ints
    first: Vector
    shares: FloatRows
    second: int


class Sight(NamedTuple):
    """What the players know of a history on the way.

    Attributes:
      view0: what player 0 had seen one event before.
      view1: what player 1 had, among the same views.
      code0: what player 0 has seen since (`walk.seen`); -1 at the root, if it was nothing.
      code1: what player 1 has.
      sequence0: the last choice of player 0 (`views.walk_views`).
      sequence1: that of player 1.
    """

    view0: int
    view1: int
    code0: int
    code1: int
    sequence0: int
    sequence1: int


class Ends(NamedTuple):
    """What `flatten` fills in beside the words.

    Attributes:
      choices: int32 [2, payoffs], the last choices of the players at each end that is no draw.
      payoffs: float64 [payoffs], the return of player 0 there times the probability of chance.
      growth: int64 [GROWTH]: how many words and payoffs there are, and the first entry of player 1.
    """

    choices: IntRows
    payoffs: Floats
    growth: Vector


@compiled
def chance_kind(pos: Vector) -> int:
    """Which distribution a chance node has: the row of `FlatTree.shares`."""
    outcomes = count(kernel.chance_mask(pos))
    if pos[kernel.PHASE] != kernel.DEALING:
        return outcomes
    need = pos[kernel.HAND_SIZE] - count(pos[kernel.HAND0 + kernel.hand_being_dealt(pos)])
    return need * MAX_OUTCOMES + outcomes


@compiled_recursive
def flatten(
    stack: VectorRows,
    depth: int,
    sight: Sight,
    chance: float,
    views: Views,
    tree: FlatTree,
    ends: Ends,
) -> None:
    """Writes the histories from the position in row `depth` on, without forced nodes.

    Args:
      stack: as for `walk.count_histories`.
      depth: the row.
      sight: what the players know.
      chance: the probability that chance does its part.
      views: of both players, as `views.walk_views` has filled them in.
      tree: its words are filled in.
      ends: filled in.
    """
    words, growth = tree.words, ends.growth
    view0, view1, code0, code1, sequence0, sequence1 = sight
    pos = stack[depth]
    mask = options(pos)
    while mask:
        if code0 >= 0:
            view0 = view_after(views.events_seen, views.nexts, view0, code0)
            view1 = view_after(views.events_seen, views.nexts, view1, code1)
        if mask & (mask - 1):
            break
        code0, code1 = seen(pos, lowest(mask), 0), seen(pos, lowest(mask), 1)
        take(pos, lowest(mask))
        mask = options(pos)
    word = growth[WORDS]
    if mask == 0:
        value = kernel.return_of_player_0(pos)
        words[word] = TERMINAL + value
        growth[WORDS] += 1
        if value != 0:
            end = growth[PAYOFFS]
            growth[PAYOFFS] += 1
            ends.choices[0, end] = sequence0
            ends.choices[1, end] = sequence1
            ends.payoffs[end] = chance * value
        return
    growth[WORDS] += 2
    player = pos[kernel.PLAYER]
    kind = 0
    if player == kernel.CHANCE:
        kind = chance_kind(pos)
        words[word] = -1 - kind
    else:
        words[word] = views.sets[view0 if player == 0 else view1]
        entry = tree.first[words[word]]
        if player == 0:
            sequence0 = 1 + entry
        else:
            sequence1 = 1 + entry - growth[SECOND_PLAYER]
    number = 0
    while mask:
        action = lowest(mask)
        mask &= mask - 1
        share = tree.shares[kind, number] if player == kernel.CHANCE else 1.0
        code0, code1 = seen(pos, action, 0), seen(pos, action, 1)
        copy_deal(pos, stack[depth + 1])
        take(stack[depth + 1], action)
        after = Sight(
            view0,
            view1,
            code0,
            code1,
            sequence0 + (number if player == 0 else 0),
            sequence1 + (number if player == 1 else 0),
        )
        flatten(stack, depth + 1, after, chance * share, views, tree, ends)
        number += 1
    words[word + 1] = growth[WORDS]


@compiled
def next_sibling(words: Ints, at: int) -> int:
    """The place in a flat tree behind the subtree at `at`."""
    return at + 1 if words[at] < OVER else int(words[at + 1])
