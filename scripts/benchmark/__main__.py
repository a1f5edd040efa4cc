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
from absl import flags

import marjolet_spiel  # noqa: F401  (registers the games)
from marjolet_spiel import simulate
from marjolet_spiel.rules import PROFILES, Rules
from scripts.arena.plan.config import check_whole
from scripts.benchmark import arena, batches, peers, search, solving
from scripts.benchmark.timing import Work, ratio, side_by_side
from scripts.command_line import check_no_words, flags_parser, refuses

FLAGS = flags.FlagValues()

_ROUNDS = flags.DEFINE_integer("rounds", 5, "how often each thing is measured", flag_values=FLAGS)
_SECONDS = flags.DEFINE_float(
    "seconds", 1.0, "about how long one measurement takes", flag_values=FLAGS
)
_ARENA = flags.DEFINE_bool(
    "arena", False, "measure tournaments beside a bare loop, nothing else", flag_values=FLAGS
)
_PROFILES = flags.DEFINE_bool(
    "profiles", False, "also measure the kernel on every profile", flag_values=FLAGS
)

MAX_ROUNDS, MAX_SECONDS = 10_000, 86_400

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
    print(f"{what:36} {ours:>21}  {peer:58} {factor:>8}  {wanted}", flush=True)


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


def measure_batches(rounds: int, seconds: float) -> None:
    """Batches of games with one thread and two: beside OpenSpiel's vectorized environment."""
    works = {
        "one": batches.our_batches(OURS),
        "two": batches.our_batches(OURS, threads=2),
        "sync": batches.sync_vector_env(pyspiel.load_game(OURS)),
    }
    rates = side_by_side(works, rounds, seconds)
    one, two = (_rate(rates, threads, "decisions") for threads in ("one", "two"))
    sync = f"SyncVectorEnv of {batches.PEER_GAMES}, our game: {_rate(rates, 'sync', 'decisions')}"
    what = f"batches of {batches.GAMES:,} games"
    row(f"{what}, one thread", one, "", "", ">= 1,000,000 decisions/s")
    row(f"{what}, one thread", one, sync, f"{ratio(rates, 'one', 'sync'):.0f} x", ">= 100 x")
    row(
        f"{what}, 2 threads",
        two,
        f"one thread: {one}",
        f"{ratio(rates, 'two', 'one'):.2f} x",
        "2 x",
    )


def measure_endgame(rounds: int, seconds: float) -> None:
    """The endgame table: building, looking up, and alpha-beta for comparison."""
    positions = search.first_of_the_endgame(10_000)
    works = {
        "build": search.build_table,
        "look-up": search.look_up(positions),
        "alpha-beta": search.solve_positions(positions),
    }
    rates = side_by_side(works, rounds, seconds)
    build, each = 1 / median(rates["build"]), 1e6 / median(rates["look-up"])
    solved = f"alpha-beta: {1e6 / median(rates['alpha-beta']):.1f} us"
    differ = search.disagreements(positions)
    row("endgame table, built", f"{build:.2f} s", "", "", "< 3 s")
    factor = f"{ratio(rates, 'look-up', 'alpha-beta'):.0f} x"
    row("endgame table, a look-up of 6 cards", f"{each:.3f} us", solved, factor, "< 0.15 us")
    same = f"{len(positions) - differ:,} of {len(positions):,}"
    row("endgame table, equal to alpha-beta", same, "", "", "all")


def measure_ismcts(rounds: int, seconds: float) -> None:
    """ISMCTS at trick 1: beside OpenSpiel's in C++ on euchre and in Python on our game."""
    state = search.state_at_trick_1(OURS)
    works = {
        "ismcts": search.our_ismcts(state),
        "plain": search.our_ismcts(state, ",rollout=random,exact=no,priors=no"),
        "c++": peers.cpp_ismcts(peers.euchre_at_trick_1()),
        "python": peers.python_ismcts(state),
    }
    rates = side_by_side(works, rounds, seconds)
    for ours, name in (("ismcts", "ismcts at trick 1"), ("plain", "the same, random rollouts")):
        for peer, what, wanted in (
            ("c++", "pyspiel.ISMCTSBot, euchre", ">= 3 x"),
            ("python", "OpenSpiel's Python ISMCTS, our game", ">= 50 x"),
        ):
            peer_text = f"{what}: {_rate(rates, peer, 'sims')}"
            factor = f"{ratio(rates, ours, peer):.1f} x"
            row(name, _rate(rates, ours, "sims"), peer_text, factor, wanted)


def measure_arena(rounds: int, seconds: float) -> None:
    """Tournaments with one and two workers, and a bare loop without a referee."""
    for bot in ("random", "greedy", "ismcts"):
        works = {
            "one worker": arena.one_worker(bot),
            "one worker, unwatched": arena.one_worker(bot, watched=False),
            "two workers": arena.two_workers(bot),
            "bare": arena.bare_loop(bot),
        }
        rates = side_by_side(works, rounds, seconds)
        for name in list(works)[:-1]:
            peer = f"a bare loop: {_rate(rates, 'bare', 'games')}"
            factor = f"{ratio(rates, name, 'bare'):.2f} x"
            row(f"{bot}, {name}", _rate(rates, name, "games"), peer, factor, "")


def measure_cfr(rounds: int, seconds: float) -> None:
    """CFR+ on a small pack: beside OpenSpiel's on its cached tree, which takes a minute to make."""
    tree = solving.tree()
    works = {
        "sequence form": solving.our_cfr_plus(tree),
        "OpenSpiel's order": solving.our_cfr_plus(tree, openspiel_order=True),
        "c++": solving.openspiel_cfr_plus(tree),
    }
    rates = side_by_side(works, rounds, seconds)
    peer_text = f"pyspiel.CFRPlusSolver, cached tree: {median(rates['c++']):.2f} it/s"
    for ours in ("sequence form", "OpenSpiel's order"):
        what = f"CFR+ on 2 x KQJ7, {ours}"
        factor = f"{ratio(rates, ours, 'c++'):,.0f} x"
        row(what, _rate(rates, ours, "it"), peer_text, factor, ">= 10 x")


@refuses("benchmark")
def main(argv: Sequence[str]) -> int:
    """Measures and prints everything; bad input is one sentence and exit code 2."""
    check_no_words(argv)
    rounds, seconds = _ROUNDS.value, _SECONDS.value
    check_whole("rounds", rounds, 1, MAX_ROUNDS)
    if not 0 < seconds <= MAX_SECONDS:
        raise ValueError(
            f"seconds: {seconds} is not allowed; it must be above 0, at most {MAX_SECONDS}"
        )
    print(f"medians of {rounds} rounds of about {seconds:g} s each\n")
    row("what", "ours", "peer", "ratio", "wanted")
    if _ARENA.value:
        measure_arena(rounds, seconds)
        return 0
    measure_python_steps(rounds, seconds)
    measure_kernel(rounds, seconds, list(PROFILES) if _PROFILES.value else ["english"])
    measure_batches(rounds, seconds)
    measure_endgame(rounds, seconds)
    measure_ismcts(rounds, seconds)
    measure_cfr(rounds, seconds)
    taken = median(import_seconds(rounds))
    row("import and load, warm cache", f"{taken:.2f} s", "", "", f"< {IMPORT_LIMIT_SECONDS} s")
    return 0


parse_flags = flags_parser("benchmark", FLAGS, __doc__)


if __name__ == "__main__":
    sys.exit(main(parse_flags(sys.argv)))
