"""The sequential test: its arithmetic, and how often it errs in simulated tournaments."""

import heapq
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import inf, log, sqrt

import numpy as np
import pytest
from scipy import stats

from scripts.arena.plan.hypotheses import Hypotheses, parse_sprt
from scripts.arena.stats.sequential import (
    LOWER,
    MIN_EFFECTIVE,
    MIN_PAIRS,
    SURE,
    UPPER,
    SequentialTest,
    Verdict,
)
from tests.places import DATA
from tests.variants import mostly_slow

MARGINS = DATA / "pair_margins.json"
Margins = np.ndarray
Draw = Callable[[np.random.Generator, tuple[int, ...]], Margins]


def blocks_of(margins: Sequence[float], size: int = 10) -> list[list[float]]:
    """Margins in blocks of a size."""
    return [list(margins[i : i + size]) for i in range(0, len(margins), size)]


def verdict_on(
    hypotheses: Hypotheses, blocks: Iterable[Sequence[float]], most: float = inf
) -> Verdict:
    """What a test says of blocks of pair means, in the order of the plan and without gaps."""
    test = SequentialTest(hypotheses, most)
    for pair_means in blocks:
        if test.add(pair_means).accepted is not None:
            break
    return test.verdict


# Hypotheses.


@pytest.mark.parametrize(
    ("text", "t0", "t1", "canonical"),
    [
        ("0,5", 0, 5, "0,5"),
        (" -2.50 , 1e1", -2.5, 10, "-2.5,10"),
        ("-0.0,0.1", 0, 0.1, "0,0.1"),
        ("-1e-7,0", -1e-7, 0, "-1e-07,0"),
    ],
)
def test_hypotheses_have_one_text(text: str, t0: float, t1: float, canonical: str) -> None:
    found = parse_sprt(text)
    assert (found.t0, found.t1) == (t0, t1)
    assert str(found) == canonical
    assert parse_sprt(canonical) == found


@pytest.mark.parametrize(
    "text", ["", "5", "0;5", "0,5,6", "a,b", "5,0", "1,1", "0,inf", "-inf,0", "nan,1", "0,nan", ","]
)
def test_bad_hypotheses_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="sprt: .* is not allowed; it reads t0,t1") as error:
        parse_sprt(text)
    assert repr(text) in str(error.value)


@pytest.mark.parametrize("text", ["-1,0", "0,1", "0,5", "-3,-2"])
def test_means_that_cannot_be_are_refused(text: str) -> None:
    parse_sprt(text, 10)
    with pytest.raises(ValueError, match="lie between -1 and 1"):
        parse_sprt(text, 1)


# The arithmetic.


def test_ratio_is_that_of_likelihoods() -> None:
    """Symmetric margins: the formula, and the likelihoods of normal margins by scipy."""
    deviations = np.random.default_rng(1).normal(0, 40, 15)
    margins = np.concatenate([3 + deviations, 3 - deviations])
    t0, t1 = 0.0, 4.0
    found = verdict_on(Hypotheses(t0, t1), [margins.tolist()])
    s2, mean, n = margins.var(), margins.mean(), len(margins)
    ratio = n / 2 * log((s2 + (mean - t0) ** 2) / (s2 + (mean - t1) ** 2))
    best = [stats.norm(t, sqrt(s2 + (mean - t) ** 2)).logpdf(margins).sum() for t in (t0, t1)]
    assert found.llr == pytest.approx(ratio)
    assert found.llr == pytest.approx(best[1] - best[0])
    assert (found.accepted, found.pairs, found.blocks) == (None, 30, 1)
    assert (found.lower, found.upper) == pytest.approx((-log(19), log(19)))


def test_skewness_is_taken_out_as_hall_does() -> None:
    margins = np.random.default_rng(2).exponential(10, 57)
    n, skewness = len(margins), stats.skew(margins)
    squares = []
    for t in (8.0, 11.0):
        far = (margins.mean() - t) / margins.std() * sqrt(n)
        hall = far + skewness * far**2 / (3 * sqrt(n)) + skewness**2 * far**3 / (27 * n)
        squares.append((hall + skewness / (6 * sqrt(n))) ** 2 / n)
    ratio = n / 2 * log((1 + squares[0]) / (1 + squares[1]))
    assert verdict_on(Hypotheses(8, 11), [margins.tolist()]).llr == pytest.approx(ratio)


def test_mirror_image_has_the_opposite_verdict() -> None:
    rng = np.random.default_rng(3)
    accepted = set()
    for _ in range(20):
        margins = rng.exponential(20, 200)
        one = verdict_on(Hypotheses(15, 25), blocks_of(margins.tolist()), 650)
        other = verdict_on(Hypotheses(-25, -15), blocks_of((-margins).tolist()), 650)
        assert other.llr == pytest.approx(-one.llr)
        assert (other.blocks, other.pairs) == (one.blocks, one.pairs)
        assert {one.accepted, other.accepted} in ({"H0", "H1"}, {None})
        accepted.add(one.accepted)
    assert {"H0", "H1"} <= accepted


def test_first_decision_holds() -> None:
    good, bad = [[20.0, 30.0, 10.0] * 10] * 2, [[-20.0, -30.0, -10.0] * 10] * 50
    found = verdict_on(Hypotheses(0, 5), good + bad)
    assert (found.accepted, found.blocks, found.pairs) == ("H1", 1, 30)
    assert found.llr >= UPPER
    assert verdict_on(Hypotheses(0, 5), bad + good).accepted == "H0"
    assert verdict_on(Hypotheses(0, 5), bad + good).llr <= LOWER
    test = SequentialTest(Hypotheses(0, 5))
    assert [test.add(block) for block in good + bad] == [found] * 52


def test_looks_after_blocks_only() -> None:
    margins = [20.0, 30.0, 10.0] * 20
    assert verdict_on(Hypotheses(0, 5), blocks_of(margins, 30)).pairs == 30
    assert verdict_on(Hypotheses(0, 5), blocks_of(margins, 40)).pairs == 40
    assert verdict_on(Hypotheses(0, 5), blocks_of(margins, 1)).pairs == MIN_PAIRS


def test_blocks_without_margins_count_as_blocks_alone() -> None:
    margins = blocks_of([20.0, 30.0, 10.0] * 20)
    found = verdict_on(Hypotheses(0, 5), [[], *margins[:2], [], [], *margins[2:]])
    assert (found.accepted, found.blocks, found.pairs) == ("H1", 6, 30)
    assert verdict_on(Hypotheses(0, 5), [[], []]) == Verdict(None, 2, 0, 0.0)
    assert verdict_on(Hypotheses(0, 5), []) == Verdict(None, 0, 0, 0.0)


def test_few_exceptions_are_not_enough() -> None:
    """Rare wins may all come late: without any H0 would look certain."""
    margins = [0.0] * 400
    margins[::50] = [1.0] * 8
    found = verdict_on(Hypotheses(0, 0.2), [margins])
    assert found.accepted is None
    assert found.llr < LOWER
    margins[::25] = [1.0] * 16
    assert MIN_EFFECTIVE < 16
    assert verdict_on(Hypotheses(0, 0.2), [margins]).accepted == "H0"


# Pairs that do not vary.


def test_equal_pairs_alone_never_decide() -> None:
    for margin in (0.0, 0.1, 5.0, -7.3, 2.5):
        found = verdict_on(Hypotheses(0, 5), [[margin] * 10] * 100)
        assert found == Verdict(None, 100, 1000, 0.0)


def test_equal_pairs_decide_when_margins_have_a_limit() -> None:
    """All matches lost: if the mean were 0.1, a fair bet would have won 1,000 times its stake."""
    found = verdict_on(Hypotheses(0, 0.1), blocks_of([-1.0] * 50, 1), most=1)
    pairs = int(np.ceil(SURE / log(1 + 0.5 * 1.1 / 0.9)))
    assert found == Verdict("H0", pairs, pairs, 0.0, by_bet=True)
    assert verdict_on(Hypotheses(-0.1, 0), blocks_of([1.0] * 50, 1), most=1).accepted == "H1"
    level = verdict_on(Hypotheses(0, 5), blocks_of([0.0] * 5000), most=650)
    assert (level.accepted, level.by_bet) == ("H0", True)
    assert 1000 < level.pairs < 3000
    assert verdict_on(Hypotheses(-5, 0), blocks_of([0.0] * 5000), most=650).accepted == "H1"


def test_bet_in_favour_of_the_nearer_hypothesis() -> None:
    assert verdict_on(Hypotheses(-5, 6), blocks_of([0.0] * 9000), most=650).accepted == "H0"
    assert verdict_on(Hypotheses(-6, 5), blocks_of([0.0] * 9000), most=650).accepted == "H1"


def test_bet_errs_once_in_a_thousand_runs() -> None:
    """The worst case that there is: no margin but the largest and the smallest."""
    rng = np.random.default_rng(4)
    wrong = 0
    for _ in range(4000):
        test = SequentialTest(Hypotheses(-0.2, 0.2), 1)
        for margin in rng.choice([-1.0, 1.0], size=29, p=[0.6, 0.4]).tolist():  # H0 holds
            test.add([margin])
        wrong += test.verdict.accepted == "H1"
        assert test.verdict.accepted is None or test.verdict.by_bet
    assert wrong <= 4 + 3 * 2


def test_skewness_does_not_turn_the_tables() -> None:
    """However skewed the margins are, a mean at t0 speaks for H0 and one at t1 for H1."""
    for rare in (0.01, 0.03, 0.1, 0.3):
        margins = np.zeros(2000)
        margins[: int(2000 * rare)] = 1
        for t0, t1 in ((rare, rare + 0.2), (rare, rare + 0.7), (rare, rare + 7)):
            for sign, low, high in ((1, t0, t1), (-1, -t1, -t0)):
                found = verdict_on(Hypotheses(low, high), [(sign * margins).tolist()])
                assert found.accepted == ("H0" if sign == 1 else "H1")


def test_margins_beyond_the_limit_are_refused() -> None:
    for margin in (1.5, -1.5, inf, float("nan")):
        with pytest.raises(ValueError, match="none is beyond 1"):
            verdict_on(Hypotheses(0, 0.1), [[0.0, margin]], most=1)


# How often it errs.


@dataclass(frozen=True)
class Kind:
    """Margins of mean 0, what t1 is when t0 is 0, and how large they can be."""

    draw: Draw
    t1: float
    most: float = inf


def real_margins() -> Margins:
    """Pair means of games that were played, shifted to mean 0."""
    margins = np.array(json.loads(MARGINS.read_text(encoding="utf-8"))["margins"])
    assert len(margins) == 300
    return margins - margins.mean()


def choice(values: Sequence[float], chances: Sequence[float]) -> Draw:
    """Margins that are some values, with their mean taken out."""
    mean = float(np.dot(values, chances))
    return lambda rng, shape: rng.choice(values, p=chances, size=shape) - mean


_REAL = real_margins()
KINDS = {
    "normal": Kind(lambda rng, shape: rng.normal(0, 40, shape), 10),
    "match": Kind(choice([-1, 0, 1], [0.25, 0.5, 0.25]), 0.15, 2),
    "match often lost": Kind(choice([-1, 0, 1], [0.7, 0.25, 0.05]), 0.15, 2),
    "rare wins": Kind(choice([0, 1], [0.95, 0.05]), 0.05, 2),
    "real": Kind(lambda rng, shape: rng.choice(_REAL, shape), 10),
    "real, small difference": Kind(lambda rng, shape: rng.choice(_REAL, shape), 5),
    "skewed": Kind(lambda rng, shape: rng.exponential(40, shape) - 40, 8),
    "heavy tails": Kind(lambda rng, shape: rng.standard_t(3, shape) * 25, 10),
}
"""In points, or +1 and -1 for matches. A mean is given to them by shifting."""


def simulate(kind: Kind, truth: float, runs: int, seed: int, pairs: int = 1500) -> list[Verdict]:
    """The verdicts of runs whose mean margin is `truth` times t1."""
    rng = np.random.default_rng(seed)
    hypotheses = Hypotheses(0, kind.t1)
    verdicts = []
    for _ in range(runs):
        margins = kind.draw(rng, (pairs // 10, 10)) + truth * kind.t1
        verdicts.append(verdict_on(hypotheses, margins.tolist(), kind.most))
    return verdicts


def share(verdicts: Sequence[Verdict], accepted: str) -> float:
    """How many of them accept a hypothesis."""
    return sum(verdict.accepted == accepted for verdict in verdicts) / len(verdicts)


def tolerance(runs: int) -> float:
    """Three standard errors of a share of 5%."""
    return 3 * sqrt(0.05 * 0.95 / runs)


@pytest.mark.parametrize("runs", mostly_slow((250, 1000), quick=(250,)))
@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS.keys())
def test_error_rates(kind: Kind, runs: int) -> None:
    for truth, wrong, right in ((0, "H1", "H0"), (1, "H0", "H1")):
        verdicts = simulate(kind, truth, runs, seed=5)
        assert share(verdicts, wrong) <= 0.05 + tolerance(runs)
        assert share(verdicts, right) >= 0.9


@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS)
def test_error_rates_in_many_runs(name: str) -> None:
    """Also between and beyond the hypotheses; `-s` shows the rates and how many pairs it took."""
    runs, kind = 5000, KINDS[name]
    rates = {}
    for truth in (-0.5, 0, 0.5, 1, 1.5):
        verdicts = simulate(kind, truth, runs, seed=6, pairs=4000)
        rates[truth] = share(verdicts, "H0"), share(verdicts, "H1")
        pairs = np.mean([verdict.pairs for verdict in verdicts])
        print(f"{name:>22} mean {truth:+.1f} t1: H0 {rates[truth][0]:.4f}", end=" ")
        print(f"H1 {rates[truth][1]:.4f}, {pairs:.0f} pairs")
    assert rates[0][1] <= 0.05 + tolerance(runs)
    assert rates[1][0] <= 0.05 + tolerance(runs)
    assert rates[-0.5][1] <= rates[0][1]
    assert rates[1.5][0] <= rates[1][0]
    assert min(sum(pair) for pair in rates.values()) > 0.97


# Several workers.


def completion_order(durations: Sequence[float], workers: int) -> list[int]:
    """The blocks as they are finished, if workers take them in the order of the plan."""
    order: list[int] = []
    busy: list[tuple[float, int]] = []
    for block, duration in enumerate(durations):
        start = 0.0
        if len(busy) == workers:
            start, finished = heapq.heappop(busy)
            order.append(finished)
        heapq.heappush(busy, (start + duration, block))
    return order + [block for _, block in sorted(busy)]


def verdict_of_prefix(
    hypotheses: Hypotheses, blocks: Sequence[Sequence[float]], order: Sequence[int]
) -> Verdict:
    """What a runner concludes that looks at the finished blocks up to the first gap."""
    test, finished, looked = SequentialTest(hypotheses), set(), 0
    for block in order:
        finished.add(block)
        while looked in finished and test.verdict.accepted is None:
            test.add(blocks[looked])
            looked += 1
    return test.verdict


def test_workers_change_nothing_but_deciding_as_blocks_come_in_would_err() -> None:
    """H0 holds, and pairs that are lost take twice as long."""
    kind, runs = KINDS["real"], 400
    hypotheses = Hypotheses(0, kind.t1)
    rng = np.random.default_rng(7)
    wrong, hasty = [], []
    for _ in range(runs):
        margins = kind.draw(rng, (150, 10))
        blocks, durations = margins.tolist(), (10 + (margins < 0).sum(axis=1)).tolist()
        assert completion_order(durations, 1) == list(range(150))
        order = completion_order(durations, 16)
        alone = verdict_on(hypotheses, blocks)
        assert verdict_of_prefix(hypotheses, blocks, order) == alone
        wrong.append(alone.accepted == "H1")
        hasty.append(verdict_on(hypotheses, [blocks[i] for i in order]).accepted == "H1")
    print(
        f"wrong: {np.mean(wrong):.3f} in the order of the plan, {np.mean(hasty):.3f} as they come"
    )
    assert np.mean(wrong) <= 0.05 + tolerance(runs)
    assert np.mean(hasty) > 0.05 + 2 * tolerance(runs)
