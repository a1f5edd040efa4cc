"""The examples of a README: blocks between fences, and when each of them is run.

======== ================================================================================
language what it is
======== ================================================================================
python   code; a block ``text`` right after it shows what it prints. The blocks of a README share
         their names, as in a notebook
console  lines that begin with ``$ `` are commands, those after them what they print
sh       commands whose output is not shown
text     what the block before it prints
======== ================================================================================

A comment before a block, ``<!-- block: NOTE -->``, says what is particular about it:

* ``slow``: it takes a while; run by ``make slow`` and ``make readme``
* ``long: A -> B; C -> D``: it takes minutes to hours; run by ``make figures``. Tests run it with B
  for A and D for C, and compare the first line of what it prints but for its numbers
* ``ci``: the checks themselves; `.ci/run` has the same line
* ``file: NAME``: it is the content of a file in the folder of the examples
* ``typed``: whoever runs it types the first of the choices that a prompt lists
"""

import re
from dataclasses import dataclass
from enum import IntEnum

_FENCED = re.compile(
    r"(?:^<!-- block: (?P<note>[^\n]*?) -->\n)?^```(?P<language>\w*)\n(?P<body>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
_GENERATED = re.compile(r"^<!-- begin (\w+) -->\n.*?^<!-- end \1 -->$", re.MULTILINE | re.DOTALL)
_NOTES = r"slow|ci|typed|file: [\w.]+|long(: .+ -> .+)?"

LANGUAGES = ("python", "console", "sh")


class Level(IntEnum):
    """When a block is run."""

    QUICK = 0
    """By the tests."""
    SLOW = 1
    """By the slow tests."""
    LONG = 2
    """By ``make figures``, and in a small way by the slow tests."""
    CI = 3
    """By `.ci/run`, which has the same lines."""


@dataclass(frozen=True)
class Block:
    """An example.

    Attributes:
      readme: the path of the README from the root of the project.
      line: where the block begins, from 1.
      language: python, console or sh.
      note: the comment before it, or nothing.
      body: what stands between the fences.
      shown: what it prints as the README has it; None if that is not shown. Of a console block it
        is the body, commands included.
      place: from where to where `shown` stands in the README.
    """

    readme: str
    line: int
    language: str
    note: str
    body: str
    shown: str | None
    place: tuple[int, int]

    @property
    def name(self) -> str:
        """Where it stands, such as "bots/README.md:17"."""
        return f"{self.readme}:{self.line}"

    @property
    def level(self) -> Level:
        """When it is run."""
        word = self.note.partition(":")[0]
        return {"slow": Level.SLOW, "long": Level.LONG, "ci": Level.CI}.get(word, Level.QUICK)

    def shortened(self, text: str) -> str:
        """A text with what takes less time in the place of what takes long."""
        for change in self.note.removeprefix("long").removeprefix(": ").split("; "):
            before, _, after = change.partition(" -> ")
            text = text.replace(before, after) if before else text
        return text


def find_blocks(text: str, readme: str) -> list[Block]:
    """The examples of a README in order; generated tables are none.

    Raises:
      ValueError: a block cannot be run: its language or its note is unknown, it shows the output
        of nothing, or its fences do not match.
    """
    _check_fences(text, readme)
    matches = _examples(text)
    blocks: list[Block] = []
    for match, after in zip(matches, [*matches[1:], None], strict=True):
        if match["language"] != "text":
            blocks.append(_block(text, readme, match, after))
        elif not blocks or blocks[-1].place != match.span("body"):
            line = text.count("\n", 0, match.start("body"))
            raise ValueError(f"{readme}:{line}: this text is the output of nothing")
    return blocks


def _examples(text: str) -> list[re.Match[str]]:
    """What stands between fences and is no generated table."""
    generated = [match.span() for match in _GENERATED.finditer(text)]
    return [
        match
        for match in _FENCED.finditer(text)
        if not any(begin < match.start() < end for begin, end in generated)
    ]


def _block(text: str, readme: str, match: re.Match[str], after: re.Match[str] | None) -> Block:
    """An example with its output, which may be the one after it."""
    line, body = text.count("\n", 0, match.start("body")), match["body"]
    language, note = match["language"], match["note"] or ""
    _check(language, note, f"{readme}:{line}")
    if language == "console":
        return Block(readme, line, language, note, body, body, match.span("body"))
    is_shown = (
        language == "python"
        and after is not None
        and after["language"] == "text"
        and not text[match.end() : after.start()].strip()
    )
    if after is None or not is_shown:
        return Block(readme, line, language, note, body, None, (0, 0))
    return Block(readme, line, language, note, body, after["body"], after.span("body"))


def _check(language: str, note: str, where: str) -> None:
    if language not in LANGUAGES:
        allowed = ", ".join(LANGUAGES)
        raise ValueError(f"{where}: a block of {language!r} is not allowed; they are {allowed}")
    if note and not re.fullmatch(_NOTES, note):
        raise ValueError(f"{where}: the note {note!r} is not allowed; see scripts/readme/blocks.py")


def _check_fences(text: str, readme: str) -> None:
    """ValueError if there are fences that `find_blocks` would not see."""
    fences = re.findall(r"^\s*(?:```|~~~).*$", text, re.MULTILINE)
    seen = sum(match.group().count("```") for match in _FENCED.finditer(text))
    if len(fences) != seen:
        raise ValueError(f"{readme}: fences stand at the beginning of a line, in pairs")


def commands_of(body: str) -> list[tuple[str, str]]:
    """The commands of a console block with what each of them prints; both may have many lines.

    Raises:
      ValueError: it begins with something else than a command.
    """
    found: list[tuple[str, str]] = []
    more = False
    for line in body.splitlines(keepends=True):
        if more:
            found[-1] = (found[-1][0] + line, "")
        elif line.startswith("$ "):
            found.append((line[2:], ""))
        elif found:
            found[-1] = (found[-1][0], found[-1][1] + line)
        else:
            raise ValueError(f"console: {line.rstrip()!r} is the output of no command")
        more = not found[-1][1] and line.rstrip().endswith("\\")
    return found
