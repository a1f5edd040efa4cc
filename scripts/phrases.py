"""What texts for card players have in common."""

from textwrap import fill

WIDTH = 100
"""Characters of a line."""

SUIT_NAMES = ("spades", "hearts", "diamonds", "clubs")


def paragraph(*sentences: str, indent: str = "") -> str:
    """Sentences as one paragraph; empty ones are left out.

    Args:
      sentences: the sentences.
      indent: what every line begins with; all but the first are indented by two more.
    """
    further = indent + "  " if indent else ""
    return fill(
        " ".join(filter(None, sentences)),
        WIDTH,
        initial_indent=indent,
        subsequent_indent=further,
        break_on_hyphens=False,
    )


def counted(number: int, noun: str) -> str:
    """Such as "1 card" and "2 cards"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def counted_are(number: int, noun: str) -> str:
    """Such as "1 card is" and "2 cards are"."""
    return f"{counted(number, noun)} {'is' if number == 1 else 'are'}"


def ascii_only(text: str) -> str:
    """The text with other characters, which names of files may have, as escapes."""
    return text.encode("ascii", "backslashreplace").decode("ascii")
