"""The last stock trick, solved as a game of its own: what can be played there, by CFR+.

* `deals`: the deals that everybody must think possible, and how likely they are
* `nodes`, `leaves`: the public tree of the trick and of the windows around it, and its exact ends
* `tree`: values and best responses in it (`solvers.sequence_form`)
* `solution`: `solve_boundary`, which goes this way from a state to an equilibrium
"""

from marjolet_spiel.solvers.boundary.solution import Boundary, solve_boundary

__all__ = ["Boundary", "solve_boundary"]
