"""How a deal and a game end, in words: the points of both players, and who has won."""

from marjolet_spiel import kernel
from marjolet_spiel.array_types import Vector
from marjolet_spiel.rules import Rules
from scripts.arena.plan.game_text import parse_game
from scripts.arena.report.layout import aligned
from scripts.arena.store.recorded import RecordedGame
from scripts.phrases import ascii_only, counted
from scripts.replay.steps import CATEGORIES, points

_COLUMNS = {"stock_end": "stock end", "last": "last trick"}

Names = tuple[str, str]
"""What the players are called."""


def short_names(bots: tuple[str, str]) -> tuple[str, str]:
    """What two bots are called: without their options, if that tells them apart."""
    first, second = (bot.partition(":")[0] for bot in bots)
    if first != second:
        return first, second
    return bots if bots[0] != bots[1] else ("player 0", "player 1")


def rules_of(record: RecordedGame) -> Rules:
    """The rules of a recorded game; ValueError if there is no such game."""
    return Rules.from_parameters(parse_game(record.game))


def result_words(record: RecordedGame) -> str:
    """How a game ended, in a few words; ValueError if there is no such game."""
    is_match = rules_of(record).is_match
    if record.returns is None:
        return ascii_only(f"{record.bots[record.forfeit or 0]} forfeits: {record.reason}")
    if record.returns[0] == record.returns[1]:
        return "a draw" if is_match else "level"
    winner = 0 if record.returns[0] > record.returns[1] else 1
    prize = "the match" if is_match else f"by {record.returns[winner]:g}"
    return ascii_only(f"{record.bots[winner]} wins {prize}")


def points_table(pos: Vector, names: Names, is_match: bool) -> list[str]:
    """The lines of a table of what both players scored in a deal that is over."""
    extra = ["before", "total"] if is_match else []
    rows = [["", *(_COLUMNS.get(c, c) for c in CATEGORIES), "deal", *extra]]
    for player, name in enumerate(names):
        deal = int(kernel.deal_points(pos, player))
        numbers = [*points(pos, player).values(), deal]
        numbers += [score(pos, player), total(pos, player)] if is_match else []
        rows.append([name, *map(str, numbers)])
    return aligned(rows).splitlines()


def outcome(pos: Vector, names: Names, is_match: bool) -> str:
    """Who has won a game that is over, in a sentence."""
    totals = [total(pos, player) for player in range(2)]
    first = float(kernel.return_of_player_0(pos))
    if first == 0:
        deals = counted(int(pos[kernel.DEAL]), "deal")
        return f"The match is a draw after {deals}." if is_match else "The deal ends level."
    winner = 0 if first > 0 else 1
    own, other = totals[winner], totals[1 - winner]
    what = "the match" if is_match else "the deal"
    by = "" if is_match else f", by {abs(first):g}"
    return f"{names[winner]} wins {what} {own} to {other}{by}."


def score(pos: Vector, player: int) -> int:
    """The points of a player in a match before this deal."""
    return int(pos[kernel.SCORE0 + player])


def total(pos: Vector, player: int) -> int:
    """The points of a player in a match with those of this deal."""
    return score(pos, player) + int(kernel.deal_points(pos, player))
