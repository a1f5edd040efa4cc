"""``python -m scripts.analyze``: from its flags and texts of positions to what it prints."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyspiel
import pytest

from marjolet_spiel import kernel
from scripts.analyze import __main__ as front
from scripts.analyze.reading import example_position, position_from_text
from scripts.analyze.thoughts import analyze, why_no_move
from tests.places import ROOT
from tests.positions import decisions, load
from tests.scripts.analyze.test_words import (
    FAST,
    MATCH,
)
from tests.scripts.front_ends import call_main

State = Any


def call(*words: str) -> int:
    """The exit code of ``python -m scripts.analyze`` with these words."""
    return call_main(front, *words)


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
