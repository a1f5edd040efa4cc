"""Writes the report of a tournament into its folder: ``python -m scripts.report FOLDER``.

The report is `report.md` with pictures in `plots/`. The tournament may still be running: what is
finished is reported. Pictures need matplotlib, ``pip install -e '.[plots]'``.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from absl import flags

from scripts.arena.report.console import anchor_of, command_for, how_it_was_written
from scripts.arena.report.findings import findings
from scripts.arena.report.markdown import write_report
from scripts.arena.store.manifest import StoreError, plan_of, read_manifest
from scripts.arena.store.reading import read_records, read_times, times_of
from scripts.command_line import flags_parser, refuses
from scripts.shared_flags import define_anchor

FLAGS = flags.FlagValues()

_ANCHOR = define_anchor(FLAGS)


def report_store(folder: Path, anchor_text: str | None) -> list[Path]:
    """Writes the report of the store in a folder, and gives its files.

    Raises:
      ValueError: the anchor does not play.
      StoreError: the folder holds no store, or one that was changed by hand.
      OSError: the folder cannot be read or written to.
    """
    plan = plan_of(folder)
    anchor = anchor_of(plan.config, anchor_text)
    found = findings(plan, read_records(folder, plan), anchor)
    times = times_of(plan, found.records, read_times(folder))
    command = command_for(plan.config, folder, anchor)
    made_by = read_manifest(folder)["versions"]
    return write_report(found, times, folder, command, made_by)


@refuses("report", StoreError, OSError)
def main(argv: Sequence[str]) -> int:
    """Writes the report of the folder that is named; bad input is one sentence and exit code 2."""
    if len(argv) != 2:
        raise ValueError("name the folder of one tournament: python -m scripts.report FOLDER")
    print(how_it_was_written(report_store(Path(argv[1]), _ANCHOR.value)))
    return 0


parse_flags = flags_parser("report", FLAGS, __doc__)


if __name__ == "__main__":
    sys.exit(main(parse_flags(sys.argv)))
