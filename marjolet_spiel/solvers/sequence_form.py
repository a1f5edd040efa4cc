"""Two-player games as matrices: what full-width solvers and best responses compute, compiled.

A *sequence* of a player is his last choice: 0 if he has made none, else 1 plus the number of its
entry among his own. By perfect recall it stands for all his choices before, so a policy is as good
as its *plan*: the probability of each sequence, as far as the player decides it. The expected
return of two plans is a bilinear form with a sparse matrix, one number for each end of the game:
its return times the probability that chance does its part (Koller, Megiddo and von Stengel, "Fast
algorithms for finding randomized strategies in game trees", 1994).

Everything is asked of a player by his information sets, in which parents stand before children:
`first` has the first entry of each in a policy and the end of the last one, `parents` the sequence
that leads to each. A policy may be one of both players together.
"""

from typing import NamedTuple

from marjolet_spiel.array_types import Floats, Ints, Vector
from marjolet_spiel.compiling import compiled


class Discounts(NamedTuple):
    """How an iteration counts.

    Attributes:
      positive: what regrets from 0 on are multiplied by when they are updated.
      negative: what those below 0 are.
      weight: of the policy in the averages.
    """

    positive: float
    negative: float
    weight: float


class Learnt(NamedTuple):
    """What a player has learnt; updated in place.

    Attributes:
      regrets: float64 [entries].
      averages: float64 [entries], sums of policies.
      policy: float64 [entries], the policy that he plays now.
    """

    regrets: Floats
    averages: Floats
    policy: Floats


@compiled
def sort_by_row(
    rows: Ints, columns: Ints, values: Floats, starts: Vector, out: Ints, out_values: Floats
) -> None:
    """Sorts the numbers of a matrix by rows, in the same order within each.

    Args:
      rows: int32 [n].
      columns: int32 [n].
      values: float64 [n].
      starts: int64 [number of rows + 1] of zeros, filled in: where each row begins.
      out: int32 [n], filled in with the columns.
      out_values: float64 [n], filled in.
    """
    for row in rows:
        starts[row + 1] += 1
    for row in range(1, len(starts)):
        starts[row] += starts[row - 1]
    for i in range(len(rows)):  # starts[row] moves on to the end of its row ...
        place = starts[rows[i]]
        starts[rows[i]] += 1
        out[place] = columns[i]
        out_values[place] = values[i]
    for row in range(len(starts) - 1, 0, -1):  # ... where the next one begins
        starts[row] = starts[row - 1]
    starts[0] = 0


@compiled
def fill_plan(first: Vector, parents: Ints, policy: Floats, plan: Floats) -> None:
    """Fills in the plan of a policy: float64 [sequences of the player]."""
    shift = 1 - first[0]
    plan[0] = 1.0
    for i in range(len(parents)):
        reach = plan[parents[i]]
        for entry in range(first[i], first[i + 1]):
            plan[entry + shift] = reach * policy[entry]


@compiled
def fill_values(
    starts: Vector, columns: Ints, payoffs: Floats, plan: Floats, sign: float, values: Floats
) -> None:
    """Fills in what the ends after each sequence of a player are worth against a plan.

    Args:
      starts: int64 [sequences of the other player + 1], the matrix by his sequences.
      columns: int32 [payoffs], the player's sequences.
      payoffs: float64 [payoffs], for player 0.
      plan: float64 [sequences of the other player]; where it is 0 nothing is done.
      sign: 1 if the player is player 0, -1 if he is not.
      values: float64 [sequences of the player], filled in.
    """
    for sequence in range(len(values)):
        values[sequence] = 0.0
    for row in range(len(plan)):
        share = sign * plan[row]
        if share != 0.0:
            for i in range(starts[row], starts[row + 1]):
                values[columns[i]] += share * payoffs[i]


@compiled
def value_of(plan: Floats, values: Floats) -> float:
    """The expected return of a plan, by what the ends after each of its sequences are worth."""
    total = 0.0
    for sequence in range(len(plan)):
        total += plan[sequence] * values[sequence]
    return total


@compiled
def respond(first: Vector, parents: Ints, values: Floats, policy: Floats) -> float:
    """The best response: its value; its policy is filled in, values are overwritten.

    Of actions that are equally good it takes the first.
    """
    shift = 1 - first[0]
    for i in range(len(parents) - 1, -1, -1):
        best = first[i]
        for entry in range(first[i], first[i + 1]):
            policy[entry] = 0.0
            if values[entry + shift] > values[best + shift]:
                best = entry
        policy[best] = 1.0
        values[parents[i]] += values[best + shift]
    return values[0]


@compiled
def match_regrets(regrets: Floats, begin: int, end: int, policy: Floats, at: int) -> None:
    """Writes to `policy`, from `at` on, the shares of positive regrets; if there are none, equal.

    Hart and Mas-Colell, "A simple adaptive procedure leading to correlated equilibrium", 2000.
    """
    total = 0.0
    for entry in range(begin, end):
        total += max(regrets[entry], 0.0)
    for entry in range(begin, end):
        place = at + entry - begin
        policy[place] = max(regrets[entry], 0.0) / total if total > 0.0 else 1.0 / (end - begin)


@compiled
def learn(
    first: Vector,
    parents: Ints,
    values: Floats,
    plan: Floats,
    discounts: Discounts,
    learnt: Learnt,
) -> None:
    """One update of a player by counterfactual regret minimization.

    From the last information set to the first: what the actions are worth, their regrets, and the
    policy that matches them.

    Args:
      first: int64 [sets + 1].
      parents: int32 [sets].
      values: float64 [sequences of the player], from `fill_values`; overwritten.
      plan: float64 [sequences of the player], of `policy`.
      discounts: how the update counts.
      learnt: updated.
    """
    positive, negative, weight = discounts
    regrets, averages, policy = learnt
    shift = 1 - first[0]
    for i in range(len(parents) - 1, -1, -1):
        begin, end = first[i], first[i + 1]
        if plan[parents[i]] > 0.0:
            for entry in range(begin, end):
                averages[entry] += weight * plan[entry + shift]
        value = 0.0
        differ = positive != 1.0
        for entry in range(begin, end):
            value += policy[entry] * values[entry + shift]
            differ |= values[entry + shift] != values[begin + shift]
        if not differ:  # the other does not come here, say: no regret, no other policy
            values[parents[i]] += values[begin + shift]
            continue
        for entry in range(begin, end):
            regret = regrets[entry] + (values[entry + shift] - value)
            regrets[entry] = regret * (positive if regret >= 0.0 else negative)
        match_regrets(regrets, begin, end, policy, begin)
        values[parents[i]] += value


@compiled
def fill_shares(first: Vector, averages: Floats, policy: Floats) -> None:
    """Fills in a policy in proportion to its averages; where they are 0 it is uniform."""
    for i in range(len(first) - 1):
        total = 0.0
        for entry in range(first[i], first[i + 1]):
            total += averages[entry]
        for entry in range(first[i], first[i + 1]):
            if total > 0.0:
                policy[entry] = averages[entry] / total
            else:
                policy[entry] = 1.0 / (first[i + 1] - first[i])


@compiled
def fill_policy(first: Vector, regrets: Floats, policy: Floats) -> None:
    """Fills in the policy that matches the regrets (`match_regrets`)."""
    for i in range(len(first) - 1):
        match_regrets(regrets, first[i], first[i + 1], policy, first[i])
