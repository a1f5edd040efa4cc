"""Solves the ladder of small packs for a table of a README: ``python -m scripts.reference``.

Each pack is solved by discounted CFR until no player can gain more than a little, and what is found
is kept in ``ladder.json`` in the folder of results, pack by pack, so that the same command goes on
with a run that was stopped::

    python -m scripts.reference                             # solves, prints the table
    python -m scripts.reference --write                     # and writes it
    python -m scripts.reference --packs=qj7,kqj7-dutch --nash_conv=0.0001
"""

import json
import math
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from absl import flags
from tqdm import tqdm

from marjolet_spiel.rules import RULES_VERSION, SmallPack, ladder
from marjolet_spiel.solvers.memory import TooLargeError
from marjolet_spiel.solvers.tabular.size import tree_size
from marjolet_spiel.solvers.tabular.solvers import make_solver
from marjolet_spiel.solvers.tabular.tree import build_tree
from scripts.arena.plan.game_text import game_text
from scripts.command_line import check_no_words, complain, flags_parser, refuses
from scripts.readme.tables import ROOT, fill, table
from scripts.reference.facts import facts
from scripts.shared_flags import OutputFlag

LADDER = "ladder.json"
"""The file in the folder of results that keeps what is known of each pack."""

FLAGS = flags.FlagValues()

README = "marjolet_spiel/solvers/README.md"
"""Where the table stands."""

_PACKS = flags.DEFINE_list(
    "packs", None, "which ones; by default all that are small enough", flag_values=FLAGS
)
_NASH_CONV = flags.DEFINE_float(
    "nash_conv", 0.001, "points that both players may gain together", flag_values=FLAGS
)
_OUTPUT = OutputFlag(FLAGS, "results/reference", holds=f", kept in {LADDER}")
_WRITE = flags.DEFINE_bool("write", False, f"write the table into {README}", flag_values=FLAGS)

ALGORITHM = "dcfr"
MAX_ENDS = 50_000_000
"""Packs with more terminal histories are solved only if they are named; this takes 4 GB."""

MAX_FACTS = 1_000_000
"""Facts are told of packs with no more terminal histories: they are walked one by one."""

MAX_COUNTED = 10**9
"""Larger packs are not counted."""

FACTS = ("melds_held", "swaps_held", "trumps_led")

_FIRST_LOOK = 64

Entry = dict[str, Any]


def solved(pack: SmallPack, nash_conv: float) -> Entry:
    """What there is to say of a pack, once no two best responses gain more than `nash_conv`.

    The value is that for the player who does not deal; player 0 deals.
    """
    start, tree = time.perf_counter(), build_tree(pack.rules)
    solver, look = make_solver(tree, ALGORITHM), _FIRST_LOOK
    with tqdm(desc=pack.name, unit="it", disable=None, leave=False) as bar:
        while True:
            solver.run(look - solver.iteration)
            policy = solver.average_policy()
            reached = tree.nash_conv(policy)
            bar.update(solver.iteration - bar.n)
            bar.set_postfix(nash_conv=f"{reached:.3g}")
            if reached <= nash_conv:
                break
            look += max(look // 2, 1)
    found = asdict(facts(tree, policy)) if tree.size.terminals <= MAX_FACTS else {}
    return {
        "algorithm": ALGORITHM,
        "nash_conv": nash_conv,
        "value": -tree.expected_value(policy),
        "reached": reached,
        "iterations": solver.iteration,
        "seconds": round(time.perf_counter() - start, 1),
        "facts": {name: share for name, share in found.items() if not math.isnan(share)},
    }


def counted(pack: SmallPack) -> Entry:
    """How large the game of a pack is."""
    size = tree_size(pack.rules, limit=MAX_COUNTED)
    return {
        "game": game_text(pack.parameters),
        "rules_version": RULES_VERSION,
        "deals": size.deals,
        "terminals": size.terminals,
        "histories": size.histories,
        "information_sets": sum(size.information_sets),
    }


def read_entries(path: Path) -> dict[str, Entry]:
    """The results in a file, by the name of the pack; none if there is no file.

    Raises:
      ValueError: it is something else.
    """
    if not path.exists():
        return {}
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        return {str(name): dict(entry) for name, entry in found.items()}
    except (ValueError, TypeError, AttributeError):
        raise ValueError(f"output: {path} holds no reference values") from None


def write_entries(path: Path, entries: Mapping[str, Entry]) -> None:
    """Writes the results at once or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(".tmp")
    draft.write_text(json.dumps(entries, indent=1) + "\n", encoding="utf-8")
    draft.replace(path)


def reference(
    names: Sequence[str] | None, nash_conv: float, path: Path, counts: Sequence[str] | None = None
) -> dict[str, Entry]:
    """Counts and solves what the file does not hold yet, and keeps each result in it.

    Args:
      names: packs to solve; None for all with no more than MAX_ENDS terminal histories.
      nash_conv: how well; a result that was solved less well is replaced.
      path: the file.
      counts: packs to count; None for the whole ladder.

    Returns:
      What is known of each pack.
    """
    entries = read_entries(path)
    for name in ladder() if counts is None else counts:
        pack = ladder()[name]
        same = (game_text(pack.parameters), RULES_VERSION)
        entry = entries.get(name, {})
        if (entry.get("game"), entry.get("rules_version")) != same:
            entry = entries[name] = counted(pack)
            write_entries(path, entries)
        wanted = entry["terminals"] <= MAX_ENDS if names is None else name in names
        if wanted and entry.get("solution", {}).get("reached", math.inf) > nash_conv:
            try:
                entry["solution"] = solved(pack, nash_conv)
            except TooLargeError as error:
                complain("reference", ValueError(f"{name} is left out: {error}"))
            write_entries(path, entries)
    return {name: entries[name] for name in ladder() if name in entries}


def reference_table(entries: Mapping[str, Entry]) -> str:
    """The ladder with what is known of each pack, in Markdown."""
    head = ["pack", "game", "deals", "ends", "histories", "information sets"]
    head += ["value", "NashConv", "melds held", "swaps held", "trumps led"]
    return table(head, [_row(ladder()[name], entry) for name, entry in entries.items()])


def _row(pack: SmallPack, entry: Entry) -> list[str]:
    given = {key: value for key, value in pack.parameters.items() if key != "first_dealer"}
    cells = [f"`{pack.name}`", "`" + ",".join(f"{k}={v}" for k, v in given.items()) + "`"]
    cells += [f"{entry[key]:,}" for key in ("deals", "terminals", "histories", "information_sets")]
    found = entry.get("solution")
    if found is None:
        return [*cells, "-", "-", "-", "-", "-"]
    # The value of the game is within NashConv of what is reached.
    digits = max(0, math.floor(-math.log10(found["reached"])))
    shares = [found["facts"].get(name, math.nan) for name in FACTS]
    cells += [f"{found['value']:+.{digits}f}", f"{found['reached']:.1e}"]
    return [*cells, *("-" if math.isnan(share) else f"{share:.1%}" for share in shares)]


def packs_of_flags() -> list[str] | None:
    """The names of the packs to solve; ValueError if one is unknown."""
    for name in _PACKS.value or []:
        if name not in ladder():
            allowed = ", ".join(ladder())
            raise ValueError(f"packs: {name!r} is not allowed; they are {allowed}")
    return None if _PACKS.value is None else list(_PACKS.value)


@refuses("reference", OSError)
def main(argv: Sequence[str]) -> int:
    """Solves what the flags name; bad input is one sentence and exit code 2."""
    check_no_words(argv)
    if not 0 < _NASH_CONV.value < math.inf:
        raise ValueError(f"nash_conv: {_NASH_CONV.value} is not allowed; it must be above 0")
    folder = _OUTPUT.folder("results/reference")
    entries = reference(packs_of_flags(), _NASH_CONV.value, folder / LADDER)
    text = reference_table(entries)
    print(text)
    if _WRITE.value:
        path = ROOT / README
        path.write_text(fill(path.read_text("utf-8"), "ladder", text, README), encoding="utf-8")
    return 0


parse_flags = flags_parser("reference", FLAGS, __doc__)


if __name__ == "__main__":
    sys.exit(main(parse_flags(sys.argv)))
