"""What full-pack CFR has learnt, on disk (`array_file`).

Files belong to ``rules``, as `trained_for` says them. There are two kinds. A *checkpoint* has all
that training needs to go on; its arrays are those of `Checkpoint`. A *policy* has what playing
needs:

- ``iterations``: int64 [], how many it was trained;
- ``buckets``: int64 [n], ascending;
- ``shares``: uint8 [n, MAX_CLASSES], the average policy of each bucket, in parts of about 1/255.
"""

from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from marjolet_spiel.rules import RULES_VERSION, Rules
from marjolet_spiel.solvers.array_file import ArrayFile, Arrays
from marjolet_spiel.solvers.blueprint.abstraction import ABSTRACTION_VERSION, MAX_CLASSES
from marjolet_spiel.solvers.blueprint.buckets import (
    COUNTS_SIZE,
    EMPTY,
)

_OF_MATCHES = ("target", "max_deals", "first_dealer", "target_check")
"""Switches that make no difference within a deal."""

_OTHER_RULES = "it was trained for {found}, not {wanted}"

POLICY_FILE = ArrayFile(
    label="cfr file",
    what="policy of full-pack CFR",
    version=1,
    owner="rules",
    foreign=_OTHER_RULES,
    kinds={"iterations": (np.int64, 0), "buckets": (np.int64, 1), "shares": (np.uint8, 2)},
)

CHECKPOINT_FILE = ArrayFile(
    label="checkpoint",
    what="checkpoint of full-pack CFR",
    version=1,
    owner="rules",
    foreign=_OTHER_RULES,
    kinds={
        "seed": (np.int64, 0),
        "iterations": (np.int64, 0),
        "size": (np.int64, 0),
        "counts": (np.int64, 1),
        "rows": (np.int64, 1),
        "buckets": (np.int64, 1),
        "regrets": (np.float64, 2),
        "averages": (np.float64, 2),
    },
)


def trained_for(rules: Rules) -> str:
    """What a policy is for, as text: the rules of a deal, and versions of rules and buckets."""
    switches = {name: value for name, value in asdict(rules).items() if name not in _OF_MATCHES}
    text = ",".join(f"{name}={value}" for name, value in switches.items())
    return f"deals({text}), rules version {RULES_VERSION}, buckets version {ABSTRACTION_VERSION}"


@dataclass(frozen=True)
class CfrPolicy:
    """An average policy, for play.

    Attributes:
      iterations: how many it was trained.
      buckets: int64 [n], ascending.
      shares: uint8 [n, MAX_CLASSES].
    """

    iterations: int
    buckets: NDArray[np.int64]
    shares: NDArray[np.uint8]

    def shares_of(self, bucket: int) -> list[int] | None:
        """The shares of the classes in a bucket; None if it is unknown."""
        place = int(np.searchsorted(self.buckets, bucket))
        if place == len(self.buckets) or self.buckets[place] != bucket:
            return None
        shares: list[int] = self.shares[place].tolist()
        return shares


@dataclass(frozen=True)
class Checkpoint:
    """The state of a training.

    Attributes:
      seed: its seed.
      iterations: how many were run.
      size: rows of the table.
      counts: int64 [COUNTS_SIZE], see `sampling.py`.
      rows: int64 [n], the rows in use.
      buckets: int64 [n], what is in them.
      regrets: float64 [n, MAX_CLASSES].
      averages: float64 [n, MAX_CLASSES].
    """

    seed: int
    iterations: int
    size: int
    counts: NDArray[np.int64]
    rows: NDArray[np.int64]
    buckets: NDArray[np.int64]
    regrets: NDArray[np.float64]
    averages: NDArray[np.float64]


def write_policy(path: str | Path, rules: Rules, policy: CfrPolicy) -> None:
    """Writes a policy for play in place of what is there; OSError if that is not possible."""
    arrays = {
        "iterations": np.array(policy.iterations, dtype=np.int64),
        "buckets": policy.buckets,
        "shares": policy.shares,
    }
    POLICY_FILE.write(path, trained_for(rules), arrays)


def read_policy(path: str | Path, rules: Rules) -> CfrPolicy:
    """A policy from a file.

    Args:
      path: a file that `write_policy` wrote.
      rules: those it must have been trained for, but for what makes no difference in a deal.

    Raises:
      ValueError: it is missing, damaged, of another version or for other rules; the message is one
        sentence that names the file.
    """
    return POLICY_FILE.read(path, trained_for(rules), _policy)


def _policy(arrays: Arrays) -> CfrPolicy:
    """The policy in the arrays of a file; ValueError if they do not fit together."""
    buckets, shares = arrays["buckets"], arrays["shares"]
    if shares.shape != (len(buckets), MAX_CLASSES) or (np.diff(buckets) <= 0).any():
        raise ValueError("it is damaged: its arrays do not fit together")
    if not shares.any(axis=1).all():
        raise ValueError("it is damaged: a bucket has no shares")
    return CfrPolicy(int(arrays["iterations"]), buckets, shares)


def write_checkpoint(path: str | Path, rules: Rules, checkpoint: Checkpoint) -> None:
    """Writes a checkpoint in place of what is there; OSError if that is not possible."""
    arrays = {name: np.asarray(getattr(checkpoint, name)) for name in CHECKPOINT_FILE.kinds}
    CHECKPOINT_FILE.write(path, trained_for(rules), arrays)


def read_checkpoint(path: str | Path, rules: Rules) -> Checkpoint:
    """A checkpoint from a file; arguments and errors as for `read_policy`."""
    return CHECKPOINT_FILE.read(path, trained_for(rules), _checkpoint)


def _checkpoint(arrays: Arrays) -> Checkpoint:
    """The checkpoint in the arrays of a file; ValueError if they do not fit together."""
    found = Checkpoint(
        int(arrays["seed"]),
        int(arrays["iterations"]),
        int(arrays["size"]),
        *(arrays[name] for name in ("counts", "rows", "buckets", "regrets", "averages")),
    )
    _check_checkpoint(found)
    return found


def _check_checkpoint(found: Checkpoint) -> None:
    """ValueError if the arrays of a checkpoint do not fit together."""
    shape = (len(found.rows), MAX_CLASSES)
    fits = (
        found.regrets.shape == found.averages.shape == shape
        and found.buckets.shape == found.rows.shape
        and found.counts.shape == (COUNTS_SIZE,)
        and min(found.seed, found.iterations) >= 0
        and ((found.rows >= 0) & (found.rows < found.size)).all()
        and (found.buckets != EMPTY).all()
    )
    if not fits:
        raise ValueError("it is damaged: its arrays do not fit together")
