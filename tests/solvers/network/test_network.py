"""Networks: compiled play equals the plain formula, files are checked, nothing hidden counts."""

from pathlib import Path
from typing import Any

import numpy as np
import pyspiel
import pytest

from marjolet_spiel import compact
from marjolet_spiel.rules import Rules
from marjolet_spiel.solvers.network import (
    Network,
    NetworkPlayer,
    Shape,
    network_of,
    read_network,
    write_network,
)
from marjolet_spiel.solvers.network.inference import write_logits, write_many_logits
from marjolet_spiel.solvers.network.layers import logits, new_weights, values
from marjolet_spiel.solvers.solve import solve
from marjolet_spiel.vector import VectorEnv
from marjolet_spiel.worlds import seen_position
from tests.variants import Params, each_variant

SHAPES = (Shape(16, 1), Shape(8, 2), Shape(24, 4))


def noisy_weights(shape: Shape, seed: int = 1) -> dict[str, Any]:
    """Weights of which none is zero, so that each counts."""
    rng = np.random.default_rng(seed)
    return {
        name: (array + 0.1 * rng.standard_normal(array.shape)).astype(np.float32)
        for name, array in new_weights(shape, seed).items()
    }


def network(seed: int = 1, shape: Shape = SHAPES[1]) -> Network:
    """A network that nobody trained."""
    return network_of(shape, noisy_weights(shape, seed))


def observations(n: int = 30) -> np.ndarray:
    """Compact observations of some random games."""
    env, rng = VectorEnv("python_marjolet", n, 1, "compact"), np.random.default_rng(1)
    batch = env.reset()
    for _ in range(9):
        batch = env.step(np.argmax(batch.legal * (0.1 + rng.random(batch.legal.shape)), axis=1))
    return batch.observation.copy()


@pytest.mark.parametrize("shape", SHAPES)
def test_compiled_play_is_the_formula(shape: Shape) -> None:
    weights, seen = noisy_weights(shape), observations()
    expected = logits(np, weights, shape.layers, seen)
    net = network_of(shape, weights)
    found = np.full_like(expected, np.nan)
    write_many_logits(net, seen, found)
    assert np.allclose(found, expected, atol=1e-4)
    assert expected.std() > 0.1
    one = np.full(compact.NUM_ACTIONS, np.nan, dtype=np.float32)
    for row, whole in zip(seen, found, strict=True):
        write_logits(net, row, one)
        assert np.array_equal(one, whole)


@pytest.mark.parametrize("shape", SHAPES)
def test_plain_suits_may_change_places(shape: Shape) -> None:
    weights, seen = noisy_weights(shape), observations()
    blocks = seen[:, compact.GLOBAL_SIZE :].reshape(len(seen), 4, -1)
    turned = seen.copy()
    turned[:, compact.GLOBAL_SIZE :] = blocks[:, [0, 3, 1, 2]].reshape(len(seen), -1)
    one, two = (logits(np, weights, shape.layers, x) for x in (seen, turned))
    whole, suits = compact.GLOBAL_ACTIONS, compact.SUIT_ACTIONS
    assert np.allclose(one[:, : whole + suits], two[:, : whole + suits], atol=1e-4)
    plain, other = (x[:, whole + suits :].reshape(len(seen), 3, suits) for x in (one, two))
    assert np.allclose(plain[:, [2, 0, 1]], other, atol=1e-4)
    assert not np.allclose(plain, other, atol=1e-2)


def test_values_may_see_everything() -> None:
    shape = Shape(8, 2, "value", sees_all=True)
    weights, seen = noisy_weights(shape), observations()
    hidden = np.random.default_rng(2).random((len(seen), compact.HIDDEN_SIZE), np.float32)
    one = values(np, weights, 2, seen, hidden)
    assert one.shape == (len(seen),)
    assert not np.allclose(one, values(np, weights, 2, seen, 0 * hidden))


@each_variant
def test_plays_legally_as_its_seat_sees_it_and_the_endgame_exactly(params: Params) -> None:
    game = pyspiel.load_game("python_marjolet", dict(params))
    player, rng = NetworkPlayer(network(), game.rules), np.random.default_rng(3)
    state, drawn = game.new_initial_state(), set()
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(int(rng.choice(state.legal_actions())))
            continue
        me = state.current_player()
        world = state.resample_from_infostate(me, rng)
        views = [(seen_position(s, me), compact.compact_observation(s)) for s in (state, world)]
        policy = player.policy(*views[0])
        assert policy == player.policy(*views[1])
        assert sum(share for _, share in policy) == pytest.approx(1.0)
        assert {action for action, _ in policy} <= set(state.legal_actions())
        chosen = [player.choose(*view, seed=5, pure=False) for view in views]
        assert chosen[0] == chosen[1]
        assert chosen[0] in dict(policy)
        likeliest = player.choose(*views[0], seed=5, pure=True)
        assert dict(policy)[likeliest] == max(share for _, share in policy)
        if len(policy) > 1:
            drawn |= {player.choose(*views[0], seed, False) == likeliest for seed in range(30)}
        state.apply_action(chosen[0])
    assert drawn == {True, False}


def test_endgames_are_played_exactly() -> None:
    game, rng = pyspiel.load_game("python_marjolet(profile=dutch)"), np.random.default_rng(4)
    player, asked = NetworkPlayer(network(), game.rules), 0
    for _ in range(5):
        state = game.new_initial_state()
        while not state.is_terminal():
            legal = state.legal_actions()
            in_endgame = state.to_dict()["trick"] > game.rules.stock_tricks
            if in_endgame and len(legal) > 1:
                before, me = solve(state).value, state.current_player()
                action = player.choose(
                    seen_position(state, me), compact.compact_observation(state), 1, False
                )
                state.apply_action(action)
                after = state.returns()[0] if state.is_terminal() else solve(state).value
                assert after == before
                asked += 1
            else:
                state.apply_action(int(rng.choice(legal)))
    assert asked > 5


def test_files_keep_networks(tmp_path: Path) -> None:
    shape, path = SHAPES[2], tmp_path / "net.npz"
    weights = noisy_weights(shape)
    for rules in (Rules.of(), Rules.of(profile="dutch", target=300)):
        write_network(path, rules, shape, weights)
        found = read_network(path, Rules.of())
        assert (found.width, found.layers) == (24, 4)
        assert np.array_equal(
            found.weights, network_of(shape, weights).weights.astype(np.float16).astype(np.float32)
        )


def test_files_of_other_packs_and_damaged_ones_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "net.npz"
    with pytest.raises(ValueError, match=r"network '.*net.npz': there is no such file"):
        read_network(path, Rules.of())
    write_network(path, Rules.of(), SHAPES[0], noisy_weights(SHAPES[0]))
    with pytest.raises(ValueError, match=r"it was trained for pack\(num_suits=4,.* not pack\(num_"):
        read_network(path, Rules.of(num_suits=3, ranks="ATKQJ7", hand_size=4))
    whole = path.read_bytes()
    for content in (b"", whole[:-1], whole[: len(whole) // 2], bytes(len(whole))):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"network '.*net.npz': it is damaged"):
            read_network(path, Rules.of())
    rng, refused = np.random.default_rng(1), 0
    for place in rng.integers(0, len(whole), 60):
        turned = bytearray(whole)
        turned[place] ^= 1 << int(rng.integers(8))
        path.write_bytes(turned)
        found = damaged_or_not(path)
        refused += not len(found)
        assert np.isfinite(found).all()
    assert refused > 50  # the rest are bits that nobody reads, such as of dates


def damaged_or_not(path: Path) -> np.ndarray:
    """The weights in a file, or none if it is refused by name."""
    try:
        return read_network(path, Rules.of()).weights
    except ValueError as error:
        if "net.npz" not in str(error):
            raise
        return np.zeros(0)


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_weights_that_are_no_numbers_are_refused(tmp_path: Path, wrong: float) -> None:
    weights = noisy_weights(SHAPES[0])
    weights["whole.bias"][0] = wrong
    write_network(tmp_path / "net.npz", Rules.of(), SHAPES[0], weights)
    with pytest.raises(ValueError, match="its arrays do not fit together"):
        read_network(tmp_path / "net.npz", Rules.of())


def test_the_formula_is_the_same_in_jax() -> None:
    jnp = pytest.importorskip("jax.numpy")
    shape, seen = SHAPES[2], observations()
    weights = noisy_weights(shape)
    expected = logits(np, weights, shape.layers, seen)
    found = np.asarray(logits(jnp, weights, shape.layers, jnp.asarray(seen)))
    assert np.allclose(found, expected, atol=1e-4)
