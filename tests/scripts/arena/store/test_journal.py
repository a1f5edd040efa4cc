"""Files of lines that lose nothing in silence."""

import os
from contextlib import closing
from pathlib import Path

import pytest

from scripts.arena.store.journal import Journal, read_lines


def test_lines_of_a_file_that_was_deleted_are_not_lost_in_silence(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    with closing(Journal(path)) as journal:
        journal.append(["one"])
        path.unlink()
        with pytest.raises(FileNotFoundError, match="lines was deleted meanwhile"):
            journal.append(["two"])


def test_lines_follow_a_folder_that_is_renamed(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    with closing(Journal(tmp_path / "old" / "lines")) as journal:
        journal.append(["one"])
        os.replace(tmp_path / "old", tmp_path / "new")
        journal.append(["two"])
    assert read_lines(tmp_path / "new" / "lines") == ["one", "two"]
