"""Says what algorithms think of a position: ``python -m scripts.analyze POSITION``.

POSITION is a file, or ``-`` for stdin, with a position as JSON (``state.to_dict()``) or a
serialized state. It is shown as the player on turn sees it, with each legal move and its value. To
try it at once::

    python -m scripts.analyze --example
    python -m scripts.analyze --example --trick=11 --seed=3 --bots="greedy;ismcts:sims=5000"
    python -m scripts.analyze --example --json > position.json
    python -m scripts.analyze position.json

JSON does not name its game: a position of other rules than the English ones needs the flags of the
game, such as ``--profile=dutch``.

A serialized state holds a pickle, which can run code: read only those of people you trust.
"""

import json
import sys
from collections.abc import Sequence
from typing import Any

from absl import flags

from scripts.analyze.reading import example_position, position_from_text, read_text
from scripts.analyze.thoughts import Analysis, analyze, check_bots, why_no_move
from scripts.analyze.words import analysis_text
from scripts.command_line import flags_parser, refuses
from scripts.shared_flags import BotsFlag, GameFlags, SeedFlag

__all__ = ["Analysis", "analysis_text", "analyze", "main", "parse_flags"]

FLAGS = flags.FlagValues()

_BOTS = BotsFlag(FLAGS, ["greedy ismcts pimc"], "the bots that say what they think")
_EXAMPLE = flags.DEFINE_bool(
    "example",
    False,
    "take a position from a deal that greedy plays against itself",
    flag_values=FLAGS,
)
_TRICK = flags.DEFINE_integer(
    "trick", None, "the trick of the example; by default a late one of the stock", flag_values=FLAGS
)
_SEED = SeedFlag(FLAGS)
_GAME = GameFlags(FLAGS)
_JSON = flags.DEFINE_bool(
    "json",
    False,
    "print the position as JSON, hidden cards included, and no analysis",
    flag_values=FLAGS,
)
_CHEATING = flags.DEFINE_bool(
    "allow_cheating", False, "let bots speak that look at hidden cards", flag_values=FLAGS
)


def position_of_flags(words: Sequence[str]) -> Any:
    """The state that the command line asks for; ValueError if it is wrong."""
    if len(words) > 1:
        raise ValueError(f"unknown argument {words[1]!r}; see --help")
    if _EXAMPLE.value:
        if words:
            raise ValueError(f"--example: cannot be given together with a position ({words[0]})")
        return example_position(_GAME.text(), _SEED.number(), _TRICK.value)
    if _TRICK.value is not None:
        raise ValueError("--trick: goes with --example alone")
    if not words:
        raise ValueError(
            "no position is given: name a file with one, or - for stdin, or try --example; "
            "--help says more"
        )
    return position_from_text(read_text(words[0]), _GAME.text() if _GAME.given() else None)


def answer(words: Sequence[str]) -> str:
    """What is printed; ValueError if the command line or the position is wrong."""
    seed = _SEED.number()
    bots = check_bots(_BOTS.texts(), _CHEATING.value)
    state = position_of_flags(words)
    if _JSON.value:
        return json.dumps(state.to_dict())
    return why_no_move(state) or analysis_text(analyze(state, bots, seed, _CHEATING.value))


@refuses("analyze", only_prints=True)
def main(argv: Sequence[str]) -> int:
    """Prints the analysis; bad input is one sentence and exit code 2."""
    print(answer(argv[1:]))
    return 0


parse_flags = flags_parser("analyze", FLAGS, __doc__)


if __name__ == "__main__":
    sys.exit(main(parse_flags(sys.argv)))
