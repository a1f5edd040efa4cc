"""A training: networks, games in progress and how far it has come, saved and gone on with.

After a lesson everything depends on the seed and on the number of the lesson alone, so a training
that was stopped goes on as if it had not been.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import jax
import numpy as np
from numpy.typing import NDArray

from marjolet_spiel.rules import Rules
from marjolet_spiel.solvers.array_file import ArrayFile
from marjolet_spiel.solvers.network import Network, network_of
from scripts.train_net.collecting import Collector, Lesson
from scripts.train_net.hyperparameters import Hyperparameters
from scripts.train_net.learner import Decisions, DivergedError, Facts, Learnt, learner_for

_COUNTS = ("lesson", "deals", "attempt")
_VERSION = 1


class Training:
    """Networks that learn by playing against themselves.

    Attributes:
      games: the rules that are played.
      how: the hyperparameters.
      lessons: how many lessons there are in all; rates fall until then.
      lesson: how many there were.
      deals: deals that ended in them.
      attempt: how often it went back to a checkpoint because learning diverged.
      learnt: what was learnt.
      last: what the last lesson was like; None before the first.
    """

    def __init__(
        self, games: Sequence[Rules], how: Hyperparameters, lessons: int, seed: int
    ) -> None:
        """A training that begins.

        Args:
          games: the rules, single deals of one pack.
          how: the hyperparameters.
          lessons: how many there will be.
          seed: of the first weights, the cards, the play and the order of decisions.
        """
        self.games, self.how, self.lessons = list(games), how, lessons
        self._seed = seed
        self._learner = learner_for(how)
        self.learnt: Learnt = self._learner.begin(seed)
        self._collector = Collector(games, how.envs, seed)
        self.lesson = self.deals = self.attempt = 0
        self.last: tuple[Lesson, Facts] | None = None

    def take_lesson(self) -> None:
        """Plays and learns from it.

        Raises:
          DivergedError: the networks hold numbers that are none; what was learnt is of no use then.
        """
        root = jax.random.fold_in(jax.random.key(self._seed), self.attempt)
        key = jax.random.fold_in(root, self.lesson)
        lesson = self._collector.collect(self._learner, self.learnt, key)
        done = np.float32(min(1.0, self.lesson / self.lessons))
        facts = None
        for part in self._minibatches(lesson.decisions):
            self.learnt, facts = self._learner.update(self.learnt, part, done)
        assert facts is not None  # a lesson has decisions
        self._check_finite(facts)
        self.lesson += 1
        self.deals += lesson.deals
        if self.how.magnet and self.lesson % self.how.magnet_every == 0:
            self.learnt = self.learnt._replace(magnet=self.learnt.actor)
        self.last = lesson, facts

    @property
    def decisions(self) -> int:
        """How many decisions were learnt from."""
        return self.lesson * self.how.steps * self.how.envs * len(self.games)

    def network(self) -> Network:
        """The policy as it plays."""
        return network_of(self.how.actor, self.weights())

    def weights(self) -> dict[str, NDArray[np.float32]]:
        """The arrays of the policy by name."""
        return {name: np.asarray(array) for name, array in self.learnt.actor.items()}

    def _minibatches(self, decisions: Decisions) -> Any:
        count, size = len(decisions.target), self.how.minibatch
        for epoch in range(self.how.epochs):
            order = np.random.default_rng([self._seed, self.attempt, self.lesson, epoch])
            places = order.permutation(count)
            for first in range(0, count - count % min(size, count), size):
                chosen = places[first : first + size]
                yield Decisions(*(array[chosen] for array in decisions))

    def _check_finite(self, facts: Facts) -> None:
        networks = jax.tree.leaves((self.learnt.actor, self.learnt.critic, facts))
        if not all(bool(np.isfinite(np.asarray(array)).all()) for array in networks):
            raise DivergedError("a weight is no number")

    # What is kept on disk.

    def save(self, path: Path) -> None:
        """Writes everything that the training goes on from; OSError if that is not possible."""
        arrays = self._arrays()
        self._file(arrays).write(path, self._owner(), arrays)

    def load(self, path: Path) -> None:
        """Goes to where the training was that wrote a file.

        Raises:
          ValueError: it is missing, damaged, or that of another training.
        """
        self._file(self._arrays()).read(path, self._owner(), self._take)

    def _arrays(self) -> dict[str, NDArray[Any]]:
        leaves = enumerate(jax.tree.leaves(self.learnt))
        return {
            **{name: np.array(getattr(self, name), dtype=np.int64) for name in _COUNTS},
            **{f"learnt.{number}": np.asarray(leaf) for number, leaf in leaves},
            **{f"games.{name}": array for name, array in self._collector.saved().items()},
        }

    def _take(self, arrays: Any) -> None:
        own = jax.tree.flatten(self.learnt)
        leaves = [arrays[f"learnt.{number}"] for number in range(len(own[0]))]
        if any(new.shape != old.shape for new, old in zip(leaves, own[0], strict=True)):
            raise ValueError("it is damaged: its arrays do not fit together")
        start = "games."
        self._collector.restore(
            {name[len(start) :]: arrays[name] for name in arrays if name.startswith(start)}
        )
        self.learnt = jax.tree.unflatten(own[1], [jax.numpy.asarray(leaf) for leaf in leaves])
        for name in _COUNTS:
            setattr(self, name, int(arrays[name]))
        self.last = None

    def _owner(self) -> str:
        games = [asdict(rules) for rules in self.games]
        settings = {"games": games, "seed": self._seed, "lessons": self.lessons}
        return json.dumps({**settings, **asdict(self.how)}, sort_keys=True)

    @staticmethod
    def _file(arrays: dict[str, NDArray[Any]]) -> ArrayFile:
        return ArrayFile(
            label="checkpoint",
            what="training of a network",
            version=_VERSION,
            owner="training",
            foreign="it is that of another training: {found}, not {wanted}",
            kinds={name: (array.dtype.type, array.ndim) for name, array in arrays.items()},
            compress=False,
        )
