"""Rows of cells as text and as Markdown."""

import pytest

from scripts.arena.report.layout import aligned, escaped, markdown_table

ROWS = [["bot", "margin", "interval"], ["greedy", "+84.9", "[+83.3, +86.4]"], ["a|b", "-", "<0.1"]]


def test_columns_of_text() -> None:
    assert aligned(ROWS).splitlines() == [
        "bot     margin        interval",
        "greedy   +84.9  [+83.3, +86.4]",
        "a|b          -            <0.1",
    ]


def test_markdown_table() -> None:
    assert markdown_table(ROWS).splitlines() == [
        "| bot | margin | interval |",
        "| --- | ---: | ---: |",
        "| greedy | +84.9 | [+83.3, +86.4] |",
        r"| a\|b | - | \<0.1 |",
    ]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("ismcts:sims=50,uct=0.5", "ismcts:sims=50,uct=0.5"),
        ("os_alphabeta", "os_alphabeta"),
        ("__init__ and _this_", r"\_\_init\_\_ and \_this\_"),
        ("one\ntwo  three", "one two three"),
        (r"a\|b", r"a\\\|b"),
        ("[text](address) [text][1]", r"[text]\(address) [text]\[1]"),
        ("<b> `x` *y* ~~z~~ &lt;", r"\<b> \`x\` \*y\* \~\~z\~\~ \&lt;"),
    ],
)
def test_names_and_reasons_are_no_markup(text: str, wanted: str) -> None:
    assert escaped(text) == wanted
