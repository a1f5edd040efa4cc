"""Self-play: batches of decisions with their advantages."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import jax
import numpy as np
from numpy.typing import NDArray

from marjolet_spiel import compact, kernel
from marjolet_spiel.rules import Rules
from marjolet_spiel.vector import VectorEnv
from scripts.train_net.learner import UNIT, Decisions, DivergedError, Learner, Learnt

Floats = NDArray[np.float32]

_IDS = np.stack([compact.action_ids(trump) for trump in range(compact.NUM_SUITS)])
_PLACES = np.full((compact.NUM_SUITS, kernel.NUM_ACTIONS), -1)  # the compact place of an action
for _trump, _ids in enumerate(_IDS):
    _PLACES[_trump, _ids[_ids >= 0]] = np.flatnonzero(_ids >= 0)
_CHUNK = 512  # positions that are valued at once: one shape, compiled once


class Lesson(NamedTuple):
    """What was collected.

    Attributes:
      decisions: one after the other.
      deals: how many deals ended.
      explained: the share of the variance of the critic's targets that it explained before.
      spread: the standard deviation of advantages, in points.
    """

    decisions: Decisions
    deals: int
    explained: float
    spread: float


class _Seen(NamedTuple):
    """What is known of each decision [steps, n, ...], and of what comes after the last."""

    observation: Floats
    hidden: Floats
    legal: NDArray[np.bool_]
    log_chance: Floats
    action: NDArray[np.int32]
    sign: Floats
    reward: Floats
    done: Floats
    advantage: Floats


class Collector:
    """Games under several rules, played by one policy in both seats as one batch."""

    def __init__(self, games: Sequence[Rules], envs: int, seed: int) -> None:
        """Games that begin anew.

        Args:
          games: the rules, single deals of one pack.
          envs: how many games of each.
          seed: the seed of their cards.
        """
        self._envs = [
            VectorEnv(rules, envs, seed + place, "compact", reward="scored", endgame="table")
            for place, rules in enumerate(games)
        ]
        self.n = envs * len(games)
        self._edges = np.arange(len(games) + 1) * envs
        self._batches = [env.reset() for env in self._envs]

    def saved(self) -> dict[str, NDArray[Any]]:
        """The games as arrays by name."""
        return {
            f"{place}.{name}": array
            for place, env in enumerate(self._envs)
            for name, array in env.saved().items()
        }

    def restore(self, saved: Mapping[str, NDArray[Any]]) -> None:
        """Goes back to games; ValueError if they are those of another collector."""
        for place, env in enumerate(self._envs):
            start = f"{place}."
            own = {n.removeprefix(start): a for n, a in saved.items() if n.startswith(start)}
            self._batches[place] = env.restore(own)

    def collect(self, learner: Learner, learnt: Learnt, key: Any) -> Lesson:
        """Plays `steps` decisions in each game and says how good they were.

        Args:
          learner: its functions and hyperparameters.
          learnt: the networks.
          key: the randomness of the policy.

        Raises:
          DivergedError: the policy is no distribution any more.
        """
        steps = learner.how.steps
        seen = _room(steps, self.n)
        for step, own in enumerate(jax.random.split(key, steps)):
            self._look(seen, step)
            if learner.how.targets == "all":
                worth = self._worth_of_all(learner, learnt)
            self._act(seen, step, learner, learnt, own)
            if learner.how.targets == "all":
                seen.advantage[step] = worth
        self._look(seen, steps)
        return _lesson(seen, learner, learnt)

    def _all(self, field: str) -> NDArray[Any]:
        return np.concatenate([getattr(batch, field) for batch in self._batches])

    def _look(self, seen: _Seen, step: int) -> None:
        seen.observation[step] = self._all("observation")
        seen.hidden[step] = np.concatenate([env.hidden() for env in self._envs])
        seen.sign[step] = 1 - 2 * self._all("player")

    def _act(self, seen: _Seen, step: int, learner: Learner, learnt: Learnt, key: Any) -> None:
        ids = _IDS[self._trumps()]
        allowed = np.take_along_axis(self._all("legal"), np.maximum(ids, 0), 1)
        seen.legal[step] = allowed & (ids >= 0)
        drawn, chance = learner.act(learnt.actor, seen.observation[step], seen.legal[step], key)
        seen.action[step], seen.log_chance[step] = np.asarray(drawn), np.asarray(chance)
        if not np.isfinite(seen.log_chance[step]).all():
            raise DivergedError("a policy is no number")
        actions = ids[np.arange(self.n), seen.action[step]]
        self._batches = [
            env.step(actions[first:last])
            for env, first, last in zip(self._envs, self._edges[:-1], self._edges[1:], strict=True)
        ]
        seen.reward[step] = self._all("reward")[:, 0] / UNIT
        seen.done[step] = self._all("done")

    def _trumps(self) -> NDArray[np.int64]:
        return np.concatenate([env.trumps() for env in self._envs])

    def _worth_of_all(self, learner: Learner, learnt: Learnt) -> Floats:
        """What each action is worth to the player on turn, [n, compact.NUM_ACTIONS]."""
        worth = np.zeros((self.n, compact.NUM_ACTIONS), dtype=np.float32)
        for env, first in zip(self._envs, self._edges[:-1], strict=True):
            after = env.successors()
            ahead = _valued(learner, learnt, after.observation, after.hidden)
            of_player_0 = after.reward / UNIT + ahead * (1 - 2 * after.player) * ~after.done
            own = 1 - 2 * env.batch.player[after.game]
            places = _PLACES[env.trumps()[after.game], after.action]
            worth[first + after.game, places] = own * of_player_0
        return worth


def _room(steps: int, n: int) -> _Seen:
    actions = compact.NUM_ACTIONS
    return _Seen(
        observation=np.empty((steps + 1, n, compact.SIZE), np.float32),
        hidden=np.empty((steps + 1, n, compact.HIDDEN_SIZE), np.float32),
        legal=np.empty((steps, n, actions), np.bool_),
        log_chance=np.empty((steps, n, actions), np.float32),
        action=np.empty((steps, n), np.int32),
        sign=np.empty((steps + 1, n), np.float32),
        reward=np.empty((steps, n), np.float32),
        done=np.empty((steps, n), np.float32),
        advantage=np.zeros((steps, n, actions), np.float32),
    )


def _valued(learner: Learner, learnt: Learnt, observation: Floats, hidden: Floats) -> Floats:
    """The critic's values, chunk by chunk."""
    total = len(observation)
    found = np.empty(total, dtype=np.float32)
    for first in range(0, total, _CHUNK):
        part = slice(first, min(first + _CHUNK, total))
        gap = ((0, first + _CHUNK - part.stop), (0, 0))
        rows = np.pad(observation[part], gap), np.pad(hidden[part], gap)
        value = np.asarray(learner.value(learnt.critic, *rows))
        found[part] = value[: part.stop - first]
    return found


def _lesson(seen: _Seen, learner: Learner, learnt: Learnt) -> Lesson:
    steps, n = seen.reward.shape
    flat = seen.observation.reshape(-1, compact.SIZE), seen.hidden.reshape(-1, compact.HIDDEN_SIZE)
    worth = _valued(learner, learnt, *flat).reshape(steps + 1, n)
    gains = _traced_gains(seen, worth * seen.sign, learner.how.trace) * seen.sign[:steps]
    target = gains + worth[:steps]
    if learner.how.targets == "all":
        advantage, weight = _of_all(seen)
    else:
        advantage, weight = _of_taken(seen, gains)
    spread = float(np.sqrt((weight * advantage**2).sum() / weight.sum()))
    rows = seen.observation[:steps], seen.hidden[:steps], seen.legal, seen.log_chance
    parts = (*rows, weight, advantage / np.float32(spread + 1e-8), target)
    explained = 1 - np.var(target - worth[:steps]) / np.var(target)
    decisions = Decisions(*(part.reshape(steps * n, *part.shape[2:]) for part in parts))
    return Lesson(decisions, int(seen.done.sum()), float(explained), spread * UNIT)


def _traced_gains(seen: _Seen, worth: Floats, trace: float) -> Floats:
    """Generalized advantages of player 0, [steps, n]."""
    steps, n = seen.reward.shape
    gains, gain = np.empty((steps, n), np.float32), np.zeros(n, np.float32)
    for step in reversed(range(steps)):
        goes_on = 1 - seen.done[step]
        surprise = seen.reward[step] + worth[step + 1] * goes_on - worth[step]
        gain = surprise + np.float32(trace) * goes_on * gain
        gains[step] = gain
    return gains


def _of_taken(seen: _Seen, gains: Floats) -> tuple[Floats, Floats]:
    """Advantages and weights of the actions that were taken."""
    taken = seen.action[..., None]
    advantage, weight = np.zeros_like(seen.log_chance), np.zeros_like(seen.log_chance)
    np.put_along_axis(advantage, taken, (gains - gains.mean())[..., None], axis=2)
    np.put_along_axis(weight, taken, 1.0, axis=2)
    return advantage, weight


def _of_all(seen: _Seen) -> tuple[Floats, Floats]:
    """Advantages and weights of all legal actions: how likely they were."""
    weight = np.exp(seen.log_chance) * seen.legal
    mean = (weight * seen.advantage).sum(axis=2, keepdims=True)
    return np.where(seen.legal, seen.advantage - mean, 0.0).astype(np.float32), weight
