"""Information-set Monte Carlo tree search in compiled code.

Single-observer ISMCTS (Cowling, Powley and Whitehouse, "Information set Monte Carlo tree search",
2012): one tree whose nodes are what the searching player would have seen. At each node only the
actions that are legal in the world of the simulation take part. Four things are added:

- A world (the hidden cards and the order of the stock) serves one simulation of each action of the
  root: differences between actions vary far less in the same world. The root is searched by
  sequential halving (Karnin, Koren and Somekh, 2013): all actions, then the better half, and so on.
- What the world itself promises (the static evaluation of the root) is taken off each value, so
  that an opponent's action does not look good for the reason that a strong hand has it.
- Priors: how the heuristic policy would play guides the selection below the root by PUCT (Rosin,
  "Multi-armed bandits with episode context", 2011), and at the root counts as much as some worlds
  do. Without priors selection is UCB1 with the number of simulations in which an action was
  available (the subset-armed bandit of Cowling et al.).
- The endgame is solved (`leaves.py`).

A world puts the cards that the player cannot see at random into the opponent's hand and the stock.
That is the exact posterior if the opponent's choices are left out of account (see `worlds.py`):
cards that he has shown stay where they are, the rest is exchangeable.
"""

from math import exp
from typing import NamedTuple

import numpy as np

from marjolet_spiel import kernel
from marjolet_spiel.array_types import Floats, Vector, VectorRows
from marjolet_spiel.compiling import compiled, compiled_recursive, count, lowest
from marjolet_spiel.kernel import copy_to
from marjolet_spiel.sampling import CARDS, order_stock, random_bit, shuffle_to_front
from marjolet_spiel.solvers.endgame.alpha_beta import EndgameArrays, deal_is_over
from marjolet_spiel.solvers.endgame.match_equity import POINTS_A_MATCH, UNIT, payoff
from marjolet_spiel.solvers.search.evaluation import (
    HEURISTIC_SIZE,
    VALUES,
    heuristic_card,
    static_evaluation,
)
from marjolet_spiel.solvers.search.leaves import exact_leaf, solvable
from marjolet_spiel.solvers.search.rollouts import HEURISTIC, NO_ROLLOUT, next_card, roll_action
from marjolet_spiel.solvers.search.tree import (
    DRAWN,
    FIRST,
    LABEL,
    MAX_PATH,
    NEXT,
    NUM_NODES,
    PATH,
    PATH_LENGTH,
    SIMULATIONS,
    VISITS,
    WORLDS,
    best_by_bound,
    best_by_prior,
    go,
    missing,
)

# The settings, an int64 vector.
(
    PLAYER,  # whose search it is
    KNOWN,  # what is true of the root: SAMPLED, TRUE_HANDS or TRUE_ORDER
    PINNED,  # whether known cards stay in the opponent's hand
    EXACT,  # whether the endgame is solved and not rolled out
    POLICY,  # of rollouts
    SEE_DRAWS,  # whether own draws lead to different nodes
    PRIORS,  # whether the heuristic policy has a say
) = range(7)
SETTINGS_SIZE = 7

SAMPLED, TRUE_HANDS, TRUE_ORDER = range(3)
"""Worlds are sampled, have the true hands, or the order of the stock that is in `rng` too."""

_SHARPNESS = 6.0  # so many points make an action e times as likely
_TRUST = 64.0  # so many worlds count as much as a prior value at the root
_DECLARES = 0.8  # how likely the heuristic policy swaps or melds what it may
_HOLDING_BACK = -5.0  # points, the prior value of closing a window with something to do

# Of the values so far the lowest and the highest, then what worlds promised in all, then
# scratch: a float64 vector.
LOWEST, HIGHEST, BASE, HEURISTIC_SCRATCH = range(4)
PRIORS_SCRATCH = HEURISTIC_SCRATCH + HEURISTIC_SIZE
SEEN_SIZE = PRIORS_SCRATCH + kernel.NUM_ACTIONS


EXTRA_ROWS = 2
"""Rows that `run` needs in the stack of its endgame arrays, beyond the usual."""


class SearchArrays(NamedTuple):
    """A search in progress.

    Attributes:
      tree: int64 [nodes, NODE_SIZE].
      totals: float64 [nodes], sums of values for the searching player.
      search: int64 [SEARCH_SIZE], counts and the path.
      seen: float64 [SEEN_SIZE], the range of the values so far, what the worlds promised in all,
        then scratch.
      settings: int64 [SETTINGS_SIZE].
    """

    tree: VectorRows
    totals: Floats
    search: Vector
    seen: Floats
    settings: Vector


@compiled
def determinize(pos: Vector, player: int, pinned: bool, rng: Vector) -> None:
    """Puts the cards that `player` cannot see into the opponent's hand and the stock at random."""
    other = 1 - player
    hand = pos[kernel.HAND0 + other]
    known = hand & pos[kernel.KNOWN0 + other] if pinned else 0
    pool = (hand & ~known) | pos[kernel.DOWN]
    hidden = count(hand & ~known)
    shuffle_to_front(rng, pool, hidden)
    for i in range(hidden):
        known |= 1 << rng[CARDS + i]
    pos[kernel.HAND0 + other] = known
    pos[kernel.DOWN] = pool & ~known


@compiled
def _set_priors(pos: Vector, legal: int, scratch: Floats, priors: Floats) -> None:
    """How likely the heuristic policy takes each of several legal actions."""
    left = legal
    if pos[kernel.PHASE] == kernel.DECLARE:
        share = (1.0 - _DECLARES) / (count(legal) - 1)
        while left:
            priors[lowest(left)] = share
            left &= left - 1
        priors[lowest(legal)] = _DECLARES
        return
    best = heuristic_card(pos, scratch)
    top = scratch[VALUES + best]
    total = 0.0
    while left:
        action = lowest(left)
        left &= left - 1
        priors[action] = exp((scratch[VALUES + action - kernel.FIRST_PLAY] - top) / _SHARPNESS)
        total += priors[action]
    left = legal
    while left:
        priors[lowest(left)] /= total
        left &= left - 1


@compiled
def _descend(
    pos: Vector, node: int, deal: int, uct: float, arrays: SearchArrays, rng: Vector
) -> None:
    """Moves a world from a node down the tree and one step beyond it, and adds to the path."""
    tree, totals, search, seen, settings = arrays
    while search[PATH_LENGTH] < MAX_PATH - 2:
        if deal_is_over(pos, deal) or solvable(pos):
            return
        if pos[kernel.PLAYER] == kernel.CHANCE:
            card = next_card(pos, rng)
            own = kernel.drawer(pos) == settings[PLAYER]
            kernel.apply_chance(pos, card)
            if own and settings[SEE_DRAWS] == 1:
                node = go(tree, totals, search, node, DRAWN + card)
                if node == 0:
                    return
            continue
        legal = kernel.legal_mask(pos)
        if legal & (legal - 1) == 0:
            kernel.apply_decision(pos, lowest(legal))
            node = go(tree, totals, search, node, lowest(legal))
            if node == 0:
                return
            continue
        sign = 1.0 if pos[kernel.PLAYER] == settings[PLAYER] else -1.0
        explore = uct * (seen[HIGHEST] - seen[LOWEST]) if search[SIMULATIONS] > 1 else 1.0
        if settings[PRIORS] == 1:
            priors = seen[PRIORS_SCRATCH:]
            _set_priors(pos, legal, seen[HEURISTIC_SCRATCH:], priors)
            action = best_by_prior(tree, totals, node, legal, sign, explore, priors)
        else:
            untried = missing(tree, node, legal)
            if untried:
                action = random_bit(rng, untried)
            else:
                action = best_by_bound(tree, totals, node, legal, sign, explore)
        kernel.apply_decision(pos, action)
        before = search[NUM_NODES]
        node = go(tree, totals, search, node, action)
        if node == 0 or search[NUM_NODES] != before:
            return


@compiled
def _value_beyond(
    pos: Vector,
    deal: int,
    settings: Vector,
    rng: Vector,
    scratch: Floats,
    endgame: EndgameArrays,
) -> float:
    """The pay-off of player 0 when a simulation goes on from a position beyond the tree.

    To the end of the deal, or of the stock if the endgame is solved; without rollouts to the
    end of the trick.
    """
    while not deal_is_over(pos, deal):
        if pos[kernel.PLAYER] == kernel.CHANCE:
            kernel.apply_chance(pos, next_card(pos, rng))
            continue
        if settings[EXACT] == 1 and solvable(pos):
            return float(exact_leaf(pos, endgame))
        policy = settings[POLICY]
        if policy == NO_ROLLOUT:
            policy = HEURISTIC
            if pos[kernel.PHASE] == kernel.LEAD and not solvable(pos):
                return static_evaluation(pos, scratch, endgame.cell_index, endgame.values)
        kernel.apply_decision(pos, roll_action(pos, rng, policy, scratch))
    return float(payoff(pos))


@compiled
def _new_world(root: Vector, settings: Vector, rng: Vector, world: Vector) -> None:
    """A world for simulations, with the order of its stock in the generator."""
    copy_to(root, world)
    if settings[KNOWN] == SAMPLED:
        determinize(world, settings[PLAYER], settings[PINNED] == 1, rng)
    if settings[KNOWN] != TRUE_ORDER:
        order_stock(world, rng)


@compiled
def _set_prior_values(root: Vector, actions: int, scratch: Floats, prior_values: Floats) -> None:
    """What the heuristic policy thinks of several actions, in units of the pay-off."""
    unit = 1.0 if root[kernel.TARGET] == 0 else UNIT / POINTS_A_MATCH
    if root[kernel.PHASE] != kernel.DECLARE:
        heuristic_card(root, scratch)
    while actions:
        action = lowest(actions)
        actions &= actions - 1
        if root[kernel.PHASE] == kernel.DECLARE:
            prior_values[action] = _HOLDING_BACK * unit if action == kernel.DONE else 0.0
        else:
            prior_values[action] = scratch[VALUES + action - kernel.FIRST_PLAY] * unit


@compiled
def _better_half(
    tree: VectorRows, totals: Floats, prior_values: Floats, alive: int, keep: int
) -> int:
    """The `keep` best of the actions of the root that are alive, as a mask."""
    kept = 0
    for _ in range(keep):
        best, best_mean = -1, -np.inf
        node = tree[0, FIRST]
        while node != 0:
            action = tree[node, LABEL]
            if (alive >> action) & 1:
                mean = (totals[node] + _TRUST * prior_values[action]) / tree[node, VISITS]
                if mean > best_mean or (mean == best_mean and action < best):
                    best, best_mean = action, mean
            node = tree[node, NEXT]
        kept |= 1 << best
        alive &= ~(1 << best)
    return kept


@compiled_recursive
def run(
    root: Vector,
    alive: int,
    worlds: int,
    uct: float,
    arrays: SearchArrays,
    rng: Vector,
    endgame: EndgameArrays,
) -> int:
    """Tries each of some actions of the root once in each of `worlds` new worlds.

    Args:
      root: the position as the player sees it; he is on turn.
      alive: the actions that are tried, as a mask.
      worlds: how many worlds.
      uct: how much to explore, as a fraction of the range of values.
      arrays: the tree and what is known of the search; NUM_NODES is 1 at the beginning.
      rng: a generator; its cards are the order of the stock if that is known.
      endgame: for `exact_leaf`, with `EXTRA_ROWS` more rows in its stack.

    Returns:
      The better half of the actions, as a mask (rounded up, but one of two).
    """
    tree, totals, search, seen, settings = arrays
    pos, world = endgame.stack[len(endgame.stack) - 1], endgame.stack[len(endgame.stack) - 2]
    deal = root[kernel.DEAL]
    sign = 1.0 - 2.0 * settings[PLAYER]
    for _ in range(worlds):
        _new_world(root, settings, rng, world)
        base = static_evaluation(
            world, seen[HEURISTIC_SCRATCH:], endgame.cell_index, endgame.values
        )
        seen[BASE] += sign * base
        search[WORLDS] += 1
        actions = alive
        while actions:
            action = lowest(actions)
            actions &= actions - 1
            copy_to(world, pos)
            kernel.apply_decision(pos, action)
            search[PATH_LENGTH] = 0
            node = go(tree, totals, search, 0, action)
            _descend(pos, node, deal, uct, arrays, rng)
            value = _value_beyond(pos, deal, settings, rng, seen[HEURISTIC_SCRATCH:], endgame)
            value = sign * (value - base)
            seen[LOWEST] = min(seen[LOWEST], value)
            seen[HIGHEST] = max(seen[HIGHEST], value)
            for i in range(search[PATH_LENGTH]):
                tree[search[PATH + i], VISITS] += 1
                totals[search[PATH + i]] += value
            search[SIMULATIONS] += 1
    if settings[PRIORS] == 1:
        _set_prior_values(root, alive, seen[HEURISTIC_SCRATCH:], seen[PRIORS_SCRATCH:])
    else:
        seen[PRIORS_SCRATCH:] = 0.0
    keep = (count(alive) + 1) >> 1 if count(alive) > 2 else 1
    return _better_half(tree, totals, seen[PRIORS_SCRATCH:], alive, keep)
