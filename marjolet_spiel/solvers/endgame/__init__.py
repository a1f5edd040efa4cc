"""The endgame, the tricks after the stock: both hands are known by counting, and play is solved.

* `table`: the value of every position of up to six cards a hand, and how to ask for it
* `build`, `file`, `index`, `lookup`: how the table is made, kept, numbered and read
* `alpha_beta`: a search for what the table does not hold: endgame melds, matches, larger hands
* `match_equity`: what points are worth in a match that goes on
* `line`: best play in words

Positions go through `index` to a cell of the table, or to `alpha_beta`; `solvers.solve` asks both.
"""

from marjolet_spiel.solvers.endgame.table import (
    EndgameTable,
    build_values,
    check_sweep_bonus,
    endgame_table,
)

__all__ = ["EndgameTable", "build_values", "check_sweep_bonus", "endgame_table"]
