"""Rows of cells, of which the first is the head, as columns of text or as a Markdown table."""

import re
from collections.abc import Sequence

Rows = list[list[str]]

_MARKUP = re.compile(r"[\\`*|<~&]|(?<![^\W_])_|_(?![^\W_])|(?<=\])[(:\[]")
"""What Markdown may take for more than a character. An interval in brackets is left alone."""


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """Rows of cells in columns, the first flush left and the others flush right."""
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        lines.append("  ".join([row[0].ljust(widths[0]), *cells]).rstrip())
    return "\n".join(lines)


def escaped(text: str) -> str:
    """Text as Markdown shows it, on one line."""
    return _MARKUP.sub(r"\\\g<0>", " ".join(text.split()))


def markdown_table(rows: Sequence[Sequence[str]], left: int = 1) -> str:
    """Rows of cells as a Markdown table, the first `left` columns flush left."""
    head, *body = [[escaped(cell) for cell in row] for row in rows]
    lines = [head, ["---"] * left + ["---:"] * (len(head) - left), *body]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
