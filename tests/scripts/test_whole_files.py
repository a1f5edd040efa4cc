"""Files that are there whole or not at all."""

import os
from errno import ENOSPC
from pathlib import Path

import pytest

from scripts.whole_files import write_whole


@pytest.mark.parametrize("place", ["fsync", "replace"])
def test_older_file_stays_until_the_new_one_is_whole(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    write_whole(path, b"older")

    def full(*_: object) -> None:
        raise OSError(ENOSPC, "No space left on device")

    with monkeypatch.context() as disk:
        disk.setattr(os, place, full)
        with pytest.raises(OSError, match="No space left"):
            write_whole(path, "newer")
    assert [file.read_bytes() for file in tmp_path.iterdir()] == [b"older"]
    write_whole(path, "newer")
    assert [file.read_bytes() for file in tmp_path.iterdir()] == [b"newer"]


def test_any_text_can_be_written(tmp_path: Path) -> None:
    write_whole(tmp_path / "file", "\ud800 " + os.fsdecode(b"\xff") + " Ł\r\n")
    assert (tmp_path / "file").read_bytes() == "\\ud800 \\udcff Ł\r\n".encode()
