"""Checks whether a bot does what the arena asks of bots: ``python -m scripts.check_bot --bot=BOT``.

It plays against a random player, in a process of its own and with a limit for each move::

    python -m scripts.check_bot --bot=ismcts:sims=50
    python -m scripts.check_bot --bot=my_package.my_module:make_bot --deals=50
    python -m scripts.check_bot --bot=my_module:make_bot --game="python_marjolet(profile=dutch)"

The exit code is 0 if nothing is wrong, 1 if something is and 2 if the bot cannot be made.
"""

import sys
from collections.abc import Sequence

from absl import flags
from tqdm import tqdm

from bots.registry import parse_spec, sees_all
from scripts.arena.plan.config import check_limits, check_whole
from scripts.arena.play.compliance import OPPONENT, WRONG, Finding, findings, gather
from scripts.arena.play.guard import Guard, PlayerError
from scripts.command_line import check_no_words, flags_parser, refuses
from scripts.shared_flags import GameFlags, LimitFlags, SeedFlag

FLAGS = flags.FlagValues()

_BOT = flags.DEFINE_string("bot", None, "the bot, as in a tournament", flag_values=FLAGS)
_DEALS = flags.DEFINE_integer(
    "deals", 10, "how many deals are played of each game, from both seats", flag_values=FLAGS
)
_GAMES = GameFlags(FLAGS, several=True)
_SEED = SeedFlag(FLAGS)
_LIMITS = LimitFlags(FLAGS)

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
    check_no_words(argv)
    if _BOT.value is None:
        raise ValueError("bot: is missing; --bot=NAME says which one is to be checked")
    spec = str(parse_spec(_BOT.value))
    games, seed = _GAMES.texts(), _SEED.number()
    check_whole("deals", _DEALS.value, 1, 100_000)
    if not _LIMITS.seconds():
        raise ValueError("move_limit: 0 is not allowed; a bot is checked with a limit")
    limits = (_LIMITS.seconds(), _LIMITS.megabytes())
    check_limits(*limits)
    if sees_all(spec):
        raise ValueError(f"bot: {spec!r} looks at hidden cards, as it says; it is no player")
    with Guard(*limits) as guard:
        return check(spec, games, _DEALS.value, seed, guard)


parse_flags = flags_parser("check_bot", FLAGS, __doc__)


if __name__ == "__main__":
    sys.exit(main(parse_flags(sys.argv)))
