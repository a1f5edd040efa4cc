"""Measures the speed of the game beside its peers: ``python -m scripts.benchmark``.

Prints a table with medians over rounds in which everything is measured in turn, and for each figure
what it is compared with and the ratio it should reach.
"""

import random
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from statistics import median
from typing import Any

import pyspiel
from absl import app, flags

import marjolet_spiel  # noqa: F401  (registers the games)
from marjolet_spiel import simulate
from marjolet_spiel.rules import PROFILES, Rules
from scripts.bench import peers
from scripts.bench.timing import Work, ratio, side_by_side

_ROUNDS = flags.DEFINE_integer("rounds", 5, "how often each thing is measured", lower_bound=1)
_SECONDS = flags.DEFINE_float("seconds", 1.0, "about how long one measurement takes")
_PROFILES = flags.DEFINE_bool("profiles", False, "also measure the kernel on every profile")

OURS = "python_marjolet"
IMPORT_LIMIT_SECONDS = 1.5


def python_steps(name: str) -> Work:
    """Plays random games from Python through pyspiel; the unit is a step, chance included."""
    game = pyspiel.load_game(name)
    rng = random.Random(1)

    def play(n: int) -> int:
        steps = 0
        for _ in range(n):
            steps += _play_once(game.new_initial_state(), rng.random)
        return steps

    return play


def _play_once(state: Any, uniform: Callable[[], float]) -> int:
    steps = 0
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes = state.chance_outcomes()
            action = outcomes[int(uniform() * len(outcomes))][0]
        else:
            actions = state.legal_actions()
            action = actions[int(uniform() * len(actions))]
        state.apply_action(action)
        steps += 1
    return steps


def kernel_deals(profile: str) -> Work:
    """Plays random deals in the kernel on one thread; the unit is a deal."""
    rules = Rules.of(profile=profile)

    def play(n: int) -> int:
        return len(simulate.play_random(rules, n, seed=1).returns)

    return play


def import_seconds(runs: int) -> list[float]:
    """Seconds from starting Python to having imported the package and loaded the game."""
    code = "import pyspiel, marjolet_spiel; pyspiel.load_game('python_marjolet')"
    taken = []
    for _ in range(runs + 1):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        taken.append(time.perf_counter() - start)
    return taken[1:]


def row(what: str, ours: str, peer: str, factor: str, wanted: str) -> None:
    """Prints one row of the table."""
    print(f"{what:34} {ours:>14}  {peer:46} {factor:>8}  {wanted}", flush=True)


def _rate(rates: dict[str, list[float]], name: str, unit: str) -> str:
    return f"{median(rates[name]):,.0f} {unit}/s"


def measure_python_steps(rounds: int, seconds: float) -> None:
    """Random games from Python: ours, an empty game, every Python game of OpenSpiel."""
    empty = peers.register_empty_game(peers.typical_deal(Rules.of()))
    names = [OURS, empty, *peers.shipped_python_games()]
    rates = side_by_side({name: python_steps(name) for name in names}, rounds, seconds)
    for peer in names[1:]:
        peer_text = f"{peer.removeprefix('python_')}: {_rate(rates, peer, 'steps')}"
        factor = f"{ratio(rates, OURS, peer):.2f} x"
        row("random games from Python", _rate(rates, OURS, "steps"), peer_text, factor, ">= 1 x")


def measure_kernel(rounds: int, seconds: float, profiles: Sequence[str]) -> None:
    """Random deals in the kernel: beside random euchre in C++."""
    works = {f"kernel {profile}": kernel_deals(profile) for profile in profiles}
    works["euchre"] = peers.evaluate_random_bots("euchre")
    rates = side_by_side(works, rounds, seconds)
    for profile in profiles:
        ours = f"kernel {profile}"
        row(
            f"random deals in the kernel, {profile}",
            _rate(rates, ours, "deals"),
            f"pyspiel.evaluate_bots, euchre: {_rate(rates, 'euchre', 'deals')}",
            f"{ratio(rates, ours, 'euchre'):.1f} x",
            ">= 15 x" if profile == "english" else "",
        )


def main(argv: Sequence[str]) -> None:
    """Measures and prints everything."""
    if len(argv) > 1:
        raise app.UsageError(f"unknown argument {argv[1]!r}; see --help")
    rounds, seconds = _ROUNDS.value, _SECONDS.value
    print(f"medians of {rounds} rounds of about {seconds:g} s each\n")
    row("what", "ours", "peer", "ratio", "wanted")
    measure_python_steps(rounds, seconds)
    measure_kernel(rounds, seconds, list(PROFILES) if _PROFILES.value else ["english"])
    taken = median(import_seconds(rounds))
    row("import and load, warm cache", f"{taken:.2f} s", "", "", f"< {IMPORT_LIMIT_SECONDS} s")


if __name__ == "__main__":
    app.run(main)
