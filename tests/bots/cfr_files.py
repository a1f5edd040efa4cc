"""Small trainings of full-pack CFR, for the tests."""

from functools import cache
from pathlib import Path

from marjolet_spiel.rules import Rules
from marjolet_spiel.solvers.blueprint.file import write_policy
from marjolet_spiel.solvers.blueprint.training import Training
from tests.variants import Params


def trained(params: Params, iterations: int = 200, seed: int = 1) -> Training:
    """A short training for the deals of a game."""
    return _trained(tuple(sorted(params.items())), iterations, seed)


@cache
def _trained(params: tuple[tuple[str, str | int], ...], iterations: int, seed: int) -> Training:
    training = Training(Rules.of(**dict(params)), seed, rows=1 << 14)
    training.run(iterations)
    return training


def write_trained(path: Path, params: Params, iterations: int = 200, seed: int = 1) -> str:
    """Writes the policy of a short training to a file, whose name is given back."""
    training = trained(params, iterations, seed)
    write_policy(path, training.rules, training.policy())
    return str(path)
