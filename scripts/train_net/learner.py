"""What is learnt from a batch of decisions: PPO with a critic that sees all cards, in JAX.

Schulman et al., "Proximal policy optimization algorithms" (2017), the ratio clipped for each action
that counts: the one that was taken, or all of them, weighted by how likely they were. Optionally
with a magnet, a past self to which the policy is held (Sokota et al., "A unified approach to
reinforcement learning, quantal response equilibria, and two-player zero-sum games", 2023).
"""

from functools import lru_cache
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax

from marjolet_spiel.solvers.network.layers import logits, new_weights, values
from scripts.train_net.hyperparameters import Hyperparameters

UNIT = 40.0
"""Points that are 1 for the critic."""

_NEVER = -1e9
_MOST = 3.0  # a ratio of chances above it counts no more


class Learnt(NamedTuple):
    """Everything that updates change: networks, the magnet, and the optimizer's memory."""

    actor: Any
    critic: Any
    magnet: Any
    optimizer: Any


class Decisions(NamedTuple):
    """Decisions as training sees them; actions are in compact order.

    Attributes:
      observation: float32 [b, compact.SIZE].
      hidden: float32 [b, compact.HIDDEN_SIZE].
      legal: bool [b, compact.NUM_ACTIONS].
      log_chance: float32 [b, compact.NUM_ACTIONS], of each action when it was played.
      weight: float32 [b, compact.NUM_ACTIONS], how much each action counts.
      advantage: float32 [b, compact.NUM_ACTIONS], in standard deviations.
      target: float32 [b], what the critic should say.
    """

    observation: Any
    hidden: Any
    legal: Any
    log_chance: Any
    weight: Any
    advantage: Any
    target: Any


class Facts(NamedTuple):
    """What an update was like: mean entropy, the critic's mean squared error, ratios clipped."""

    entropy: Any
    miss: Any
    clipped: Any


class DivergedError(Exception):
    """Learning led to numbers that are none; the message says where."""


class Learner:
    """Actor, critic and optimizer under some hyperparameters."""

    def __init__(self, how: Hyperparameters) -> None:
        """A learner; nothing is learnt yet."""
        self.how = how
        self._optimizer = optax.chain(
            optax.clip_by_global_norm(how.max_norm), optax.scale_by_adam(eps=1e-5)
        )
        self.act = jax.jit(self._act)
        self.value = jax.jit(self._value)
        self.update = jax.jit(self._update)

    def begin(self, seed: int) -> Learnt:
        """New networks."""
        new = new_weights(self.how.actor, 2 * seed), new_weights(self.how.critic, 2 * seed + 1)
        networks = jax.tree.map(jnp.asarray, new)
        actor, critic = networks
        return Learnt(actor, critic, actor, self._optimizer.init(networks))

    def _chances(self, actor: Any, observation: Any, legal: Any) -> Any:
        """The logarithms of the chances of legal actions."""
        found = logits(jnp, actor, self.how.layers, observation)
        return jax.nn.log_softmax(jnp.where(legal, found, _NEVER))

    def _act(self, actor: Any, observation: Any, legal: Any, key: Any) -> Any:
        chance = self._chances(actor, observation, legal)
        return jax.random.categorical(key, chance), chance

    def _value(self, critic: Any, observation: Any, hidden: Any) -> Any:
        return values(jnp, critic, self.how.critic_layers, observation, hidden)

    def _loss(self, networks: Any, magnet: Any, batch: Decisions, entropy_weight: Any) -> Any:
        actor, critic = networks
        how = self.how
        chance = self._chances(actor, batch.observation, batch.legal)
        ratio = jnp.exp(jnp.clip(chance - batch.log_chance, -10, 10))
        gain = _clipped_gain(ratio, batch.advantage, how.clip)
        loss = -jnp.sum(jnp.where(batch.legal, batch.weight * gain, 0.0), 1).mean()
        entropy = -_expected(chance, chance, batch.legal).mean()
        loss -= entropy_weight * entropy
        if how.magnet:
            past = self._chances(magnet, batch.observation, batch.legal)
            loss += how.magnet * _expected(chance, chance - past, batch.legal).mean()
        worth = values(jnp, critic, how.critic_layers, batch.observation, batch.hidden)
        miss = jnp.mean((worth - batch.target) ** 2)
        far = (jnp.abs(ratio - 1) > how.clip) & (batch.weight > 0)
        return loss + miss, Facts(entropy, miss, far.sum() / (batch.weight > 0).sum())

    def _update(self, learnt: Learnt, batch: Decisions, done: Any) -> tuple[Learnt, Facts]:
        """Learns from decisions when a share `done` of the training is over."""
        how = self.how
        rate = how.rate + (how.last_rate - how.rate) * done
        weight = how.entropy + (how.last_entropy - how.entropy) * done
        networks = (learnt.actor, learnt.critic)
        slope, facts = jax.grad(self._loss, has_aux=True)(networks, learnt.magnet, batch, weight)
        step, optimizer = self._optimizer.update(slope, learnt.optimizer, networks)
        actor, critic = optax.apply_updates(networks, jax.tree.map(lambda x: -rate * x, step))
        return Learnt(actor, critic, learnt.magnet, optimizer), facts


@lru_cache(maxsize=8)
def learner_for(how: Hyperparameters) -> Learner:
    """The learner under some hyperparameters: what it does is compiled once a process."""
    return Learner(how)


def _clipped_gain(ratio: Any, advantage: Any, clip: float) -> Any:
    """The lower of what a change of chances gains, clipped or not; huge ratios count no more."""
    clipped = jnp.clip(ratio, 1 - clip, 1 + clip)
    return jnp.minimum(jnp.minimum(ratio, _MOST) * advantage, clipped * advantage)


def _expected(chance: Any, what: Any, legal: Any) -> Any:
    """The expectation of something under a policy, [b]."""
    return jnp.sum(jnp.where(legal, jnp.exp(chance) * what, 0.0), 1)
