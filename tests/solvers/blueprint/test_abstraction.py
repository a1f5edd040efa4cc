"""What full-pack CFR tells apart, and what it must not."""

import itertools
from collections.abc import Sequence

import numpy as np
import pytest

from marjolet_spiel import cards, kernel
from marjolet_spiel.array_types import Vector
from marjolet_spiel.solvers.blueprint.abstraction import (
    BUCKET,
    CANDIDATES,
    CHOICE_SIZE,
    MAX_CLASSES,
    SCRATCH_SIZE,
    WORTH,
    describe,
    heuristic_policy,
)
from marjolet_spiel.solvers.blueprint.last_stock_trick import EXTRA_ROWS
from marjolet_spiel.solvers.endgame import endgame_table
from tests.positions import State, dealt, named, stock_choices
from tests.variants import Params, each_profile, each_variant

Description = tuple[int, list[int], list[float]]
"""The bucket, the candidates by class, and what the heuristic policy thinks of them."""


def description(pos: Vector) -> Description:
    """How a decision is described."""
    choice = np.zeros(CHOICE_SIZE, dtype=np.int64)
    scratch = np.full(SCRATCH_SIZE, np.nan)
    found = describe(
        pos, choice, scratch, endgame_table(int(pos[kernel.SWEEP_BONUS])).arrays(EXTRA_ROWS)
    )
    candidates = choice[CANDIDATES:].tolist()
    assert found == sum(action != kernel.NONE for action in candidates)
    worth = scratch[WORTH : WORTH + MAX_CLASSES].tolist()
    values = [value for value, action in zip(worth, candidates, strict=True) if action >= 0]
    return int(choice[BUCKET]), candidates, values


@each_variant
def test_candidates_are_different_legal_actions(params: Params) -> None:
    for seed in range(3):
        for state in stock_choices(params, seed):
            _, candidates, values = description(state.position())
            actions = [action for action in candidates if action != kernel.NONE]
            assert set(actions) <= set(state.legal_actions())
            assert len(set(actions)) == len(actions) > 0
            assert np.all(np.isfinite(values))


@each_variant
def test_descriptions_depend_on_nothing_hidden(params: Params) -> None:
    rng = np.random.default_rng(1)
    for state in stock_choices(params, 4):
        player, found = state.current_player(), description(state.position())
        for _ in range(4):
            assert description(state.resample_from_infostate(player, rng).position()) == found


@each_variant
def test_positions_of_a_bucket_have_candidates_of_the_same_classes(params: Params) -> None:
    classes: dict[int, list[bool]] = {}
    for seed in range(30):
        for state in stock_choices(params, seed):
            bucket, candidates, _ = description(state.position())
            there = [action != kernel.NONE for action in candidates]
            assert classes.setdefault(bucket, there) == there


# --- suits are interchangeable ------------------------------------------------------------------

_CARD_FIELDS = (kernel.TURN_UP, kernel.INDICATOR, kernel.LED)
_SET_FIELDS = (kernel.DOWN, *range(kernel.HAND0, kernel.DECLARED0))
_MELD_FIELDS = (kernel.DECLARED0, kernel.DECLARED1, kernel.WINDOW)


def renamed_card(card: int, suits: Sequence[int]) -> int:
    """A card with its suit renamed; NONE stays."""
    return card if card < 0 else suits[card >> 3] * 8 + (card & 7)


def renamed_meld(meld: int, suits: Sequence[int]) -> int:
    """A meld with its suits renamed."""
    if meld < cards.FIRST_MARRIAGE:
        return meld
    if meld < cards.FIRST_JACK_QUEEN:
        return cards.FIRST_MARRIAGE + suits[meld - cards.FIRST_MARRIAGE]
    jack, queen = divmod(meld - cards.FIRST_JACK_QUEEN, 4)
    return cards.FIRST_JACK_QUEEN + 4 * suits[jack] + suits[queen]


def renamed(pos: Vector, suits: Sequence[int]) -> Vector:
    """The same position when suit i is called ``suits[i]``."""
    twin = pos.copy()
    twin[kernel.TRUMP] = suits[pos[kernel.TRUMP]]
    for field in _CARD_FIELDS:
        twin[field] = renamed_card(int(pos[field]), suits)
    for field in _SET_FIELDS:
        twin[field] = cards.mask_of(renamed_card(c, suits) for c in cards.bits(int(pos[field])))
    for field in _MELD_FIELDS:
        twin[field] = cards.mask_of(renamed_meld(m, suits) for m in cards.bits(int(pos[field])))
    return twin


@each_profile
def test_descriptions_do_not_depend_on_the_names_of_suits(profile: str) -> None:
    """Within a window they may: there the rules want melds in the order of their ids."""
    orders = [*itertools.permutations(range(4))]
    count = 0
    for seed in range(4):
        for state in stock_choices({"profile": profile}, seed):
            pos = state.position()
            if pos[kernel.WINDOW]:
                continue
            bucket, candidates, values = description(pos)
            for suits in orders[1:]:
                other = description(renamed(pos, suits))
                assert other[0] == bucket
                assert other[2] == values
                if pos[kernel.PHASE] != kernel.DECLARE:
                    ranks = [(action - kernel.FIRST_PLAY) & 7 for action in candidates]
                    assert [(action - kernel.FIRST_PLAY) & 7 for action in other[1]] == ranks
                count += 1
    assert count > 1000


def test_renaming_is_seen_where_it_matters() -> None:
    """That the test above could fail: trumps with another plain suit is another position."""
    different = 0
    for state in stock_choices({}, 1):
        pos = state.position()
        twin = pos.copy()
        twin[kernel.TRUMP] = (pos[kernel.TRUMP] + 1) % 4
        different += description(pos)[0] != description(twin)[0]
    assert different > 5


# --- examples -----------------------------------------------------------------------------------


def candidates_of(state: State) -> list[str]:
    """The candidates by class as text, "" where there is none."""
    _, candidates, _ = description(state.position())
    return [named(state, action) if action >= 0 else "" for action in candidates]


def test_classes_to_answer_with() -> None:
    hands = ["TD QS 8H 7H 9D KD", "9S JS AD 9C KC TC"]
    loser, lost_brisque, taker, taking_brisque, ruff, ruffing = candidates_of(
        dealt({}, hands, "JC", "play TD")
    )
    assert loser in ("", "play 9S", "play JS")
    assert lost_brisque == taker == ""
    assert taking_brisque in ("", "play AD")
    assert ruff in ("", "play 9C", "play KC")
    assert ruffing in ("", "play TC")
    assert [taking_brisque, ruff] != ["", ""]


def test_hopeless_candidates_take_no_part() -> None:
    """To throw the ace of trumps under a low card is nothing to think about."""
    hands = ["9D QS 8H 7H TD KD", "9S JS AC 8D KC 7S"]
    assert "play AC" not in candidates_of(dealt({}, hands, "JC", "play 9D"))


def test_windows_offer_the_first_action_and_closing() -> None:
    hands = ["KS QS AH JD 7C TD", "TS JS TH 9D 9C 8S"]
    state = dealt({}, hands, "8C", "play AH, play TH")
    assert candidates_of(state) == ["swap", "done", "", "", "", ""]
    state.apply_action(state.string_to_action("swap"))
    assert candidates_of(state) == ["meld KS-QS", "done", "", "", "", ""]


def test_disjoint_windows_offer_the_best_declaration() -> None:
    """Of the set of queens and the marriages it would spoil."""
    hands = ["KS QS QH QC QD AC", "TS JS TH 9D 9C 8S"]
    played = "play AC, play 9C"
    state = dealt({"profile": "spanish"}, hands, "8C", played)
    assert candidates_of(state)[0] == "meld QS-QH-QD-QC"
    hands = ["KS QS QH QC KC AH", "TS JS TH 9D 9C 8S"]
    state = dealt({"profile": "spanish"}, hands, "8C", "play AH, play TH")
    assert candidates_of(state)[0] == "meld KS-QS"
    state.apply_action(state.string_to_action("meld KS-QS"))
    assert candidates_of(state)[0] == "meld KC-QC"


def test_heuristic_policies_are_distributions_that_go_by_value() -> None:
    choice, scratch = np.zeros(CHOICE_SIZE, dtype=np.int64), np.zeros(SCRATCH_SIZE)
    for state in stock_choices({}, 7):
        describe(state.position(), choice, scratch, endgame_table(50).arrays(EXTRA_ROWS))
        policy = np.full(MAX_CLASSES, np.nan)
        heuristic_policy(choice, scratch, policy)
        there = choice[CANDIDATES:] != kernel.NONE
        assert policy.sum() == pytest.approx(1)
        assert (policy[~there] == 0).all()
        assert (policy[there] > 0).all()
        best = np.where(there, scratch[WORTH : WORTH + MAX_CLASSES], -np.inf).argmax()
        assert policy.argmax() == best
