"""How networks learn, in numbers, and what values are allowed."""

from dataclasses import dataclass, fields
from math import isfinite
from typing import Any

from marjolet_spiel.solvers.network.layers import Shape

TARGETS = ("taken", "all")
_MAY_BE_ZERO = ("last_rate", "entropy", "last_entropy", "magnet", "trace")
_MOST = {"width": 4096, "critic_width": 4096, "layers": 64, "critic_layers": 64, "trace": 1}


@dataclass(frozen=True)
class Hyperparameters:
    """How learning goes; ValueError if a value is not allowed.

    Rates and weights fall in a straight line from first to last.

    Attributes:
      width, layers: the actor's `Shape`.
      critic_width, critic_layers: the critic's.
      rate, last_rate: of Adam.
      entropy, last_entropy: the weight of the policy's entropy, in units of the advantages'
        standard deviation.
      targets: "taken", advantages of the actions that were taken, by generalized advantage
        estimation (Schulman et al., 2016); or "all", those of all legal actions by the critic's
        values of what they lead to.
      trace: lambda of that estimation, over the decisions of both players as one chain.
      clip: how far from 1 ratios of chances count.
      epochs: how often each batch is gone through.
      minibatch: decisions of an update.
      envs: games of each profile that are played side by side.
      steps: decisions in each of them between two lessons.
      magnet: the weight of the divergence from the magnet, in the units of `entropy`.
      magnet_every: lessons after which the policy becomes the magnet.
      max_norm: the longest gradient.
    """

    width: int = 96
    layers: int = 3
    critic_width: int = 128
    critic_layers: int = 3
    rate: float = 1e-3
    last_rate: float = 5e-5
    entropy: float = 0.02
    last_entropy: float = 0.003
    targets: str = "taken"
    trace: float = 0.9
    clip: float = 0.2
    epochs: int = 1
    minibatch: int = 256
    envs: int = 128
    steps: int = 32
    magnet: float = 0.0
    magnet_every: int = 100
    max_norm: float = 1.0

    def __post_init__(self) -> None:
        for field in fields(self):
            _check(field.name, getattr(self, field.name), field.type)

    @property
    def actor(self) -> Shape:
        """The shape of the network that plays."""
        return Shape(self.width, self.layers)

    @property
    def critic(self) -> Shape:
        """The shape of the network that values positions; it sees all cards."""
        return Shape(self.critic_width, self.critic_layers, "value", sees_all=True)


def parse_hyperparameters(text: str) -> Hyperparameters:
    """Hyperparameters from ``NAME=VALUE;NAME=VALUE``; the others have their defaults.

    Raises:
      ValueError: names what is wrong, its value and what is allowed.
    """
    kinds = {field.name: field.type for field in fields(Hyperparameters)}
    found: dict[str, Any] = {}
    for part in text.split(";"):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not part.strip():
            continue
        if not equals or name not in kinds:
            raise ValueError(
                f"hyperparameters: {part.strip()!r} is not allowed; they read NAME=VALUE with one "
                f"of {', '.join(kinds)}"
            )
        if name in found:
            raise ValueError(f"hyperparameters: {name} is given twice")
        found[name] = _typed(name, value, kinds[name])
    return Hyperparameters(**found)


def _typed(name: str, text: str, kind: Any) -> Any:
    try:
        return kind(text)
    except ValueError:
        raise ValueError(f"{name}: {text!r} is not allowed; it must be {_allowed(name)}") from None


def _check(name: str, value: Any, kind: Any) -> None:
    if kind is str:
        right = value in TARGETS
    else:
        least = value >= 0 if name in _MAY_BE_ZERO else value > 0
        right = isfinite(value) and least and value <= _MOST.get(name, value)
    if not right:
        raise ValueError(f"{name}: {value} is not allowed; it must be {_allowed(name)}")


def _allowed(name: str) -> str:
    kind = {field.name: field.type for field in fields(Hyperparameters)}[name]
    if kind is str:
        return " or ".join(TARGETS)
    noun = "a whole number" if kind is int else "a number"
    least = "from 0" if name in _MAY_BE_ZERO else "above 0"
    return f"{noun} {least}" + (f" to {_MOST[name]}" if name in _MOST else "")
