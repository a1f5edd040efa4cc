"""The compiled core by itself: node counts, bits, and that it runs uncompiled too."""

import os
import random
import subprocess
import sys

import numpy as np
import pytest

from marjolet_spiel import cards, kernel
from marjolet_spiel.array_types import Vector
from marjolet_spiel.compiling import count, highest_bit, lowest, select
from marjolet_spiel.rules import Rules


def count_nodes(pos: Vector) -> tuple[int, int, int]:
    """Chance nodes, decisions and terminals of the tree below a position, by full traversal."""
    if pos[kernel.PHASE] == kernel.OVER:
        return 0, 0, 1
    chance = pos[kernel.PLAYER] == kernel.CHANCE
    mask = int(kernel.chance_mask(pos) if chance else kernel.legal_mask(pos))
    nodes = [int(chance), int(not chance), 0]
    for action in range(kernel.NUM_ACTIONS):
        if mask >> action & 1:
            child = pos.copy()
            assert kernel.apply(child, action)
            nodes = [a + b for a, b in zip(nodes, count_nodes(child), strict=True)]
    return nodes[0], nodes[1], nodes[2]


@pytest.mark.parametrize(
    ("profile", "ranks", "hand_size", "dealer", "terminals"),
    [
        ("english", "QJ7", 2, 0, 2_196),
        ("english", "QJ7", 2, 1, 2_196),
        pytest.param("english", "KQJ7", 3, 0, 189_744, marks=pytest.mark.slow),
        pytest.param("dutch", "KQJ7", 3, 0, 233_040, marks=pytest.mark.slow),
        pytest.param("english", "AQJ7", 3, 0, 175_232, marks=pytest.mark.slow),
    ],
)
def test_size_of_small_trees(
    profile: str, ranks: str, hand_size: int, dealer: int, terminals: int
) -> None:
    rules = Rules.of(
        profile=profile, num_suits=2, ranks=ranks, hand_size=hand_size, first_dealer=dealer
    )
    assert count_nodes(kernel.initial_position(rules))[2] == terminals


def test_bits_against_plain_python() -> None:
    rng = random.Random(1)
    for _ in range(5_000):
        mask = rng.getrandbits(62) & rng.getrandbits(62) or 1
        bits = [bit for bit in range(62) if mask >> bit & 1]
        assert count(mask) == len(bits)
        assert lowest(mask) == bits[0]
        k = rng.randrange(len(bits))
        assert select(mask, k) == bits[k]
        low = mask & 0xFFFFFFFF
        assert highest_bit(low) == (1 << low.bit_length() >> 1)


def test_illegal_action_changes_nothing() -> None:
    pos = kernel.initial_position(Rules.of(first_dealer=0))
    before = pos.copy()
    for action in (-1, 32, 58, 63, 200):
        assert not kernel.apply(pos, action)
        assert (pos == before).all()


def test_meld_values_are_those_of_the_rules() -> None:
    for jack_queen in ("trump_jack", "suit_jack_marjolet", "suit_jack_marriage"):
        for four in ("marjolet", "bezique"):
            rules = Rules.of(jack_queen=jack_queen, four_of_a_kind=four)
            pos = kernel.initial_position(rules)
            for trump in range(4):
                pos[kernel.TRUMP] = trump
                for meld in range(25):
                    value = kernel.meld_value(pos, meld)
                    assert value == rules.meld_value(meld, trump)
                    assert bool(pos[kernel.COUNTING0 + trump] >> meld & 1) == (value > 0)


def test_uncompiled_code_gives_the_same_playouts() -> None:
    """Debugging with NUMBA_DISABLE_JIT=1 must show the same game."""
    code = (
        "from marjolet_spiel.simulate import play_random; from marjolet_spiel.rules import Rules;"
        "r = Rules.of(profile='dutch', target=120);"
        "p = play_random(r, 20, seed=5); print(p.points.tolist(), p.melds.sum(0).tolist())"
    )
    outputs = []
    for disable in ("0", "1"):
        env = {**os.environ, "NUMBA_DISABLE_JIT": disable}
        run = subprocess.run(
            [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True
        )
        outputs.append(run.stdout)
    assert outputs[0] == outputs[1]
    assert len(outputs[0]) > 100


def test_melds_touching_a_hand_have_a_card_in_it() -> None:
    rng = np.random.default_rng(4)
    for _ in range(2000):
        hand = cards.mask_of(rng.choice(32, size=int(rng.integers(0, 9)), replace=False).tolist())
        melds = [m for m in range(cards.NUM_MELDS) if cards.mask_of(cards.meld_cards(m)) & hand]
        assert kernel.melds_touching(hand) == sum(1 << meld for meld in melds)
