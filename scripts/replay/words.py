"""A recorded game, retold for a card player."""

from collections.abc import Iterator

from scripts.arena.store.recorded import RecordedGame
from scripts.replay.steps import BrokenGameError, walk
from scripts.replay.teller import Teller


def retell(record: RecordedGame, exact: bool = False) -> Iterator[str]:
    """The game in words, some lines at a time.

    Args:
      record: the game.
      exact: whether moves of the endgame are compared with the best ones.

    Raises:
      BrokenGameError: the game breaks the rules. What happened before has been told by then.
      ValueError: there is no such game.
    """
    teller = Teller(record, exact)
    yield teller.said()
    try:
        for step in walk(record):
            teller.tell(step)
            if teller.lines:
                yield teller.said()
    except BrokenGameError:
        teller.finish_sentence()
        if teller.lines:
            yield teller.said()
        raise
    teller.close()
    if teller.lines:
        yield teller.said()
