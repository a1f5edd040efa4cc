"""Policies on disk: they come back as they were, and what is wrong with a file is said."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python import policy as python_policy
from open_spiel.python.algorithms import cfr

import marjolet_spiel  # noqa: F401  (registers the games)
from marjolet_spiel.rules import RULES_VERSION
from marjolet_spiel.solvers import policy_file
from marjolet_spiel.solvers.policy_file import (
    FILE,
    Table,
    game_identity,
    load_policy,
    load_table,
    save_policy,
)

SMALLEST = "python_marjolet(num_suits=2,ranks=QJ7,hand_size=2,first_dealer=0)"
TABLE: Table = {"p0 d:QS é": [(1, 0.25), (4, 0.75)], "p1": [(58, 1.0)]}


@cache
def game() -> Any:
    """The smallest pack."""
    return pyspiel.load_game(SMALLEST)


@cache
def tree() -> Any:
    """Its tree in C++."""
    return pyspiel.convert_to_cached_tree(game())


@cache
def solved() -> Any:
    """What CFR has learnt of it in a few iterations."""
    solver = pyspiel.CFRSolver(tree())
    for _ in range(10):
        solver.evaluate_and_update_policy()
    return solver.tabular_average_policy()


# --- there and back -----------------------------------------------------------------------------


def test_policy_of_cfr_is_as_good_as_before(tmp_path: Path) -> None:
    save_policy(tmp_path / "cfr.npz", game(), solved())
    again = load_policy(tmp_path / "cfr.npz", game())
    assert again.policy_table() == solved().policy_table()
    assert pyspiel.nash_conv(tree(), again) == pyspiel.nash_conv(tree(), solved())


def test_cached_tree_and_game_are_the_same_game(tmp_path: Path) -> None:
    save_policy(tmp_path / "cfr.npz", tree(), solved())
    assert load_table(tmp_path / "cfr.npz", game()) == solved().policy_table()
    assert load_table(tmp_path / "cfr.npz", tree()) == solved().policy_table()


def test_policies_of_python_are_kept_with_their_legal_actions(tmp_path: Path) -> None:
    solver = cfr.CFRSolver(game())
    solver.evaluate_and_update_policy()
    learned = solver.average_policy()
    save_policy(tmp_path / "python.npz", game(), learned)
    table = load_table(tmp_path / "python.npz", game())
    assert len(table) == len(learned.states)
    for state in learned.states[::50]:
        row = table[state.information_state_string()]
        assert dict(row) == learned.action_probabilities(state)
    again = load_policy(tmp_path / "python.npz", game())
    expected = pyspiel.TabularPolicy(learned.to_dict())
    assert pyspiel.nash_conv(tree(), again) == pytest.approx(pyspiel.nash_conv(tree(), expected))


def test_loaded_policies_serve_python_too(tmp_path: Path) -> None:
    uniform = python_policy.TabularPolicy(game())
    save_policy(tmp_path / "uniform.npz", game(), uniform)
    table = load_table(tmp_path / "uniform.npz", game())
    assert all(chance == 1 / len(row) for row in table.values() for _, chance in row)


@pytest.mark.parametrize("table", [TABLE, {}], ids=["two states", "empty"])
def test_dicts_come_back(tmp_path: Path, table: Table) -> None:
    save_policy(tmp_path / "dict.npz", game(), table)
    assert load_table(str(tmp_path / "dict.npz"), game()) == table


def test_equal_policies_give_equal_files(tmp_path: Path) -> None:
    turned = dict(reversed(TABLE.items()))
    save_policy(tmp_path / "one.npz", game(), TABLE)
    save_policy(tmp_path / "two.npz", game(), turned)
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()


def test_saving_replaces_a_file_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "policy"  # no ending is added
    path.write_text("old")
    save_policy(path, game(), TABLE)
    assert load_table(path, game()) == TABLE
    assert [*tmp_path.iterdir()] == [path]


def test_failed_saving_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "policy.npz"
    save_policy(path, game(), TABLE)

    def fail(file: Any, **arrays: Any) -> None:
        file.write(b"half of it")
        raise OSError("disk full")

    monkeypatch.setattr(np, "savez_compressed", fail)
    with pytest.raises(OSError, match="disk full"):
        save_policy(path, game(), {})
    assert load_table(path, game()) == TABLE
    assert [*tmp_path.iterdir()] == [path]


# --- games --------------------------------------------------------------------------------------


def test_games_that_play_alike_are_the_same() -> None:
    short = pyspiel.load_game("python_marjolet(profile=dutch)")
    spelt = pyspiel.load_game("python_marjolet(profile=dutch,sweep_bonus=40,endgame_melds=yes)")
    assert game_identity(short) == game_identity(spelt)


OTHERS = (
    "python_marjolet",
    SMALLEST.replace("dealer=0", "dealer=1"),
    SMALLEST.replace("(", "(profile=dutch,"),
    SMALLEST.replace("(", "(target=100,"),
    SMALLEST.replace("marjolet", "marjolet_open"),
)


@pytest.mark.parametrize("text", OTHERS)
def test_policies_of_other_games_are_refused(tmp_path: Path, text: str) -> None:
    other = pyspiel.load_game(text)
    save_policy(tmp_path / "other.npz", other, TABLE)
    message = refusal(tmp_path / "other.npz")
    assert "another game" in message
    assert game_identity(other) in message
    assert game_identity(game()) in message


def test_policies_of_other_rules_versions_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_policy(tmp_path / "old.npz", game(), TABLE)
    monkeypatch.setattr(policy_file, "RULES_VERSION", RULES_VERSION + 1)
    assert "another game" in refusal(tmp_path / "old.npz")


def test_games_of_others_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"game: kuhn_poker\(\) is not allowed"):
        save_policy(tmp_path / "kuhn.npz", pyspiel.load_game("kuhn_poker"), {})


# --- wrong policies -----------------------------------------------------------------------------

WRONG_ROWS: dict[str, tuple[Any, str]] = {
    "sum": ([(1, 0.5), (2, 0.4)], "the probabilities at 'p0' sum to 0.9, not to 1"),
    "no action": ([], "sum to 0, not to 1"),
    "negative": ([(1, 1.5), (2, -0.5)], "are not all from 0 to 1"),
    "nan": ([(1, float("nan"))], "are not all from 0 to 1"),
    "twice": ([(1, 0.5), (1, 0.5)], "are not different actions of the game"),
    "action 59": ([(59, 1.0)], "are not different actions of the game"),
    "action -1": ([(-1, 1.0)], "are not different actions of the game"),
}


@pytest.mark.parametrize(("row", "why"), WRONG_ROWS.values(), ids=WRONG_ROWS.keys())
def test_wrong_rows_are_neither_saved_nor_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, row: Any, why: str
) -> None:
    path = tmp_path / "wrong.npz"
    with pytest.raises(ValueError, match=why):
        save_policy(path, game(), {"p0": row})
    assert not path.exists()
    with monkeypatch.context() as patch:
        patch.setattr(policy_file, "_check_row", lambda key, row: None)
        save_policy(path, game(), {"p0": row})
    assert why in refusal(path)


@pytest.mark.parametrize("policy", [3, [TABLE], {"p0": 3}, {"p0": [(1.5, 1.0)]}, {3: [(1, 1.0)]}])
def test_what_is_no_tabular_policy_is_refused(tmp_path: Path, policy: Any) -> None:
    with pytest.raises(ValueError, match="^policy: .* is not allowed; it must be"):
        save_policy(tmp_path / "x.npz", game(), policy)


def test_policies_without_a_table_are_refused(tmp_path: Path) -> None:
    average = pyspiel.CFRSolver(tree()).average_policy()  # not the tabular one
    with pytest.raises(ValueError, match="must be a TabularPolicy"):
        save_policy(tmp_path / "x.npz", game(), average)


# --- damaged files ------------------------------------------------------------------------------


def refusal(path: Path) -> str:
    """The sentence with which a file is refused, which names it."""
    with pytest.raises(ValueError) as caught:  # noqa: PT011  (the message is checked)
        load_policy(path, game())
    message = str(caught.value)
    assert message.startswith(f"policy file {str(path)!r}: ")
    assert "\n" not in message
    return message


def test_missing_files_are_named(tmp_path: Path) -> None:
    assert "there is no such file" in refusal(tmp_path / "none.npz")
    assert "there is no such file" in refusal(tmp_path)


def test_truncated_and_altered_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "cut.npz"
    save_policy(path, game(), TABLE)
    whole = path.read_bytes()
    for size in range(0, len(whole), 40):
        path.write_bytes(whole[:size])
        assert "damaged" in refusal(path)
    for place in range(0, len(whole), 7):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 255]) + whole[place + 1 :])
        try:
            table = load_table(path, game())
        except ValueError as error:
            assert str(error).startswith(f"policy file {str(path)!r}: ")  # noqa: PT017
        else:
            assert table == TABLE  # a date, say, was hit


def test_files_of_another_kind_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.npz"
    path.write_text("{}")
    assert "damaged or no .npz file" in refusal(path)
    with path.open("wb") as file:
        np.save(file, np.zeros(3))
    assert "damaged or no .npz file" in refusal(path)
    np.savez(path, numbers=np.zeros(3))
    assert "it holds no policy" in refusal(path)
    np.savez(path, format=np.array(1), keys=np.array([{}], dtype=object))
    assert "damaged or no .npz file" in refusal(path)


Arrays = dict[str, Any]
DAMAGE: dict[str, tuple[Callable[[Arrays], Arrays], str]] = {
    "other format": (lambda old: {"format": np.array(2)}, "format 2, but only format 1"),
    "text as format": (lambda old: {"format": np.array("1")}, "it holds no policy"),
    "type": (lambda old: {"actions": old["actions"].astype(float)}, "its array 'actions'"),
    "shape": (lambda old: {"keys": old["keys"][None]}, "its array 'keys'"),
    "short": (lambda old: {"actions": old["actions"][:-1]}, "do not fit together"),
    "few rows": (lambda old: {"row_ends": old["row_ends"][1:]}, "do not fit together"),
    "turned": (lambda old: {"row_ends": old["row_ends"][::-1]}, "do not fit together"),
    "chances": (
        lambda old: {"probabilities": old["probabilities"][:-1]},
        "do not fit together",
    ),
    "negative end": (lambda old: {"key_ends": old["key_ends"] - 50}, "do not fit together"),
    "beyond the end": (
        lambda old: {"key_ends": old["key_ends"][-1] + np.array([5, 0])},
        "do not fit together",
    ),
    "not UTF-8": (lambda old: {"keys": old["keys"] | 128}, "a key is not UTF-8"),
    "key twice": (
        lambda old: {"keys": np.frombuffer(b"p1p1", np.uint8), "key_ends": np.array([2, 4])},
        "it holds 'p1' twice",
    ),
}


@pytest.mark.parametrize(("damage", "why"), DAMAGE.values(), ids=DAMAGE.keys())
def test_arrays_that_do_not_fit_are_refused(
    tmp_path: Path, damage: Callable[[Arrays], Arrays], why: str
) -> None:
    """By what is wrong with them, whether their checksum was made anew or left out."""
    path = tmp_path / "damaged.npz"
    arrays = saved_arrays(path)
    arrays.update(damage(arrays))
    np.savez(path, **{**arrays, "checksum": np.array(FILE.checksum(arrays))})
    assert why in refusal(path)
    del arrays["checksum"]
    np.savez(path, **arrays)
    assert why in refusal(path)


def saved_arrays(path: Path) -> Arrays:
    """The arrays of a file that was saved."""
    save_policy(path, game(), TABLE)
    with np.load(path) as data:
        return dict(data)


def test_arrays_that_were_changed_are_noticed(tmp_path: Path) -> None:
    path = tmp_path / "changed.npz"
    arrays = saved_arrays(path)
    for name in FILE.kinds:
        changed = arrays[name].copy()
        changed[0] = changed[0] + 1
        np.savez(path, **{**arrays, name: changed})
        assert "it is damaged: its checksum is wrong" in refusal(path)


def test_files_of_before_there_was_a_checksum_are_read(tmp_path: Path) -> None:
    path = tmp_path / "old.npz"
    arrays = saved_arrays(path)
    del arrays["checksum"]
    np.savez_compressed(path, **arrays)
    assert load_table(path, game()) == TABLE


@pytest.mark.parametrize("name", ["game", "keys", "key_ends", "actions", "row_ends"])
def test_missing_arrays_are_named(tmp_path: Path, name: str) -> None:
    path = tmp_path / "damaged.npz"
    save_policy(path, game(), TABLE)
    with np.load(path) as data:
        arrays = {key: data[key] for key in data.files if key != name}
    np.savez(path, **arrays)
    assert f"its array {name!r} is missing" in refusal(path)
