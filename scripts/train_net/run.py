"""A job in progress: begun or gone on with, evaluated, saved, until all lessons are over."""

import json
import sys
import time
from collections.abc import Callable
from typing import Any

from tqdm import tqdm

from marjolet_spiel.solvers.network import NetworkPlayer, write_network
from scripts.arena.plan.game_text import rules_of
from scripts.arena.stats.margins import estimate
from scripts.arena.store.settings import check_settings, read_settings
from scripts.command_line import StopSign
from scripts.train_net.evaluation import margins
from scripts.train_net.job import Job
from scripts.train_net.learner import DivergedError
from scripts.train_net.results import Result, read_results, write_results
from scripts.train_net.training import Training
from scripts.whole_files import write_whole

_ATTEMPTS = 5


class Run:
    """A job in progress.

    Attributes:
      job: the job.
      training: the training.
      results: what evaluations found so far.
      minutes: how long was trained, evaluations left out.
    """

    def __init__(self, job: Job) -> None:
        """Begins a job, or goes on with what is in its folder.

        Raises:
          ValueError: the folder holds another job, or something is damaged.
        """
        self.job = job
        fields: dict[str, Any] = {}
        if job.manifest.exists():
            fields = read_settings(job.manifest)
            check_settings(job.folder, fields, job.settings())
        self._begin()
        if job.checkpoint.exists():
            self.training.load(job.checkpoint)
        there = read_results(job.results)
        self.results = [result for result in there if result.lesson <= self.training.lesson]
        self.minutes = float(fields.get("minutes", 0.0))

    def _begin(self) -> None:
        job = self.job
        games = [rules_of(game) for game in job.games]
        self.training = Training(games, job.how, job.lessons, job.seed)

    def save(self) -> None:
        """Writes everything that there is; OSError if that is not possible."""
        job, training = self.job, self.training
        job.folder.mkdir(parents=True, exist_ok=True)
        settings = {**job.settings(), "minutes": round(self.minutes, 3)}
        write_whole(job.manifest, json.dumps(settings, indent=1) + "\n")
        write_results(job.results, self.results)
        write_network(job.network, training.games[0], job.how.actor, training.weights())
        training.save(job.checkpoint)

    def go_on(self, save_every: float, say: Callable[[str], None]) -> bool:
        """Trains, evaluates and saves; whether it came to the end and was not stopped.

        Args:
          save_every: seconds between two checkpoints.
          say: what is to be known is told to it.

        Raises:
          ValueError: learning diverged again and again.
        """
        saved = time.monotonic()
        with StopSign() as stop, self._bar() as bar:
            while self.training.lesson < self.job.lessons and not stop.is_set:
                lesson = self.training.lesson
                self._take_lesson(say)
                bar.n = self.training.lesson
                bar.set_postfix_str(self.state())
                if self.training.lesson > lesson and self.job.is_judged_after(lesson + 1):
                    self._judge(say)
                elif time.monotonic() - saved < save_every:
                    continue
                self.save()
                saved = time.monotonic()
            self.save()
            return not stop.is_set

    def _bar(self) -> Any:
        total, done = self.job.lessons, self.training.lesson
        return tqdm(total=total, initial=done, unit="lesson", disable=None, file=sys.stderr)

    def state(self) -> str:
        """What learning is like, in a few words."""
        if self.training.last is None:
            return ""
        lesson, facts = self.training.last
        speed = self.training.decisions / max(60 * self.minutes, 1e-9)
        return (
            f"entropy {float(facts.entropy):.2f}, explained {lesson.explained:.2f}, "
            f"spread {lesson.spread:.1f}, {speed:,.0f} decisions/s"
        )

    def _take_lesson(self, say: Callable[[str], None]) -> None:
        start = time.monotonic()
        try:
            self.training.take_lesson()
        except DivergedError as error:
            self._go_back(error, say)
        self.minutes += (time.monotonic() - start) / 60

    def _go_back(self, error: DivergedError, say: Callable[[str], None]) -> None:
        """Goes to the last checkpoint and lets chance go another way from there."""
        attempt, lesson = self.training.attempt + 1, self.training.lesson + 1
        if attempt > _ATTEMPTS:
            raise ValueError(
                f"learning diverged in lesson {lesson:,} ({error}), and went back to a checkpoint "
                f"{_ATTEMPTS} times before; a lower rate or a higher entropy in "
                "--hyperparameters may help"
            )
        self._begin()
        if self.job.checkpoint.exists():
            self.training.load(self.job.checkpoint)
        self.training.attempt = attempt
        there = f"going on from lesson {self.training.lesson:,} with other random numbers"
        say(f"learning diverged in lesson {lesson:,} ({error}); {there}")

    def _judge(self, say: Callable[[str], None]) -> None:
        job, training = self.job, self.training
        network = training.network()
        for game, rules in zip(job.games, training.games, strict=True):
            player = NetworkPlayer(network, rules)
            for opponent in job.opponents:
                found = estimate(margins(player, opponent, rules, job.deal_seed, range(job.pairs)))
                ends = found.mean, found.low, found.high
                when = training.lesson, training.deals, round(self.minutes, 3)
                result = Result(*when, game, opponent, job.pairs, *ends)
                self.results.append(result)
                say(result.in_words())
