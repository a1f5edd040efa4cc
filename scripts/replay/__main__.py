"""Plays recorded games back in words: ``python -m scripts.replay PATH``.

PATH is the folder of a tournament that recorded its games, or the file in it. A file with several
games is listed; flags choose among them::

    python -m scripts.replay results/tournament-d2c0e4ee                # the list
    python -m scripts.replay results/tournament-d2c0e4ee --number=17    # line 17 of the list
    python -m scripts.replay results/tournament-d2c0e4ee --pair=8 --seating=1
    python -m scripts.replay results/tournament-d2c0e4ee --bots=greedy --all --exact
    python -m scripts.replay results/tournament-d2c0e4ee --check

Each game is checked against the rules on the way. The exit code is 1 if one breaks them.
"""

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from absl import flags

from bots.registry import parse_spec
from scripts.arena.report.layout import aligned
from scripts.arena.store.recorded import RecordedGame, TornLineError, read_games
from scripts.command_line import flags_parser, refuses
from scripts.phrases import ascii_only, counted
from scripts.replay.endings import result_words
from scripts.replay.steps import BrokenGameError, walk
from scripts.replay.words import retell
from scripts.shared_flags import BotsFlag

FLAGS = flags.FlagValues()

_NUMBER = flags.DEFINE_integer(
    "number", None, "the game with this number in the list: its line, from 1", flag_values=FLAGS
)
_PAIR = flags.DEFINE_integer("pair", None, "games of this duplicate pair", flag_values=FLAGS)
_SEATING = flags.DEFINE_integer(
    "seating",
    None,
    "0: games in which the first bot of the pairing sits in seat 0; 1: those in which it sits in "
    "seat 1",
    flag_values=FLAGS,
)
_BOTS = BotsFlag(
    FLAGS,
    [],
    "games of this bot or of these two; a name without options stands for all bots of that name",
)
_ALL = flags.DEFINE_bool(
    "all", False, "play all chosen games back, one after the other", flag_values=FLAGS
)
_EXACT = flags.DEFINE_bool(
    "exact",
    False,
    "compare each move of the endgame with the best one",
    flag_values=FLAGS,
)
_CHECK = flags.DEFINE_bool(
    "check",
    False,
    "check the games against the rules and tell how many there are, no more",
    flag_values=FLAGS,
)

BROKEN = 1
"""Exit code if a game breaks the rules."""

Numbered = tuple[int, RecordedGame]


class Choice:
    """Which games the flags choose."""

    def __init__(self) -> None:
        """Reads the flags; ValueError if they are wrong."""
        self._bots = [_canonical(text) for text in _BOTS.texts()]
        if len(self._bots) > 2:
            raise ValueError(f"--bots: {len(self._bots)} are named; a game has two")
        if _SEATING.value not in (None, 0, 1):
            raise ValueError(f"--seating: {_SEATING.value} is not allowed; it must be 0 or 1")
        for flag in (_NUMBER, _PAIR):
            least = 1 if flag is _NUMBER else 0
            if flag.value is not None and flag.value < least:
                raise ValueError(
                    f"--{flag.name}: {flag.value} is not allowed; it must be a whole number from "
                    f"{least}"
                )

    def has(self, line: int, game: RecordedGame) -> bool:
        """Whether a game is among them."""
        return (
            _NUMBER.value in (None, line)
            and _PAIR.value in (None, game.pair)
            and _SEATING.value in (None, game.seating)
            and self._has_bots(game)
        )

    def _has_bots(self, game: RecordedGame) -> bool:
        if len(self._bots) < 2:
            return all(_plays(bot, game, 0) or _plays(bot, game, 1) for bot in self._bots)
        one, two = self._bots
        return any(_plays(one, game, seat) and _plays(two, game, 1 - seat) for seat in range(2))


def _canonical(bot: str) -> str:
    """A bot as records spell it; one that is not known here may have played elsewhere."""
    try:
        return str(parse_spec(bot))
    except ValueError:
        return bot


def _plays(bot: str, game: RecordedGame, seat: int) -> bool:
    return bot in (game.bots[seat], game.bots[seat].partition(":")[0])


def chosen_games(path: Path) -> Iterator[Numbered]:
    """The games that the flags choose, with their lines; ValueError if there is none.

    A last line that is not whole is left out, and a line on stderr says so.
    """
    choice, found, line = Choice(), False, 0
    bots: set[str] = set()
    try:
        for line, game in read_games(path):
            bots.update(game.bots)
            if choice.has(line, game):
                found = True
                yield line, game
    except TornLineError as error:
        print(f"replay: {error}; it is left out", file=sys.stderr)
    except OSError as error:
        raise ValueError(f"{error.filename or path}: cannot be read ({error.strerror})") from None
    if not found:
        there = f"{counted(line, 'game')} of {', '.join(sorted(bots))}" if line else "no game"
        there = f"{'are' if line > 1 else 'is'} {there}"
        raise ValueError(f"{path}: no game is as asked for; there {there}")


def listed(games: Iterable[Numbered]) -> str:
    """A table with a row a game."""
    rows = [["number", "pair", "seating", "player 0", "player 1", ""]]
    results = [""]
    for line, game in games:
        rows.append([str(line), str(game.pair), str(game.seating), *game.bots, ""])
        results.append("  " + result_words(game))
    lines = aligned([row[:-1] for row in rows]).splitlines()
    return ascii_only("\n".join(a + b for a, b in zip(lines, results, strict=True)))


def describe(path: Path, line: int, game: RecordedGame) -> str:
    """Where a game is and whose it is."""
    bots = " against ".join(game.bots)
    return f"{path}: line {line} (pair {game.pair}, seating {game.seating}, {bots})"


def check(path: Path) -> int:
    """Checks the chosen games and says how many there are; the exit code."""
    games = broken = forfeits = 0
    for line, game in chosen_games(path):
        games += 1
        forfeits += game.forfeit is not None
        try:
            for _ in walk(game):
                pass
        except BrokenGameError as error:
            broken += 1
            print(f"replay: {describe(path, line, game)}: {error}", file=sys.stderr)
    forfeited = f", {counted(forfeits, 'forfeit')} among them" if forfeits else ""
    verdict = f"{broken} of them break the rules" if broken else "all follow the rules"
    print(f"{counted(games, 'game')}{forfeited}: {verdict}")
    return BROKEN if broken else 0


def show(path: Path) -> int:
    """Plays the chosen game back, or lists the chosen games if there are several; the exit code."""
    games = list(chosen_games(path))
    if len(games) > 1 and not _ALL.value:
        print(listed(games))
        print("\n--number=N plays a game back, --all all of them.")
        return 0
    for number, (line, game) in enumerate(games):
        if number:
            print("\n" + "-" * 40 + "\n")
        try:
            for text in retell(game, _EXACT.value):
                print(text)
        except BrokenGameError as error:
            sys.stdout.flush()
            print(f"replay: {describe(path, line, game)}: {error}", file=sys.stderr)
            return BROKEN
    return 0


@refuses("replay", OSError, only_prints=True)
def main(argv: Sequence[str]) -> int:
    """Does what the flags say; bad input is one sentence and exit code 2."""
    if len(argv) != 2:
        what = f"unknown argument {argv[2]!r}" if argv[2:] else "no file or folder is given"
        raise ValueError(f"{what}; see --help")
    return check(Path(argv[1])) if _CHECK.value else show(Path(argv[1]))


parse_flags = flags_parser("replay", FLAGS, __doc__)


if __name__ == "__main__":
    sys.exit(main(parse_flags(sys.argv)))
