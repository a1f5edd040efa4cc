"""What is trained, how it is judged and where it is kept."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from scripts.train_net.hyperparameters import Hyperparameters


@dataclass(frozen=True)
class Job:
    """What is trained, how it is judged and where it is kept.

    Attributes:
      games: the texts of the games, single deals of one pack.
      how: the hyperparameters.
      lessons: how many there are in all.
      seed: of the training.
      opponents: the bots that judge it.
      pairs: duplicate pairs against each, in each game.
      evaluations: how many there are, the last one at the end.
      deal_seed: the seed of their deals.
      folder: where it is kept.
    """

    games: tuple[str, ...]
    how: Hyperparameters
    lessons: int
    seed: int
    opponents: tuple[str, ...]
    pairs: int
    evaluations: int
    deal_seed: int
    folder: Path

    @property
    def network(self) -> Path:
        """The file that the bot plays."""
        return self.folder / "net.npz"

    @property
    def checkpoint(self) -> Path:
        """The file from which the training goes on."""
        return self.folder / "checkpoint.npz"

    @property
    def results(self) -> Path:
        """The file with what evaluations found."""
        return self.folder / "evaluations.jsonl"

    @property
    def manifest(self) -> Path:
        """The file that says what is trained."""
        return self.folder / "run.json"

    def settings(self) -> dict[str, Any]:
        """The flags that must be the same in a training that goes on with this one."""
        return {
            "game": list(self.games),
            "hyperparameters": [f"{name}={value}" for name, value in asdict(self.how).items()],
            "lessons": self.lessons,
            "seed": self.seed,
            "opponents": list(self.opponents),
            "pairs": self.pairs,
            "evaluations": self.evaluations,
            "deal_seed": self.deal_seed,
        }

    def is_judged_after(self, lesson: int) -> bool:
        """Whether there is an evaluation after a lesson."""
        count = self.evaluations
        return lesson in {round(self.lessons * part / count) for part in range(1, count + 1)}
