"""What a solver has learnt, on disk (`array_file`).

The file belongs to a ``game``, as `policy_file.game_identity` says it. Its arrays: ``algorithm``;
``options``, as JSON; ``iteration``, int64 []; ``regrets`` and ``averages``, float64 [entries];
``random_state``, int64 [n], empty if the algorithm does not sample.
"""

import json
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from marjolet_spiel.solvers.array_file import ArrayFile, Arrays
from marjolet_spiel.solvers.policy_file import OTHER_GAME

FILE = ArrayFile(
    label="checkpoint",
    what="checkpoint",
    version=1,
    owner="game",
    foreign=OTHER_GAME,
    kinds={
        "algorithm": (np.str_, 0),
        "options": (np.str_, 0),
        "iteration": (np.int64, 0),
        "regrets": (np.float64, 1),
        "averages": (np.float64, 1),
        "random_state": (np.int64, 1),
    },
    compress=False,
    scalar_shape="(1,)",
)


@dataclass(frozen=True)
class Checkpoint:
    """The state of a solver; see its attributes for what they are.

    Attributes:
      algorithm: its name.
      options: those of the algorithm by name.
      iteration: how many were run.
      regrets: float64 [entries].
      averages: float64 [entries].
      random_state: int64 [n].
    """

    algorithm: str
    options: dict[str, Any]
    iteration: int
    regrets: NDArray[np.float64]
    averages: NDArray[np.float64]
    random_state: NDArray[np.int64]


def write_checkpoint(path: str | Path, identity: str, checkpoint: Checkpoint) -> None:
    """Writes a checkpoint of a game in place of what is there; OSError if it cannot."""
    arrays = {
        "algorithm": np.array(checkpoint.algorithm),
        "options": np.array(json.dumps(checkpoint.options)),
        "iteration": np.array(checkpoint.iteration, dtype=np.int64),
        "regrets": checkpoint.regrets,
        "averages": checkpoint.averages,
        "random_state": checkpoint.random_state,
    }
    FILE.write(path, identity, arrays)


def read_checkpoint(
    path: str | Path, identity: str, entries: int, algorithms: Collection[str]
) -> Checkpoint:
    """A checkpoint from a file.

    Args:
      path: a file that `write_checkpoint` wrote.
      identity: the game it must be of.
      entries: the length of a policy of it.
      algorithms: those that are known.

    Raises:
      ValueError: the file is missing, damaged, of another format or of another game; the message
        is one sentence that names the file.
    """
    return FILE.read(path, identity, lambda arrays: _checkpoint(arrays, entries, algorithms))


def _checkpoint(arrays: Arrays, entries: int, algorithms: Collection[str]) -> Checkpoint:
    """The checkpoint in the arrays of a file; ValueError if they do not fit together."""
    algorithm, learnt = str(arrays["algorithm"]), (arrays["regrets"], arrays["averages"])
    iteration = int(arrays["iteration"])
    if algorithm not in algorithms:
        raise ValueError(f"its algorithm {algorithm!r} is none of {', '.join(algorithms)}")
    if iteration < 0:
        raise ValueError(f"its iteration {iteration} is not allowed")
    if any(len(array) != entries for array in learnt):
        raise ValueError("it is damaged: its arrays do not fit the game")
    if not all(np.isfinite(array).all() for array in learnt):
        raise ValueError("it is damaged: not all its numbers are finite")
    options = _options(str(arrays["options"]))
    return Checkpoint(algorithm, options, iteration, *learnt, arrays["random_state"])


def _options(text: str) -> dict[str, Any]:
    try:
        options = json.loads(text)
    except ValueError:
        options = None
    if not isinstance(options, dict):
        raise ValueError(f"its options {text!r} are not allowed")
    return options
