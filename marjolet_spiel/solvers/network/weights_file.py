"""Networks that play, on disk (`array_file`).

A file belongs to a ``pack``, as `trained_for` says it: the pack and the versions of the rules and
of the compact observation. Its arrays:

- ``width``, ``layers``: int64 [], its `Shape`;
- ``weights``: float16 [n], its arrays one after the other in the order of `Shape.arrays`.
"""

from math import prod
from pathlib import Path

import numpy as np

from marjolet_spiel.compact import COMPACT_VERSION
from marjolet_spiel.rules import RULES_VERSION, Rules
from marjolet_spiel.solvers.array_file import ArrayFile, Arrays
from marjolet_spiel.solvers.network.inference import Network, network_of
from marjolet_spiel.solvers.network.layers import Shape, Weights

SHIPPED = Path(__file__).with_name("net.npz")
"""The network of the package, trained for the full pack; ``net.md`` beside it says how."""

MAX_WIDTH, MAX_LAYERS = 4096, 64

WEIGHTS_FILE = ArrayFile(
    label="network",
    what="weights of a network",
    version=1,
    owner="pack",
    foreign="it was trained for {found}, not {wanted}",
    kinds={"width": (np.int64, 0), "layers": (np.int64, 0), "weights": (np.float16, 1)},
)


def trained_for(rules: Rules) -> str:
    """What a network is for, as text: the pack, and versions of rules and observation.

    The other rules are told in each observation.
    """
    pack = f"num_suits={rules.num_suits},ranks={rules.ranks},hand_size={rules.hand_size}"
    return f"pack({pack}), rules version {RULES_VERSION}, observation version {COMPACT_VERSION}"


def write_network(path: str | Path, rules: Rules, shape: Shape, weights: Weights) -> None:
    """Writes a policy network in place of what is there; OSError if that is not possible."""
    flat = np.concatenate([np.ravel(weights[name]) for name in shape.arrays()])
    arrays = {
        "width": np.array(shape.width, dtype=np.int64),
        "layers": np.array(shape.layers, dtype=np.int64),
        "weights": flat.astype(np.float16),
    }
    WEIGHTS_FILE.write(path, trained_for(rules), arrays)


def read_network(path: str | Path, rules: Rules) -> Network:
    """A policy network from a file.

    Args:
      path: a file that `write_network` wrote.
      rules: those of the game that is to be played; it must have been trained for their pack.

    Raises:
      ValueError: it is missing, damaged, of another version or for another pack; the message is one
        sentence that names the file.
    """
    return WEIGHTS_FILE.read(path, trained_for(rules), _network)


def _network(arrays: Arrays) -> Network:
    """The network in the arrays of a file; ValueError if they do not fit together."""
    width, layers, flat = int(arrays["width"]), int(arrays["layers"]), arrays["weights"]
    if not (1 <= width <= MAX_WIDTH and 1 <= layers <= MAX_LAYERS):
        raise ValueError("it is damaged: its arrays do not fit together")
    shape = Shape(width, layers)
    sizes = {name: prod(size) for name, size in shape.arrays().items()}
    if len(flat) != sum(sizes.values()) or not np.isfinite(flat).all():
        raise ValueError("it is damaged: its arrays do not fit together")
    ends = np.cumsum(list(sizes.values()))
    return network_of(shape, dict(zip(sizes, np.split(flat, ends[:-1]), strict=True)))
