"""Moves of the endgame beside the best ones."""

from marjolet_spiel import kernel
from marjolet_spiel.array_types import Vector
from marjolet_spiel.solvers.solve import Solution, solve
from scripts.replay.steps import name_of


def solution_of(pos: Vector) -> Solution | None:
    """The solution of a position of the endgame; None if it is none or has too many cards."""
    if pos[kernel.PLAYER] not in (0, 1) or pos[kernel.TRICK] <= pos[kernel.STOCK_TRICKS]:
        return None
    try:
        return solve(pos)
    except ValueError:  # too many cards to solve
        return None


def judged(pos: Vector, action: int) -> str:
    """What an action leads to under best play, and what was better; empty if it is not known.

    Such as ``[+40]``, or ``[+40? best +60: TS]`` for one that gives something away. Values are
    the return of player 0: points, in a match from -1 to 1, there with ``~`` if they are estimated.
    """
    solution = solution_of(pos)
    if solution is None:
        return ""
    value = _text(solution, pos, solution.moves[action])
    best = max(solution.moves.values())
    if solution.moves[action] == best:
        return f" [{value}]"
    better = " or ".join(name_of(pos, move).split()[-1] for move in solution.best_moves)
    return f" [{value}? best {_text(solution, pos, best)}: {better}]"


def _text(solution: Solution, pos: Vector, value: float) -> str:
    first = value if solution.player == 0 else 0.0 - value
    if pos[kernel.TARGET] == 0:
        return f"{first:+.0f}"
    return f"{'' if solution.exact else '~'}{first:+.3f}"
