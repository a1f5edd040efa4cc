"""Results of games and blocks, and the lines of text in which they are kept."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scripts.arena.plan.pairings import Block, Plan
from scripts.arena.store.move_times import MoveTimes
from scripts.arena.store.sealed import SealError, seal, unseal


@dataclass(frozen=True)
class GameRecord:
    """The result of a game between the two bots of a pairing.

    Attributes:
      pair: the number of its duplicate pair.
      seating: 0 when the first bot sits in seat 0, 1 when it sits in seat 1.
      decisions: how many actions were taken.
      margin: the return of the first bot; None after a forfeit.
      forfeit: which bot forfeited, 0 for the first and 1 for the second; None if none did.
      reason: why.
    """

    pair: int
    seating: int
    decisions: int
    margin: float | None
    forfeit: int | None = None
    reason: str = ""

    def to_dict(self) -> dict[str, Any]:
        """What is written."""
        head = {"pair": self.pair, "seating": self.seating, "decisions": self.decisions}
        if self.forfeit is None:
            return {**head, "margin": self.margin}
        return {**head, "forfeit": self.forfeit, "reason": self.reason}

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> "GameRecord":
        """What `to_dict` gave; KeyError or TypeError if it is something else."""
        margin, forfeit = fields.get("margin"), fields.get("forfeit")
        if (margin is None) == (forfeit is None) or forfeit not in (None, 0, 1):
            raise KeyError("a game has a margin or a forfeit")
        return cls(
            int(fields["pair"]),
            int(fields["seating"]),
            int(fields["decisions"]),
            None if margin is None else float(margin),
            forfeit,
            str(fields["reason"]) if margin is None else "",
        )


def whole_pairs(games: Iterable[GameRecord]) -> dict[int, list[float]]:
    """The margins in both games of each pair that has no forfeit, by the number of the pair."""
    margins: dict[int, list[float]] = {}
    for game in games:
        if game.margin is not None:
            margins.setdefault(game.pair, []).append(game.margin)
    return {pair: margins[pair] for pair in sorted(margins) if len(margins[pair]) == 2}


@dataclass(frozen=True)
class BlockRecord:
    """The results of a block.

    Attributes:
      block: which one of the plan.
      games: its games, pair by pair, seating 0 first.
    """

    block: Block
    games: tuple[GameRecord, ...]

    @property
    def num_forfeits(self) -> int:
        """How many games ended by a forfeit."""
        return sum(game.forfeit is not None for game in self.games)

    def to_line(self, plan: Plan) -> str:
        """One line of text without its end, with a checksum."""
        bots = [plan.config.bots[self.block.first], plan.config.bots[self.block.second]]
        games = [game.to_dict() for game in self.games]
        return seal({"block": self.block.index, "bots": bots, "games": games})

    @classmethod
    def from_line(cls, line: str, plan: Plan) -> "BlockRecord":
        """What `to_line` gave.

        Raises:
          ValueError: the line is damaged, or of another plan.
        """
        try:
            fields = unseal(line)
            block = plan.blocks[fields["block"]]
            games = tuple(GameRecord.from_dict(game) for game in fields["games"])
        except SealError:
            raise
        except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
            raise ValueError(f"it is no block ({type(error).__name__}: {error})") from None
        record = cls(block, games)
        keys = [(game.pair, game.seating) for game in games]
        if keys != block.games or record.to_line(plan) != line:
            raise ValueError("it is no block of this plan")
        return record


@dataclass(frozen=True)
class PlayedGame:
    """A game that has just been played.

    Attributes:
      record: its result.
      history: all actions, those of chance included.
      times: how long the first and the second bot of the pairing took for their moves.
    """

    record: GameRecord
    history: tuple[int, ...]
    times: tuple[MoveTimes, MoveTimes]

    def to_dict(self) -> dict[str, Any]:
        """What goes from one process to another."""
        times = [part.to_dict() for part in self.times]
        return {"record": self.record.to_dict(), "history": self.history, "times": times}

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> "PlayedGame":
        """What `to_dict` gave."""
        first, second = map(MoveTimes.from_dict, fields["times"])
        record = GameRecord.from_dict(fields["record"])
        return cls(record, tuple(fields["history"]), (first, second))


@dataclass(frozen=True)
class PlayedBlock:
    """A block that has just been played.

    Attributes:
      record: its results.
      histories: all actions of each game.
      times: how long the first and the second bot took for their moves.
    """

    record: BlockRecord
    histories: tuple[tuple[int, ...], ...]
    times: tuple[MoveTimes, MoveTimes]

    @classmethod
    def of(cls, block: Block, games: Sequence[PlayedGame]) -> "PlayedBlock":
        """A block from its games, pair by pair, seating 0 first."""
        record = BlockRecord(block, tuple(game.record for game in games))
        first, second = (MoveTimes.together(game.times[bot] for game in games) for bot in range(2))
        return cls(record, tuple(game.history for game in games), (first, second))
