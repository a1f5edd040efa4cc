"""The last tricks beside the best ones."""

import re
from typing import Any

import pytest

from marjolet_spiel import kernel
from marjolet_spiel.solvers.endgame.table import endgame_table
from marjolet_spiel.solvers.solve import solve
from scripts.arena.store.recorded import RecordedGame
from tests.scripts.games import random_record, random_states, record_of
from tests.scripts.replay.games_told import (
    told,
    unwrapped,
)
from tests.variants import VARIANTS

_BRACKET = re.compile(r"\[(~?[+-][\d.]+)(?:\? best (~?[+-][\d.]+): ([^\]]*))?\]")


def judgements(record: RecordedGame) -> list[tuple[str, str, str]]:
    """What stands in square brackets, in the order of the moves."""
    lines = unwrapped(told(record, exact=True))
    start = next(i for i, line in enumerate(lines) if line.startswith("Deal 1"))
    return _BRACKET.findall("\n".join(lines[start:]))


@pytest.mark.parametrize("profile", ["spanish", "english", "swedish"])
def test_exact_values_are_those_of_the_table(profile: str) -> None:
    table = endgame_table(50)
    mistakes = 0
    for seed in range(6):
        states = random_states({"profile": profile}, seed)
        record = record_of(states[-1])
        chosen = [
            (state, action)
            for state, action in zip(states, record.history, strict=False)
            if table.holds(state)
        ]
        found = judgements(record)
        assert len(found) == len(chosen) == 12
        for (state, action), (value, best, better) in zip(chosen, found, strict=True):
            sign = 1 if state.current_player() == 0 else -1
            moves = table.moves(state)
            assert int(value) == sign * moves[action]
            if moves[action] == max(moves.values()):
                assert best == better == ""
                continue
            mistakes += 1
            assert int(best) == table.value(state)
            names = {state.action_to_string(move)[5:] for move in table.best_moves(state)}
            assert set(better.split(" or ")) == names
    assert mistakes > 5


@pytest.mark.parametrize("params", [VARIANTS["dutch"], VARIANTS["dutch match"]], ids=str)
def test_exact_values_of_melds_and_matches(params: Any) -> None:
    for seed in range(3):
        states = random_states(params, seed)
        record = record_of(states[-1])
        wanted = []
        for state, action in zip(states, record.history, strict=False):
            pos = state.core.pos
            alone = pos[kernel.PHASE] == kernel.DECLARE and state.legal_actions() == [kernel.DONE]
            late = pos[kernel.TRICK] > pos[kernel.STOCK_TRICKS] and state.current_player() >= 0
            if late and not alone:
                solution = solve(state)
                sign = 1 if solution.player == 0 else -1
                wanted.append(sign * solution.moves[action])
        found = [float(value.lstrip("~")) for value, _, _ in judgements(record)]
        assert found == pytest.approx(wanted, abs=6e-4)
        assert len(found) >= 12


def test_exact_says_nothing_of_the_stock_nor_of_long_hands() -> None:
    record = random_record({"hand_size": 15}, 1)
    lines = told(record, exact=True).splitlines()
    heads = [i for i, line in enumerate(lines) if line.startswith("Trick ")]
    assert all("[" not in line for line in lines[heads[0] : heads[4]])
    assert "[" in " ".join(lines[heads[5] :])
    assert "[" not in told(record)
