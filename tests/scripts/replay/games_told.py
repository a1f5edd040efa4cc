"""Games played back whole, and one that was laid out by hand."""

import re
from dataclasses import replace
from typing import Any

from scripts.arena.plan.game_text import load_game
from scripts.arena.store.recorded import RecordedGame
from scripts.replay.words import retell

SMALL = {"num_suits": 2, "ranks": "KQJ7", "hand_size": 3}

MATCH = {"profile": "dutch", "target": 300}


def told(record: RecordedGame, exact: bool = False) -> str:
    """The whole text."""
    return "\n".join(retell(record, exact))


def unwrapped(text: str) -> list[str]:
    """The lines of a text, those that were wrapped put together again."""
    return re.sub(r"\n {4}(?=\S)", " ", text).splitlines()


HAND_GAME = "python_marjolet(num_suits=2,ranks=KQJ7,hand_size=3)"

BY_HAND = """\
python_marjolet(num_suits=2,ranks=KQJ7,hand_size=3): english rules, a single deal
Pair 4, seating 1: greedy is player 0, ismcts:sims=9 is player 1.

The lot falls on greedy to deal.

Deal 1: greedy deals and turns up QH. Hearts are trumps.

Trick 1 of 4, 2 cards in the stock, QH face up
  greedy  JS 7S JH
  ismcts  KS QS 7H
  ismcts leads QS, greedy answers 7S: ismcts takes it
  ismcts swaps 7H for QH (10)
  ismcts draws KH, greedy takes 7H (10 for the end of the stock)
  points: greedy 10, ismcts 10

Trick 2 of 4, the stock is gone
  greedy  JS JH 7H
  ismcts  KS KH QH
  ismcts leads KS, greedy answers JS: ismcts takes it
  points: greedy 10, ismcts 10

Trick 3 of 4, the stock is gone
  greedy  JH 7H
  ismcts  KH QH
  ismcts leads QH, greedy answers 7H (10 for the dix): ismcts takes it
  points: greedy 20, ismcts 10

Trick 4 of 4, the stock is gone
  greedy  JH
  ismcts  KH
  ismcts leads KH, greedy answers JH: ismcts takes it (10 for the last trick, 50 for the sweep)

End of deal 1
          melds  dix  stock end  last trick  sweep  brisques  deal
  greedy      0   10         10           0      0         0    20
  ismcts      0   10          0          10     50         0    70

ismcts wins the deal 70 to 20, by 50."""

DEALT = "dealer 0, deal KS, deal QS, deal 7H, deal JS, deal 7S, deal JH, turn QH"

PLAYED = "play QS, play 7S, swap, done, play KS, play JS, play QH, play 7H, play KH, play JH"


def by_hand(names: str, **changes: Any) -> RecordedGame:
    """The game above, as far as some actions lead; without `changes` it is won by 50."""
    state = load_game(HAND_GAME).new_initial_state()
    for name in names.split(", "):
        state.apply_action(state.string_to_action(name))
    bots = ("greedy", "ismcts:sims=9")
    record = RecordedGame(0, 4, 1, HAND_GAME, bots, tuple(state.history()), (-50.0, 50.0))
    return replace(record, **changes)


WHOLE = by_hand(f"{DEALT}, {PLAYED}")
