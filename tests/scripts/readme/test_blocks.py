"""Which examples of a README are found, and when each is run."""

import pytest

from scripts.readme.blocks import Level, commands_of, find_blocks

README = """\
# Title

```python
print(1)
```

```text
1
```

<!-- begin views -->
```text
made from the code
```
<!-- end views -->

<!-- block: slow -->
```console
$ echo one \\
    two
one two
$ true
```

<!-- block: long: 500 -> 2; --seed=1 -> --seed=2 -->
```sh
echo 500 --seed=1
```

<!-- block: ci -->
```sh
make test
```
"""


def test_examples_are_found_in_order() -> None:
    blocks = find_blocks(README, "README.md")
    assert [(b.language, b.level) for b in blocks] == [
        ("python", Level.QUICK),
        ("console", Level.SLOW),
        ("sh", Level.LONG),
        ("sh", Level.CI),
    ]
    assert [block.line for block in blocks] == [3, 18, 26, 31]
    assert blocks[0].name == "README.md:3"


def test_output_stands_where_it_is_said_to() -> None:
    first, second, third, _ = find_blocks(README, "README.md")
    for block in (first, second):
        assert README[slice(*block.place)] == block.shown
    assert first.shown == "1\n"
    assert second.shown == second.body
    assert third.shown is None


def test_long_examples_can_be_shortened() -> None:
    long = find_blocks(README, "README.md")[2]
    assert long.shortened(long.body) == "echo 2 --seed=2\n"


def test_commands_and_what_they_print() -> None:
    body = find_blocks(README, "README.md")[1].body
    assert commands_of(body) == [("echo one \\\n    two\n", "one two\n"), ("true\n", "")]
    with pytest.raises(ValueError, match="'nothing' is the output of no command"):
        commands_of("nothing\n$ true\n")


WRONG = {
    "language": ("```json\n{}\n```\n", "a block of 'json' is not allowed"),
    "none": ("```\nwhat\n```\n", "a block of '' is not allowed"),
    "note": ("<!-- block: often -->\n```sh\ntrue\n```\n", "the note 'often' is not allowed"),
    "output of nothing": ("```text\n1\n```\n", "README.md:1: this text is the output of nothing"),
    "output far away": (
        "```python\nprint(1)\n```\nand\n```text\n1\n```\n",
        "README.md:5: this text is the output of nothing",
    ),
    "indented": ("- so:\n  ```python\n  1\n  ```\n", "fences stand at the beginning of a line"),
    "open": ("```python\n1\n", "fences stand at the beginning of a line, in pairs"),
}


@pytest.mark.parametrize(("text", "why"), WRONG.values(), ids=WRONG.keys())
def test_what_nothing_can_run_is_refused(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        find_blocks(text, "README.md")
