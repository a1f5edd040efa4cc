"""What observations and actions are to Gymnasium and PettingZoo."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from marjolet_spiel.environments import missing
from marjolet_spiel.kernel import NUM_ACTIONS
from marjolet_spiel.rules import Rules

try:
    from gymnasium import spaces
except ImportError as error:
    raise missing("gymnasium") from error

Seen = dict[str, NDArray[Any]]
"""``observation``, float32 [d], and ``action_mask``, int8 [59], 1 for each legal action."""


def observation_space(rules: Rules, size: int) -> Any:
    """The space of `Seen`, with a bound that no number of points in an observation exceeds."""
    most = np.float32(max(1.0, rules.max_deal_points() * rules.deals / 100))
    return spaces.Dict(
        {
            "observation": spaces.Box(-most, most, (size,), np.float32),
            "action_mask": spaces.Box(0, 1, (NUM_ACTIONS,), np.int8),
        }
    )


class LegalActions(spaces.Discrete):  # type: ignore[misc]
    """All action ids, of which `sample` draws a legal one if it is not told a mask."""

    def __init__(self) -> None:
        super().__init__(NUM_ACTIONS)
        self.legal = np.ones(NUM_ACTIONS, dtype=np.int8)
        """What is legal now; whoever owns the space keeps it up to date."""

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        """An action: uniform over `legal`, unless a mask or probabilities are given."""
        if mask is None and probability is None:
            mask = self.legal
        return (
            super().sample(mask, probability) if probability is not None else super().sample(mask)
        )


def fresh_seed() -> int:
    """A seed that nobody chose."""
    return int(np.random.SeedSequence().generate_state(1, np.uint64)[0] >> np.uint64(1))
