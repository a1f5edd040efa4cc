"""Says which tables and examples of the READMEs are out of date: ``python -m scripts.readme``.

Tables are made from the code, examples are run in a folder of their own. For example::

    python -m scripts.readme                       # the exit code is 1 if something is out of date
    python -m scripts.readme --write               # writes it anew, ``make readme``
    python -m scripts.readme --write --long        # hours: measured figures too, ``make figures``
    python -m scripts.readme --write bots/README.md

Beside the READMEs nothing is changed: what examples write goes to a folder that is thrown away.
"""

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from absl import flags

from scripts.command_line import flags_parser, refuses
from scripts.readme.blocks import Level
from scripts.readme.session import ExampleError, refreshed
from scripts.readme.tables import READMES, ROOT, filled

FLAGS = flags.FlagValues()

_WRITE = flags.DEFINE_bool("write", False, "write what is out of date anew", flag_values=FLAGS)
_LONG = flags.DEFINE_bool(
    "long", False, "also run what takes minutes to hours, such as tournaments", flag_values=FLAGS
)

OUT_OF_DATE = 1
"""Exit code."""


def renewed(readme: str, most: Level) -> str:
    """A README as it should be, examples above a level left as they are."""
    text = filled((ROOT / readme).read_text(encoding="utf-8"), readme)
    with tempfile.TemporaryDirectory() as folder:
        return refreshed(text, readme, Path(folder), most)


@refuses("readme", ExampleError)
def main(argv: Sequence[str]) -> int:
    """Checks or writes the READMEs that are named, by default all."""
    for readme in argv[1:]:
        if readme not in READMES:
            raise ValueError(f"{readme!r} is not allowed; READMEs are {', '.join(READMES)}")
    code = 0
    for readme in argv[1:] or READMES:
        new = renewed(readme, Level.LONG if _LONG.value else Level.SLOW)
        if new == (ROOT / readme).read_text(encoding="utf-8"):
            continue
        if _WRITE.value:
            (ROOT / readme).write_text(new, encoding="utf-8")
        else:
            print(f"{readme} is out of date: python -m scripts.readme --write", file=sys.stderr)
            code = OUT_OF_DATE
    return code


parse_flags = flags_parser("readme", FLAGS, __doc__)


if __name__ == "__main__":
    sys.exit(main(parse_flags(sys.argv)))
