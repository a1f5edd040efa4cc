"""What evaluations found, on disk: ``evaluations.jsonl``, a line each with a checksum."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from scripts.arena.store.sealed import SealError, seal, unseal
from scripts.whole_files import write_whole


@dataclass(frozen=True)
class Result:
    """How a network did against a bot.

    Attributes:
      lesson: after how many lessons.
      deals: after how many deals of training.
      minutes: how long they took, evaluations left out.
      game: the text of the game.
      opponent: the bot.
      pairs: how many duplicate pairs were played.
      mean: what the network won, in points a deal.
      low, high: the ends of its 95% interval.
    """

    lesson: int
    deals: int
    minutes: float
    game: str
    opponent: str
    pairs: int
    mean: float
    low: float
    high: float

    def in_words(self) -> str:
        """One sentence."""
        return (
            f"lesson {self.lesson:,}, {self.deals:,} deals, {self.minutes:.1f} minutes: "
            f"{self.mean:+.1f} [{self.low:+.1f}, {self.high:+.1f}] a deal against "
            f"{self.opponent}, {self.game} ({self.pairs:,} pairs)"
        )

    def to_line(self) -> str:
        """One line of text without its end."""
        return seal(asdict(self))

    @classmethod
    def from_line(cls, line: str) -> "Result":
        """What `to_line` gave; ValueError if the line is damaged."""
        try:
            return cls(**unseal(line))
        except SealError:
            raise
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"it is no result ({type(error).__name__}: {error})") from None


def write_results(path: Path, results: Sequence[Result]) -> None:
    """Writes results in place of what is there; OSError if that is not possible."""
    write_whole(path, "".join(result.to_line() + "\n" for result in results))


def read_results(path: Path) -> list[Result]:
    """The results in a file, none if there is no file; ValueError names a damaged line."""
    if not path.exists():
        return []
    results = []
    for number, line in enumerate(path.read_text("utf-8", "replace").splitlines(), 1):
        try:
            results.append(Result.from_line(line))
        except ValueError as error:
            raise ValueError(f"{path}: line {number} is damaged: {error}") from None
    return results
