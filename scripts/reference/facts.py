"""What players do in an equilibrium of a small pack, in numbers worth knowing."""

from collections import defaultdict
from dataclasses import dataclass
from math import nan
from typing import Any

from marjolet_spiel import kernel
from marjolet_spiel.cards import SUIT_SIZE
from marjolet_spiel.solvers.tabular.tree import GameTree

Table = dict[str, list[tuple[int, float]]]


@dataclass(frozen=True)
class Facts:
    """How often things are done that could be left undone; nan where there is no occasion.

    Attributes:
      melds_held: windows that are closed while a meld could still be declared, as a share of those
        in which one could.
      swaps_held: windows that are closed without the swap, as a share of those in which the dix
        could be swapped.
      trumps_led: first leads that are trumps, of those from hands with trumps and other cards.
    """

    melds_held: float
    swaps_held: float
    trumps_led: float


def facts(tree: GameTree, policy: Any) -> Facts:
    """The facts of a policy (float64 [entries]), weighing each history by how likely it is."""
    done: defaultdict[str, float] = defaultdict(float)
    could: defaultdict[str, float] = defaultdict(float)
    table: Table = tree.table(policy)
    stack = [(tree.game.new_initial_state(), 1.0)]
    while stack:
        state, chance = stack.pop()
        if state.is_terminal():
            continue
        if state.is_chance_node():
            stack += [(state.child(o), chance * p) for o, p in state.chance_outcomes()]
            continue
        moves = table[state.information_state_string(state.current_player())]
        for what, actions in _occasions(state).items():
            could[what] += chance
            done[what] += chance * sum(p for action, p in moves if action in actions)
        stack += [(state.child(action), chance * p) for action, p in moves if p > 0]
    names = ("melds", "swaps", "trumps")
    return Facts(*(done[name] / could[name] if could[name] else nan for name in names))


def _occasions(state: Any) -> dict[str, set[int]]:
    """What there is an occasion to do in a state, each with the actions that do it."""
    pos, legal = state.core.pos, set(state.legal_actions())
    occasions: dict[str, set[int]] = {}
    if pos[kernel.PHASE] == kernel.DECLARE:
        if any(kernel.FIRST_MELD <= action < kernel.DONE for action in legal):
            occasions["melds"] = {kernel.DONE}
        if kernel.SWAP in legal:
            occasions["swaps"] = legal - {kernel.SWAP}
    elif pos[kernel.PHASE] == kernel.LEAD and pos[kernel.TRICK] == 1:
        trumps = {a for a in legal if (a - kernel.FIRST_PLAY) // SUIT_SIZE == pos[kernel.TRUMP]}
        if trumps and trumps != legal:
            occasions["trumps"] = trumps
    return occasions
