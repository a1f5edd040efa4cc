"""Facts of small packs, against play."""

import random
from collections import Counter
from typing import Any

import pytest

from marjolet_spiel import kernel
from marjolet_spiel.rules import Rules
from marjolet_spiel.solvers.tabular.tree import build_tree
from scripts.reference import __main__ as front
from scripts.reference.facts import facts


@pytest.mark.parametrize(
    ("pack", "known"),
    [
        ({"num_suits": 2, "ranks": "QJ7", "hand_size": 2}, {"swaps_held", "trumps_led"}),
        pytest.param(
            {"num_suits": 2, "ranks": "KQJ7", "hand_size": 3},
            set(front.FACTS),
            marks=pytest.mark.slow,  # melds need three cards in hand: there is no smaller pack
        ),
    ],
)
def test_facts_are_those_of_play(pack: dict[str, Any], known: set[str]) -> None:
    """Of random play, counted in many games."""
    tree = build_tree(Rules.of(first_dealer=0, **pack))
    found = facts(tree, tree.uniform_policy())
    rng, done, could = random.Random(1), Counter[str](), Counter[str]()
    for _ in range(6000):
        state = tree.game.new_initial_state()
        while not state.is_terminal():
            legal = state.legal_actions()
            action = rng.choice(legal)
            if state.is_chance_node():
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                action = rng.choices(outcomes, chances)[0]
            else:
                words = [state.action_to_string(each) for each in legal]
                chosen = state.action_to_string(action)
                if any(word.startswith("meld") for word in words):
                    could["melds_held"] += 1
                    done["melds_held"] += chosen == "done"
                if "swap" in words:
                    could["swaps_held"] += 1
                    done["swaps_held"] += chosen != "swap"
                trump = "SHDC"[state.core.pos[kernel.TRUMP]]
                kinds = {word.endswith(trump) for word in words if word.startswith("play")}
                is_first = "trick 1 of" in state.observation_string(0)
                if is_first and len(kinds) == 2 and state.core.pos[kernel.PHASE] == kernel.LEAD:
                    could["trumps_led"] += 1
                    done["trumps_led"] += chosen.endswith(trump)
            state.apply_action(action)
    for name, count in could.items():
        share = done[name] / count
        assert getattr(found, name) == pytest.approx(share, abs=4 * (0.25 / count) ** 0.5)
    assert set(could) == known


def leads_trumps_at_first_only(state: Any) -> list[tuple[int, float]]:
    """Leads a trump in trick 1 when it can, and none later unless it must; the rest is even."""
    legal, pos = state.legal_actions(), state.core.pos
    trump = "SHDC"[pos[kernel.TRUMP]]
    if pos[kernel.PHASE] == kernel.LEAD:
        is_first = "trick 1 of" in state.observation_string(0)
        wanted = [a for a in legal if state.action_to_string(a).endswith(trump) == is_first]
        legal = wanted or legal
    return [(action, 1 / len(legal)) for action in legal]


def test_trumps_are_counted_in_the_first_trick_alone() -> None:
    tree = build_tree(Rules.of(first_dealer=0, num_suits=2, ranks="QJ7", hand_size=2))
    table: dict[str, list[tuple[int, float]]] = {}
    stack = [tree.game.new_initial_state()]
    while stack:
        state = stack.pop()
        if state.is_player_node():
            table[state.information_state_string()] = leads_trumps_at_first_only(state)
        stack += [state.child(action) for action in state.legal_actions()]
    assert facts(tree, tree.policy_from(table)).trumps_led == 1
