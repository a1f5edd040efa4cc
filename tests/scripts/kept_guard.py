"""Guards whose process outlives them, for tests of what is played and not of processes."""

from collections.abc import Iterator
from typing import ClassVar

import pytest

from scripts import check_bot
from scripts.arena.play.guard import Guard, _Process


class KeptGuard(Guard):
    """A guard that leaves its process to the next one, as starting one takes a second."""

    _left: ClassVar[dict[int, _Process]] = {}

    def __init__(self, move_limit: float, memory_limit: int = 0) -> None:
        super().__init__(move_limit, memory_limit)
        self._process = self._left.pop(memory_limit, None)

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            self._left[self._memory_limit] = self._process
            self._process = None

    @classmethod
    def end_all(cls) -> None:
        """Ends what was left."""
        while cls._left:
            cls._left.popitem()[1].end()


@pytest.fixture(scope="module")
def kept_guard() -> Iterator[type[KeptGuard]]:
    """Guards of one process, until a bot ends it."""
    yield KeptGuard
    KeptGuard.end_all()


@pytest.fixture(scope="module")
def one_process(kept_guard: type[KeptGuard]) -> Iterator[None]:
    """`check_bot` asks all bots of a module in one process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(check_bot, "Guard", kept_guard)
        yield
