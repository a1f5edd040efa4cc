"""Tabular policies on disk (`array_file`).

The file belongs to a ``game``, as `game_identity` says it. Its arrays:

- ``keys`` and ``key_ends``: the information-state strings one after the other in UTF-8, uint8, and
  where each ends, int64 [n];
- ``actions``, ``probabilities`` and ``row_ends``: the rows one after the other, int16 and float64,
  and where the row of each key ends, int64 [n].

The same policy gives the same bytes.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from operator import index
from pathlib import Path
from typing import Any

import numpy as np
import pyspiel
from numpy.typing import NDArray
from open_spiel.python import policy as python_policy

from marjolet_spiel.kernel import NUM_ACTIONS
from marjolet_spiel.rules import DEFAULT_PARAMETERS, RULES_VERSION, Rules
from marjolet_spiel.solvers.array_file import ArrayFile, Arrays

TOLERANCE = 1e-6
"""How far the probabilities of a row may be from 1 in sum."""

Row = list[tuple[int, float]]
Table = dict[str, Row]
"""Pairs of an action and its probability by information-state string."""

OTHER_GAME = "it belongs to another game: to {found}, not {wanted}"
"""What is wrong with a file of another game."""

FILE = ArrayFile(
    label="policy file",
    what="policy",
    version=1,
    owner="game",
    foreign=OTHER_GAME,
    kinds={
        "keys": (np.uint8, 1),
        "key_ends": (np.int64, 1),
        "actions": (np.int16, 1),
        "probabilities": (np.float64, 1),
        "row_ends": (np.int64, 1),
    },
    unsealed=True,
)


def game_identity(game: Any) -> str:
    """The text of a game with the rules it comes to, in which games that play alike are equal.

    Args:
      game: a game of this package, or OpenSpiel's cached tree of one.

    Raises:
      ValueError: it is another game.
    """
    name, parameters = game.get_type().short_name, game.get_parameters()
    if name == "cached_tree":
        parameters = dict(parameters["game"])
        name = parameters.pop("name", "")
    if not name.startswith("python_marjolet"):
        raise ValueError(f"game: {game!s} is not allowed; it must be a game of marjolet_spiel")
    own = {key: value for key, value in parameters.items() if key in DEFAULT_PARAMETERS}
    rest = {key: value for key, value in parameters.items() if key not in DEFAULT_PARAMETERS}
    full = {**asdict(Rules.from_parameters(own)), **rest}
    text = ",".join(f"{key}={value}" for key, value in full.items())
    return f"{name}({text}), rules version {RULES_VERSION}"


def save_policy(path: str | Path, game: Any, policy: Any) -> None:
    """Writes a tabular policy to a file, in place of what is there.

    Args:
      path: the file; its folder must be there.
      game: the game it is a policy of.
      policy: a `TabularPolicy` of OpenSpiel, of C++ (such as ``CFRSolver.tabular_average_policy()``
        gives) or of Python; or a mapping from information-state strings to pairs of an action and
        its probability.

    Raises:
      ValueError: it is no such policy, or a row is no distribution; nothing is written.
      OSError: the file cannot be written.
    """
    identity = game_identity(game)
    table = table_of(policy)
    for key, row in table.items():
        _check_row(key, row)
    keys = sorted(table)
    encoded = [key.encode() for key in keys]
    pairs = [pair for key in keys for pair in table[key]]
    FILE.write(
        path,
        identity,
        {
            "keys": np.frombuffer(b"".join(encoded), dtype=np.uint8),
            "key_ends": _ends(len(text) for text in encoded),
            "actions": np.array([action for action, _ in pairs], dtype=np.int16),
            "probabilities": np.array([chance for _, chance in pairs], dtype=np.float64),
            "row_ends": _ends(len(table[key]) for key in keys),
        },
    )


def table_of(policy: Any) -> Table:
    """A tabular policy as a dict (see `save_policy`); ValueError if it is none."""
    if isinstance(policy, pyspiel.TabularPolicy):
        policy = policy.policy_table()
    elif isinstance(policy, python_policy.TabularPolicy):
        return _table_of_python(policy)
    if not isinstance(policy, Mapping):
        raise ValueError(
            f"policy: a {type(policy).__name__} is not allowed; it must be a TabularPolicy of "
            "OpenSpiel or a dict of information-state strings"
        )
    return {key: _row_of(key, row) for key, row in policy.items()}


def _row_of(key: Any, row: Any) -> Row:
    try:
        if isinstance(key, str):
            return [(index(action), float(chance)) for action, chance in row]
    except (TypeError, ValueError):
        pass
    raise ValueError(
        f"policy: {key!r}: {row!r} is not allowed; it must be a text and pairs of an action and "
        "its probability"
    )


def _table_of_python(policy: Any) -> Table:
    """The legal actions of each state, as C++ has them."""
    table = {}
    for key, place in policy.state_lookup.items():
        legal = np.flatnonzero(policy.legal_actions_mask[place]).tolist()
        chances = policy.action_probability_array[place][legal].tolist()
        table[key] = list(zip(legal, chances, strict=True))
    return table


def _ends(lengths: Iterable[int]) -> NDArray[np.int64]:
    return np.cumsum([*lengths], dtype=np.int64)


def load_policy(path: str | Path, game: Any) -> Any:
    """A saved policy as a `pyspiel.TabularPolicy`; see `load_table` for arguments and errors.

    Keep a reference to it while C++ works with it: `pyspiel.TabularBestResponse` does not.
    """
    return pyspiel.TabularPolicy(load_table(path, game))


def load_table(path: str | Path, game: Any) -> Table:
    """A saved policy as a dict from information-state strings to action-probability pairs.

    Args:
      path: a file that `save_policy` wrote.
      game: the game that it must be a policy of.

    Raises:
      ValueError: the file is missing, damaged, of another format or of another game, or a row in
        it is no distribution; the message is one sentence that names the file.
    """
    return FILE.read(path, game_identity(game), _table_from)


def _table_from(arrays: Arrays) -> Table:
    """The table in the arrays of a file; ValueError if they do not fit together."""
    key_bounds = _bounds(arrays["key_ends"], len(arrays["keys"]))
    actions, chances = arrays["actions"].tolist(), arrays["probabilities"].tolist()
    row_bounds = _bounds(arrays["row_ends"], len(actions))
    if len(key_bounds) != len(row_bounds) or len(actions) != len(chances):
        raise ValueError("it is damaged: its arrays do not fit together")
    blob = arrays["keys"].tobytes()
    table: Table = {}
    for (first, last), (begin, end) in zip(key_bounds, row_bounds, strict=True):
        key = _decoded(blob[first:last])
        if key in table:
            raise ValueError(f"it is damaged: it holds {key!r} twice")
        table[key] = list(zip(actions[begin:end], chances[begin:end], strict=True))
        _check_row(key, table[key])
    return table


def _bounds(ends: NDArray[np.int64], size: int) -> list[tuple[int, int]]:
    """Where each of the pieces begins and ends that fill `size` places."""
    starts = np.concatenate([[0], ends[:-1]]) if len(ends) else ends
    if (ends < starts).any() or size != (ends[-1] if len(ends) else 0):
        raise ValueError("it is damaged: its arrays do not fit together")
    return list(zip(starts.tolist(), ends.tolist(), strict=True))


def _decoded(text: bytes) -> str:
    try:
        return text.decode()
    except UnicodeDecodeError:
        raise ValueError("it is damaged: a key is not UTF-8") from None


def _check_row(key: str, row: Sequence[tuple[int, float]]) -> None:
    """ValueError unless a row is a distribution over different actions."""
    actions = [action for action, _ in row]
    if len({*actions}) != len(actions) or not all(0 <= a < NUM_ACTIONS for a in actions):
        raise ValueError(f"the actions {actions} at {key!r} are not different actions of the game")
    chances = [chance for _, chance in row]
    if not all(chance >= 0 for chance in chances):
        raise ValueError(f"the probabilities {chances} at {key!r} are not all from 0 to 1")
    if not math.isclose(sum(chances), 1, rel_tol=0, abs_tol=TOLERANCE):
        raise ValueError(f"the probabilities at {key!r} sum to {sum(chances):.9g}, not to 1")
