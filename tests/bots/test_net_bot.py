"""The bot that plays a network: what it plays, what that depends on, its files."""

import os
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyspiel
import pytest

from bots.net_bot import NetBot, net_bot
from bots.registry import make_bot, parse_spec
from marjolet_spiel.rules import Rules
from marjolet_spiel.solvers.network import SHIPPED, Network, network_of, read_network, write_network
from marjolet_spiel.solvers.network.layers import Shape, new_weights
from marjolet_spiel.solvers.search.leaves import solvable
from marjolet_spiel.solvers.solve import solve
from tests.positions import State, decisions, load, stock_choices, walk
from tests.variants import QJ7, Params, each_profile, each_variant

SHAPE = Shape(8, 2)


def weights(seed: int = 1) -> dict[str, Any]:
    """Weights of a network that prefers some actions."""
    return {
        name: array * 40 if name.split(".")[0] in ("whole", "trumps", "plains") else array
        for name, array in new_weights(SHAPE, seed).items()
    }


def network(seed: int = 1) -> Network:
    """A network that nobody trained."""
    return network_of(SHAPE, weights(seed))


def bot_for(state: State, seed: int = 1, pure: bool = False) -> NetBot:
    """A bot for whoever is on turn."""
    rules = state.get_game().rules
    return NetBot(rules, state.current_player(), seed, network(), pure)


@each_variant
def test_plays_legally_to_the_end(params: Params) -> None:
    game = load(params)
    for seed in range(3):
        bots = [NetBot(game.rules, player, seed, network(), seed > 0) for player in range(2)]
        assert sum(pyspiel.evaluate_bots(game.new_initial_state(), bots, seed)) == 0


@each_variant
def test_choices_depend_on_seed_and_information_state_alone(params: Params) -> None:
    rng, mixed = np.random.default_rng(2), 0
    for state in [state for seed in range(3) for state in decisions(params, seed)]:
        other = state.resample_from_infostate(state.current_player(), rng)
        bot = bot_for(state)
        policy, action = bot.step_with_policy(state)
        assert bot.get_policy(other) == policy
        assert bot.step(other) == bot.step(state) == action == bot_for(state).step(other)
        assert sum(chance for _, chance in policy) == pytest.approx(1)
        assert {each for each, _ in policy} <= set(state.legal_actions())
        mixed += len(policy) > 1
    assert mixed > 2


def test_draws_as_its_policy_says() -> None:
    state = next(state for state in stock_choices({}, 1) if len(state.legal_actions()) > 4)
    counts = Counter(bot_for(state, seed).step(state) for seed in range(2000))
    policy = dict(bot_for(state).get_policy(state))
    assert len(policy) > 4
    for action, chance in policy.items():
        assert counts[action] / 2000 == pytest.approx(chance, abs=0.05)


def test_pure_play_takes_what_is_most_likely() -> None:
    for state in stock_choices({}, 3):
        policy = dict(bot_for(state).get_policy(state))
        ((action, chance),) = bot_for(state, pure=True).get_policy(state)
        assert chance == 1
        assert policy[action] == max(policy.values())
        assert {bot_for(state, seed, pure=True).step(state) for seed in range(5)} == {action}


def test_last_tricks_are_exact() -> None:
    found = 0
    for state in decisions({}, 5):
        if solvable(state.core.pos) and len(state.legal_actions()) > 1:
            assert bot_for(state).step(state) in solve(state).best_moves
            found += 1
    assert found > 2


def test_refuses_other_states() -> None:
    for state in walk({}, 5):
        if state.current_player() not in (0, pyspiel.PlayerId.CHANCE):
            with pytest.raises(ValueError, match="player 0 is not on turn"):
                NetBot(Rules.of(), 0, 1, network()).step(state)
    state = decisions({"profile": "dutch"}, 4)[0]
    with pytest.raises(ValueError, match="profile=dutch.* is not allowed; it was made for"):
        NetBot(Rules.of(), state.current_player(), 1, network()).step(state)


# --- files --------------------------------------------------------------------------------------


def test_bots_are_named_with_their_file(tmp_path: Path) -> None:
    path = tmp_path / "net.npz"
    write_network(path, Rules.of(), SHAPE, weights())
    state = stock_choices({}, 2)[0]
    own = NetBot(Rules.of(), state.current_player(), 1, read_network(path, Rules.of()))
    for text in (f"net:{path}", f"net:file={path},pure=no"):
        bot = make_bot(text, load({}), state.current_player(), 1)
        assert bot.get_policy(state) == own.get_policy(state)
    pure = make_bot(f"net:{path},pure=yes", load({}), state.current_player(), 1)
    assert len(pure.get_policy(state)) == 1
    for wrong in ("net:pure=maybe", "net:width=3", "net:file="):
        with pytest.raises(ValueError, match="bot 'net"):
            parse_spec(wrong)


def test_one_file_is_for_all_rules_of_its_pack(tmp_path: Path) -> None:
    path = str(tmp_path / "net.npz")
    write_network(path, Rules.of(), SHAPE, weights())
    for params in ({"profile": "dutch"}, {"target": 300, "max_deals": 3}, {"sweep_bonus": 70}):
        game = load(params)
        bots = [net_bot(game, player, 1, path) for player in range(2)]
        assert sum(pyspiel.evaluate_bots(game.new_initial_state(), bots, 1)) == 0
    with pytest.raises(
        ValueError, match=r"network '.*net.npz': it was trained for pack\(num_suits=4"
    ):
        make_bot(f"net:{path}", load(QJ7), 0, 1)


def test_files_that_are_none_are_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"network '.*none.npz': there is no such file"):
        make_bot(f"net:{tmp_path / 'none.npz'}", load({}), 0, 1)
    path = tmp_path / "net.npz"
    write_network(path, Rules.of(), SHAPE, weights())
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match=r"network '.*net.npz': it is damaged"):
        make_bot(f"net:{path}", load({}), 0, 1)


def test_files_are_read_once_and_again_when_they_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(tmp_path / "net.npz")
    write_network(path, Rules.of(), SHAPE, weights())
    state = stock_choices({}, 2)[0]
    first = net_bot(load({}), state.current_player(), 1, path).get_policy(state)
    with monkeypatch.context() as patch:
        patch.setattr("bots.net_bot.read_network", lambda *arguments: pytest.fail("read again"))
        assert net_bot(load({}), state.current_player(), 1, path).get_policy(state) == first
    write_network(path, Rules.of(), SHAPE, weights(2))
    os.utime(path, ns=(1, 1))
    assert net_bot(load({}), state.current_player(), 1, path).get_policy(state) != first


@pytest.mark.skipif(not SHIPPED.exists(), reason="no network is shipped")
@each_profile
def test_our_own_network_beats_greedy(profile: str) -> None:
    from scripts.train_net.evaluation import margins

    rules = Rules.of(profile=profile)
    assert SHIPPED.stat().st_size < 1_000_000
    player = NetBot(rules, 0, 1, read_network(SHIPPED, rules)).network
    won = margins(player, "greedy", rules, 5, range(300))
    assert won.mean() - 2 * won.std() / np.sqrt(300) > 0
