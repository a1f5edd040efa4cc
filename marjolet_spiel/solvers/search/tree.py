"""The tree of a search in compiled code: nodes, the two rules of selection, the path.

A tree is an int64 array of nodes, a float64 array of the sums of their values, and an int64 vector
with the state of the search.
"""

from math import log, sqrt

import numpy as np

from marjolet_spiel.array_types import Floats, Vector, VectorRows
from marjolet_spiel.compiling import compiled, lowest

# A node, a row of the tree. The root is row 0; a child's label is the action (or the own card
# drawn, plus `DRAWN`) that leads to it.
FIRST, NEXT, LABEL, VISITS, AVAILABLE = range(5)
NODE_SIZE = 5
DRAWN = 64

# The state of a search: an int64 vector.
NUM_NODES, SIMULATIONS, WORLDS, PATH_LENGTH, PATH = 0, 1, 2, 3, 4
MAX_PATH = 200
SEARCH_SIZE = PATH + MAX_PATH


@compiled
def _add_child(tree: VectorRows, totals: Floats, search: Vector, parent: int, label: int) -> int:
    """A new child, or the root if the tree is full."""
    node = search[NUM_NODES]
    if node == len(tree):
        return 0
    search[NUM_NODES] += 1
    tree[node, FIRST] = 0
    tree[node, NEXT] = tree[parent, FIRST]
    tree[node, LABEL] = label
    tree[node, VISITS] = 0
    tree[node, AVAILABLE] = 0
    totals[node] = 0.0
    tree[parent, FIRST] = node
    return node


@compiled
def child(tree: VectorRows, parent: int, label: int) -> int:
    """The child with a label, or the root if there is none."""
    node = tree[parent, FIRST]
    while node != 0 and tree[node, LABEL] != label:
        node = tree[node, NEXT]
    return node


@compiled
def missing(tree: VectorRows, parent: int, legal: int) -> int:
    """The legal actions that have no child yet, as a mask; counts the others as available."""
    node = tree[parent, FIRST]
    while node != 0:
        label = tree[node, LABEL]
        if (legal >> label) & 1:
            tree[node, AVAILABLE] += 1
            legal &= ~(1 << label)
        node = tree[node, NEXT]
    return legal


@compiled
def best_by_bound(
    tree: VectorRows, totals: Floats, parent: int, legal: int, sign: float, explore: float
) -> int:
    """The legal action with the highest upper confidence bound; all have been tried."""
    node = tree[parent, FIRST]
    best, best_bound = 0, -np.inf
    while node != 0:
        if (legal >> tree[node, LABEL]) & 1:
            visits = float(tree[node, VISITS])
            bound = sign * totals[node] / visits
            bound += explore * sqrt(log(float(tree[node, AVAILABLE])) / visits)
            if bound > best_bound:
                best, best_bound = tree[node, LABEL], bound
        node = tree[node, NEXT]
    return best


@compiled
def best_by_prior(
    tree: VectorRows,
    totals: Floats,
    parent: int,
    legal: int,
    sign: float,
    explore: float,
    priors: Floats,
) -> int:
    """The legal action with the highest PUCT bound; one not tried yet counts as its parent does."""
    visits = 0
    node = tree[parent, FIRST]
    while node != 0:
        if (legal >> tree[node, LABEL]) & 1:
            visits += tree[node, VISITS]
        node = tree[node, NEXT]
    factor = explore * sqrt(float(visits) + 1.0)
    unknown = sign * totals[parent] / max(1, tree[parent, VISITS])
    best, best_bound = -1, -np.inf
    node = tree[parent, FIRST]
    while node != 0:
        action = tree[node, LABEL]
        if (legal >> action) & 1:
            legal &= ~(1 << action)
            n = float(tree[node, VISITS])
            bound = sign * totals[node] / n + factor * priors[action] / (1.0 + n)
            if bound > best_bound:
                best, best_bound = action, bound
        node = tree[node, NEXT]
    while legal:
        action = lowest(legal)
        legal &= legal - 1
        bound = unknown + factor * priors[action]
        if bound > best_bound:
            best, best_bound = action, bound
    return best


@compiled
def go(tree: VectorRows, totals: Floats, search: Vector, parent: int, label: int) -> int:
    """Goes on to a child, which is made if need be; 0, the root, if the tree is full."""
    node = child(tree, parent, label)
    if node == 0:
        node = _add_child(tree, totals, search, parent, label)
    if node != 0:
        search[PATH + search[PATH_LENGTH]] = node
        search[PATH_LENGTH] += 1
    return node
