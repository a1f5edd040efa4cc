"""A sequential test: stop a pairing as soon as its margins tell which of two hypotheses holds.

H0 says that the mean margin is t0, H1 that it is t1, in the unit of the margin. After each block
the log-likelihood ratio of H1 against H0 is compared with the bounds of A. Wald ("Sequential tests
of statistical hypotheses", Annals of Mathematical Statistics 16, 1945). The variance is not known
and each hypothesis gets the one that suits it best, as in the generalized test for chess engines
(M. Van den Bergh's notes on the GSPRT; X. Li, J. Liu, Z. Ying, "Generalized sequential probability
ratio test for separate families of hypotheses", Sequential Analysis 33, 2014)::

    LLR = n/2 log((s^2 + (mean - t0)^2) / (s^2 + (mean - t1)^2))

That holds for normal margins and, as it rests on the mean, nearly for others; these things make up
for what they lack:

* The distance of the mean from t0 and from t1 is corrected for skewness by P. Hall's transformation
  ("On the removal of skewness by transformation", Journal of the Royal Statistical Society B 54,
  1992). For symmetric margins it changes nothing.
* There is no decision before MIN_PAIRS pairs, nor before MIN_EFFECTIVE *effective* ones: n over the
  kurtosis, which is n for tosses of a coin, n/3 for normal margins and the number of exceptions if
  nearly all are equal.
* If nearly all are equal, as when one bot wins every match, there may never be so many. Then a bet
  decides that wins what such margins win against a hypothesis at fair odds. If the hypothesis holds
  the bet multiplies its stake by 1,000 in one run of 1,000 at most, whatever the margins are
  (Ville's inequality; I. Waudby-Smith, A. Ramdas, "Estimating means of bounded random variables by
  betting", Journal of the Royal Statistical Society B 86, 2024).

Blocks count in the order of the plan. Those that several workers finish first are no fair sample:
games that are lost may take longer, so deciding as they come in goes wrong far too often.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf, log, log1p, sqrt

from scripts.arena.plan.hypotheses import Hypotheses

ALPHA = BETA = 0.05
"""How often H1 may be accepted though H0 holds, and the other way round."""

LOWER, UPPER = log(BETA / (1 - ALPHA)), log((1 - BETA) / ALPHA)
"""Wald's bounds for the log-likelihood ratio: H0 is accepted at the lower, H1 at the upper one."""

MIN_PAIRS, MIN_EFFECTIVE = 30, 10
"""Found by simulation (`tests/scripts/arena/stats/`): with fewer, skewed margins go wrong."""

SURE = log(1000)
"""The logarithm of what a bet must have won for a decision."""


@dataclass(frozen=True)
class Verdict:
    """What a test says.

    Attributes:
      accepted: "H0" or "H1"; None as long as it has not decided.
      blocks: after how many blocks it decided; all that there are if it has not.
      pairs: how many pairs with a margin they have.
      llr: the log-likelihood ratio of H1 against H0 then; 0 while pairs do not vary.
      by_bet: whether the bet decided, and not the log-likelihood ratio.
      lower: H0 is accepted when `llr` gets there.
      upper: H1 is accepted when `llr` gets there.
    """

    accepted: str | None
    blocks: int
    pairs: int
    llr: float
    by_bet: bool = False
    lower: float = LOWER
    upper: float = UPPER


class _Moments:
    """Count, mean and sums of powers of the deviations from it, up to the fourth.

    Updated value by value, so that equal values have exactly no variance (P. Pébay, "Formulas for
    robust, one-pass parallel computation of covariances and arbitrary-order statistical moments",
    Sandia report SAND2008-6212, 2008).
    """

    def __init__(self) -> None:
        self.n = 0
        self.mean = self.m2 = self.m3 = self.m4 = 0.0

    def add(self, value: float) -> None:
        n = self.n = self.n + 1
        delta = value - self.mean
        step = delta / n
        term = delta * step * (n - 1)
        self.mean += step
        self.m4 += (
            term * step * step * (n * n - 3 * n + 3)
            + 6 * step * step * self.m2
            - 4 * step * self.m3
        )
        self.m3 += term * step * (n - 2) - 3 * step * self.m2
        self.m2 += term

    @property
    def effective(self) -> float:
        """By how many values the variance is carried: n over the kurtosis, 0 without variance."""
        return self.m2 * self.m2 / self.m4 if self.m4 > 0 else 0.0

    def distance(self, t: float) -> float:
        """From `t` to the mean in standard deviations of a value, corrected for skewness."""
        root = sqrt(self.n)
        skewness = root * self.m3 / self.m2**1.5
        far = (self.mean - t) / sqrt(self.m2 / self.n)
        # A hypothesis may be so far away that the transformation, made for near ones, goes wrong.
        third = max(-0.5, min(skewness * far / 3, 0.5))
        return far * (1 + third + third * third / 3) + skewness / (6 * self.n)


class SequentialTest:
    """A test to which blocks are added in the order of the plan.

    Attributes:
      verdict: what it says so far. Once it has decided, it stays at that.
    """

    def __init__(self, hypotheses: Hypotheses, most: float = inf) -> None:
        """A test without blocks.

        Args:
          hypotheses: what it decides between.
          most: no margin is larger than this, nor smaller than its negative; without it no bet is
            made, and pairs that hardly vary may never lead to a decision.
        """
        self.verdict = Verdict(None, 0, 0, 0.0)
        self._hypotheses = hypotheses
        self._most = most
        self._moments = _Moments()
        self._against_h0 = self._against_h1 = 0.0

    def add(self, pair_means: Iterable[float]) -> Verdict:
        """Adds the mean margins of the pairs of the next block, and looks.

        Raises:
          ValueError: a margin is larger than can be.
        """
        if self.verdict.accepted is None:
            for margin in pair_means:
                self._add_margin(margin)
            blocks, pairs = self.verdict.blocks + 1, self._moments.n
            accepted, by_bet = self._decision()
            self.verdict = Verdict(accepted, blocks, pairs, self._llr(), by_bet)
        return self.verdict

    def _add_margin(self, margin: float) -> None:
        if not abs(margin) <= self._most:
            raise ValueError(f"margin: {margin} is not allowed; none is beyond {self._most:g}")
        self._moments.add(margin)
        t0, t1 = self._hypotheses.t0, self._hypotheses.t1
        # Half of what is the most that can be staked without ever being ruined.
        self._against_h0 += log1p((margin - t0) / (self._most + t0) / 2)
        self._against_h1 += log1p((t1 - margin) / (self._most - t1) / 2)

    def _llr(self) -> float:
        moments = self._moments
        if moments.m2 <= 0:
            return 0.0
        from_t0, from_t1 = map(moments.distance, (self._hypotheses.t0, self._hypotheses.t1))
        return moments.n / 2 * log((1 + from_t0 * from_t0) / (1 + from_t1 * from_t1))

    def _decision(self) -> tuple[str | None, bool]:
        """What is accepted, and whether by the bet."""
        if self._moments.n >= MIN_PAIRS and self._moments.effective >= MIN_EFFECTIVE:
            llr = self._llr()
            if not LOWER < llr < UPPER:
                return ("H1" if llr > 0 else "H0"), False
        if max(self._against_h0, self._against_h1) < SURE:
            return None, False
        # A mean between the two may speak against both: the one that it is farther from goes.
        return ("H1" if self._against_h0 > self._against_h1 else "H0"), True
