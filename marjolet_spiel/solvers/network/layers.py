"""The network: how weights and compact observations make logits and values.

One block of features a suit: trumps with all that concerns the whole position, and three plain
suits that share weights and hear of each other by their mean, so that plain suits may change
places (the deep sets of Zaheer et al., 2017). Residual layers of rectified units.

Everything is written for whichever library has numpy's names: numpy to play, JAX to learn.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from marjolet_spiel import compact

Weights = Mapping[str, Any]
"""The arrays of a network by name."""

HIDDEN_OF_SUIT = compact.HIDDEN_SIZE // compact.NUM_SUITS


@dataclass(frozen=True)
class Shape:
    """How large a network is.

    Attributes:
      width: units of a layer, for each suit.
      layers: how many layers.
      outputs: "policy", a logit for each action; or "value", one number.
      sees_all: whether it is told the other's hand and the order of the stock too.
    """

    width: int
    layers: int
    outputs: str = "policy"
    sees_all: bool = False

    def arrays(self) -> dict[str, tuple[int, ...]]:
        """The shapes of its arrays by name, in order."""
        suit = compact.SUIT_SIZE + (HIDDEN_OF_SUIT if self.sees_all else 0)
        width, whole = self.width, compact.GLOBAL_SIZE
        shapes: dict[str, tuple[int, ...]] = {
            "trump.0.own": (whole + suit, width),
            "trump.0.bias": (width,),
            "plain.0.own": (suit, width),
            "plain.0.trump": (whole + suit, width),
            "plain.0.bias": (width,),
        }
        for layer in range(1, self.layers):
            for suits in ("trump", "plain"):
                shapes[f"{suits}.{layer}.own"] = (width, width)
                shapes[f"{suits}.{layer}.mean"] = (width, width)
                shapes[f"{suits}.{layer}.bias"] = (width,)
            shapes[f"plain.{layer}.trump"] = (width, width)
        if self.outputs == "value":
            return {**shapes, "value.own": (2 * width, 1), "value.bias": (1,)}
        return {
            **shapes,
            "whole.own": (2 * width, compact.GLOBAL_ACTIONS),
            "whole.bias": (compact.GLOBAL_ACTIONS,),
            "trumps.own": (width, compact.SUIT_ACTIONS),
            "trumps.bias": (compact.SUIT_ACTIONS,),
            "plains.own": (width, compact.SUIT_ACTIONS),
            "plains.bias": (compact.SUIT_ACTIONS,),
        }


def new_weights(shape: Shape, seed: int) -> dict[str, NDArray[np.float32]]:
    """Random weights: normal, scaled by the units they hear (He et al., 2015); biases are zero.

    What comes out is near zero: all actions are equally likely, all values 0.
    """
    rng = np.random.default_rng(seed)
    weights = {}
    for name, size in shape.arrays().items():
        scale = 0.0 if name.endswith("bias") else np.sqrt(2.0 / size[0])
        if name.partition(".")[0] in ("whole", "trumps", "plains", "value"):
            scale *= 0.01
        elif name.split(".")[1] != "0":
            scale *= 0.5  # residual layers, which add up
        weights[name] = (scale * rng.standard_normal(size)).astype(np.float32)
    return weights


def _tokens(xp: ModuleType, weights: Weights, layers: int, whole: Any, suits: Any) -> Any:
    """What the last layer knows of the trumps [b, width] and of the plain suits [b, 3, width]."""
    first = xp.concatenate([whole, suits[:, 0]], axis=1)
    trump = xp.maximum(first @ weights["trump.0.own"] + weights["trump.0.bias"], 0)
    shared = first @ weights["plain.0.trump"] + weights["plain.0.bias"]
    plain = xp.maximum(suits[:, 1:] @ weights["plain.0.own"] + shared[:, None], 0)
    for layer in range(1, layers):
        mean = plain.mean(axis=1)
        to_trump = trump @ weights[f"trump.{layer}.own"] + mean @ weights[f"trump.{layer}.mean"]
        to_all = trump @ weights[f"plain.{layer}.trump"] + mean @ weights[f"plain.{layer}.mean"]
        to_plain = plain @ weights[f"plain.{layer}.own"]
        to_plain = to_plain + (to_all + weights[f"plain.{layer}.bias"])[:, None]
        trump = trump + xp.maximum(to_trump + weights[f"trump.{layer}.bias"], 0)
        plain = plain + xp.maximum(to_plain, 0)
    return trump, plain


def _parts(observation: Any, hidden: Any = None, xp: ModuleType = np) -> tuple[Any, Any]:
    """An observation as what concerns the whole position, and suits [b, 4, floats]."""
    batch = observation.shape[0]
    suits = observation[:, compact.GLOBAL_SIZE :].reshape(batch, compact.NUM_SUITS, -1)
    if hidden is not None:
        suits = xp.concatenate([suits, hidden.reshape(batch, compact.NUM_SUITS, -1)], axis=2)
    return observation[:, : compact.GLOBAL_SIZE], suits


def logits(xp: ModuleType, weights: Weights, layers: int, observation: Any) -> Any:
    """The logits of all actions in compact order.

    Args:
      xp: numpy or jax.numpy.
      weights: those of a policy.
      layers: how many layers it has.
      observation: float32 [b, compact.SIZE].

    Returns:
      float32 [b, compact.NUM_ACTIONS].
    """
    trump, plain = _tokens(xp, weights, layers, *_parts(observation))
    both = xp.concatenate([trump, plain.mean(axis=1)], axis=1)
    whole = both @ weights["whole.own"] + weights["whole.bias"]
    trumps = trump @ weights["trumps.own"] + weights["trumps.bias"]
    plains = plain @ weights["plains.own"] + weights["plains.bias"]
    return xp.concatenate([whole, trumps, plains.reshape(plains.shape[0], -1)], axis=1)


def values(
    xp: ModuleType, weights: Weights, layers: int, observation: Any, hidden: Any = None
) -> Any:
    """What positions are worth for their players on turn, float32 [b], in units of training.

    Arguments as for `logits`, and what is hidden if the network sees it (`compact.write_hidden`).
    """
    trump, plain = _tokens(xp, weights, layers, *_parts(observation, hidden, xp))
    both = xp.concatenate([trump, plain.mean(axis=1)], axis=1)
    return (both @ weights["value.own"] + weights["value.bias"])[:, 0]
