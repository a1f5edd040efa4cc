"""Solvers of small packs: they are OpenSpiel's, and what they find is an equilibrium."""

from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms import discounted_cfr

from marjolet_spiel.solvers.memory import TooLargeError
from marjolet_spiel.solvers.tabular.full_width import FullWidth
from marjolet_spiel.solvers.tabular.solvers import ALGORITHMS, make_solver
from tests.solvers.linear_program import game_value
from tests.solvers.tabular.small_trees import GAMES, cached_tree, tree
from tests.variants import mostly_slow

OPENSPIEL = {"cfr": pyspiel.CFRSolver, "cfr+": pyspiel.CFRPlusSolver}
FULL_WIDTH = ("cfr", "cfr+", "lcfr", "dcfr")
SAMPLING = ("es-mccfr", "os-mccfr")
each_game = pytest.mark.parametrize("name", GAMES)
each_algorithm = pytest.mark.parametrize("algorithm", ALGORITHMS)


def policy_of(name: str, solver: Any) -> Any:
    """The average policy of a solver of OpenSpiel as ours has it."""
    return tree(name).policy_from(solver.tabular_average_policy())


# --- the iterates of OpenSpiel ------------------------------------------------------------------


@pytest.mark.parametrize("name", mostly_slow(GAMES, quick=("dutch qj7", "3 suits")))
@pytest.mark.parametrize("algorithm", OPENSPIEL)
def test_iterates_are_those_of_openspiel(name: str, algorithm: str) -> None:
    theirs = OPENSPIEL[algorithm](cached_tree(name))
    ours = make_solver(tree(name), algorithm, openspiel_order=True)
    for _ in range(12):
        theirs.evaluate_and_update_policy()
        ours.run(1)
        np.testing.assert_allclose(ours.average_policy(), policy_of(name, theirs), atol=1e-12)


@pytest.mark.parametrize("algorithm", OPENSPIEL)
def test_quick_iterates_are_those_of_openspiel_up_to_rounding(algorithm: str) -> None:
    name = "english qj7"  # of the small games the one in which no last bit decides
    theirs, ours = OPENSPIEL[algorithm](cached_tree(name)), make_solver(tree(name), algorithm)
    for _ in range(30):
        theirs.evaluate_and_update_policy()
        ours.run(1)
    np.testing.assert_allclose(ours.average_policy(), policy_of(name, theirs), atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["kqj7-spanish", "kqj7-english", "kqj7-swedish", "kqj7-dutch"])
def test_iterates_are_those_of_openspiel_on_larger_packs(name: str) -> None:
    game = cached_tree(name)
    for algorithm, solver in OPENSPIEL.items():
        theirs = solver(game)
        ours = make_solver(tree(name), algorithm, openspiel_order=True)
        for _ in range(3):
            theirs.evaluate_and_update_policy()
        ours.run(3)
        np.testing.assert_allclose(ours.average_policy(), policy_of(name, theirs), atol=1e-12)


PYTHON = {"lcfr": discounted_cfr.LCFRSolver, "dcfr": discounted_cfr.DCFRSolver}


@pytest.mark.parametrize("algorithm", PYTHON)
def test_discounted_iterates_are_those_of_openspiel(algorithm: str) -> None:
    name = "3 suits"
    theirs = PYTHON[algorithm](cached_tree(name))
    ours = make_solver(tree(name), algorithm, openspiel_order=True)
    for _ in range(3):
        theirs.evaluate_and_update_policy()
    ours.run(3)
    table = tree(name).policy_from(theirs.average_policy())
    np.testing.assert_allclose(ours.average_policy(), table, atol=1e-12)


@each_game
@pytest.mark.parametrize("algorithm", FULL_WIDTH)
def test_both_orders_come_to_the_same_value(name: str, algorithm: str) -> None:
    quick, walked = (make_solver(tree(name), algorithm, openspiel_order=o) for o in (False, True))
    for solver in (quick, walked):
        solver.run(200)
    policies = quick.average_policy(), walked.average_policy()
    first, second = (tree(name).nash_conv(policy) for policy in policies)
    assert first == pytest.approx(second, rel=0.25, abs=1e-6)


def test_current_policy_is_that_of_the_next_iteration() -> None:
    of, solver = tree("english qj7"), make_solver(tree("english qj7"), "cfr")
    assert (solver.current_policy() == of.uniform_policy()).all()
    solver.run(1)
    np.testing.assert_allclose(solver.average_policy(), of.uniform_policy())
    current, before = solver.current_policy(), solver.averages.copy()
    solver.run(1)
    own = of.sides[0].entries  # player 1 has seen what player 0 has learnt in between
    np.testing.assert_allclose((solver.averages - before)[own], of.plan(current, 0)[1:])


# --- equilibria ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", mostly_slow(GAMES, quick=("spanish qj7", "lot", "match")))
def test_value_is_that_of_the_linear_program(name: str) -> None:
    of = tree(name)
    solver = make_solver(of, "dcfr")
    solver.run(2000)
    policy = solver.average_policy()
    low, high = -of.best_response(policy, 1)[0], of.best_response(policy, 0)[0]
    value = game_value(of.game)
    scale = 1.0 if of.rules.is_match else 100.0
    assert low - 1e-9 <= value <= high + 1e-9
    assert high - low < 1e-5 * scale
    assert of.expected_value(policy) == pytest.approx(value, abs=1e-6 * scale)


def test_value_of_the_smallest_pack() -> None:
    of = tree("qj7")
    solver = make_solver(of, "dcfr")
    solver.run(3000)
    assert of.expected_value(solver.average_policy()) == pytest.approx(35 / 9, abs=1e-6)
    assert of.exploitability(solver.average_policy()) < 1e-6


RUNS = {"cfr": 300, "cfr+": 100, "lcfr": 100, "dcfr": 100, "es-mccfr": 5000, "os-mccfr": 400_000}


@pytest.mark.parametrize(("algorithm", "iterations"), RUNS.items())
def test_everyone_learns(algorithm: str, iterations: int) -> None:
    of, solver = tree("dutch qj7"), make_solver(tree("dutch qj7"), algorithm)
    before = of.nash_conv(solver.average_policy())
    assert before == pytest.approx(of.nash_conv(of.uniform_policy()))
    exploitabilities = []
    for _ in range(3):
        solver.run(iterations)
        exploitabilities.append(of.nash_conv(solver.average_policy()))
    assert exploitabilities == sorted(exploitabilities, reverse=True)
    assert exploitabilities[-1] < before / 50
    assert solver.iteration == 3 * iterations


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("qj", 19.13929),
        ("aqj7", 4.63265),
        ("kqj7-spanish", 3.82857),
        ("kqj7-english", 3.29524),
        ("kqj7-swedish", 3.54881),
        ("kqj7-dutch", 4.43571),
        ("kqj7-draws", 2.74116),
    ],
)
def test_values_of_the_ladder(name: str, value: float) -> None:
    of, solver = tree(name), make_solver(tree(name), "dcfr")
    solver.run(1000)
    policy = solver.average_policy()
    assert of.exploitability(policy) < 2e-3
    assert of.expected_value(policy) == pytest.approx(value, abs=1e-3)


# --- sampling -----------------------------------------------------------------------------------


def sampled_regrets(algorithm: str, start: Any, samples: int) -> tuple[Any, Any, Any]:
    """Mean and standard error of the regrets of player 0 in a sample, and their exact sum."""
    of = tree("english qj7")
    solver = make_solver(of, algorithm, seed=3)
    own = of.sides[0].entries
    sums, squares = np.zeros(of.num_entries), np.zeros(of.num_entries)
    for _ in range(samples):
        solver.regrets[:] = start
        solver.iteration = 0
        solver.run(1)
        gain = solver.regrets - start
        sums += gain
        squares += gain * gain
    mean = sums / samples
    error = np.sqrt(np.maximum(squares / samples - mean**2, 0) / samples)
    exact = make_solver(of, "cfr")
    exact.regrets[:] = start
    exact.follow_regrets()
    exact.run(1)
    return mean[own], error[own], (exact.regrets - start)[own]


@pytest.mark.parametrize(
    ("algorithm", "samples"),
    [
        ("es-mccfr", 12_000),
        ("os-mccfr", 40_000),
        pytest.param("es-mccfr", 60_000, marks=pytest.mark.slow),
        pytest.param("os-mccfr", 200_000, marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("learnt", [False, True])
def test_sampled_regrets_are_unbiased(algorithm: str, samples: int, learnt: bool) -> None:
    start = np.zeros(tree("english qj7").num_entries)
    if learnt:
        solver = make_solver(tree("english qj7"), "cfr")
        solver.run(3)
        start = solver.regrets
    mean, error, exact = sampled_regrets(algorithm, start, samples)
    often = error > 0
    assert often.mean() > 0.1
    np.testing.assert_allclose(mean[~often], exact[~often], atol=1e-12)
    scores = (mean - exact)[often] / error[often]
    assert abs(scores).max() < 6
    assert 0.7 < scores.std() < 1.3
    assert abs(scores.mean()) < 0.2


@pytest.mark.parametrize("algorithm", SAMPLING)
def test_seeds_decide_what_is_sampled(algorithm: str) -> None:
    def learn(seed: int, parts: tuple[int, ...] = (5000,)) -> Any:
        solver = make_solver(tree("dutch qj7"), algorithm, seed=seed)
        for part in parts:
            solver.run(part)
        return solver.average_policy()

    assert (learn(1) == learn(1)).all()
    assert (learn(1) == learn(1, (1, 999, 2500, 0, 1500))).all()
    assert (learn(1) != learn(2)).any()


@pytest.mark.slow
def test_sampling_comes_close_to_the_equilibrium_of_a_larger_pack() -> None:
    of, solver = tree("kqj7-english"), make_solver(tree("kqj7-english"), "es-mccfr", seed=1)
    solver.run(2_000_000)
    assert of.exploitability(solver.average_policy()) < 0.1


# --- what is refused ----------------------------------------------------------------------------

WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("cfr-", {}, "algorithm: 'cfr-' is not allowed; it must be one of cfr, cfr\\+, "),
    ("cfr", {"seed": 1}, "cfr: the options {'seed': 1} are not allowed"),
    ("cfr", {"openspiel_order": 1}, "openspiel_order: 1 is not allowed"),
    ("dcfr", {"alpha": "1"}, "alpha: '1' is not allowed"),
    ("dcfr", {"gamma": float("nan")}, "gamma: nan is not allowed"),
    ("es-mccfr", {"seed": -1}, "seed: -1 is not allowed"),
    ("es-mccfr", {"seed": True}, "seed: True is not allowed"),
    ("os-mccfr", {"epsilon": 0}, "epsilon: 0 is not allowed"),
    ("os-mccfr", {"epsilon": 1.5}, "epsilon: 1.5 is not allowed"),
]


@pytest.mark.parametrize(("algorithm", "options", "message"), WRONG)
def test_wrong_options_are_named(algorithm: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match="^" + message):
        make_solver(tree("qj7"), algorithm, **options)


@pytest.mark.parametrize("iterations", [-1, 1.5, True])
def test_wrong_numbers_of_iterations_are_refused(iterations: Any) -> None:
    with pytest.raises(ValueError, match="^iterations: .* is not allowed"):
        make_solver(tree("qj7"), "cfr").run(iterations)


@each_algorithm
def test_solvers_state_their_memory(algorithm: str) -> None:
    needed = tree("qj7").size.solver_bytes
    with pytest.raises(TooLargeError, match=f"{needed:,} bytes, but only"):
        make_solver(tree("qj7"), algorithm, memory=needed - 1)
    solver = make_solver(tree("qj7"), algorithm, memory=needed)
    arrays = [solver.regrets, solver.averages, solver.average_policy()]
    if isinstance(solver, FullWidth):
        players = solver._players
        arrays += [players.policies[0], *players.plans, *players._values]
        assert sum(array.nbytes for array in arrays) >= 0.9 * needed
    assert sum(array.nbytes for array in arrays) <= needed
