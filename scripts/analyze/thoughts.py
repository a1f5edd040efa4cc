"""What bots and the solver think of the moves in a position."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isnan, nan
from typing import Any

from bots.registry import make_bot, parse_spec, sees_all
from marjolet_spiel import kernel
from marjolet_spiel.solvers.solve import Solution, solve
from scripts.arena.plan.game_text import game_text

_HAPPENING = {
    kernel.DEALER_LOT: "the first dealer is drawn by lot",
    kernel.DEALING: "the cards are dealt",
    kernel.TURNING: "a card is turned up for trumps",
    kernel.DRAW: "a card is drawn from the stock",
}


@dataclass(frozen=True)
class Thoughts:
    """What one bot thinks of the moves.

    Attributes:
      bot: the bot as text.
      searches: whether it gives the moves values.
      values: for each move its value for the player on turn, in units of the return; nan if there
        is none.
      weights: for each move its share of the search, or how likely a bot without search takes it.
      choice: what the bot plays.
      guesses: whether it is a saved policy without this position, which it plays at random.
    """

    bot: str
    searches: bool
    values: dict[int, float]
    weights: dict[int, float]
    choice: int
    guesses: bool = False


@dataclass(frozen=True)
class Analysis:
    """A position as the player on turn sees it, and what is thought of his moves.

    Attributes:
      game: the text of the game.
      state: a state that the player cannot tell from the one that was given.
      player: who is on turn.
      moves: his legal actions, the best first.
      thoughts: what each bot thinks.
      solution: the exact values, if the stock is gone and there are not too many cards.
      obstacle: why there is no solution although the stock is gone; else empty.
    """

    game: str
    state: Any
    player: int
    moves: tuple[int, ...]
    thoughts: tuple[Thoughts, ...]
    solution: Solution | None
    obstacle: str


def check_bots(bots: Sequence[str], allow_cheating: bool = False) -> list[str]:
    """The bots in one spelling; ValueError if one is unknown, unfair or named twice."""
    specs = [str(parse_spec(text)) for text in bots]
    if not specs:
        raise ValueError("bots: none is named; name some such as 'greedy ismcts'")
    for spec in specs:
        if specs.count(spec) > 1:
            raise ValueError(f"bots: {spec!r} is named twice")
        if sees_all(spec) and not allow_cheating:
            raise ValueError(
                f"bots: {spec!r} looks at hidden cards; it may be asked only if cheating is "
                "allowed (--allow_cheating)"
            )
    return specs


def why_no_move(state: Any) -> str:
    """Why nobody is to move, as a sentence; empty if a player is."""
    if state.is_chance_node():
        happening = _HAPPENING[int(state.core.pos[kernel.PHASE])]
        return f"Nobody is to move in this position: {happening}."
    if not state.is_terminal():
        return ""
    pos = state.core.pos
    points = [int(pos[kernel.SCORE0 + p] + kernel.deal_points(pos, p)) for p in range(2)]
    return f"The game is over: player 0 has {points[0]} points, player 1 has {points[1]}."


def analyze(
    state: Any, bots: Sequence[str], seed: int = 1, allow_cheating: bool = False
) -> Analysis:
    """What bots think of the moves of the player on turn.

    Hidden cards have no say: fair bots get a state sampled from what the player has seen.

    Args:
      state: a state of python_marjolet.
      bots: the bots, as text (`bots.registry.specs`).
      seed: of all that is random, a whole number from 0.
      allow_cheating: whether bots may be among them that look at hidden cards.

    Raises:
      ValueError: nobody is on turn, or a bot is wrong.
    """
    specs = check_bots(bots, allow_cheating)
    if why_no_move(state):
        raise ValueError(f"position: {why_no_move(state)}")
    player = state.current_player()
    seen = state.resample_from_infostate(player, seed)
    thoughts = [_thoughts(state if sees_all(spec) else seen, spec, seed) for spec in specs]
    solution, obstacle = _solved(seen)
    moves = _ranked(seen.legal_actions(), thoughts, solution)
    game = game_text(state.get_game().get_parameters())
    return Analysis(game, seen, player, moves, tuple(thoughts), solution, obstacle)


def _solved(state: Any) -> tuple[Solution | None, str]:
    """The exact solution, or why there is none although the stock is gone."""
    pos = state.core.pos
    if pos[kernel.TRICK] <= pos[kernel.STOCK_TRICKS]:
        return None, ""
    try:
        return solve(state), ""
    except ValueError as error:
        return None, str(error).removeprefix("position: ")


def _thoughts(state: Any, spec: str, seed: int) -> Thoughts:
    player, legal = state.current_player(), state.legal_actions()
    bot: Any = make_bot(spec, state.get_game(), player, seed)
    searches = hasattr(bot, "evaluate")
    if len(legal) == 1:
        only = legal[0]
        return Thoughts(spec, searches, {only: nan}, {only: 1.0}, only)
    if searches:
        found = bot.evaluate(state)
    else:
        chances = dict(bot.get_policy(state))
        found = [(action, nan, chances.get(action, 0.0)) for action in legal]
    values = {action: float(value) for action, value, _ in found}
    weights = {action: float(weight) for action, _, weight in found}
    choice = int(bot.step(state))
    return Thoughts(spec, searches, values, weights, choice, getattr(bot, "unknown", 0) > 0)


def _ranked(
    moves: Sequence[int], thoughts: Sequence[Thoughts], solution: Solution | None
) -> tuple[int, ...]:
    """The moves by exact value, else by the first search, else by the first bot's weights."""
    first = next((one for one in thoughts if one.searches), thoughts[0])
    values = first.values if solution is None else solution.moves

    def rank(move: int) -> tuple[float, float, int]:
        value = values[move]
        return inf if isnan(value) else -value, -first.weights[move], move

    return tuple(sorted(moves, key=rank))
