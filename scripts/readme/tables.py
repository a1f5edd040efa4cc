"""The tables of the READMEs that are made from the code.

Each stands between two comments, ``<!-- begin NAME -->`` and ``<!-- end NAME -->``.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pyspiel

from bots.registry.catalogue import ENTRIES
from bots.registry.options import SEED
from marjolet_spiel import features, kernel, rules
from marjolet_spiel.notation import action_name
from marjolet_spiel.open_game import OPEN_PARAMETER_HELP, OPEN_PARAMETERS
from marjolet_spiel.rules import PROFILES, Rules

ROOT = Path(__file__).resolve().parents[2]

READMES = (
    "README.md",
    "marjolet_spiel/README.md",
    "marjolet_spiel/solvers/README.md",
    "bots/README.md",
    "scripts/README.md",
    "tests/README.md",
)
"""Every README, by its path from the root."""


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A table in Markdown."""
    lines: list[Sequence[object]] = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def profiles() -> str:
    """The switches in which the profiles differ, and the size of the game under each."""
    every = {name: Rules.of(profile=name) for name in PROFILES}
    switches = [*rules.SWITCHES, "sweep_bonus"]
    rows: list[list[object]] = [
        [f"`{name}`", *(getattr(r, name) for r in every.values())] for name in switches
    ]
    rows = [row for row in rows if len(set(row[1:])) > 1]
    rows.append(["most points in a deal", *(r.max_deal_points() for r in every.values())])
    rows.append(["most decisions in a deal", *(r.max_deal_length() for r in every.values())])
    return table(["", *every], rows)


def parameters() -> str:
    """Every game parameter with its default."""
    every = {**rules.PARAMETER_HELP, **OPEN_PARAMETER_HELP}
    rows: list[Sequence[object]] = []
    for name, default in OPEN_PARAMETERS.items():
        only = " (`python_marjolet_open` only)" if name in OPEN_PARAMETER_HELP else ""
        shown = f'"{default}"' if default == "" else default
        rows.append([f"`{name}`", f"`{shown}`", every[name] + only])
    return table(["parameter", "default", "meaning"], rows)


def actions() -> str:
    """The action ids of players and of chance."""
    first, last = kernel.FIRST_MELD, kernel.DONE - 1
    plays = kernel.FIRST_PLAY, kernel.FIRST_MELD - 1
    rows: list[Sequence[object]] = [
        [kernel.SWAP, "`swap`", "the seven of trumps for the indicator"],
        [
            f"{plays[0]}-{plays[1]}",
            f"`{action_name(plays[0])}` ... `{action_name(plays[1])}`",
            "a card",
        ],
        [
            f"{first}-{last}",
            f"`{action_name(first)}`, ..., `{action_name(first + 5)}`, ..., `{action_name(last)}`",
            "a set, a king and queen, a jack and queen",
        ],
        [kernel.DONE, "`done`", "closes the window"],
        ["chance 0-31", "`deal AS`, `turn AS`, `draw AS`", "a card leaves the pack"],
        ["chance 0-1", "`dealer 0`", "the lot for the first dealer"],
    ]
    return table(["id", "text", "meaning"], rows)


def tensors() -> str:
    """The pieces of the tensors on the full pack, and where they are in."""
    shapes = features.piece_shapes(Rules.of())
    observation = features.piece_names(True, False, "own", False)
    state = features.piece_names(True, True, "own", False)
    rows: list[Sequence[object]] = []
    for name, piece in features.PIECES.items():
        marks = ["yes" if name in names else "" for names in (observation, state)]
        rows.append([f"`{name}`", " x ".join(map(str, shapes[name])), *marks, piece.help])
    game = pyspiel.load_game("python_marjolet")
    sizes = [game.observation_tensor_size(), game.information_state_tensor_size()]
    rows.append(["all", "", *sizes, ""])
    return table(["piece", "shape", "observation", "information state", "what it holds"], rows)


def bots() -> str:
    """Every bot with its options."""
    rows: list[Sequence[object]] = []
    for name, entry in ENTRIES.items():
        rows.append([f"`{name}`", "", "", "", entry.help])
        for option in entry.options:
            default = "" if option.default is None else f"`{option.default}`"
            rows.append(["", f"`{option.name}`", default, option.allowed, option.help])
    rows.append(["every bot", f"`{SEED.name}`", "", SEED.allowed, SEED.help])
    return table(["bot", "option", "default", "allowed", "what it is"], rows)


TABLES: Mapping[str, Mapping[str, Callable[[], str]]] = {
    "marjolet_spiel/README.md": {
        "profiles": profiles,
        "parameters": parameters,
        "actions": actions,
        "tensors": tensors,
    },
    "bots/README.md": {"bots": bots},
}
"""The makers of all tables but that of the ladder, which takes long (`scripts.reference`)."""


def filled(text: str, readme: str) -> str:
    """A README with every table made anew; ValueError if a place for one is missing."""
    for name, make in TABLES.get(readme, {}).items():
        text = fill(text, name, make(), readme)
    return text


def fill(text: str, name: str, body: str, readme: str) -> str:
    """A README with a table in its place; ValueError if there is none."""
    pattern = re.compile(rf"(<!-- begin {name} -->\n).*?(<!-- end {name} -->)", re.DOTALL)
    if not pattern.search(text):
        raise ValueError(f"{readme}: there is no place for the table {name!r}")
    return pattern.sub(lambda m: f"{m[1]}{body}\n{m[2]}", text)
