"""What a search finds: its choice, and what it thinks of each legal action."""

from typing import NamedTuple


class ActionValue(NamedTuple):
    """What a search thinks of one action.

    Attributes:
      action: the action.
      value: the mean return after it of the player on turn: points, in a match from -1 to 1; nan if
        it was not tried.
      share: its share of the search, from 0 to 1. Shares sum to 1.
    """

    action: int
    value: float
    share: float


Evaluation = list[ActionValue]
"""Of each legal action, ascending."""


class SearchResult(NamedTuple):
    """What a search found.

    Attributes:
      choice: the action that it takes.
      evaluation: what it thinks of each legal action, ascending by action.
    """

    choice: int
    evaluation: Evaluation
