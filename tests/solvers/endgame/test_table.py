"""The endgame table: the same as alpha-beta without a table, wherever it holds a position."""

import random

import numpy as np
import pytest

from marjolet_spiel import kernel
from marjolet_spiel.array_types import Vector
from marjolet_spiel.rules import Rules
from marjolet_spiel.solvers.endgame.lookup import UNKNOWN
from marjolet_spiel.solvers.endgame.table import endgame_table
from marjolet_spiel.solvers.solve import Solver
from tests.positions import State, decisions, load
from tests.solvers.vectors import (
    HELD_DEALS,
    STATUSES,
    after,
    built,
    cards_left,
    difference,
    each_held_deal,
    held,
    laid_out,
    line_actions,
    random_game,
    reached,
    table_for,
)
from tests.variants import Params

POSITIONS = 3000


def check(pos: Vector, solver: Solver) -> None:
    """The table says of each card and of the position what alpha-beta says without it."""
    table, sign = table_for(pos), 1 if pos[kernel.PLAYER] == 0 else -1
    searched = {action: sign * value for action, value in solver.moves(pos).items()}
    assert table.moves(pos) == searched, pos.tolist()
    best = max(searched.values())
    assert table.value(pos) == sign * best
    assert table.best_moves(pos) == [a for a, value in searched.items() if value == best]
    assert table.best_moves(pos)[0] == solver.best_move(pos)


# --- values -------------------------------------------------------------------------------------


@each_held_deal
def test_table_agrees_with_alpha_beta(params: Params) -> None:
    solver = Solver(None)
    positions = held(params, POSITIONS, seed=1)
    for pos in positions:
        check(pos, solver)
    deepest = min(6, Rules.of(**params).hand_size)
    assert {cards_left(pos) for pos in positions} >= {*range(1, deepest + 1)}
    assert {int(pos[kernel.PHASE]) for pos in positions} == {kernel.LEAD, kernel.FOLLOW}


@pytest.mark.slow
def test_table_agrees_with_alpha_beta_on_very_many_positions() -> None:
    solver = Solver(None)
    for seed, params in enumerate(HELD_DEALS.values()):
        for pos in held(params, -(-100_000 // len(HELD_DEALS)), seed=100 + seed):
            check(pos, solver)


@pytest.mark.parametrize(
    ("cards", "status"),
    [(cards, status) for cards in range(1, 7) for status in STATUSES][1:],  # hands have two cards
)
def test_table_agrees_with_alpha_beta_however_the_cards_lie(cards: int, status: str) -> None:
    solver, rng = Solver(None), random.Random(f"{cards} {status}")
    for _ in range(500):
        check(laid_out(rng, cards, status), solver)


def test_seven_cards_are_held_once_one_of_them_is_led() -> None:
    """What is left after the answer is in the table."""
    games = [random_game(Rules.of(hand_size=15), random.Random(seed)) for seed in range(50)]
    seven = [pos for game in games for pos in game if pos[kernel.TRICK] == 10]
    solver = Solver(None)
    assert len(seven) == 100
    for pos in seven:
        if pos[kernel.PHASE] == kernel.FOLLOW:
            check(pos, solver)
        else:
            assert cards_left(pos) == 7
            assert not built(50).holds(pos)


@each_held_deal
def test_value_of_the_other_player_is_the_opposite(params: Params) -> None:
    for pos in held(params, 100, seed=2):
        table = table_for(pos)
        assert table.value(pos, 1) == -table.value(pos, 0)
        assert max(table.moves(pos).values()) == table.value(pos, int(pos[kernel.PLAYER]))


@each_held_deal
def test_moves_are_the_legal_ones_and_lead_to_their_values(params: Params) -> None:
    for pos in held(params, 100, seed=3):
        table, player = table_for(pos), int(pos[kernel.PLAYER])
        moves = table.moves(pos)
        assert sum(1 << action for action in moves) == kernel.legal_mask(pos)
        for action, value in moves.items():
            end = after(pos, [action])
            if end[kernel.PHASE] == kernel.DECLARE:
                end = after(end, [kernel.DONE])
            over = end[kernel.PHASE] == kernel.OVER
            points = difference(end) if over else table.value(end)
            assert value == (points if player == 0 else -points)


@each_held_deal
def test_line_ends_at_the_value(params: Params) -> None:
    for pos in held(params, 200, seed=4):
        table = table_for(pos)
        now = np.array(pos)
        for action in line_actions(pos, table.line(pos)):
            if action != kernel.DONE:
                assert action == table.best_moves(now)[0]
            now = after(now, [action])
        assert now[kernel.PHASE] == kernel.OVER
        assert difference(now) == table.value(pos)


def test_nothing_asked_of_the_table_changes_the_position() -> None:
    for pos in held({}, 50, seed=5):
        before = pos.copy()
        table = built(50)
        table.value(pos), table.moves(pos), table.best_moves(pos), table.line(pos)
        table.evaluate(pos[np.newaxis])
        assert (pos == before).all()


def test_kept_table_is_the_one_that_is_built() -> None:
    """If not, cells or values mean something else now and TABLE_VERSION must change."""
    assert (endgame_table(50).values == built(50).values).all()


# --- what it holds ------------------------------------------------------------------------------


def mixed_positions() -> list[Vector]:
    """Positions of whole games, many of which the table for 50 does not hold."""
    games: list[Params] = [
        *HELD_DEALS.values(),
        {"profile": "dutch", "sweep_bonus": 50},
        {"target": 300, "max_deals": 2},
    ]
    return [
        pos
        for seed, params in enumerate(games)
        for pos in random_game(Rules.of(**params), random.Random(seed))
    ]


def test_evaluate_is_value_one_by_one() -> None:
    table, positions = built(50), mixed_positions()
    values = table.evaluate(np.stack(positions))
    known = [table.holds(pos) for pos in positions]
    assert 50 < sum(known) < len(known) - 50
    for pos, value, holds in zip(positions, values, known, strict=True):
        assert value == (table.value(pos) if holds else UNKNOWN)


def test_evaluate_takes_no_positions_and_strides() -> None:
    table, positions = built(50), np.stack(held({}, 40, seed=6))
    assert table.evaluate(positions[:0]).tolist() == []
    assert (table.evaluate(positions[::-2]) == table.evaluate(positions)[::-2]).all()
    assert (table.evaluate(np.asfortranarray(positions)) == table.evaluate(positions)).all()


def test_what_is_not_held_is_refused_with_the_reason() -> None:
    dutch = next(p for p in reached({"profile": "dutch"}, 7) if p[kernel.PHASE] == kernel.DECLARE)
    stock = next(p for p in random_game(Rules.of(), random.Random(1)) if p[kernel.TRICK] == 10)
    match = next(reached({"target": 300}, 8))
    large = next(p for p in reached({"hand_size": 15}, 9) if cards_left(p) > 7)
    refused = [
        (built(40), dutch, "its phase is declare"),
        (built(50), dutch, "sweep bonus is 40, not 50"),
        (built(50), stock, "the stock is not gone yet"),
        (built(50), match, "it belongs to a match"),
        (built(50), large, "more than 6 cards"),
    ]
    for table, pos, reason in refused:
        assert not table.holds(pos)
        for ask in (table.value, table.moves, table.best_moves, table.line):
            with pytest.raises(ValueError, match=f"^position: .*{reason}"):
                ask(pos)


def test_dutch_positions_are_held_once_no_meld_is_left() -> None:
    table, found = built(40), {True: 0, False: 0}
    for _, pos in zip(range(2000), reached({"profile": "dutch"}, 10), strict=False):
        if pos[kernel.PHASE] == kernel.DECLARE:
            continue
        melds = [int(kernel.melds_in(pos, pos[kernel.HAND0 + player])) for player in range(2)]
        left = (melds[0] | melds[1]) & ~int(pos[kernel.DECLARED0] | pos[kernel.DECLARED1])
        assert table.holds(pos) == (left == 0)
        found[left == 0] += 1
    assert min(found.values()) > 100


def test_bad_arguments_are_named() -> None:
    table, pos = built(50), held({}, 1, seed=11)[0]
    for player in (2, -1, "0", None):
        with pytest.raises(ValueError, match="^player: "):
            table.value(pos, player)  # type: ignore[arg-type]
    for position in (
        None,
        "x",
        pos[:-1],
        pos.astype(np.int32),
        pos[np.newaxis],
        np.zeros_like(pos),
    ):
        with pytest.raises(ValueError, match="^position: "):
            table.value(position)
    for batch in (pos, [pos], pos[np.newaxis, :-1], pos[np.newaxis].astype(float)):
        with pytest.raises(ValueError, match="^positions: "):
            table.evaluate(batch)  # type: ignore[arg-type]


# --- states -------------------------------------------------------------------------------------


def last_states(params: Params, seeds: range) -> list[State]:
    """States of random games that the table holds."""
    states = [state for seed in seeds for state in decisions(params, seed)]
    return [state for state in states if table_for(state.position()).holds(state)]


@pytest.mark.parametrize("profile", ["english", "dutch"])
def test_states_of_both_games_and_vectors_agree(profile: str) -> None:
    states = last_states({"profile": profile}, range(6))
    assert len(states) > 10
    for state in states:
        table = table_for(state.position())
        asked = (state, state.open_world(1), state.position())
        assert len({table.value(position) for position in asked}) == 1
        assert len({table.line(position) for position in asked}) == 1
        assert [table.moves(position) for position in asked] == [table.moves(state)] * 3
        assert [*table.moves(state)] == state.legal_actions()


def test_other_games_and_finished_ones_are_refused() -> None:
    state = load({}).new_initial_state()
    assert not built(50).holds(state)
    with pytest.raises(ValueError, match="^position: .*stock"):
        built(50).value(state)
    over = last_states({}, range(1))[-1]
    while not over.is_terminal():
        over.apply_action(over.legal_actions()[0])
    with pytest.raises(ValueError, match="^position: .*over"):
        built(50).value(over)
