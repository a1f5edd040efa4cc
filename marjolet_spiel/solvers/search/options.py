"""How searches search: their options, each checked as it is given."""

from dataclasses import dataclass
from math import isfinite
from typing import Any

from marjolet_spiel.solvers.search.rollouts import POLICIES

MAX_SIMS = 100_000_000
CHOICES = ("mean", "vote")


@dataclass(frozen=True)
class IsmctsOptions:
    """How ISMCTS searches.

    Attributes:
      sims: simulations a decision, from 1 to 100,000,000; very small numbers are exceeded, as each
        action is tried.
      time: seconds a decision, from 0.001 to 3600, instead of `sims`, if it is not None.
      uct: how much to explore, from 0 to 100, as a fraction of the range of values in the search.
      rollout: how simulations go on beyond the tree, one of `rollouts.POLICIES`.
      exact: whether the endgame is solved, not rolled out.
      pinned: whether cards that the opponent is known to hold stay in his hand.
      draws: whether own draws lead to nodes of their own.
      priors: whether the heuristic policy gives the actions prior values.
    """

    sims: int = 1000
    time: float | None = None
    uct: float = 1.0
    rollout: str = "heuristic"
    exact: bool = True
    pinned: bool = True
    draws: bool = True
    priors: bool = True

    def __post_init__(self) -> None:
        _check_whole("sims", self.sims, 1, MAX_SIMS)
        if self.time is not None:
            _check_number("time", self.time, 0.001, 3600)
        _check_number("uct", self.uct, 0, 100)
        _check_word("rollout", self.rollout, POLICIES)
        for name in ("exact", "pinned", "draws", "priors"):
            _check_truth(name, getattr(self, name))


@dataclass(frozen=True)
class PimcOptions:
    """How PIMC searches.

    Attributes:
      worlds: how many worlds are sampled for a decision, from 1 to 1000.
      depth: how many cards are played from the decision on, at most, from 1 to 40; a trick that has
        begun is finished.
      postpone: how many cards are played without knowing the world, this decision included, from 1
        to 6 (`world_search.postponed`); 1 is plain PIMC.
      choose: "mean", by the mean of the values, or "vote", by the number of worlds in which an
        action is among the best (shared among those).
    """

    worlds: int = 40
    depth: int = 4
    postpone: int = 1
    choose: str = "mean"

    def __post_init__(self) -> None:
        _check_whole("worlds", self.worlds, 1, 1000)
        _check_whole("depth", self.depth, 1, 40)
        _check_whole("postpone", self.postpone, 1, 6)
        _check_word("choose", self.choose, CHOICES)


def _refused(name: str, value: Any, allowed: str) -> ValueError:
    return ValueError(f"{name}: {value!r} is not allowed; it must be {allowed}")


def _check_whole(name: str, value: Any, least: int, most: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise _refused(name, value, f"a whole number from {least} to {most}")


def _check_number(name: str, value: Any, least: float, most: float) -> None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not isfinite(value) or not least <= value <= most:
        raise _refused(name, value, f"a number from {least} to {most}")


def _check_word(name: str, value: Any, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise _refused(name, value, "one of " + ", ".join(choices))


def _check_truth(name: str, value: Any) -> None:
    if not isinstance(value, bool):
        raise _refused(name, value, "True or False")
