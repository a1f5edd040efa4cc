"""Puts stores of the same tournament together: ``python -m scripts.merge``.

Several machines play a shard each, into a store of its own; what is merged has the same bytes as
if one had played it all::

    python -m scripts.tournament --shard=1/2 --output=one
    python -m scripts.tournament --shard=2/2 --output=two
    python -m scripts.merge --output=all one two
"""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from absl import flags

from scripts.arena.plan.pairings import Plan
from scripts.arena.report.console import (
    anchor_of,
    command_for,
    how_it_was_written,
    how_to_go_on,
    report,
)
from scripts.arena.report.findings import findings
from scripts.arena.report.markdown import write_report
from scripts.arena.store.manifest import StoreError, plan_of, read_manifest
from scripts.arena.store.reading import read_games, read_records, read_times, times_of
from scripts.arena.store.records import BlockRecord
from scripts.arena.store.store import Store
from scripts.command_line import flags_parser, refuses
from scripts.phrases import counted
from scripts.shared_flags import OutputFlag, define_anchor, define_report

FLAGS = flags.FlagValues()

_OUTPUT = OutputFlag(FLAGS, None, holds=", the merged store")
_ANCHOR = define_anchor(FLAGS)
_REPORT = define_report(FLAGS)


def common_plan(folders: Sequence[Path]) -> Plan:
    """The plan that stores have in common; StoreError if they have none."""
    plan = plan_of(folders[0])
    for folder in folders[1:]:
        other = plan_of(folder)
        if other.hash != plan.hash:
            raise StoreError(
                f"{folder}: this store belongs to plan {other.hash}, but {folders[0]} to plan "
                f"{plan.hash}; only stores of the same plan can be merged"
            )
    return plan


def union(plan: Plan, stores: Mapping[str, Mapping[int, BlockRecord]]) -> dict[int, BlockRecord]:
    """The blocks of all stores by index; StoreError if two differ in one that both have."""
    merged: dict[int, BlockRecord] = {}
    origin: dict[int, str] = {}
    for name, records in stores.items():
        for index, record in records.items():
            if merged.setdefault(index, record) != record:
                block = record.block
                first, second = plan.config.bots[block.first], plan.config.bots[block.second]
                raise StoreError(
                    f"block {index} ({first} vs {second}, pairs {block.pairs[0]} to "
                    f"{block.pairs[-1]}) is not the same in {origin[index]} and {name}"
                )
            origin.setdefault(index, name)
    return {index: merged[index] for index in sorted(merged)}


def merge(folders: Sequence[Path], output: Path, anchor_text: str | None) -> None:
    """Merges stores into another, which may be there already, and prints the result."""
    plan = common_plan(folders)
    anchor = anchor_of(plan.config, anchor_text)
    made_by = [read_manifest(folder)["versions"] for folder in folders]
    for folder, found in zip(folders, made_by, strict=True):
        if found != made_by[0]:
            print(f"merge: {folder} was made with {found}", file=sys.stderr)
    found_blocks = {str(folder): read_records(folder, plan) for folder in folders}
    union(plan, found_blocks)  # before the output is touched
    times = {block: both for folder in folders for block, both in read_times(folder).items()}
    games = {block: some for folder in folders for block, some in read_games(folder).items()}
    command = command_for(plan.config, output, anchor)
    record = bool(games) and all(found.keys() <= games.keys() for found in found_blocks.values())
    with Store(output, plan, command, made_by[0], record) as store:
        merged = union(plan, {str(output): store.records, **found_blocks})
        new = [record for index, record in merged.items() if index not in store.records]
        store.extend(new, times, games)
        store.settle()
        there, blocks = len(store.records), len(plan.blocks)
        done = f"{there} of {counted(blocks, 'block')}"
        print(f"{done} from {counted(len(folders), 'store')}\n")
        found = findings(plan, store.records, anchor)
        print(report(found))
        if _REPORT.value:
            moves = times_of(plan, found.records, store.times)
            files = write_report(found, moves, output, command, store.made_by)
            print(f"\n{how_it_was_written(files)}")
        print(how_to_go_on(output, command, "repeat" if there == blocks else "play the rest"))


@refuses("merge", StoreError, OSError)
def main(argv: Sequence[str]) -> int:
    """Merges the stores that are named; bad input is one sentence and exit code 2."""
    output = _OUTPUT.folder()
    if len(argv) < 2:
        raise ValueError("no store is named; they follow the flags, each by its folder")
    merge([Path(word) for word in argv[1:]], output, _ANCHOR.value)
    return 0


parse_flags = flags_parser("merge", FLAGS, __doc__)


if __name__ == "__main__":
    sys.exit(main(parse_flags(sys.argv)))
