"""The bot that plays the last stock trick from its equilibrium."""

from collections import Counter
from math import isnan

import numpy as np
import pytest
from scipy.stats import chisquare

from bots.registry import make_bot
from marjolet_spiel import kernel
from marjolet_spiel.solvers.boundary.solution import Boundary, solve_boundary
from tests.bots.quick import BOUNDARY, bot_for
from tests.positions import State, decisions, load, stock_choices
from tests.solvers.boundary.plain_boundary import in_trick
from tests.variants import PROFILES, Params, mostly_slow

PLAIN = BOUNDARY.replace(",boundary=yes", "")


def last_choices(params: Params, seed: int) -> list[State]:
    """The states of the last stock trick with a choice."""
    return [state for state in stock_choices(params, seed) if in_trick(state)]


def since_the_lead(state: State) -> tuple[State, list[int]]:
    """The state in which the trick was led to, and what was done since."""
    history, states = state.history(), [state.get_game().new_initial_state()]
    for action in history:
        states.append(states[-1].child(action))
    begin = max(i for i, s in enumerate(states) if s.core.pos[kernel.PHASE] == kernel.LEAD)
    return states[begin], history[begin:]


@pytest.mark.parametrize("profile", mostly_slow(PROFILES, quick=("dutch",)))
def test_policy_is_the_equilibrium_of_the_trick_from_its_lead(profile: str) -> None:
    phases = set()
    for seed in (10, 13, 15):
        solved: dict[str, Boundary] = {}
        for state in last_choices({"profile": profile}, seed):
            player, (lead, actions) = state.current_player(), since_the_lead(state)
            hand = int(lead.core.pos[kernel.HAND0 + player])
            found = solved.get(str(lead)) or solved.setdefault(str(lead), solve_boundary(lead))
            wanted = found.policy(player, hand, actions)
            assert dict(bot_for(BOUNDARY, state).get_policy(state)) == wanted
            phases.add(int(state.core.pos[kernel.PHASE]))
    assert phases == {kernel.LEAD, kernel.FOLLOW, kernel.DECLARE}


def test_actions_are_drawn_from_the_policy() -> None:
    """By seeds: the choice is a function of seed and information state."""
    state = next(
        state
        for seed in range(40)
        for state in last_choices({}, seed)
        if 0.2 < max(p for _, p in bot_for(BOUNDARY, state).get_policy(state)) < 0.8
    )
    policy = dict(bot_for(BOUNDARY, state).get_policy(state))
    counts = Counter(bot_for(BOUNDARY, state, seed).step(state) for seed in range(400))
    likely = {action: p for action, p in policy.items() if p > 0.02}
    rest = 1 - sum(likely.values())
    assert set(counts) <= {action for action, p in policy.items() if p > 0}
    seen = [*(counts[action] for action in likely)]
    left = 400 - sum(seen)
    expected = [400 * p for p in likely.values()]
    if rest > 0.01:
        seen, expected = [*seen, left], [*expected, 400 * rest]
    total = sum(seen)
    assert chisquare(seen, [e * total / sum(expected) for e in expected]).pvalue > 1e-4


def test_the_same_in_all_worlds_and_whatever_was_asked_before() -> None:
    rng = np.random.default_rng(3)
    for state in last_choices({"profile": "spanish"}, 5):
        player = state.current_player()
        bot = bot_for(BOUNDARY, state, 9)
        first = bot.step(state), bot.get_policy(state)
        for other in last_choices({"profile": "spanish"}, 6):
            if other.current_player() == player:
                bot.step(other)
        for _ in range(3):
            world = state.resample_from_infostate(player, rng)
            assert (bot.step(world), bot.get_policy(world)) == first
            assert bot_for(BOUNDARY, world, 9).step(world) == first[0]


@pytest.mark.parametrize(
    "params",
    [{}, {"target": 300}, {"hand_size": 15}],
    ids=["before and after the trick", "match", "too many deals"],
)
def test_elsewhere_it_is_the_search(params: Params) -> None:
    asked = 0
    for state in decisions(params, 7):
        if not in_trick(state) or params:
            one, two = bot_for(BOUNDARY, state), bot_for(PLAIN, state)
            assert one.step(state) == two.step(state)
            if len(state.legal_actions()) > 1:
                assert str(one.evaluate(state)) == str(two.evaluate(state))
                asked += 1
    assert asked > 5


@pytest.mark.parametrize(("games", "least"), [(9, 0), pytest.param(25, 2, marks=pytest.mark.slow)])
def test_values_say_that_likely_actions_are_good(games: int, least: int) -> None:
    """With what the other would have done, in windows as elsewhere; nan if he would not."""
    compared = Counter[int]()
    for state in (s for seed in range(games) for s in last_choices({}, seed)):
        bot = bot_for(BOUNDARY, state)
        found = bot.evaluate(state)
        assert [action for action, _, _ in found] == state.legal_actions()
        assert [(action, share) for action, _, share in found] == bot.get_policy(state)
        if not any(isnan(value) for _, value, _ in found):
            best = max(value for _, value, _ in found)
            assert all(value >= best - 2 for _, value, share in found if share > 0.3)
            compared[int(state.core.pos[kernel.PHASE])] += 1
    assert min(compared[phase] for phase in (kernel.LEAD, kernel.FOLLOW, kernel.DECLARE)) > least


def test_a_state_set_up_within_the_trick_is_solved_from_there() -> None:
    state = next(s for s in last_choices({}, 0) if s.core.pos[kernel.PHASE] == kernel.FOLLOW)
    there = load({}).new_initial_state(state.to_dict())
    player, hand = (
        there.current_player(),
        int(there.core.pos[kernel.HAND0 + there.current_player()]),
    )
    wanted = solve_boundary(there).policy(player, hand)
    assert dict(bot_for(BOUNDARY, there).get_policy(there)) == wanted


def test_it_is_an_option_of_ismcts() -> None:
    game = load({})
    assert type(make_bot("ismcts", game, 0, 1)) is not type(make_bot(BOUNDARY, game, 0, 1))
    assert make_bot("ismcts:boundary=yes,time=0.1", game, 0, 1).reproducible is False
    with pytest.raises(ValueError, match="boundary: 'perhaps' is not allowed; it must be one of"):
        make_bot("ismcts:boundary=perhaps", game, 0, 1)
