"""Monte Carlo counterfactual regret minimization over buckets, in compiled code.

An iteration plays two deals, one to update each player. The player who is updated goes by a fixed
*guide*, the heuristic policy with some exploration; the other one by his policy of the iteration.
At each decision of the updated player all candidates are tried: each is followed to the end of the
stock, where the endgame table has the value. There both players go by their policies, and all
candidates meet the same hidden cards, the same order of the stock and the same random numbers.

What a candidate brings so more than the policy has the regret of the information state as its mean,
times the chance that the deal comes there. That is made of what chance and the opponent do, as it
should be, and of what the guide does. Since the guide never changes, the latter is a constant of
the information state: regret matching does not notice it, and there are no weights, whose variance
is what makes outcome sampling slow. Within a bucket it says how much each information state counts.

What it is made of:

- All actions tried from states that a policy samples, averages at the decisions of the other one:
  external sampling of Lanctot, Waugh, Zinkevich and Bowling, "Monte Carlo sampling for regret
  minimization in extensive games", 2009; robust sampling of Li, Hu, Zhang, Qi and Song, "Double
  neural counterfactual regret minimization", 2020.
- A fixed policy of the updated player instead of weights: McAleer, Farina, Lanctot and Sandholm,
  "ESCHER: eschewing importance sampling in games by computing a history value function to estimate
  regret", 2023.
- Iteration t counts t times: linear CFR of Brown and Sandholm, "Solving imperfect-information games
  via discounted regret minimization", 2019.

Buckets make of it a game of imperfect recall, for which no theorem promises an equilibrium.
"""

import numpy as np

from marjolet_spiel import kernel
from marjolet_spiel.array_types import FloatRows, Floats, Vector
from marjolet_spiel.compiling import compiled, compiled_recursive
from marjolet_spiel.kernel import copy_to
from marjolet_spiel.sampling import COUNTER, KEY, next_word, pick
from marjolet_spiel.solvers.blueprint.abstraction import CANDIDATES, MAX_CLASSES, describe
from marjolet_spiel.solvers.blueprint.buckets import EMPTY, NUM_UPDATES, BucketTable, row_for
from marjolet_spiel.solvers.blueprint.play import (
    CURRENT,
    DESCRIBE,
    GUIDE,
    POLICY,
    ROLLED,
    VALUES,
    Scratch,
    deal_from,
    goes_on,
    guide,
    play_on,
    policy_of_row,
    take,
)
from marjolet_spiel.solvers.endgame.alpha_beta import EndgameArrays
from marjolet_spiel.solvers.search.leaves import solvable


@compiled_recursive
def try_candidates(
    pos: Vector,
    tried: Vector,
    keys: Vector,
    regrets: FloatRows,
    scratch: Scratch,
    endgame: EndgameArrays,
) -> None:
    """What each of some candidates is worth to the player on turn, into the scratch's VALUES.

    Args:
      pos: the position; it stays as it is, and so does the generator.
      tried: int64 [CHOICE_SIZE], the candidates as `describe` gives them.
      keys, regrets, scratch, endgame: as for `play_on`; the second position is overwritten too.
    """
    rng, floats, twin = scratch.rng, scratch.floats, scratch.positions[1]
    counter = rng[COUNTER]
    sign = 1.0 - 2.0 * pos[kernel.PLAYER]
    for kind in range(MAX_CLASSES):
        floats[VALUES + kind] = 0.0
        if tried[CANDIDATES + kind] != kernel.NONE:
            copy_to(pos, twin)
            rng[COUNTER] = counter
            kernel.apply_decision(twin, tried[CANDIDATES + kind])
            value = play_on(twin, CURRENT, CURRENT, keys, regrets, scratch, endgame)
            floats[VALUES + kind] = sign * value
    rng[COUNTER] = counter


@compiled
def _note(
    choice: Vector, policy: Floats, floats: Floats, weight: float, row: int, notes: FloatRows
) -> None:
    """Notes the regrets of a decision whose candidates were tried."""
    number = int(notes[0, 0]) + 1
    mean = 0.0
    for kind in range(MAX_CLASSES):
        mean += policy[kind] * floats[VALUES + kind]
    for kind in range(MAX_CLASSES):
        there = choice[CANDIDATES + kind] != kernel.NONE
        notes[number, kind] = weight * (floats[VALUES + kind] - mean) if there else 0.0
    notes[number, MAX_CLASSES] = float(row)
    notes[0, 0] = float(number)


@compiled
def _add_notes(notes: FloatRows, regrets: FloatRows) -> None:
    """Adds what was noted to the regrets."""
    for number in range(1, int(notes[0, 0]) + 1):
        row = int(notes[number, MAX_CLASSES])
        for kind in range(MAX_CLASSES):
            regrets[row, kind] += notes[number, kind]
    notes[0, 0] = 0.0


@compiled_recursive
def sample_deal(
    pos: Vector,
    player: int,
    weight: float,
    table: BucketTable,
    scratch: Scratch,
    endgame: EndgameArrays,
) -> None:
    """Plays a deal on, in place, to the end of the stock, for the update of a player.

    Args:
      pos: a position of a deal whose stock has its order in ``scratch.rng``.
      player: who is updated; the averages are those of the other one.
      weight: how much the deal counts.
      table: what was learnt; its regrets stay, and what will be added to them is noted.
      scratch, endgame: as for `play_on`.
    """
    rng, choice, floats = scratch.rng, scratch.choices[0], scratch.floats
    policy, guiding = floats[POLICY:GUIDE], floats[GUIDE:ROLLED]
    within = floats[DESCRIBE:]
    while pos[kernel.PLAYER] != kernel.OVER_PLAYER and not solvable(pos):
        if goes_on(pos, rng):
            continue
        found = describe(pos, choice, within, endgame)
        row = row_for(choice, within, weight, table) if found > 1 else EMPTY
        policy_of_row(choice, row, table.regrets, within, policy)
        if pos[kernel.PLAYER] != player:
            if row != EMPTY:
                for kind in range(MAX_CLASSES):
                    table.averages[row, kind] += weight * policy[kind]
            take(pos, choice, policy, rng)
            continue
        guide(choice, within, guiding)
        action = choice[CANDIDATES + pick(guiding, MAX_CLASSES, rng)]
        if row != EMPTY:
            try_candidates(pos, choice, table.keys, table.regrets, scratch, endgame)
            _note(choice, policy, floats, weight, row, table.notes)
            table.counts[NUM_UPDATES] += 1
        kernel.apply_decision(pos, action)


@compiled_recursive
def learn(
    start: Vector,
    root: int,
    begin: int,
    end: int,
    table: BucketTable,
    scratch: Scratch,
    endgame: EndgameArrays,
) -> None:
    """Runs iterations. What is random in one depends on the root and on its number alone.

    Args:
      start: the position before the first deal.
      root: the seed of all.
      begin: the first iteration, from 0.
      end: the one after the last.
      table, scratch, endgame: as for `sample_deal`.
    """
    rng, pos = scratch.rng, scratch.positions[0]
    for iteration in range(begin, end):
        rng[KEY] = root
        rng[COUNTER] = iteration
        seed = np.int64(next_word(rng))
        for player in range(2):
            deal_from(start, pos, rng, seed ^ player)
            sample_deal(pos, player, iteration + 1.0, table, scratch, endgame)
        _add_notes(table.notes, table.regrets)
