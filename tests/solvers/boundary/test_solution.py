"""`solve_boundary`: the same as linear programs and plain play-outs that know only the rules."""

import random
from collections.abc import Mapping, Sequence
from itertools import islice
from math import comb
from typing import Any

import numpy as np
import pytest

from marjolet_spiel import kernel
from marjolet_spiel.array_types import Vector
from marjolet_spiel.cards import bits
from marjolet_spiel.solvers.boundary.deals import public_part
from marjolet_spiel.solvers.boundary.solution import (
    Boundary,
    BoundaryTree,
    InformationSet,
    enumerate_deals,
    solve_boundary,
    trick_so_far,
)
from marjolet_spiel.solvers.memory import TooLargeError
from marjolet_spiel.solvers.solve import solve
from tests.positions import State, decisions, load, walk
from tests.solvers.boundary.plain_boundary import (
    Deal,
    Plain,
    Strategy,
    Subgame,
    deals_of,
    in_trick,
    masks,
    trick_starts,
)
from tests.solvers.linear_program import game_value
from tests.variants import KQJ7, PROFILES, QJ7, VARIANTS, Params, each_profile, each_variant, over

SMALL: Mapping[str, Params] = {
    "english": KQJ7,
    "dutch": {**KQJ7, "profile": "dutch"},
    "spanish, with brisques": {**KQJ7, "profile": "spanish", "ranks": "AQJ7"},
    "swedish, with draws": {**KQJ7, "profile": "swedish", "ranks": "AKQJ7"},
    "dutch match": {**KQJ7, "profile": "dutch", "target": 60, "max_deals": 1},
}
PHASES = ("lead", "follow", "declare")

each_small = pytest.mark.parametrize("params", SMALL.values(), ids=SMALL.keys())


def start(params: Params, seed: int = 0, phase: str = "lead") -> State:
    """A state in the last stock trick of the first random game from a seed on that has one."""
    return next(trick_starts(params, range(seed, seed + 50), phase))


def some_deals(state: State, count: int) -> dict[Deal, float]:
    """Random weights of a few deals."""
    rng = random.Random(3)
    return {deal: rng.random() for deal in rng.sample(deals_of(state), count)}


def weight_of(deals: Mapping[Deal, float]) -> Any:
    """The same as a function of masks."""
    found = {masks(deal): weight for deal, weight in deals.items()}
    return lambda *deal: found.get(deal, 0.0)


# --- against a linear program -------------------------------------------------------------------


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("seed", range(3))
def test_value_is_that_of_the_linear_program(seed: int, phase: str) -> None:
    state = start(QJ7, seed, phase)
    found = solve_boundary(state, nash_conv=1e-6, max_iterations=10_000)
    assert found.nash_conv <= 1e-6
    assert found.value == pytest.approx(game_value(Subgame(state)), abs=1e-6)


@over(SMALL, quick=("spanish, with brisques", "dutch match"))
def test_value_with_melds_brisques_and_matches(params: Params) -> None:
    """In the middle of the trick with all deals, at its beginning with some, weighted."""
    for phase in ("follow", "declare"):
        state = start(params, 1, phase)
        found = solve_boundary(state, nash_conv=1e-6, max_iterations=10_000)
        assert found.value == pytest.approx(game_value(Subgame(state)), abs=2e-6)
    state = start(params, 2)
    deals = some_deals(state, 15)
    found = solve_boundary(state, weight_of(deals), nash_conv=1e-5, max_iterations=10_000)
    assert len(found.tree.deals) == 15
    assert found.bounds[0] - 1e-6 <= game_value(Subgame(state, deals)) <= found.bounds[1] + 1e-6
    assert found.nash_conv < 1e-4


@pytest.mark.slow
@each_small
def test_value_of_the_whole_trick(params: Params) -> None:
    state = start(params)
    found = solve_boundary(state, nash_conv=1e-6, max_iterations=5000)
    assert len(found.tree.deals) == 140
    value = game_value(Subgame(state))
    assert found.bounds[0] - 1e-6 <= value <= found.bounds[1] + 1e-6
    assert found.value == pytest.approx(value, abs=1e-5)


# --- against plain play-outs --------------------------------------------------------------------


def random_strategy(tree: BoundaryTree, player: int, seed: int) -> tuple[Any, Strategy]:
    """A policy in which a third of the actions are never taken: as a vector, and of states."""
    rng = np.random.default_rng(seed)
    table: dict[tuple[int, tuple[int, ...]], dict[int, float]] = {}

    def ask(here: InformationSet) -> dict[int, float]:
        weights = rng.random(len(here.legal))
        weights[weights < 0.3] = 0.0
        weights[-1] += 0.1
        row = dict(zip(here.legal, (weights / weights.sum()).tolist(), strict=True))
        return table.setdefault((here.hand, here.actions), row)

    vector = tree.policy_from(ask, player, everywhere=True)

    def strategy(state: State) -> Mapping[int, float]:
        legal, hand = state.legal_actions(), int(state.core.start[kernel.HAND0 + player])
        return {legal[0]: 1.0} if len(legal) == 1 else table[hand, tuple(state.core.log)]

    return vector, strategy


@each_small
@pytest.mark.parametrize("phase", PHASES)
def test_policies_are_worth_what_plain_play_outs_say(params: Params, phase: str) -> None:
    state = start(params, 3, phase)
    deals = some_deals(state, 15)
    tree = BoundaryTree(state.core.pos, weight_of(deals))
    plain = Plain(Subgame(state, deals))
    both = [random_strategy(tree, player, 7 + player) for player in range(2)]
    vectors, strategies = zip(*both, strict=True)
    assert tree.expected_value(vectors) == pytest.approx(plain.value(strategies), abs=1e-9)
    for player in range(2):
        value, best = tree.best_response(vectors[1 - player], player)
        wanted = plain.best_response(player, strategies[1 - player])
        assert value == pytest.approx(wanted, abs=1e-9)
        both_play = [best, vectors[1]] if player == 0 else [vectors[0], best]
        assert tree.expected_value(both_play) * (1 - 2 * player) == pytest.approx(value)


def test_every_end_is_there_once() -> None:
    for phase in PHASES:
        for state in islice(trick_starts(SMALL["dutch"], range(20), phase), 3):
            ends = sum(ways_to_end(world) for world, _ in Subgame(state).worlds)
            assert BoundaryTree(state.core.pos).num_ends == ends


def ways_to_end(state: State) -> int:
    """In how many ways the trick can go on to its end."""
    if not in_trick(state):
        return 1
    return sum(ways_to_end(state.child(action)) for action in state.legal_actions())


def play_out(pos: Vector, deal: Sequence[int], choose: Any) -> tuple[float, list[int]]:
    """The return of player 0 when a deal is played by `choose` and then by `solve`."""
    pos = pos.copy()
    pos[kernel.HAND0], pos[kernel.HAND1], pos[kernel.DOWN] = deal
    number, actions = pos[kernel.DEAL], []
    while pos[kernel.PLAYER] >= 0 and pos[kernel.TRICK] == pos[kernel.STOCK_TRICKS]:
        actions.append(choose(bits(int(kernel.legal_mask(pos)))))
        assert kernel.apply(pos, actions[-1])
    if pos[kernel.PHASE] == kernel.OVER or pos[kernel.DEAL] != number:
        return float(kernel.return_of_player_0(pos)), actions
    return solve(pos).value, actions


FULL: Mapping[str, Params] = {
    **{name: {"profile": name} for name in PROFILES},
    "marriages of jacks": VARIANTS["marriages of jacks"],
    "match": {"target": 300},
    "dutch match": {"profile": "dutch", "target": 300},
}


@over(FULL, quick=("marriages of jacks", "dutch match"))
@pytest.mark.parametrize("phase", PHASES)
def test_leaves_are_those_of_the_kernel_and_the_solver(params: Params, phase: str) -> None:
    """One deal alone, so that a way to play is worth its end."""
    rng, melds, swaps = random.Random(5), 0, 0
    for state in islice(trick_starts(params, range(60), phase), 8):
        pos = state.core.pos
        deal = rng.choice(enumerate_deals(pos).tolist())
        tree = BoundaryTree(pos, lambda *cards, deal=deal: float([*cards] == deal))
        for _ in range(6):
            value, actions = play_out(pos, deal, rng.choice)
            policies = [tree.policy_from(played(actions), p) for p in range(2)]
            assert tree.expected_value(policies) == pytest.approx(value, abs=1e-9)
            melds += sum(kernel.FIRST_MELD <= action < kernel.DONE for action in actions)
            swaps += kernel.SWAP in actions
    assert melds > 0
    assert swaps > 0 or phase == "declare"


def played(actions: Sequence[int]) -> Any:
    """The strategy that does what was done, and the lowest legal action elsewhere."""

    def ask(here: InformationSet) -> dict[int, float]:
        done = len(here.actions)
        there = here.actions == tuple(actions[:done])
        return {actions[done] if there else here.legal[0]: 1.0}

    return ask


# --- deals --------------------------------------------------------------------------------------


def test_full_pack_has_12012_deals() -> None:
    pos = next(state.core.pos for state in trick_starts({}, range(50)) if not known(state.core.pos))
    deals = enumerate_deals(pos)
    assert len(deals) == comb(13, 6) * 7 == 12_012
    assert len({*map(tuple, deals.tolist())}) == 12_012
    follow = next(
        s.core.pos for s in trick_starts({}, range(50), "follow") if not known(s.core.pos)
    )
    assert len(enumerate_deals(follow)) == comb(12, 5) * 7 == 5544
    window = next(
        s.core.pos for s in trick_starts({}, range(50), "declare") if not known(s.core.pos)
    )
    assert len(enumerate_deals(window)) == comb(11, 5) * 6 == 2772


def known(pos: Vector) -> int:
    """The cards in hands that everybody knows to be there."""
    return int(pos[kernel.KNOWN0] | pos[kernel.KNOWN1])


@each_small
def test_deals_are_all_ways_in_which_hidden_cards_may_lie(params: Params) -> None:
    for phase in PHASES:
        for state in islice(trick_starts(params, range(20), phase), 5):
            found = [*map(tuple, enumerate_deals(state.core.pos).tolist())]
            assert len({*found}) == len(found)
            assert {*found} == {masks(deal) for deal in deals_of(state)}


def test_known_cards_stay_where_they_are() -> None:
    seen = 0
    for state in trick_starts({}, range(40)):
        pos = state.core.pos
        deals, counts = enumerate_deals(pos), [0, 0]
        for player in range(2):
            own = int(pos[kernel.KNOWN0 + player])
            assert ((deals[:, player] & own) == own).all()
            assert ((deals[:, 1 - player] & own) == 0).all()
            counts[player] = 6 - own.bit_count()
        assert len(deals) == comb(sum(counts) + 1, counts[0]) * (counts[1] + 1)
        seen += known(pos) != 0
    assert seen > 5


# --- solutions ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def solved() -> Boundary:
    """A trick of a full pack."""
    return solve_boundary(start({}, 4))


@each_profile
def test_nash_conv_is_reached(profile: str) -> None:
    state = start({"profile": profile}, 6)
    found = solve_boundary(state)
    assert 0 <= found.nash_conv <= 0.1
    assert found.iterations <= 100
    assert found.bounds[0] <= found.value <= found.bounds[1]
    better = solve_boundary(state, nash_conv=0.005)
    assert better.nash_conv <= 0.005
    assert better.iterations > found.iterations
    assert found.bounds[0] <= better.value <= found.bounds[1]


def test_nash_conv_is_what_best_responses_gain(solved: Boundary) -> None:
    gains = [solved.best_response_value(solved.policies[1 - p], p) for p in range(2)]
    assert sum(gains) == pytest.approx(solved.nash_conv, abs=1e-9)
    asked = [
        solved.best_response_value(
            lambda here: solved.policy(here.player, here.hand, here.actions), player
        )
        for player in range(2)
    ]
    assert asked == pytest.approx(gains, abs=1e-9)


def test_iterations_are_limited() -> None:
    found = solve_boundary(start({}, 4), nash_conv=0, max_iterations=15)
    assert found.iterations == 15
    assert found.nash_conv > 0


def test_the_same_position_has_the_same_solution_whatever_is_hidden(solved: Boundary) -> None:
    state, rng = start({}, 4), np.random.default_rng(1)
    for player in range(2):
        other = solve_boundary(state.resample_from_infostate(player, rng))
        for one, two in zip(solved.policies, other.policies, strict=True):
            assert np.array_equal(one, two)
        assert other.value == solved.value
    world = solve_boundary(state.open_world(2))
    assert np.array_equal(world.policies[0], solved.policies[0])


def test_policies_are_distributions_over_legal_actions(solved: Boundary) -> None:
    for player in range(2):
        for here in islice(solved.tree.information_sets(player), 0, None, 50):
            row = solved.policy(player, here.hand, here.actions)
            assert tuple(row) == here.legal
            assert sum(row.values()) == pytest.approx(1)
            assert min(row.values()) >= 0


def test_whoever_has_a_window_may_close_it_whatever_he_holds(solved: Boundary) -> None:
    """So nobody can tell a window with nothing to declare from one in which nothing was."""
    windows = 0
    for here in solved.tree.information_sets(0):
        if len(here.actions) >= 2:
            node = solved.tree.node_after(here.actions)
            assert (node.legal >> kernel.DONE & 1 == 1).all()
            assert node.children[kernel.DONE] is None
            windows += 1
    assert windows > 0


def test_forced_actions_are_certain(solved: Boundary) -> None:
    lead = solved.tree.root
    card = next(iter(lead.children))
    answer = next(iter(solved.tree.node_after([card]).children))
    node = solved.tree.node_after([card, answer])
    row = int(np.flatnonzero(node.first < 0)[0])
    assert solved.policy(node.player, node.hands[row], [card, answer]) == {kernel.DONE: 1.0}


def test_values_of_actions_add_up_to_the_value(solved: Boundary) -> None:
    leader = solved.tree.root.player
    total, most = 0.0, 0.0
    for hand in solved.tree.root.hands.tolist():
        chance = solved.tree.weights[solved.tree.deals[:, leader] == hand].sum()
        row, values = solved.policy(leader, hand), solved.action_values(leader, hand)
        total += chance * sum(row[action] * values[action] for action in row)
        most += chance * max(values.values())
    assert total * (1 - 2 * leader) == pytest.approx(solved.value, abs=1e-9)
    assert total <= most <= total + solved.nash_conv + 1e-9


def test_beliefs_follow_from_the_other_players_policy(solved: Boundary) -> None:
    """After a lead, by Bayes' rule."""
    tree, leader = solved.tree, solved.tree.root.player
    here = next(iter(tree.information_sets(1 - leader)))
    (card,) = here.actions
    hands = tree.deals[tree.deals[:, 1 - leader] == here.hand][:, leader].tolist()
    shares = {hand: solved.policy(leader, hand).get(card, 0.0) for hand in hands}
    total = sum(shares.values())
    wanted = {hand: share / total for hand, share in shares.items() if share}
    assert solved.beliefs(1 - leader, here.hand, here.actions) == pytest.approx(wanted)
    assert len(hands) == 7
    assert sum(solved.beliefs(leader, int(tree.root.hands[0])).values()) == pytest.approx(1)


# --- weights ------------------------------------------------------------------------------------


def test_weights_may_be_a_function_or_numbers() -> None:
    state = start(KQJ7)
    deals = enumerate_deals(state.core.pos)
    wanted = deals[:, 0] % 7 + 1.0
    one = solve_boundary(state, wanted, nash_conv=0.01)
    two = solve_boundary(state, lambda hand0, hand1, down: hand0 % 7 + 1, nash_conv=0.01)
    assert one.value == two.value
    assert one.tree.weights == pytest.approx(wanted / wanted.sum())
    assert one.value != solve_boundary(state, nash_conv=0.01).value


def test_what_cannot_be_is_left_out() -> None:
    """Here whatever does not fit one hand of the leader."""
    state = start(KQJ7)
    leader = state.current_player()
    hand, other = np.unique(enumerate_deals(state.core.pos)[:, leader])[:2].tolist()
    found = solve_boundary(state, lambda *deal: deal[leader] == hand)
    assert {*found.tree.deals[:, leader].tolist()} == {hand}
    assert len(found.tree.deals) == 4
    assert len(found.policy(leader, hand)) == 3
    with pytest.raises(ValueError, match="is on turn then, who has one of 1 other hands"):
        found.policy(leader, other)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0], r"shape \(1,\) is not allowed; there must be one for each of the 140 deals"),
        (lambda *deal: -1.0, "from 0 and not all 0"),
        (lambda *deal: 0.0, "from 0 and not all 0"),
        (lambda *deal: float("nan"), "from 0 and not all 0"),
        (lambda *deal: "much", "each must be a number"),
    ],
)
def test_weights_that_are_none_are_refused(weights: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        solve_boundary(start(KQJ7), weights)


# --- where the trick began ----------------------------------------------------------------------


@each_variant
def test_start_of_the_trick_is_found(params: Params) -> None:
    rng, found = np.random.default_rng(4), 0
    for state in (s for seed in range(4) for s in decisions(params, seed) if in_trick(s)):
        pos, actions = trick_so_far(state)
        assert pos[kernel.PHASE] == kernel.LEAD
        for player in range(2):
            other, same = trick_so_far(state.resample_from_infostate(player, rng))
            assert same == actions
            assert np.array_equal(public_part(other), public_part(pos))
            assert other[kernel.HAND0 + player] == pos[kernel.HAND0 + player]
        for action in actions:
            assert kernel.apply(pos, action)
        assert np.array_equal(pos, state.core.pos)
        found += 1
    assert found > 0


def test_a_position_set_up_within_the_trick_begins_there() -> None:
    state = start({}, 1, "follow")
    there = load({}).new_initial_state(state.to_dict())
    there.apply_action(there.legal_actions()[0])
    pos, actions = trick_so_far(there)
    assert pos[kernel.PHASE] == kernel.FOLLOW
    assert actions == (state.legal_actions()[0],)


# --- refusals -----------------------------------------------------------------------------------


def test_other_positions_are_refused() -> None:
    refused = 0
    for state in walk({}, 1):
        pos = state.core.pos
        if not in_trick(state):
            wanted = "a player must be on turn in the last stock trick, 10, or in its window"
            with pytest.raises(ValueError, match=wanted):
                solve_boundary(pos)
            with pytest.raises(ValueError, match="is not allowed"):
                trick_so_far(state)
            refused += 1
    assert refused > 50


def test_too_many_deals_are_refused() -> None:
    with pytest.raises(TooLargeError, match="deals with .* plays of two cards are too many"):
        solve_boundary(start({"hand_size": 15}))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"nash_conv": -0.1}, "nash_conv: -0.1 is not allowed; it must be a number from 0"),
        ({"nash_conv": float("nan")}, "nash_conv: nan is not allowed"),
        ({"nash_conv": "0.1"}, "nash_conv: '0.1' is not allowed"),
        ({"max_iterations": 0}, "max_iterations: 0 is not allowed; it must be a whole number from"),
        ({"max_iterations": 2.5}, "max_iterations: 2.5 is not allowed"),
        ({"max_iterations": True}, "max_iterations: True is not allowed"),
    ],
)
def test_bad_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        solve_boundary(start(KQJ7), **options)


def test_bad_questions_are_refused(solved: Boundary) -> None:
    leader = solved.tree.root.player
    hand = int(solved.tree.root.hands[0])
    with pytest.raises(ValueError, match=f"player {leader} is on turn then"):
        solved.policy(1 - leader, hand)
    with pytest.raises(ValueError, match="after 0 of them the trick can go on with play"):
        solved.policy(leader, hand, [kernel.DONE])
    with pytest.raises(ValueError, match="float64 .* is not allowed; it must be float64"):
        solved.best_response_value(np.ones(3), 0)
    with pytest.raises(ValueError, match="it must be a distribution over"):
        solved.best_response_value(lambda here: {here.legal[0]: 0.5}, 0)
    with pytest.raises(ValueError, match="it must be a distribution over"):
        solved.best_response_value(lambda here: {kernel.SWAP: 1.0}, 0)
