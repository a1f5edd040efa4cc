"""The meta-game: two players choose a bot each, and the payoff is the mean margin.

Which bots should a player mix, and which survive in a population? Unlike a rating, the answers tell
circles (a beats b beats c beats a) from ladders.

* Nash: the mixture that no bot beats, of the symmetric zero-sum game (D. Balduzzi and others,
  Re-evaluating Evaluation, NeurIPS 2018). If several are, the mean of those that favour each bot in
  turn.
* AlphaRank: how much of its time a population of one bot at a time, in which a better bot takes
  over, spends with each (S. Omidshafiei and others, Scientific Reports 2019). The limit of strong
  selection with small noise (M. Rowland and others, NeurIPS 2019), as OpenSpiel's
  `egt.alpharank.compute(use_inf_alpha=True)`; that one needs matplotlib and networkx just to be
  imported, and takes one matrix at a time.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog  # type: ignore[import-untyped]

from scripts.arena.stats.bootstrap import Bootstrap, Floats, Sums, percentiles

NOISE = 1e-6
"""AlphaRank: how often the worse bot takes over."""

_TINY = 1e-9


@dataclass(frozen=True)
class Weights:
    """A share of each of n bots with the interval over resamples, shape [n] each; 1 in all."""

    value: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True)
class MetaGame:
    """The game of choosing one of n bots.

    Attributes:
      payoffs: mean margin of the row's bot against the column's; antisymmetric, shape [n, n].
      superiority: in which share of the resamples it is above 0, ties half; shape [n, n].
      nash: the mixture that no bot beats.
      alpharank: the stationary distribution of AlphaRank.
    """

    payoffs: Floats
    superiority: Floats
    nash: Weights
    alpharank: Weights


def meta_game(results: Bootstrap) -> MetaGame | None:
    """The meta-game of a tournament; None unless all bots met on two pairs or more.

    A resample without a pair of some pairing takes that pairing's mean margin from the tournament.
    """
    met = results.total.pairs + 2 * np.eye(len(results.total.pairs))
    if results.units < 2 or (met < 2).any():
        return None
    payoffs = _payoffs(results.total, np.zeros_like(met))
    resampled = _payoffs(results.resampled, payoffs)
    superiority = ((np.sign(resampled) + 1) / 2).mean(axis=0)
    nash_mixtures, alpharanks = nash(resampled), alpharank(resampled)
    return MetaGame(
        payoffs,
        superiority,
        Weights(nash(payoffs[None])[0], *percentiles(nash_mixtures)),
        Weights(alpharank(payoffs[None])[0], *percentiles(alpharanks)),
    )


def _payoffs(sums: Sums, otherwise: Floats) -> Floats:
    """Mean margins, shape [..., n, n]; `otherwise` where there are none."""
    start = np.broadcast_to(otherwise, sums.pairs.shape).copy()
    return np.divide(sums.margins, sums.pairs, out=start, where=sums.pairs > 0)


def alpharank(payoffs: Floats) -> Floats:
    """AlphaRank in the limit of strong selection.

    Args:
      payoffs: antisymmetric matrices, shape [m, n, n].

    Returns:
      The stationary distribution of each, shape [m, n].
    """
    size = payoffs.shape[-1]
    invades = np.swapaxes(np.sign(payoffs), 1, 2)  # [from, to]: 1 where the newcomer is better
    steps = np.choose(invades.astype(int) + 1, [NOISE, 0.5, 1 - NOISE]) / (size - 1)
    steps *= 1 - np.eye(size)
    # Balance at each bot, what flows in less what flows out; one equation is replaced by the sum.
    balance = np.swapaxes(steps, 1, 2) - np.eye(size) * steps.sum(axis=2)[:, None, :]
    balance[:, -1] = 1
    target = np.zeros((len(payoffs), size, 1))
    target[:, -1] = 1
    return np.asarray(np.clip(np.linalg.solve(balance, target)[..., 0], 0, 1))


def nash(payoffs: Floats) -> Floats:
    """The equilibrium of symmetric zero-sum games.

    A linear program finds who plays in one game; the equilibria of all games in which the same ones
    play follow from linear equations, which also prove that there is no second one. So there are
    few programs for many games.

    Args:
      payoffs: antisymmetric matrices, shape [m, n, n].

    Returns:
      The mixture of each, shape [m, n]; the mean of extreme ones if several are.
    """
    scale = np.abs(payoffs).max(axis=(1, 2), keepdims=True)
    games = payoffs / np.where(scale > 0, scale, 1)
    clear, mixtures = _of_the_unbeaten(games)
    left = np.flatnonzero(~clear)
    while left.size:
        game = games[left[0]]
        found = _by_program(game, np.zeros(len(game)))
        solved, mixtures[left] = _with_support(games[left], np.flatnonzero(found > _TINY))
        if not solved[0]:  # several equilibria: the equations do not tell
            same = (games[left] == game).all(axis=(1, 2))
            solved[same], mixtures[left[same]] = True, _mean_of_extremes(game)
        left = left[~solved]
    return mixtures


def _of_the_unbeaten(games: Floats) -> tuple[NDArray[np.bool_], Floats]:
    """The equilibria of games in which unbeaten bots beat all others, and which games these are.

    Just these bots play then, in whatever mixture; here with equal weights.
    """
    unbeaten = np.asarray((games >= 0).all(axis=2))
    beaten = ((games > 0) & unbeaten[:, :, None]).any(axis=1)
    clear = unbeaten.any(axis=1) & (beaten != unbeaten).all(axis=1)
    return clear, unbeaten / np.maximum(unbeaten.sum(axis=1, keepdims=True), 1)


def _mean_of_extremes(game: Floats) -> Floats:
    """The mean of equilibria, one for each bot that can play in any: one where it plays most."""
    extremes = [_by_program(game, favour) for favour in np.eye(len(game))]
    played = [mixture for bot, mixture in enumerate(extremes) if mixture[bot] > _TINY]
    return np.asarray(np.mean(played, axis=0))


def _by_program(game: Floats, favour: Floats) -> Floats:
    """An equilibrium of one game; of several, one in which `favour` weighs most."""
    size = len(game)
    found = linprog(-favour, A_ub=game, b_ub=np.zeros(size), A_eq=np.ones((1, size)), b_eq=[1])
    mixture = np.clip(found.x, 0, None)
    return np.asarray(mixture / mixture.sum())


def _with_support(games: Floats, support: NDArray[np.int64]) -> tuple[NDArray[np.bool_], Floats]:
    """The equilibria in which just these bots play.

    Returns:
      Which games have such an equilibrium and no other one, and the mixtures of all (of no meaning
      in the others).
    """
    mixtures = np.zeros(games.shape[:2])
    square = games[:, support[:, None], support] + 1  # (A + 1) x = 1 if A x = 0 and x adds up to 1
    regular = np.abs(np.linalg.det(square)) > _TINY**2
    square[~regular] = np.eye(len(support))
    mixtures[:, support] = np.linalg.solve(square, np.ones((len(games), len(support), 1)))[..., 0]
    gains = np.einsum("mij,mj->mi", games, mixtures)
    plays = np.isin(np.arange(games.shape[1]), support)
    balanced = (np.abs(gains) < _TINY) & (mixtures > _TINY)
    solved = regular & np.where(plays, balanced, gains < -_TINY).all(axis=1)
    return solved, mixtures
