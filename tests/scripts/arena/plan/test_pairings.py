"""Plans: their blocks, their order and their hash."""

from collections import Counter
from itertools import combinations

from scripts.arena.plan.config import make_config
from scripts.arena.plan.pairings import Plan

BOTS = ["random", "greedy", "random:seed=4"]


def plan(**changes: object) -> Plan:
    """A plan like no other in what is changed."""
    values: dict[str, object] = {"game": "python_marjolet", "bots": BOTS, "pairs": 25, "seed": 1}
    return Plan(make_config(**{**values, "block_pairs": 10, **changes}))  # type: ignore[arg-type]


def test_blocks_cover_every_pair_of_every_pairing_once() -> None:
    blocks = plan().blocks
    assert [block.index for block in blocks] == list(range(9))
    played = Counter((b.first, b.second, pair) for b in blocks for pair in b.pairs)
    wanted = {(*two, pair) for two in combinations(range(3), 2) for pair in range(25)}
    assert set(played) == wanted
    assert set(played.values()) == {1}
    assert [block.num_pairs for block in blocks] == [10] * 6 + [5] * 3
    assert plan().num_games == 2 * 25 * 3


def test_every_pairing_gets_on_alike() -> None:
    """Any beginning of the plan has about as many pairs of each pairing."""
    assert [(b.first, b.second) for b in plan().blocks[:3]] == [(0, 1), (0, 2), (1, 2)]


def test_longer_plans_begin_as_shorter_ones() -> None:
    assert plan(pairs=40).blocks[:6] == plan().blocks[:6]


def test_hash_tells_plans_apart() -> None:
    plans = [
        plan(),
        plan(game="python_marjolet(profile=dutch)"),
        plan(bots=BOTS[:2]),
        plan(bots=BOTS[::-1]),
        plan(pairs=26),
        plan(seed=2),
        plan(block_pairs=5),
    ]
    assert len({p.hash for p in plans}) == len(plans)
    assert len(plan().hash) == 64
    same = plan(
        game=" python_marjolet( profile=english, target=0 )",
        bots=["random", "greedy", "random: seed = 4"],
    )
    assert same == plan()
    assert same.hash == plan().hash
