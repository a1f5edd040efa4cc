"""Small packs, solved in whole: the tree in flat arrays, CFR and its kin, exact NashConv.

* `size`: how large a tree is, counted before it is built
* `walk`, `views`: all histories of a game, and all that can be seen of them, in compiled code
* `flat_tree`: the histories in flat arrays
* `tree`: the tree made from them, with values and best responses (`solvers.sequence_form`)
* `full_width`: CFR, CFR+, linear and discounted CFR; `sampled`: those that sample (`mccfr`)
* `ordered_cfr`: full-width ones in the order of OpenSpiel's updates (`openspiel_order`)
* `learning`: what all solvers share; `solvers`: all of them by name
* `checkpoint`: a solver on disk

Rules go through `size` to a `tree`, which a solver of `solvers` runs on.
"""

from marjolet_spiel.solvers.tabular.size import TreeSize, tree_size
from marjolet_spiel.solvers.tabular.solvers import (
    ALGORITHMS,
    Cfr,
    CfrPlus,
    DiscountedCfr,
    ExternalSampling,
    LinearCfr,
    OutcomeSampling,
    Solver,
    load_solver,
    make_solver,
)
from marjolet_spiel.solvers.tabular.tree import GameTree, build_tree

__all__ = [
    "ALGORITHMS",
    "Cfr",
    "CfrPlus",
    "DiscountedCfr",
    "ExternalSampling",
    "GameTree",
    "LinearCfr",
    "OutcomeSampling",
    "Solver",
    "TreeSize",
    "build_tree",
    "load_solver",
    "make_solver",
    "tree_size",
]
