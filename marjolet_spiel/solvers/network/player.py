"""A network as a player: what it does in a position, the endgame exactly."""

import numpy as np
from numpy.typing import NDArray

from marjolet_spiel import compact, kernel
from marjolet_spiel.array_types import Vector
from marjolet_spiel.kernel import NONE
from marjolet_spiel.rules import Rules
from marjolet_spiel.sampling import decision_seed, generator, pick
from marjolet_spiel.solvers.endgame.table import endgame_table
from marjolet_spiel.solvers.network.inference import Network, write_logits
from marjolet_spiel.solvers.search.exact import ExactEndgame
from marjolet_spiel.solvers.search.leaves import solvable


class NetworkPlayer:
    """Plays by a policy network while the stock lasts, and the endgame exactly.

    For one thread: it has scratch arrays.
    """

    def __init__(self, network: Network, rules: Rules) -> None:
        """A player under some rules; the network was trained for their pack (`weights_file`)."""
        self._network = network
        self._endgame = ExactEndgame(endgame_table(rules.sweep_bonus))
        self._logits = np.zeros(compact.NUM_ACTIONS, dtype=np.float32)

    def policy(self, pos: Vector, seen: NDArray[np.float32]) -> list[tuple[int, float]]:
        """How likely each legal action is, ascending; in the endgame the best one alone.

        Args:
          pos: int64 [kernel.SIZE], the position as the player on turn sees it
            (`worlds.seen_position`).
          seen: float32 [compact.SIZE], its compact observation.
        """
        legal = int(kernel.legal_mask(pos))
        if legal & (legal - 1) == 0:
            return [(legal.bit_length() - 1, 1.0)]
        if solvable(pos):
            return [(self._endgame.best(pos), 1.0)]
        write_logits(self._network, seen, self._logits)
        ids = compact.action_ids(int(pos[kernel.TRUMP]))
        places = [
            place
            for place in range(len(ids))
            if ids[place] != NONE and legal >> int(ids[place]) & 1
        ]
        chances = np.exp(self._logits[places].astype(np.float64) - self._logits[places].max())
        shares = chances / chances.sum()
        return sorted(zip(ids[places].tolist(), shares.tolist(), strict=True))

    def choose(self, pos: Vector, seen: NDArray[np.float32], seed: int, pure: bool) -> int:
        """An action drawn from the policy, or the likeliest one if the play is to be `pure`.

        What is drawn depends on the seed and on what is seen alone.
        """
        policy = self.policy(pos, seen)
        if pure or len(policy) == 1:
            return max(policy, key=lambda pair: pair[1])[0]
        shares = np.array([share for _, share in policy])
        return policy[pick(shares, len(policy), generator(decision_seed(seed, seen.tobytes())))][0]
