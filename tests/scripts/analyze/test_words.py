"""What is said of a position, and that it shows nothing hidden."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyspiel
import pytest

from bots.registry import specs as registry
from bots.registry.options import Entry
from marjolet_spiel import kernel
from marjolet_spiel.cards import bits, names_of
from marjolet_spiel.solvers.policy_file import save_policy
from marjolet_spiel.solvers.solve import solve
from scripts.analyze.thoughts import analyze
from scripts.analyze.words import analysis_text
from tests.positions import State, dealt, decisions, endgame, load, named

MATCH = {"profile": "dutch", "target": 300}
FAST = ["greedy", "ismcts:sims=60", "pimc:worlds=4,depth=2"]


def text_of(state: State, bots: Sequence[str] = FAST, seed: int = 1) -> str:
    """The printed analysis."""
    return analysis_text(analyze(state, bots, seed))


def rows_of(text: str, state: State) -> dict[int, list[str]]:
    """The words of the table's row for each legal action, in the order of the rows."""
    lines = text[text.index("\nmove ") :].split("\n\n")[0].splitlines()[2:]
    names = {named(state, action): action for action in state.legal_actions()}
    found = {}
    for line in lines:
        (name,) = (name for name in names if line.startswith(name + " "))
        found[names[name]] = line.removeprefix(name).split()
    return found


def in_endgame(state: State) -> bool:
    return bool(state.core.pos[kernel.TRICK] > state.core.pos[kernel.STOCK_TRICKS])


def is_window(state: State) -> bool:
    return bool(state.core.pos[kernel.PHASE] == kernel.DECLARE)


def a_choice(params: Any, wanted: Callable[[State], bool]) -> State:
    """A decision of a random game with several legal actions that is as wanted."""
    for seed in range(100):
        for state in decisions(params, seed):
            if len(state.legal_actions()) > 2 and wanted(state):
                return state
    raise AssertionError("there is none")


def test_endgame_has_the_exact_values() -> None:
    state = endgame(["AS TS KS 9H", "AH TH QS JD"], trump="D")
    solution, text = solve(state), text_of(state)
    rows = rows_of(text, state)
    assert {action: float(cells[0]) for action, cells in rows.items()} == solution.moves
    values = [solution.moves[action] for action in rows]
    assert values == sorted(values, reverse=True)
    assert len(set(values)) > 1
    assert "The stock is gone." in text
    assert "opponent   QS AH TH JD (known by counting)" in text
    assert f"best play: {solution.line}" in " ".join(text.split())
    assert "you are 0." in text


def test_stock_position_has_a_column_a_bot() -> None:
    state = a_choice({}, lambda s: not in_endgame(s) and not is_window(s))
    text = text_of(state, [*FAST, "random"])
    (head,) = (line for line in text.splitlines() if line.startswith("move "))
    assert head.split() == ["move", *FAST, "random"]
    assert "exact" not in text
    rows = rows_of(text, state)
    assert set(rows) == set(state.legal_actions())
    analysis = analyze(state, FAST)
    for action, cells in rows.items():
        for thoughts in analysis.thoughts[1:]:
            assert f"{thoughts.values[action]:+.1f}" in cells
            assert f"{thoughts.weights[action]:.0%}" in cells
    assert sum(cells.count("*") for cells in rows.values()) == 4
    assert f"{1 / len(rows):.0%}" in text
    assert "points less your opponent's" in text


@pytest.mark.parametrize("bots", [FAST, ["greedy", "ismcts:sims=60"], ["ismcts:sims=60", "greedy"]])
def test_rows_are_sorted_by_the_first_search(bots: list[str]) -> None:
    state = a_choice({}, lambda s: not in_endgame(s))
    analysis = analyze(state, bots)
    search = next(one for one in analysis.thoughts if one.searches)
    values = [search.values[move] for move in analysis.moves]
    assert values == sorted(values, reverse=True)


def test_choice_and_values_are_those_of_the_bot() -> None:
    state = a_choice({}, lambda s: not in_endgame(s))
    (thoughts,) = analyze(state, ["ismcts:sims=60"], seed=5).thoughts
    bot: Any = registry.make_bot("ismcts:sims=60", state.get_game(), state.current_player(), 5)
    assert bot.step(state) == thoughts.choice
    for action, value, weight in bot.evaluate(state):
        assert (thoughts.values[action], thoughts.weights[action]) == (value, weight)


def test_match_says_what_values_mean() -> None:
    state = a_choice(MATCH, in_endgame)
    text, solution = text_of(state), solve(state)
    rows = rows_of(text, state)
    for action, value in solution.moves.items():
        assert rows[action][0] == f"{value:+.3f}"
    assert "of a match to 300" in text
    assert "from -1 (lost) to +1 (won)" in text
    assert ("its chances are then estimated" in " ".join(text.split())) == (not solution.exact)


def test_window_says_what_may_be_declared() -> None:
    state = dealt(
        {},
        ["AS KS QS KH QH 7D", "7S 8S 9S 7H 8H 9H"],
        "TD",
        "play AS, play 7S",
    )
    text = text_of(state)
    words = " ".join(text.split())
    assert "Trick 1 of 16. You (player 0) have won it and may declare." in text
    assert "swap the seven of trumps for TD (10 points), KS-QS for 20 points" in words
    assert "declared in this order. The swap comes first." in words
    assert "can be declared after a later trick that you win" in words
    assert set(rows_of(text, state)) == set(state.legal_actions())
    state.apply_action(state.string_to_action("meld KS-QS"))
    text = text_of(state)
    assert "You may declare more: KH-QH for 20 points." in text
    assert "declared   you KS-QS; your opponent nothing" in text


def test_only_move() -> None:
    state = dealt({}, ["AS TS KH 9H 8H 7D", "7S 8S 9S 7H JH JD"], "TC", "play AS, play 7S")
    assert state.legal_actions() == [kernel.DONE]
    text = text_of(state)
    assert "There is nothing to declare: you can only close the window (done)." in text
    assert rows_of(text, state) == {kernel.DONE: ["100%", "*", "-", "100%", "*", "-", "100%", "*"]}


def test_too_many_cards_to_solve() -> None:
    state = a_choice({"hand_size": 15}, in_endgame)
    text = text_of(state, ["greedy"])
    assert "exact: not computed: hands of 15 cards are too many; 12 can be solved." in text
    assert all(cells[0] == "-" for cells in rows_of(text, state).values())


def test_policy_that_does_not_hold_the_position(tmp_path: Path) -> None:
    params = {"num_suits": 2, "ranks": "QJ7", "hand_size": 2, "first_dealer": 0}
    path = tmp_path / "one.npz"
    states = [s for seed in range(9) for s in decisions(params, seed) if len(s.legal_actions()) > 1]
    known = states[0]
    key = known.information_state_string()
    other = next(s for s in states if s.information_state_string() != key)
    first, *others = known.legal_actions()
    row = [(first, 0.75), *((action, 0.25 / len(others)) for action in others)]
    save_policy(path, load(params), {key: row})
    text = text_of(known, [f"policy:{path}"])
    assert rows_of(text, known)[first][0] == "75%"
    assert "does not hold" not in text
    assert "Values" not in text
    words = text_of(other, [f"policy:{path}"]).split()
    assert "does not hold this position and plays at random." in " ".join(words)


@pytest.mark.parametrize("params", [{}, MATCH, {"profile": "spanish"}], ids=str)
def test_hidden_cards_have_no_say_and_do_not_appear(
    params: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    peeker = Entry("peeker", "looks", lambda game, player, seed, options: _Peeker())
    monkeypatch.setitem(registry.ENTRIES, "peeker", peeker)
    bots = [*FAST, "os_ismcts:sims=3", "os_alphabeta:worlds=1,depth=1", "peeker"]
    states = [s for s in decisions(params, 7) if len(s.legal_actions()) > 1]
    for state in states[::12]:
        player = state.current_player()
        text = text_of(state, bots)
        assert text.isascii()
        for seed in (11, 12):
            assert text_of(state.resample_from_infostate(player, seed), bots) == text
        if not in_endgame(state):
            (line,) = (line for line in text.splitlines() if line.startswith("opponent "))
            known = names_of(int(state.core.pos[kernel.KNOWN0 + 1 - player]))
            assert line.partition("among them ")[2].split() == known


class _Peeker(pyspiel.Bot):  # type: ignore[misc]
    """Lets hidden cards say what it plays."""

    def step(self, state: State) -> int:
        legal = state.legal_actions()
        hidden = int(state.core.pos[kernel.HAND0 + 1 - state.current_player()])
        return int(legal[sum(bits(hidden)) % len(legal)])

    def get_policy(self, state: State) -> list[tuple[int, float]]:
        return [(self.step(state), 1.0)]


def test_cheat_sees_the_true_cards() -> None:
    state = a_choice({}, lambda s: not in_endgame(s))
    with pytest.raises(ValueError, match="looks at hidden cards"):
        analyze(state, ["cheat"])
    (thoughts,) = analyze(state, ["cheat:sims=60"], 3, allow_cheating=True).thoughts
    bot: Any = registry.make_bot("cheat:sims=60", state.get_game(), state.current_player(), 3)
    assert [(a, thoughts.values[a], thoughts.weights[a]) for a in thoughts.values] == (
        bot.evaluate(state)
    )
