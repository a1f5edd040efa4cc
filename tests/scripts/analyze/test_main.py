"""Analyses of positions, from the command line to the text."""

import io
import json
import os
import subprocess
import sys
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
from scripts.analyze import __main__ as front
from scripts.analyze.reading import example_position, position_from_text
from scripts.analyze.thoughts import analyze, why_no_move
from scripts.analyze.words import analysis_text
from tests.places import ROOT
from tests.positions import dealt, decisions, endgame, load, named
from tests.scripts.front_ends import call_main

State = Any
FAST = ["greedy", "ismcts:sims=60", "pimc:worlds=4,depth=2"]
MATCH = {"profile": "dutch", "target": 300}


def call(*words: str) -> int:
    """The exit code of ``python -m scripts.analyze`` with these words."""
    return call_main(front, *words)


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


# The text.


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


# What is hidden stays hidden.


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


# Positions as text.


@pytest.mark.parametrize("params", [{}, MATCH, {"num_suits": 3, "hand_size": 5}], ids=str)
def test_every_kind_of_text_is_read(params: Any) -> None:
    state = decisions(params, 2)[20]
    game = state.get_game()
    text = str(game)
    both = pyspiel.serialize_game_and_state(game, state)
    for found in (
        position_from_text(state.to_json(), text),
        position_from_text(json.dumps(state.to_dict(), indent=2), text),
        position_from_text(state.serialize(), text),
        position_from_text(both),
        position_from_text(both.replace("\n", "\r\n") + "\n", text),
    ):
        assert found.to_dict() == state.to_dict()
        assert str(found.get_game()) == text
    start = game.new_initial_state()
    assert position_from_text(start.serialize(), text).history() == []


def test_no_damage_gets_through(capfd: pytest.CaptureFixture[str]) -> None:
    state = decisions({}, 2)[20]
    for whole in (state.serialize(), pyspiel.serialize_game_and_state(state.get_game(), state)):
        for damaged in (
            *(whole[:end] for end in range(0, len(whole) - 4, 41)),
            whole.replace("history=-1:", "history=0:"),
            whole.replace("move_number=", "move_number=1"),
            whole.replace("__dict__", "__dick__"),
            whole.replace("=-1:", "=-1:x"),
        ):
            with pytest.raises(ValueError, match="damaged|cannot be read|JSON|history|position"):
                position_from_text(damaged)
    assert capfd.readouterr() == ("", "")  # OpenSpiel prints when it reads nonsense


def test_example_is_the_lead_to_its_trick() -> None:
    for trick in range(1, 17):
        pos = example_position(None, 4, trick).core.pos
        assert (pos[kernel.TRICK], pos[kernel.PHASE]) == (trick, kernel.LEAD)
    assert example_position(None, 4, None).core.pos[kernel.TRICK] == 9
    small = "python_marjolet(num_suits=2,ranks=QJ7,hand_size=2)"
    assert example_position(small, 1, None).core.pos[kernel.TRICK] == 1


# The command line.


@pytest.mark.parametrize("game", ["python_marjolet", "python_marjolet(profile=dutch,target=300)"])
def test_example_json_and_back(
    game: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    words = [f"--game={game}", "--bots=greedy ismcts:sims=60", "--bots=pimc:worlds=3"]
    assert call("--example", *words, "--seed=2") == 0
    text = capsys.readouterr().out
    assert call("--example", *words, "--seed=2", "--json") == 0
    saved = capsys.readouterr().out
    path = tmp_path / "position.json"
    path.write_text(saved)
    assert call(str(path), *words, "--seed=2") == 0
    assert capsys.readouterr().out == text
    monkeypatch.setattr(sys, "stdin", io.StringIO(saved))
    assert call(*words, "--seed=2", "-") == 0
    assert capsys.readouterr().out == text


def test_whole_program(tmp_path: Path) -> None:
    words = ["--example", "--trick=12", "--bots=greedy,ismcts"]
    run = subprocess.run(
        [sys.executable, "-m", "scripts.analyze", *words],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith("python_marjolet: english rules, a single deal\nTrick 12 of 16.")
    assert "best play: " in run.stdout


def test_nobody_to_move(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    state = load({}).new_initial_state()
    sentences = {}
    while not state.is_terminal():
        if state.is_chance_node():
            sentences[why_no_move(state)] = state.clone()
        else:
            assert why_no_move(state) == ""
        state.apply_action(state.legal_actions()[-1])
    assert len(sentences) == 4
    assert "a card is drawn from the stock." in " ".join(sentences)
    with pytest.raises(ValueError, match="Nobody is to move"):
        analyze(next(iter(sentences.values())), FAST)
    path = tmp_path / "over.txt"
    path.write_text(state.serialize())
    assert call(str(path)) == 0
    own, his = state.to_dict()["deal_points"]
    assert capsys.readouterr().out == (
        f"The game is over: player 0 has {own} points, player 1 has {his}.\n"
    )


def _position(**changes: Any) -> str:
    return json.dumps({**decisions(MATCH, 3)[3].to_dict(), **changes})


TIC_TAC_TOE = pyspiel.load_game("tic_tac_toe")
BAD_TEXTS = {
    "empty": ("", "neither JSON nor a serialized state; it is empty"),
    "no JSON": ("{'phase'", "neither JSON nor a serialized state; as JSON: Expecting"),
    "deep": ("[" * 100_000, "neither JSON nor a serialized state"),
    "list": ("[1]", "position: [1] is not allowed; it must be a dict"),
    "no key": ("{}", "position: key 'phase' is missing"),
    "key": (_position(foo=1), "position: key 'foo' is unknown"),
    "impossible": (_position(trick=5), "is not possible"),
    "large": (_position(scores=[10**30, 0]), "numbers go up to"),
    "other game": (
        pyspiel.serialize_game_and_state(TIC_TAC_TOE, TIC_TAC_TOE.new_initial_state()),
        "game: 'tic_tac_toe()' is not allowed",
    ),
    "other state": (TIC_TAC_TOE.new_initial_state().serialize(), "neither JSON"),
    "other rules": (decisions({}, 3)[3].serialize(), "belongs to other rules"),
    "contradiction": (
        pyspiel.serialize_game_and_state(load({}), decisions({}, 3)[3]),
        "is given, but the position is one of python_marjolet",
    ),
    "damaged": (decisions(MATCH, 3)[3].serialize()[:-32], "cannot be read"),
}


@pytest.mark.parametrize(("text", "why"), BAD_TEXTS.values(), ids=BAD_TEXTS.keys())
def test_bad_position_is_one_sentence_and_exit_code_2(
    text: str, why: str, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "position"
    path.write_text(text)
    _check_refused([str(path), "--game=python_marjolet(profile=dutch,target=300)"], why, capfd)


BAD_WORDS = {
    "nothing": ([], "no position is given"),
    "two": (["a", "b"], "unknown argument 'b'"),
    "no file": (["/nowhere/x"], "position: /nowhere/x cannot be read: No such file"),
    "folder": (["/"], "position: / cannot be read: Is a directory"),
    "no text": ([sys.executable], "is not text"),
    "both": (["--example", "a"], "--example: cannot be given together with a position (a)"),
    "trick": (["a", "--trick=3"], "--trick: goes with --example alone"),
    "trick 0": (["--example", "--trick=0"], "trick: 0 is not allowed; it must be from 1 to 16"),
    "trick 17": (["--example", "--trick=17"], "trick: 17 is not allowed"),
    "early": (
        ["--example", "--game=python_marjolet(profile=dutch,target=10)", "--trick=16"],
        "trick: 16 is not reached",
    ),
    "seed": (["--example", "--seed=-1"], "seed: -1 is not allowed"),
    "no number": (["--example", "--seed=x"], "--seed: 'x' is not allowed"),
    "game": (["--example", "--game=chess"], "game: 'chess' is not allowed"),
    "parameter": (["--example", "--game=python_marjolet(x=1)"], "parameter: 'x' is unknown"),
    "bot": (["--example", "--bots=gredy"], "bot: 'gredy' is unknown"),
    "option": (["--example", "--bots=ismcts:sims=no"], "sims: 'no' is not allowed"),
    "no bot": (["--example", "--bots= "], "bots: none is named"),
    "twice": (["--example", "--bots=greedy greedy"], "bots: 'greedy' is named twice"),
    "cheat": (["--example", "--bots=cheat"], "only if cheating is allowed (--allow_cheating)"),
    "policy": (["--example", "--bots=policy:/nowhere/x.npz"], "/nowhere/x.npz"),
    "flag": (["--example", "--bot=greedy"], "--bot: there is no such flag"),
}


@pytest.mark.parametrize(("words", "why"), BAD_WORDS.values(), ids=BAD_WORDS.keys())
def test_bad_words_are_one_sentence_and_exit_code_2(
    words: list[str], why: str, capfd: pytest.CaptureFixture[str]
) -> None:
    _check_refused(words, why, capfd)


def _check_refused(words: list[str], why: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert call(*words) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith("analyze: ")
    assert why in err
    assert err.count("\n") == 1


def test_ctrl_c_is_quiet(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*args: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(front, "analyze", stop)
    assert call("--example") == 130
    assert capfd.readouterr() == ("", "")
