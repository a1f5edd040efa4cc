"""What full-pack CFR has learnt, on disk: ``.npz`` files without pickle, with a checksum.

There are two kinds. A *checkpoint* has all that training needs to go on; its arrays are those of
`Checkpoint` beside ``format``, ``rules`` and ``checksum``. A *policy* has what playing needs:

- ``format``: int64 [], `FORMAT`;
- ``rules``: a text, `trained_for`;
- ``iterations``: int64 [], how many it was trained;
- ``buckets``: int64 [n], ascending;
- ``shares``: uint8 [n, MAX_CLASSES], the average policy of each bucket, in parts of about 1/255;
- ``checksum``: of all of them.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from marjolet_spiel.rules import RULES_VERSION, Rules
from marjolet_spiel.solvers.array_file import Kinds, read_arrays, write_arrays
from marjolet_spiel.solvers.blueprint.abstraction import ABSTRACTION_VERSION, MAX_CLASSES
from marjolet_spiel.solvers.blueprint.sampling import COUNTS_SIZE, EMPTY

FORMAT = 1
"""Changes whenever older files can no longer be read."""

_OF_MATCHES = ("target", "max_deals", "first_dealer", "target_check")
"""Switches that make no difference within a deal."""

_POLICY_KINDS: Kinds = {
    "format": (np.int64, 0),
    "rules": (np.str_, 0),
    "iterations": (np.int64, 0),
    "buckets": (np.int64, 1),
    "shares": (np.uint8, 2),
    "checksum": (np.str_, 0),
}

_CHECKPOINT_KINDS: Kinds = {
    "format": (np.int64, 0),
    "rules": (np.str_, 0),
    "seed": (np.int64, 0),
    "iterations": (np.int64, 0),
    "size": (np.int64, 0),
    "counts": (np.int64, 1),
    "rows": (np.int64, 1),
    "buckets": (np.int64, 1),
    "regrets": (np.float64, 2),
    "averages": (np.float64, 2),
    "checksum": (np.str_, 0),
}


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


def _checksum(arrays: Mapping[str, Any], kinds: Kinds) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for name in kinds:
        if name != "checksum":
            array = np.asarray(arrays[name])
            digest.update(f"{name} {array.dtype} {array.shape} ".encode())
            digest.update(array.tobytes())
    return digest.hexdigest()


def _write(path: Path, rules: Rules, arrays: dict[str, Any], kinds: Kinds) -> None:
    arrays["format"] = np.array(FORMAT, dtype=np.int64)
    arrays["rules"] = np.array(trained_for(rules))
    arrays["checksum"] = np.array(_checksum(arrays, kinds))
    write_arrays(path, arrays)


def _read(path: Path, rules: Rules, kinds: Kinds, what: str) -> dict[str, NDArray[Any]]:
    """The arrays of a file; ValueError without its name if it is not what it should be."""
    arrays = read_arrays(path, kinds, FORMAT, what)
    if str(arrays["rules"]) != trained_for(rules):
        raise ValueError(f"it was trained for {arrays['rules']!s}, not {trained_for(rules)}")
    if str(arrays["checksum"]) != _checksum(arrays, kinds):
        raise ValueError("it is damaged: its checksum is wrong")
    return arrays


def write_policy(path: str | Path, rules: Rules, policy: CfrPolicy) -> None:
    """Writes a policy for play in place of what is there; OSError if that is not possible."""
    arrays = {
        "iterations": np.array(policy.iterations, dtype=np.int64),
        "buckets": policy.buckets,
        "shares": policy.shares,
    }
    _write(Path(path), rules, arrays, _POLICY_KINDS)


def read_policy(path: str | Path, rules: Rules) -> CfrPolicy:
    """A policy from a file.

    Args:
      path: a file that `write_policy` wrote.
      rules: those it must have been trained for, but for what makes no difference in a deal.

    Raises:
      ValueError: it is missing, damaged, of another version or for other rules; the message is one
        sentence that names the file.
    """
    try:
        arrays = _read(Path(path), rules, _POLICY_KINDS, "policy of full-pack CFR")
        buckets, shares = arrays["buckets"], arrays["shares"]
        if shares.shape != (len(buckets), MAX_CLASSES) or (np.diff(buckets) <= 0).any():
            raise ValueError("it is damaged: its arrays do not fit together")
        if not shares.any(axis=1).all():
            raise ValueError("it is damaged: a bucket has no shares")
        return CfrPolicy(int(arrays["iterations"]), buckets, shares)
    except ValueError as error:
        raise ValueError(f"cfr file {str(path)!r}: {error}") from None


def write_checkpoint(path: str | Path, rules: Rules, checkpoint: Checkpoint) -> None:
    """Writes a checkpoint in place of what is there; OSError if that is not possible."""
    names = [name for name in _CHECKPOINT_KINDS if name not in ("format", "rules", "checksum")]
    arrays = {name: np.asarray(getattr(checkpoint, name)) for name in names}
    _write(Path(path), rules, arrays, _CHECKPOINT_KINDS)


def read_checkpoint(path: str | Path, rules: Rules) -> Checkpoint:
    """A checkpoint from a file; arguments and errors as for `read_policy`."""
    try:
        arrays = _read(Path(path), rules, _CHECKPOINT_KINDS, "checkpoint of full-pack CFR")
        found = Checkpoint(
            int(arrays["seed"]),
            int(arrays["iterations"]),
            int(arrays["size"]),
            *(arrays[name] for name in ("counts", "rows", "buckets", "regrets", "averages")),
        )
        _check_checkpoint(found)
        return found
    except ValueError as error:
        raise ValueError(f"checkpoint {str(path)!r}: {error}") from None


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
