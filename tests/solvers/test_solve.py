"""`solve`: the same as searches that know nothing but the public interface of the games."""

import random
from itertools import islice
from typing import Any

import numpy as np
import pyspiel
import pytest

from marjolet_spiel import kernel
from marjolet_spiel.solvers.endgame.match_equity import match_equity
from marjolet_spiel.solvers.solve import Solver, solve
from tests.positions import State, decisions, load
from tests.solvers.searches import estimate, everything_tried, searched, states
from tests.solvers.vectors import after, built, cards_left, difference, line_actions, reached
from tests.variants import VARIANTS, Params, each_single_deal, each_variant


def has_melds_left(state: State) -> bool:
    """Whether a meld may be declared now or in a later window of the last tricks."""
    if state.to_dict()["phase"] == "declare":
        return len(state.legal_actions()) > 1
    return not built(int(state.position()[kernel.SWEEP_BONUS])).holds(state)


# --- other searches -----------------------------------------------------------------------------


@pytest.mark.parametrize("params", [{}, {"profile": "dutch"}], ids=["english", "dutch"])
def test_alpha_beta_of_open_spiel_agrees(params: Params) -> None:
    sample = [*islice(states(params, 6, range(20)), 0, None, 5)]
    sample += [*islice(states(params, 4, range(20, 50)), 0, None, 2)]
    assert {cards_left(state.position()) for state in sample} == {1, 2, 3, 4, 5, 6}
    for state in sample:
        assert solve(state).value == searched(state)


def test_alpha_beta_of_open_spiel_agrees_where_melds_are_left() -> None:
    sample = [s for s in states({"profile": "dutch"}, 6, range(100)) if has_melds_left(s)]
    assert sum("meld" in solve(state).line for state in sample) > 50
    for state in islice(sample, 0, None, 2):
        assert solve(state).value == searched(state)


@each_variant
def test_plain_minimax_agrees_on_every_action(params: Params) -> None:
    cards = 3 if "hand_size" not in params else 2
    sample = [*islice(states(params, cards, range(60)), 0, None, 2)]
    assert sample
    for state in sample:
        solution, player = solve(state), state.current_player()
        sign = 1 if player == 0 else -1
        values = {a: everything_tried(state.child(a), estimate) for a in state.legal_actions()}
        assert solution.player == player
        assert [*solution.moves] == state.legal_actions()
        assert solution.moves == pytest.approx({a: sign * v for a, v in values.items()}, abs=2e-6)
        assert solution.value == pytest.approx(sign * max(solution.moves.values()))


# --- solutions ----------------------------------------------------------------------------------


@each_single_deal
def test_table_changes_nothing_but_the_work(params: Params) -> None:
    for pos in islice((pos for pos in reached(params, 1) if cards_left(pos) <= 8), 150):
        fast, slow = solve(pos), solve(pos, use_table=False)
        assert fast.nodes <= slow.nodes
        parts = [(s.player, s.value, s.moves, s.best_moves, s.line, s.exact) for s in (fast, slow)]
        assert parts[0] == parts[1]
        assert fast.exact


@each_variant
def test_line_ends_at_the_value(params: Params) -> None:
    for pos in islice((pos for pos in reached(params, 2) if cards_left(pos) <= 7), 60):
        solution, now = solve(pos), pos.copy()
        for action in line_actions(pos, solution.line):
            before, now = now, after(now, [action])
        if pos[kernel.TARGET] == 0:
            value = float(difference(now))
        elif now[kernel.PHASE] == kernel.OVER:
            value = float(kernel.return_of_player_0(now))
        else:
            scores = now[kernel.SCORE0], now[kernel.SCORE1], now[kernel.TARGET]
            assert now[kernel.DEAL] == before[kernel.DEAL] + 1
            value = float(match_equity(*scores))
        assert solution.value == pytest.approx(value, abs=2e-6)


def test_line_begins_with_the_lowest_of_the_best_moves() -> None:
    for pos in islice(reached({}, 3), 100):
        solution = solve(pos)
        assert line_actions(pos, solution.line)[0] == solution.best_moves[0]


@each_variant
def test_solution_adds_up(params: Params) -> None:
    for pos in islice((pos for pos in reached(params, 4) if cards_left(pos) <= 6), 100):
        before, solution = pos.copy(), solve(pos)
        best = max(solution.moves.values())
        assert solution.value == (best if solution.player == 0 else -best)
        assert solution.best_moves == [a for a, v in solution.moves.items() if v == best]
        assert sum(1 << action for action in solution.moves) == kernel.legal_mask(pos)
        assert (pos == before).all()


def test_states_of_both_games_and_vectors_agree() -> None:
    for state in islice(states({"profile": "dutch"}, 6, range(3)), 0, None, 3):
        asked = (state, state.open_world(1), state.position())
        assert [solve(position) for position in asked] == [solve(state)] * 3


def test_solver_gives_the_same_however_often_it_is_used() -> None:
    """What it remembers of one search is not taken for another's."""
    used = Solver(None)
    rng = random.Random(5)
    sample = [pos for name in ("dutch", "match") for pos in islice(reached(VARIANTS[name], 5), 150)]
    rng.shuffle(sample)
    for pos in sample:
        assert used.moves(pos) == Solver(None).moves(pos)


def test_solver_counts_its_nodes() -> None:
    plain, quick = Solver(None), Solver(built(50))
    pos = next(pos for pos in reached({}, 6) if cards_left(pos) == 6)
    assert plain.moves(pos) == quick.moves(pos)
    assert 0 < quick.nodes < plain.nodes
    assert plain.estimates == quick.estimates == 0


# --- what is no position ------------------------------------------------------------------------


def not_positions() -> dict[str, Any]:
    """Things that are none, and what is wrong with them."""
    pos = next(reached({}, 7))
    kuhn = pyspiel.load_game("kuhn_poker").new_initial_state()
    return {
        "State": kuhn,
        "NoneType": None,
        "list": pos.tolist(),
        "str": "AS KS",
        "float64": pos.astype(float),
        "int32": pos.astype(np.int32),
        f"\\({kernel.SIZE - 1},\\)": pos[:-1],
        f"\\(1, {kernel.SIZE}\\)": pos[np.newaxis],
        "no position": np.zeros_like(pos),
    }


@pytest.mark.parametrize("what", [*not_positions()])
def test_what_is_no_position_is_named(what: str) -> None:
    with pytest.raises(ValueError, match=f"^position: .*{what}"):
        solve(not_positions()[what])


@pytest.mark.parametrize("phase", ["dealer", "deal", "turn", "lead", "follow", "declare", "draw"])
def test_while_there_is_a_stock_nothing_is_solved(phase: str) -> None:
    rng, state = random.Random(1), load({}).new_initial_state()
    while state.to_dict()["phase"] != phase:
        state.apply_action(rng.choice(state.legal_actions()))
    with pytest.raises(ValueError, match=f"^position: trick .*phase {phase} is not allowed"):
        solve(state)


def test_window_of_the_last_stock_trick_is_not_solved() -> None:
    state = next(
        state
        for state in decisions({}, 1)
        if state.to_dict()["phase"] == "declare" and state.to_dict()["trick"] == 10
    )
    with pytest.raises(
        ValueError, match="^position: trick 10, phase declare .*last stock trick, 10"
    ):
        solve(state)


@each_variant
def test_finished_game_is_not_solved(params: Params) -> None:
    rng, state = random.Random(2), load(params).new_initial_state()
    while not state.is_terminal():
        state.apply_action(rng.choice(state.legal_actions()))
    with pytest.raises(ValueError, match="^position: .*phase over is not allowed"):
        solve(state)
