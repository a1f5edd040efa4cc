"""Solvers on disk: they go on as if they had never stopped, and what is wrong is said."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from marjolet_spiel.solvers import array_file, policy_file
from marjolet_spiel.solvers.memory import TooLargeError
from marjolet_spiel.solvers.tabular import checkpoint
from marjolet_spiel.solvers.tabular.solvers import ALGORITHMS, Solver, load_solver, make_solver
from tests.solvers.tabular.small_trees import tree

NAME = "dutch qj7"
OPTIONS: dict[str, dict[str, Any]] = {
    "cfr": {},
    "cfr+": {"openspiel_order": True},
    "lcfr": {},
    "dcfr": {"alpha": 2.0, "beta": -1.0, "gamma": 3.0},
    "es-mccfr": {"seed": 7},
    "os-mccfr": {"seed": 7, "epsilon": 0.3},
}


def solver_for(algorithm: str, iterations: int) -> Solver:
    """A solver after so many iterations."""
    solver = make_solver(tree(NAME), algorithm, **OPTIONS[algorithm])
    solver.run(iterations)
    return solver


# --- there and back -----------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_resumed_solvers_give_the_same_numbers(algorithm: str, tmp_path: Path) -> None:
    path = tmp_path / "solver.npz"
    whole = solver_for(algorithm, 2500)
    solver_for(algorithm, 1100).save(path)
    resumed = load_solver(path, tree(NAME))
    assert type(resumed) is ALGORITHMS[algorithm]
    assert resumed.iteration == 1100
    resumed.run(1400)
    assert resumed.iteration == whole.iteration
    assert (resumed.regrets == whole.regrets).all()
    assert (resumed.averages == whole.averages).all()
    resumed.save(path)
    again = load_solver(path, tree(NAME))
    assert (again.average_policy() == whole.average_policy()).all()


def test_options_come_back(tmp_path: Path) -> None:
    for algorithm, options in OPTIONS.items():
        solver_for(algorithm, 1).save(tmp_path / "solver.npz")
        loaded = load_solver(tmp_path / "solver.npz", tree(NAME)).options
        assert loaded == solver_for(algorithm, 0).options
        assert {**loaded, **options, "seed": 0} == {**loaded, "seed": 0}


def test_saving_replaces_a_file_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "solver"  # no ending is added
    path.write_text("old")
    solver_for("cfr", 3).save(path)
    assert load_solver(path, tree(NAME)).iteration == 3
    assert [*tmp_path.iterdir()] == [path]


def test_failed_saving_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "solver.npz"
    solver_for("cfr", 3).save(path)

    def fail(file: Any, **arrays: Any) -> None:
        file.write(b"half of it")
        raise OSError("disk full")

    monkeypatch.setattr(array_file.np, "savez", fail)
    with pytest.raises(OSError, match="disk full"):
        solver_for("cfr", 4).save(path)
    assert load_solver(path, tree(NAME)).iteration == 3
    assert [*tmp_path.iterdir()] == [path]


# --- what is refused ----------------------------------------------------------------------------


def refusal(path: Path, name: str = NAME) -> str:
    """The sentence with which a file is refused, which names it."""
    with pytest.raises(ValueError) as caught:  # noqa: PT011  (the message is checked)
        load_solver(path, tree(name))
    message = str(caught.value)
    assert message.startswith(f"checkpoint {str(path)!r}: ")
    assert "\n" not in message
    return message


@pytest.mark.parametrize("name", ["english qj7", "lot", "match", "3 suits"])
def test_other_games_are_refused(tmp_path: Path, name: str) -> None:
    solver_for("cfr", 1).save(tmp_path / "solver.npz")
    message = refusal(tmp_path / "solver.npz", name)
    assert "it belongs to another game: to python_marjolet(" in message
    assert tree(name).identity in message


def test_other_versions_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "solver.npz"
    solver_for("cfr", 1).save(path)
    with monkeypatch.context() as patch:
        patch.setattr(checkpoint, "FILE", replace(checkpoint.FILE, version=2))
        assert "it has format 1, but only format 2 can be read" in refusal(path)
    version = policy_file.RULES_VERSION
    other = tree(NAME).identity.replace(f"rules version {version}", f"rules version {version + 1}")
    monkeypatch.setattr(tree(NAME), "identity", other)
    assert "it belongs to another game" in refusal(path)


def test_missing_files_and_files_of_another_kind_are_refused(tmp_path: Path) -> None:
    assert "there is no such file" in refusal(tmp_path / "none.npz")
    path = tmp_path / "policy.npz"
    of = tree(NAME)
    policy_file.save_policy(path, of.game, of.table(of.uniform_policy()))
    assert "it is damaged: its array 'algorithm' is missing" in refusal(path)
    np.savez(path, numbers=np.zeros(3))
    assert "it holds no checkpoint" in refusal(path)


def test_truncated_and_altered_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "cut.npz"
    solver_for("es-mccfr", 5).save(path)
    whole = path.read_bytes()
    for size in range(0, len(whole), 997):
        path.write_bytes(whole[:size])
        assert "damaged" in refusal(path)
    loaded = 0
    for place in range(0, len(whole), 499):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 255]) + whole[place + 1 :])
        try:
            solver = load_solver(path, tree(NAME))
        except ValueError as error:
            assert str(error).startswith(f"checkpoint {str(path)!r}: ")  # noqa: PT017
        else:
            loaded += 1  # a date, say, was hit
            assert (solver.averages == solver_for("es-mccfr", 5).averages).all()
    assert loaded < 10


Arrays = dict[str, Any]
DAMAGE: dict[str, tuple[Callable[[Arrays], Arrays], str]] = {
    "regrets": (lambda old: {"regrets": old["regrets"] + 1}, "its checksum is wrong"),
    "iteration": (lambda old: {"iteration": old["iteration"] + 1}, "its checksum is wrong"),
    "options": (lambda old: {"options": np.array("{}")}, "its checksum is wrong"),
    "type": (lambda old: {"averages": old["averages"].astype(np.float32)}, "array 'averages'"),
    "shape": (lambda old: {"random_state": old["random_state"][None]}, "array 'random_state'"),
}
RESEALED: dict[str, tuple[Callable[[Arrays], Arrays], str]] = {
    "algorithm": (lambda old: {"algorithm": np.array("cfr-")}, "its algorithm 'cfr-' is none of"),
    "length": (lambda old: {"regrets": old["regrets"][1:]}, "its arrays do not fit the game"),
    "random state": (lambda old: {"random_state": np.arange(3)}, "random state is of a wrong"),
    "no random state": (
        lambda old: {"random_state": np.arange(0)},
        "random state is of a wrong length",
    ),
    "no JSON": (lambda old: {"options": np.array("{")}, "its options '{' are not allowed"),
    "unknown option": (
        lambda old: {"options": np.array('{"depth": 3}')},
        "its options '{\"depth\": 3}' are not allowed",
    ),
    "wrong option": (
        lambda old: {"options": np.array('{"epsilon": 7}')},
        "its options '{\"epsilon\": 7}' are not allowed",
    ),
    "iteration": (lambda old: {"iteration": np.array(-1)}, "its iteration -1 is not allowed"),
    "nan": (lambda old: {"averages": old["averages"] * np.nan}, "not all its numbers are finite"),
}


@pytest.mark.parametrize(
    ("damage", "why", "reseal"),
    [(*case, False) for case in DAMAGE.values()] + [(*case, True) for case in RESEALED.values()],
    ids=[*DAMAGE, *(f"resealed {name}" for name in RESEALED)],
)
def test_arrays_that_do_not_fit_are_refused(
    tmp_path: Path, damage: Callable[[Arrays], Arrays], why: str, reseal: bool
) -> None:
    path = tmp_path / "damaged.npz"
    solver_for("os-mccfr", 3).save(path)
    with np.load(path) as data:
        arrays = dict(data)
    arrays.update(damage(arrays))
    if reseal:
        arrays["checksum"] = np.array(checkpoint.FILE.checksum(arrays))
    np.savez(path, **arrays)
    assert why in refusal(path)


def test_solvers_that_are_too_large_are_refused(tmp_path: Path) -> None:
    solver_for("cfr", 1).save(tmp_path / "solver.npz")
    with pytest.raises(TooLargeError, match="a solver by cfr takes"):
        load_solver(tmp_path / "solver.npz", tree(NAME), memory=100)
