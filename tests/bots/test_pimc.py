"""The PIMC bot: how it adds up worlds."""

import math
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms import minimax

from bots.pimc import PimcBot
from bots.registry import make_bot
from marjolet_spiel import kernel
from marjolet_spiel.solvers.search import PimcOptions
from marjolet_spiel.solvers.search.leaves import solvable
from marjolet_spiel.solvers.solve import solve
from tests.bots.quick import bot_for
from tests.positions import State, decisions, load, stock_choices
from tests.solvers.search.test_world_search import EXHAUSTIVE, NO_WINDOWS
from tests.variants import COVERING, VARIANTS, Params, each_variant, over


def test_the_same_seed_finds_the_same() -> None:
    for state in stock_choices({}, 1)[::3]:
        one, two = (bot_for("pimc:worlds=5,depth=3", state, 7) for _ in range(2))
        found = one.evaluate(state)
        assert two.evaluate(state) == one.evaluate(state) == found
        assert one.step(state) == two.step(state)


def test_seeds_make_a_difference() -> None:
    states = stock_choices({}, 2)
    runs = [[bot_for("pimc:worlds=2,depth=2", s, seed).step(s) for s in states] for seed in (1, 2)]
    assert runs[0] != runs[1]


# --- many worlds --------------------------------------------------------------------------------


def test_choices_are_by_the_mean_or_by_votes() -> None:
    differ = 0
    for seed in range(4):
        for state in stock_choices({}, seed):
            mean, vote = (
                bot_for(f"pimc:worlds=9,depth=2,choose={how}", state) for how in ("mean", "vote")
            )
            found = mean.evaluate(state)
            assert vote.evaluate(state) == found
            assert [action for action, *_ in found] == state.legal_actions()
            assert sum(votes for *_, votes in found) == pytest.approx(1)
            by_action = {action: (value, votes) for action, value, votes in found}
            chosen = by_action[mean.step(state)], by_action[vote.step(state)]
            assert chosen[0][0] == max(value for value, _ in by_action.values())
            assert chosen[1][1] == max(votes for _, votes in by_action.values())
            differ += chosen[0] != chosen[1]
    assert differ


def test_in_one_world_it_plays_as_if_it_saw_it() -> None:
    """The value of the best action is that of the world, which the seed decides."""
    params = EXHAUSTIVE["english"]
    for state in stock_choices(params, 4):
        player, values = state.current_player(), set()
        for seed in range(40):
            bot = bot_for("pimc:worlds=1,depth=40", state, seed)
            values.add(max(value for _, value, _ in bot.evaluate(state)))
        exact = set()
        for seed in range(60):
            world = state.open_world(seed, player)
            value, _ = minimax.alpha_beta_search(
                world.get_game(), world, maximum_depth=1000, maximizing_player_id=player
            )
            exact.add(value)
        assert values == exact


@pytest.mark.parametrize(("postpone", "worlds"), [(2, 4), (3, 2)])
@over({**VARIANTS, "no windows": NO_WINDOWS}, quick=[*COVERING, "no windows"])
def test_postponing_plays_legally(params: Params, postpone: int, worlds: int) -> None:
    play(f"pimc:worlds={worlds},depth=3,postpone={postpone}", params)


def test_postponing_more_than_is_searched_plays_legally() -> None:
    for params in (EXHAUSTIVE["dutch"], VARIANTS["2 x AKQJ7"], NO_WINDOWS):
        play("pimc:worlds=2,depth=1,postpone=6", params)


def play(text: str, params: Params) -> None:
    """A game of a bot against itself."""
    game = load(params)
    bots = [make_bot(text, game, player, 1) for player in range(2)]
    assert sum(pyspiel.evaluate_bots(game.new_initial_state(), bots, 1)) == 0


def values_of(state: State, **options: Any) -> dict[int, float]:
    """The mean value of each action."""
    rules = state.get_game().rules
    found = PimcBot(rules, state.current_player(), 1, PimcOptions(**options)).evaluate(state)
    return {action: value for action, value, _ in found}


@pytest.mark.parametrize("postpone", [2, 3, 4])
def test_one_world_leaves_nothing_to_postpone(postpone: int) -> None:
    for seed in range(6):
        for state in stock_choices(NO_WINDOWS, seed):
            for depth in (4, 6):
                plain = values_of(state, worlds=1, depth=depth)
                late = values_of(state, worlds=1, depth=depth, postpone=postpone)
                assert late == pytest.approx(plain)


@pytest.mark.parametrize("postpone", [2, 3, 4])
def test_who_postpones_never_expects_more(postpone: int) -> None:
    """Who may wait to see the world can only gain by it, and expects less if he may not."""
    less = 0
    for seed in range(6):
        for state in stock_choices(NO_WINDOWS, seed):
            plain = values_of(state, worlds=8, depth=5)
            late = values_of(state, worlds=8, depth=5, postpone=postpone)
            for action, value in late.items():
                assert value <= plain[action] + 1e-9
                less += value < plain[action] - 1e-9
    assert less


@each_variant
def test_last_tricks_are_played_as_the_solver_says(params: Params) -> None:
    seen = 0
    for state in decisions(params, 6):
        if solvable(state.core.pos):
            solution, bot = solve(state), bot_for("pimc:worlds=1", state)
            assert bot.step(state) in solution.best_moves
            found = {action: value for action, value, _ in bot.evaluate(state)}
            assert found == pytest.approx(solution.moves)
            seen += 1
    assert seen


def test_evaluations_are_finite_where_hands_are_long() -> None:
    for state in decisions(VARIANTS["large hands"], 2)[:6]:
        assert state.core.pos[kernel.PHASE] != kernel.OVER
        found = bot_for("pimc:worlds=2,depth=2", state).evaluate(state)
        assert np.all([math.isfinite(value) for _, value, _ in found])
