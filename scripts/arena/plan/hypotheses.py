"""The two hypotheses of a sequential test (`stats.sequential`), as a plan names them."""

from dataclasses import dataclass
from math import inf, isfinite


@dataclass(frozen=True)
class Hypotheses:
    """Two hypotheses on the mean margin; made by `parse_sprt`.

    Attributes:
      t0: the mean margin under H0.
      t1: that under H1, larger than t0.
    """

    t0: float
    t1: float

    def __str__(self) -> str:
        return ",".join(repr(t + 0.0).removesuffix(".0") for t in (self.t0, self.t1))


def parse_sprt(text: str, most: float = inf) -> Hypotheses:
    """The hypotheses that a text such as "0,5" stands for.

    Args:
      text: t0 and t1.
      most: no margin is larger than this, nor smaller than its negative.

    Raises:
      ValueError: the text is something else, or a mean margin cannot be so large.
    """
    try:
        t0, t1 = (float(part) for part in text.split(","))
    except ValueError:
        t0 = t1 = inf
    if not (isfinite(t0) and isfinite(t1) and t0 < t1):
        raise ValueError(
            f"sprt: {text!r} is not allowed; it reads t0,t1 with two numbers, t0 below t1, such as "
            "0,5"
        )
    if t0 <= -most or t1 >= most:
        raise ValueError(
            f"sprt: {text!r} is not allowed; mean margins of this game lie between {-most:g} and "
            f"{most:g}"
        )
    return Hypotheses(t0, t1)
