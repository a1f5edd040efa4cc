"""Recorded games as lines of text, and files of them."""

import json
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scripts.arena.store.recorded import GAMES, RecordedGame, TornLineError, read_games
from tests.scripts.games import forfeited, random_record

GAME = random_record({"num_suits": 2, "ranks": "KQJ7", "hand_size": 3}, 1)
FORFEIT = forfeited(GAME, 9, 1, 'choosing: ValueError: \u00fc \u2028 "what?"')


@pytest.mark.parametrize(
    "game", [GAME, FORFEIT, replace(FORFEIT, history=()), replace(GAME, pair=7)]
)
def test_lines_are_read_back(game: RecordedGame) -> None:
    line = game.to_line()
    assert RecordedGame.from_line(line) == game
    assert line.isascii()
    assert len(line.splitlines()) == 1


def test_random_games_of_matches_are_read_back() -> None:
    game = random_record({"profile": "dutch", "target": 300}, 1)
    assert RecordedGame.from_line(game.to_line()) == game
    assert " " not in game.to_line()
    assert game.returns in ((1.0, -1.0), (-1.0, 1.0), (0.0, 0.0))


def test_no_damage_gets_through() -> None:
    for line in (GAME.to_line(), FORFEIT.to_line()):
        damaged = [line[:end] for end in range(len(line))]
        damaged += [line[:i] + line[i + 1 :] for i in range(len(line))]
        damaged += [
            line[:i] + ("1" if line[i] == "2" else "2") + line[i + 1 :] for i in range(len(line))
        ]
        damaged += [line + " ", " " + line, line.replace(",", ", "), line + line]
        for text in damaged:
            with pytest.raises(ValueError, match="it is no game|checksum|as it was written"):
                RecordedGame.from_line(text)


def with_checksum(fields: dict[str, Any]) -> str:
    """A line with the right checksum, whatever it says."""
    text = json.dumps(fields, separators=(",", ":"))
    return f'{text[:-1]},"crc":{zlib.crc32(text.encode())}}}'


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("block", -1),
        ("block", "0"),
        ("pair", 1.0),
        ("pair", True),
        ("seating", 2),
        ("game", None),
        ("bots", ["random"]),
        ("bots", ["a", "b", "c"]),
        ("bots", ["a", 1]),
        ("bots", 3),
        ("history", [0, -1]),
        ("history", [0, "1"]),
        ("history", None),
        ("returns", [0.0]),
        ("returns", [1, -1]),
        ("returns", None),
        ("returns", [float("nan"), 0.0]),
        ("forfeit", 0),
        ("reason", None),
        ("colour", "red"),
    ],
)
def test_nonsense_with_the_right_checksum_is_refused(field: str, value: Any) -> None:
    fields = json.loads(GAME.to_line())
    del fields["crc"]
    assert RecordedGame.from_line(with_checksum(fields)) == GAME
    with pytest.raises(ValueError, match="it is no game"):
        RecordedGame.from_line(with_checksum({**fields, field: value}))


@pytest.mark.parametrize("seat", [None, 2, -1, "0"])
def test_forfeits_have_a_seat(seat: Any) -> None:
    fields = json.loads(FORFEIT.to_line())
    del fields["crc"]
    with pytest.raises(ValueError, match="it is no game"):
        RecordedGame.from_line(with_checksum({**fields, "forfeit": seat}))


def test_missing_fields_are_refused() -> None:
    fields = json.loads(GAME.to_line())
    for field in fields:
        rest = {key: value for key, value in fields.items() if key not in (field, "crc")}
        text = json.dumps(rest) if field == "crc" else with_checksum(rest)
        with pytest.raises(ValueError, match="it is no game|as it was written"):
            RecordedGame.from_line(text)


# Files.


def written(folder: Path, text: str) -> Path:
    """The file of a store with some text."""
    path = folder / GAMES
    path.write_bytes(text.encode())
    return path


def test_files_and_folders_are_read(tmp_path: Path) -> None:
    path = written(tmp_path, f"{GAME.to_line()}\n{FORFEIT.to_line()}\n")
    assert list(read_games(path)) == [(1, GAME), (2, FORFEIT)]
    assert list(read_games(tmp_path)) == [(1, GAME), (2, FORFEIT)]
    written(tmp_path, f"{GAME.to_line()}\n{FORFEIT.to_line()}")
    assert list(read_games(tmp_path)) == [(1, GAME), (2, FORFEIT)]


def test_torn_last_line(tmp_path: Path) -> None:
    line = FORFEIT.to_line()
    for end in (1, 40, len(line) - 1):
        games = read_games(written(tmp_path, f"{GAME.to_line()}\n{line[:end]}"))
        assert next(games) == (1, GAME)
        with pytest.raises(TornLineError, match="line 2 is not whole"):
            next(games)


def test_damaged_line(tmp_path: Path) -> None:
    good = GAME.to_line()
    for bad in (good[:-3], good.replace("crc", "cry"), ""):
        games = read_games(written(tmp_path, f"{good}\n{bad}\n{good}\n"))
        assert next(games) == (1, GAME)
        with pytest.raises(ValueError, match="line 2 is damaged") as error:
            next(games)
        assert not isinstance(error.value, TornLineError)


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"\xff\xfe\n")
    with pytest.raises(ValueError, match="line 1 is damaged"):
        list(read_games(path))


def test_empty_and_missing_files(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        list(read_games(tmp_path))
    with pytest.raises(FileNotFoundError):
        list(read_games(tmp_path / "nowhere"))
    with pytest.raises(ValueError, match="there is no game in it"):
        list(read_games(written(tmp_path, "")))
