"""Checks whether a bot does what the arena asks of bots: ``python -m scripts.check_bot --bot=BOT``.

It plays against a random player, in a process of its own and with a limit for each move::

    python -m scripts.check_bot --bot=ismcts:sims=50
    python -m scripts.check_bot --bot=my_package.my_module:make_bot --deals=50
    python -m scripts.check_bot --bot=my_module:make_bot --game="python_marjolet(profile=dutch)"

The exit code is 0 if nothing is wrong, 1 if something is and 2 if the bot cannot be made.
"""

import sys
from collections.abc import Sequence

from absl import app, flags
from tqdm import tqdm

from bots.registry import parse_spec, sees_all
from scripts.arena.plan.config import MAX_SEED, check_limits, check_whole
from scripts.arena.plan.game_text import game_text, parse_game
from scripts.arena.play.compliance import OPPONENT, WRONG, Finding, findings, gather
from scripts.arena.play.guard import Guard, PlayerError
from scripts.command_line import flags_parser, refuses

FLAGS = flags.FLAGS if __name__ == "__main__" else flags.FlagValues()
"""Flags of its own unless it is the program: others have flags of the same names."""

_BOT = flags.DEFINE_string("bot", None, "the bot, as in a tournament", flag_values=FLAGS)
_GAMES = flags.DEFINE_multi_string(
    "game", ["python_marjolet"], "the game; repeated for several", flag_values=FLAGS
)
_DEALS = flags.DEFINE_integer(
    "deals", 10, "how many deals are played of each game, from both seats", flag_values=FLAGS
)
_SEED = flags.DEFINE_integer("seed", 1, "the root of all randomness", flag_values=FLAGS)
_MOVE_LIMIT = flags.DEFINE_float("move_limit", 60.0, "seconds for a move", flag_values=FLAGS)
_MEMORY_LIMIT = flags.DEFINE_integer(
    "memory_limit", 4096, "megabytes for the process, 0: no limit", flag_values=FLAGS
)

SOMETHING_WRONG = 1


def check(spec: str, games: Sequence[str], deals: int, seed: int, guard: Guard) -> int:
    """Checks a bot and prints what came of it; the exit code."""
    rounds = len(games) * (2 * deals + 1)
    with tqdm(total=rounds, unit="game", disable=None, file=sys.stderr) as bar:
        facts = gather(spec, games, deals, seed, guard, bar.update)
    print(f"{spec} on {', '.join(games)}: {deals} deals each from both seats against {OPPONENT}\n")
    found = findings(facts)
    for finding in found:
        print(line_of(finding))
    print(f"\n{facts.decisions} decisions in {facts.games} games")
    count = sum(finding.verdict == WRONG for finding in found)
    print("nothing is wrong" if not count else f"{count} of {len(found)} checks went wrong")
    return SOMETHING_WRONG if count else 0


def line_of(finding: Finding) -> str:
    """A finding in a line."""
    text = f": {finding.text}" if finding.text else ""
    return f"{finding.verdict:<6}{finding.check}{text}"


@refuses("check_bot", PlayerError)
def main(argv: Sequence[str]) -> int:
    """Checks the bot that the flags name; bad input is one sentence and exit code 2."""
    if len(argv) > 1:
        raise ValueError(f"unknown argument {argv[1]!r}; see --help")
    if _BOT.value is None:
        raise ValueError("bot: is missing; --bot=NAME says which one is to be checked")
    spec = str(parse_spec(_BOT.value))
    games = [game_text(parse_game(text)) for text in _GAMES.value]
    check_whole("deals", _DEALS.value, 1, 100_000)
    check_whole("seed", _SEED.value, 0, MAX_SEED)
    if not _MOVE_LIMIT.value:
        raise ValueError("move_limit: 0 is not allowed; a bot is checked with a limit")
    check_limits(_MOVE_LIMIT.value, _MEMORY_LIMIT.value)
    if sees_all(spec):
        raise ValueError(f"bot: {spec!r} looks at hidden cards, as it says; it is no player")
    with Guard(_MOVE_LIMIT.value, _MEMORY_LIMIT.value) as guard:
        return check(spec, games, _DEALS.value, _SEED.value, guard)


parse_flags = flags_parser("check_bot", FLAGS)


if __name__ == "__main__":
    app.run(main, flags_parser=parse_flags)
