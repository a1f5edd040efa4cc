"""``python -m scripts.replay``: from its flags to what it prints."""

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from scripts.arena.store.recorded import GAMES, RecordedGame
from scripts.replay import __main__ as front
from tests.places import ROOT
from tests.scripts.front_ends import call_main
from tests.scripts.games import forfeited, random_record
from tests.scripts.replay.games_told import HAND_GAME, SMALL, WHOLE, told
from tests.scripts.replay.test_steps import BROKEN


def call(*words: str) -> int:
    """The exit code of ``python -m scripts.replay`` with these words."""
    return call_main(front, *words)


def written(folder: Path, records: Sequence[RecordedGame], torn: str = "") -> str:
    """A store with some games, by its folder."""
    text = "".join(record.to_line() + "\n" for record in records)
    (folder / GAMES).write_text(text + torn)
    return str(folder)


def five_games() -> list[RecordedGame]:
    """Games of three bots in two pairs, one of them a forfeit."""
    one, two, three = "random:seed=1", "greedy", "ismcts:sims=9"
    games = [replace(random_record(SMALL, seed), pair=seed // 2) for seed in range(5)]
    seats = [(one, two), (two, one), (one, three), (three, one), (three, two)]
    games = [
        replace(game, bots=bots, seating=i % 2)
        for i, (game, bots) in enumerate(zip(games, seats, strict=True))
    ]
    return [*games[:4], forfeited(games[4], 12, 1, "tired")]


def lines_listed(out: str) -> list[int]:
    """The numbers of the games in a printed list."""
    return [int(line.split()[0]) for line in out.splitlines() if line[:1].isdigit()]


def test_several_games_are_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = written(tmp_path, five_games())
    assert call(folder) == 0
    out = capsys.readouterr().out
    assert lines_listed(out) == [1, 2, 3, 4, 5]
    assert call(folder + "/" + GAMES) == 0
    assert capsys.readouterr().out == out
    row = out.splitlines()[5].split()
    assert row == ["5", "2", "0", "ismcts:sims=9", "greedy", "greedy", "forfeits:", "tired"]


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        (["--pair=1"], [3, 4]),
        (["--seating=0"], [1, 3, 5]),
        (["--bots=greedy"], [1, 2, 5]),
        (["--bots=random"], [1, 2, 3, 4]),
        (["--bots=random:seed=1 ismcts:sims=9"], [3, 4]),
        (["--bots=ismcts", "--bots=random:seed=01"], [3, 4]),
        (["--bots=greedy", "--pair=0"], [1, 2]),
    ],
)
def test_flags_choose(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], lines: list[int]
) -> None:
    folder = written(tmp_path, five_games())
    assert call(folder, *words) == 0
    assert lines_listed(capsys.readouterr().out) == lines
    assert call(folder, *words, "--all") == 0
    whole = [told(game) for game in (five_games()[line - 1] for line in lines)]
    assert capsys.readouterr().out == ("\n\n" + "-" * 40 + "\n\n").join(whole) + "\n"


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--number=2"], 2),
        (["--pair=1", "--seating=1"], 4),
        (["--bots=greedy,ismcts"], 5),
        (["--number=3", "--pair=1"], 3),
    ],
)
def test_one_game_is_played_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], line: int
) -> None:
    folder = written(tmp_path, five_games())
    for exact in ([], ["--exact"]):
        assert call(folder, *words, *exact) == 0
        assert capsys.readouterr().out == told(five_games()[line - 1], bool(exact)) + "\n"


def test_the_only_game_is_played_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(written(tmp_path, [WHOLE])) == 0
    assert capsys.readouterr().out == told(WHOLE) + "\n"


def test_check_counts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = written(tmp_path, five_games())
    assert call(folder, "--check") == 0
    assert capsys.readouterr() == ("5 games, 1 forfeit among them: all follow the rules\n", "")
    assert call(folder, "--check", "--number=1") == 0
    assert capsys.readouterr().out == "1 game: all follow the rules\n"


def test_check_names_all_games_that_break_the_rules(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    games = five_games()
    games[1] = BROKEN["returns"][0]
    games[3] = BROKEN["card of the other"][0]
    folder = written(tmp_path, games)
    assert call(folder, "--check") == 1
    out, err = capsys.readouterr()
    assert out == "5 games, 1 forfeit among them: 2 of them break the rules\n"
    first, second = err.splitlines()
    where = f"replay: {folder}: line %d (pair 4, seating 1, greedy against ismcts:sims=9): "
    assert first == where % 2 + BROKEN["returns"][1]
    assert second == where % 4 + BROKEN["card of the other"][1]


@pytest.mark.parametrize(("record", "why"), BROKEN.values(), ids=BROKEN.keys())
def test_broken_game_is_exit_code_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], record: RecordedGame, why: str
) -> None:
    assert call(written(tmp_path, [record])) == 1
    out, err = capsys.readouterr()
    assert out.startswith(HAND_GAME)
    assert err.startswith(f"replay: {tmp_path}: line 1 (pair 4, ")
    assert why in err
    assert err.count("\n") == 1


def test_torn_last_line_is_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = written(tmp_path, five_games()[:2], torn=WHOLE.to_line()[:99])
    assert call(folder, "--check") == 0
    out, err = capsys.readouterr()
    assert out == "2 games: all follow the rules\n"
    assert err == f"replay: {folder}/{GAMES}: line 3 is not whole; it is left out\n"


GOOD = WHOLE.to_line() + "\n"

NO_GAME = replace(WHOLE, game="python_marjolet(profile=danish)").to_line() + "\n"

BAD_FILES = {
    "empty": ("", [], "there is no game in it"),
    "torn alone": (GOOD[:50], [], "no game is as asked for; there is no game"),
    "damaged": (GOOD + GOOD.replace("58", "57"), [], "line 2 is damaged: its checksum is wrong"),
    "other": ("[1]\n", [], "line 1 is damaged: it is no game"),
    "other, checked": (GOOD + "x\n", ["--check"], "line 2 is damaged"),
    "game": (NO_GAME, [], "profile: 'danish' is not allowed"),
    "game, checked": (NO_GAME, ["--check"], "profile: 'danish' is not allowed"),
    "game, listed": (GOOD + NO_GAME, [], "profile: 'danish' is not allowed"),
    "no line": (GOOD, ["--number=2"], "no game is as asked for; there is 1 game of greedy, ismcts"),
    "no pair": (GOOD, ["--pair=5"], "no game is as asked for"),
    "no bot": (GOOD, ["--bots=nobody"], "there is 1 game of greedy, ismcts:sims=9"),
    "same bot": (GOOD, ["--bots=greedy greedy"], "no game is as asked for"),
    "no seating": (GOOD, ["--seating=0", "--check"], "no game is as asked for"),
    "game 0": (
        GOOD,
        ["--number=0"],
        "--number: 0 is not allowed; it must be a whole number from 1",
    ),
    "pair -1": (GOOD, ["--pair=-1"], "--pair: -1 is not allowed"),
    "seating 2": (GOOD, ["--seating=2"], "--seating: 2 is not allowed; it must be 0 or 1"),
    "three": (GOOD, ["--bots=a,b,c"], "--bots: 3 are named; a game has two"),
    "flag": (GOOD, ["--bot=greedy"], "--bot: there is no such flag"),
    "no number": (GOOD, ["--number=x"], "--number: 'x' is not allowed; it must be a whole number"),
    "argument": (GOOD, ["more"], "unknown argument 'more'"),
}


@pytest.mark.parametrize(("text", "words", "why"), BAD_FILES.values(), ids=BAD_FILES.keys())
def test_bad_input_is_exit_code_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, words: list[str], why: str
) -> None:
    path = tmp_path / GAMES
    path.write_text(text)
    _check_refused(capsys, why, str(path), *words)


def test_missing_files_are_exit_code_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _check_refused(capsys, f"{tmp_path}/{GAMES}: cannot be read (No such file", str(tmp_path))
    _check_refused(capsys, "/nowhere/x: cannot be read (No such file", "/nowhere/x")
    _check_refused(capsys, "no file or folder is given; see --help")


def _check_refused(capsys: pytest.CaptureFixture[str], why: str, *words: str) -> None:
    assert call(*words) == 2
    out, err = capsys.readouterr()
    assert "wins" not in out
    *notes, last = err.splitlines()
    assert last.startswith("replay: ")
    assert why in last
    assert all("is left out" in note for note in notes)


def test_ctrl_c_is_quiet(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(path: Path) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(front, "show", stop)
    assert call(written(tmp_path, [WHOLE])) == 130
    assert capsys.readouterr() == ("", "")


def test_whole_program(tmp_path: Path) -> None:
    folder = written(tmp_path, [WHOLE])
    command = [sys.executable, "-m", "scripts.replay", folder]
    run = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert run.returncode == 0, run.stderr
    assert run.stdout == told(WHOLE) + "\n"
