"""Games as they were played, action by action, and the lines of text in which they are kept."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from math import isfinite
from pathlib import Path

from scripts.arena.store.sealed import SealError, seal, unseal

GAMES = "games.jsonl"
"""The file with the games of a tournament in the folder of its store, a line each."""


@dataclass(frozen=True)
class RecordedGame:
    """A game of a tournament with all that happened in it.

    Attributes:
      block: the block of the plan that it belongs to.
      pair: the number of its duplicate pair.
      seating: 0 when the first bot of the pairing sits in seat 0, 1 when it sits in seat 1.
      game: the text of the game.
      bots: the texts of the bots, by seat.
      history: all actions and chance outcomes from the beginning.
      returns: the returns by seat; None after a forfeit.
      forfeit: the seat that forfeited; None if nobody did.
      reason: why, empty if nobody did.
    """

    block: int
    pair: int
    seating: int
    game: str
    bots: tuple[str, str]
    history: tuple[int, ...]
    returns: tuple[float, float] | None
    forfeit: int | None = None
    reason: str = ""

    def to_line(self) -> str:
        """One line of text without its end, with a checksum."""
        return seal(asdict(self))

    @classmethod
    def from_line(cls, line: str) -> "RecordedGame":
        """What `to_line` gave; ValueError if the line is damaged or something else."""
        try:
            record = _checked(cls(**unseal(line)))
        except SealError:
            raise
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise ValueError(f"it is no game ({type(error).__name__}: {error})") from None
        if record.to_line() != line:
            raise ValueError("it is not as it was written")
        return record


def _checked(record: RecordedGame) -> RecordedGame:
    """The record with tuples for lists; ValueError or TypeError if a field is of another kind."""
    bots, history = tuple(record.bots), tuple(record.history)
    returns = None if record.returns is None else tuple(record.returns)
    seats = (record.seating, *([] if record.forfeit is None else [record.forfeit]))
    for number in (record.block, record.pair, *seats, *history):
        if type(number) is not int or number < 0:
            raise ValueError(f"{number!r} is no whole number from 0")
    if max(seats) > 1:
        raise ValueError(f"{max(seats)} is no seat")
    if len(bots) != 2 or not all(isinstance(text, str) for text in (*bots, record.game)):
        raise ValueError("it has a game and two bots, as texts")
    if (returns is None) != (record.forfeit is not None) or not isinstance(record.reason, str):
        raise ValueError("it has returns, or a forfeit and its reason")
    if returns is not None and not (
        len(returns) == 2 and all(type(value) is float and isfinite(value) for value in returns)
    ):
        raise ValueError(f"{returns} are not two returns")
    return RecordedGame(
        record.block,
        record.pair,
        record.seating,
        record.game,
        (bots[0], bots[1]),
        history,
        None if returns is None else (returns[0], returns[1]),
        record.forfeit,
        record.reason,
    )


class TornLineError(ValueError):
    """The last line of a file has no end: whoever wrote it was stopped."""


def read_games(path: Path) -> Iterator[tuple[int, RecordedGame]]:
    """The games of a file with the numbers of their lines, from 1, one after the other.

    Args:
      path: the file, or the folder of a store that holds it.

    Raises:
      TornLineError: the last line is not whole. All games before it have been given by then.
      ValueError: a line is damaged or the file is empty.
      OSError: there is no such file, or it cannot be read.
    """
    path = path / GAMES if path.is_dir() else path
    number = 0
    with open(path, "rb") as file:
        for number, line in enumerate(file, 1):
            try:
                game = RecordedGame.from_line(line.removesuffix(b"\n").decode())
            except ValueError as error:
                if line.endswith(b"\n"):
                    raise ValueError(f"{path}: line {number} is damaged: {error}") from None
                raise TornLineError(f"{path}: line {number} is not whole") from None
            yield number, game
    if number == 0:
        raise ValueError(f"{path}: there is no game in it")
