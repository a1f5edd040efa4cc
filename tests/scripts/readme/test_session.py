"""What examples print, and how a README comes to show it."""

from pathlib import Path

import pytest

from scripts.readme.blocks import Level, find_blocks
from scripts.readme.session import ExampleError, Session, alike, refreshed, same


def renewed(text: str, folder: Path, most: Level = Level.SLOW) -> str:
    """A README with what its examples print."""
    return refreshed(text, "README.md", folder, most)


def test_output_is_written_and_the_rest_is_kept(tmp_path: Path) -> None:
    text = (
        "one\n```python\nx = 6\nprint(x * 7)\n```\n\n```text\nwrong\n```\ntwo\n"
        "```console\n$ echo a\nwrong\n$ echo b\n```\nthree\n"
    )
    assert renewed(text, tmp_path) == (
        "one\n```python\nx = 6\nprint(x * 7)\n```\n\n```text\n42\n```\ntwo\n"
        "```console\n$ echo a\na\n$ echo b\nb\n```\nthree\n"
    )


def test_examples_share_names_and_a_folder(tmp_path: Path) -> None:
    text = (
        "<!-- block: file: data.txt -->\n```python\n1, 2\n```\n"
        '```python\nx = open("data.txt").read()\n```\n'
        "```python\nprint(x, end='')\n```\n```text\n```\n"
        "```console\n$ cat data.txt && ls -d .venv\n```\n"
    )
    shown = [block.shown for block in find_blocks(renewed(text, tmp_path), "README.md")]
    assert shown[2:] == [
        "1, 2\n",
        "$ cat data.txt && ls -d .venv\n1, 2\n.venv\n",
    ]


def test_typed_examples_take_the_first_choice(tmp_path: Path) -> None:
    code = "print(input('play AS, done: '), input('done: '))"
    text = f"<!-- block: typed -->\n```python\n{code}\n```\n```text\n```\n"
    assert "```text\nplay AS done\n```" in renewed(text, tmp_path)


def test_long_examples_are_left_alone_unless_they_are_wanted(tmp_path: Path) -> None:
    text = "<!-- block: long: 5 -> 2 -->\n```console\n$ echo 5 now\n4 now\n```\n"
    assert renewed(text, tmp_path) == text
    (tmp_path / "wanted").mkdir()
    assert "\n5 now\n" in renewed(text, tmp_path / "wanted", Level.LONG)
    (block,) = find_blocks(text, "README.md")
    (tmp_path / "small").mkdir()
    small = Session(tmp_path / "small").run(block, small=True)
    assert small == "$ echo 5 now\n2 now\n"
    assert alike(small, text[slice(*block.place)])
    assert not alike(small, "$ echo 5 now\n4 then\n")


@pytest.mark.parametrize("body", ["sh\nfalse", "console\n$ false | cat", "sh\nfalse\ntrue"])
def test_examples_that_fail_are_named(body: str, tmp_path: Path) -> None:
    with pytest.raises(ExampleError, match=r"README\.md:2: exit code 1 of"):
        renewed(f"\n```{body}\n```\n", tmp_path)


def test_pipes_may_end_early(tmp_path: Path) -> None:
    text = "```console\n$ yes | head -n 1\ny\n```\n"
    assert renewed(text, tmp_path) == text


def test_times_may_differ_and_nothing_else() -> None:
    assert same("0.5 ms, 17 moves in 3.1 s\n", "0.61 ms, 17 moves in 2 s\n")
    assert not same("0.5 ms, 17 moves\n", "0.5 ms, 18 moves\n")
    assert not same("1 seat\n", "2 seat\n")


def test_examples_know_nothing_of_a_make_around_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "shown.mk").write_text("run:\n\t@echo '<$(ARGS)>'\n", encoding="utf-8")
    for name, value in (("ARGS", "--rounds=3"), ("MAKEFLAGS", "w -- ARGS=--rounds=3")):
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("MAKELEVEL", "1")
    (tmp_path / "clone").mkdir()
    text = "```console\n$ make --file=../shown.mk run\n```\n"
    (block,) = find_blocks(text, "README.md")
    assert Session(tmp_path / "clone").run(block) == "$ make --file=../shown.mk run\n<>\n"
