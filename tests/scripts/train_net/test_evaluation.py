"""What networks win against bots: the same as in the arena."""

from pathlib import Path

import numpy as np
import pytest

from marjolet_spiel.rules import Rules
from marjolet_spiel.solvers.network import NetworkPlayer, network_of, write_network
from scripts.arena.plan.config import make_config
from scripts.arena.plan.game_text import game_text
from scripts.arena.plan.pairings import Plan
from scripts.arena.play.games import play_block
from scripts.arena.store.records import whole_pairs
from scripts.train_net.evaluation import check_opponent, margins
from tests.bots.test_net_bot import SHAPE, weights
from tests.variants import KQJ7, Params

PAIRS = 5


@pytest.mark.parametrize(
    ("params", "opponent"),
    [
        ({}, "greedy"),
        ({"profile": "dutch"}, "ismcts:sims=10"),
        ({"profile": "spanish"}, "random"),
        (KQJ7, "greedy"),
    ],
)
def test_margins_are_those_of_the_arena(params: Params, opponent: str, tmp_path: Path) -> None:
    rules, path = Rules.of(**params), tmp_path / "net.npz"
    rounded = {name: array.astype(np.float16) for name, array in weights().items()}
    write_network(path, rules, SHAPE, rounded)
    player = NetworkPlayer(network_of(SHAPE, rounded), rules)
    found = margins(player, opponent, rules, 5, range(PAIRS))
    plan = Plan(make_config(game_text(params), [f"net:{path}", opponent], PAIRS, 5))
    games = [game for block in plan.blocks for game in play_block(plan, block).record.games]
    means = [sum(pair) / 2 for pair in whole_pairs(games).values()]
    assert found.tolist() == means
    assert len(set(means)) > 1
    later = margins(player, opponent, rules, 5, [3, 1])
    assert later.tolist() == [means[3], means[1]]


def test_opponents_are_our_bots_that_see_what_they_may() -> None:
    for fair in ("greedy", "ismcts:sims=10", "os_ismcts:sims=2"):
        check_opponent(fair, "python_marjolet")
    for other in ("cheat:sims=10", "tests.scripts.players:make_first"):
        with pytest.raises(ValueError, match=f"--opponents: '{other}' is not allowed"):
            check_opponent(other, "python_marjolet")
    with pytest.raises(ValueError, match="'nobody' is unknown"):
        check_opponent("nobody", "python_marjolet")
    with pytest.raises(ValueError, match="there is no such file"):
        check_opponent("cfr:none.npz", "python_marjolet")
