"""The policy network in compiled code, for play: the same numbers one by one as in batches.

What it computes is `layers.logits`. Inputs that are zero, most of them, cost nothing.
"""

from typing import NamedTuple

import numpy as np

from marjolet_spiel import compact
from marjolet_spiel.array_types import SingleFloatRows, SingleFloats
from marjolet_spiel.compiling import compiled, compiled_recursive
from marjolet_spiel.solvers.network.layers import Shape, Weights

_PLAIN = compact.NUM_SUITS - 1
_FIRST = compact.GLOBAL_SIZE + compact.SUIT_SIZE  # what concerns the whole position, and trumps


class Network(NamedTuple):
    """A policy network for compiled code.

    Attributes:
      weights: float32, its arrays one after the other in the order of `Shape.arrays`.
      width: units of a layer for each suit.
      layers: how many layers.
      scratch: float32 [10 * width]; threads need their own.
    """

    weights: SingleFloats
    width: int
    layers: int
    scratch: SingleFloats


def network_of(shape: Shape, weights: Weights) -> Network:
    """A network for compiled code; its scratch is its own."""
    flat = [np.asarray(weights[name], dtype=np.float32).ravel() for name in shape.arrays()]
    scratch = np.zeros(10 * shape.width, dtype=np.float32)
    return Network(np.concatenate(flat), shape.width, shape.layers, scratch)


@compiled
def _hear(
    weights: SingleFloats,
    at: int,
    x: SingleFloats,
    x_at: int,
    n: int,
    out: SingleFloats,
    to: int,
    width: int,
) -> int:
    """Adds n inputs times their weights to units; returns where the weights end."""
    heard = out[to : to + width]
    for i in range(n):
        value = x[x_at + i]
        if value != 0.0:
            row = weights[at + i * width : at + (i + 1) * width]
            for j in range(width):
                heard[j] += value * row[j]
    return at + n * width


@compiled
def _copy(source: SingleFloats, at: int, out: SingleFloats, to: int, n: int) -> int:
    for j in range(n):
        out[to + j] = source[at + j]
    return at + n


@compiled
def _rectify(x: SingleFloats, at: int, n: int) -> None:
    for j in range(n):
        x[at + j] = max(x[at + j], np.float32(0.0))


@compiled
def _add_rectified(x: SingleFloats, at: int, to: int, n: int) -> None:
    for j in range(n):
        x[to + j] += max(x[at + j], np.float32(0.0))


@compiled
def _mean(x: SingleFloats, at: int, to: int, n: int) -> None:
    """The mean of the plain suits."""
    third = np.float32(1.0 / 3.0)
    for j in range(n):
        x[to + j] = (x[at + j] + x[at + n + j] + x[at + 2 * n + j]) * third


@compiled
def _first_layer(net: Network, seen: SingleFloats) -> int:
    w, width, x = net.weights, net.width, net.scratch
    plain, shared = width, 4 * width
    at = _FIRST * width
    at = _copy(w, at, x, 0, width)
    _hear(w, 0, seen, 0, _FIRST, x, 0, width)
    _rectify(x, 0, width)
    own, at = at, at + compact.SUIT_SIZE * width
    _copy(w, at + _FIRST * width, x, shared, width)
    at = _hear(w, at, seen, 0, _FIRST, x, shared, width) + width
    for i in range(_PLAIN):
        _copy(x, shared, x, plain + i * width, width)
        first = _FIRST + i * compact.SUIT_SIZE
        _hear(w, own, seen, first, compact.SUIT_SIZE, x, plain + i * width, width)
    _rectify(x, plain, _PLAIN * width)
    return at


@compiled
def _layer(net: Network, at: int) -> int:
    w, width, x = net.weights, net.width, net.scratch
    square = width * width
    plain, mean, to_trump, shared, to_plain = (
        width,
        4 * width,
        5 * width,
        6 * width,
        7 * width,
    )
    _mean(x, plain, mean, width)
    _copy(w, at + 2 * square, x, to_trump, width)
    at = _hear(w, at, x, 0, width, x, to_trump, width)
    at = _hear(w, at, x, mean, width, x, to_trump, width) + width
    own, at = at, at + square
    _copy(w, at + square, x, shared, width)
    at = _hear(w, at, x, mean, width, x, shared, width) + width
    at = _hear(w, at, x, 0, width, x, shared, width)
    for i in range(_PLAIN):
        _copy(x, shared, x, to_plain, width)
        _hear(w, own, x, plain + i * width, width, x, to_plain, width)
        _add_rectified(x, to_plain, plain + i * width, width)
    _add_rectified(x, to_trump, 0, width)
    return at


@compiled
def _head(
    net: Network, at: int, x_at: int, n: int, outputs: int, out: SingleFloats, to: int
) -> None:
    _copy(net.weights, at + n * outputs, out, to, outputs)
    _hear(net.weights, at, net.scratch, x_at, n, out, to, outputs)


@compiled_recursive
def write_logits(net: Network, seen: SingleFloats, out: SingleFloats) -> None:
    """Writes the logits of all actions in compact order.

    Args:
      net: a policy network.
      seen: float32 [compact.SIZE], a compact observation.
      out: float32 [compact.NUM_ACTIONS].
    """
    width, x = net.width, net.scratch
    at = _first_layer(net, seen)
    for _ in range(1, net.layers):
        at = _layer(net, at)
    # The trumps, and behind them the mean where the first plain suit was copied away from.
    both = 5 * width
    _copy(x, 0, x, both, width)
    _mean(x, width, both + width, width)
    whole, suit = compact.GLOBAL_ACTIONS, compact.SUIT_ACTIONS
    _head(net, at, both, 2 * width, whole, out, 0)
    at += (2 * width + 1) * whole
    _head(net, at, 0, width, suit, out, whole)
    at += (width + 1) * suit
    for i in range(_PLAIN):
        _head(net, at, (1 + i) * width, width, suit, out, whole + (1 + i) * suit)


@compiled_recursive
def write_many_logits(net: Network, seen: SingleFloatRows, out: SingleFloatRows) -> None:
    """`write_logits` for each row."""
    for i in range(len(seen)):
        write_logits(net, seen[i], out[i])
