"""Recorded games step by step, each checked against the rules.

The rules are those of the compiled core: what it does not allow is an error, and what is said of a
step follows from the positions before and after it.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from marjolet_spiel import kernel
from marjolet_spiel.array_types import Vector
from marjolet_spiel.cards import bits
from marjolet_spiel.notation import action_name, chance_name
from marjolet_spiel.positions import POINT_FIELDS
from marjolet_spiel.rules import Rules
from scripts.arena.plan.game_text import parse_game
from scripts.arena.store.recorded import RecordedGame

CATEGORIES = (*POINT_FIELDS, "brisques")
"""What points are scored for."""


class BrokenGameError(Exception):
    """A recorded game is not one of this game; the message says where and why."""


@dataclass(frozen=True)
class Step:
    """One action or chance outcome of a recorded game.

    Attributes:
      actor: 0, 1 or `kernel.CHANCE`.
      action: the action or the outcome.
      before: the position in which it was chosen.
      after: what it led to. If it ended a deal, the next deal has not begun here: the points of the
        deal are still there.
      deal_over: whether it ended the deal.
      game_over: whether it ended the game.
    """

    actor: int
    action: int
    before: Vector
    after: Vector
    deal_over: bool
    game_over: bool

    @property
    def name(self) -> str:
        """Such as ``play AS``."""
        return name_of(self.before, self.action)

    def gains(self, player: int) -> dict[str, int]:
        """What a player scored in this step, by category."""
        before, after = points(self.before, player), points(self.after, player)
        return {k: after[k] - before[k] for k in CATEGORIES if after[k] != before[k]}


def points(pos: Vector, player: int) -> dict[str, int]:
    """The points of a player in this deal by category."""
    found = {category: int(pos[field + player]) for category, field in POINT_FIELDS.items()}
    return {**found, "brisques": int(kernel.brisque_points(pos, player))}


def name_of(pos: Vector, action: int) -> str:
    """The text of a legal action or a possible outcome."""
    if pos[kernel.PLAYER] == kernel.CHANCE:
        return chance_name(action, int(pos[kernel.PHASE]))
    return action_name(action, int(pos[kernel.NUM_SUITS]))


def options(pos: Vector) -> list[int]:
    """The legal actions or the possible outcomes; none when the game is over."""
    if pos[kernel.PLAYER] == kernel.CHANCE:
        return bits(int(kernel.chance_mask(pos)))
    return bits(int(kernel.legal_mask(pos)))


def first_position(record: RecordedGame) -> Vector:
    """The position before the first action; ValueError if there is no such game."""
    return kernel.initial_position(Rules.from_parameters(parse_game(record.game)))


def walk(record: RecordedGame) -> Iterator[Step]:
    """The steps of a game, one after the other.

    Raises:
      BrokenGameError: a step is not legal, or the game does not end as it is said to. All steps
        before it have been given by then.
      ValueError: there is no such game.
    """
    pos = first_position(record)
    for index, action in enumerate(record.history):
        before = pos.copy()
        if action >= kernel.NUM_ACTIONS or not kernel.apply(pos, action):
            raise BrokenGameError(f"action {index} of its history, {_not_allowed(before, action)}")
        deal_over = pos[kernel.PHASE] == kernel.OVER or pos[kernel.DEAL] != before[kernel.DEAL]
        actor, game_over = int(before[kernel.PLAYER]), pos[kernel.PHASE] == kernel.OVER
        yield Step(
            actor, action, before, _before_next_deal(before, pos, action), deal_over, game_over
        )
    _check_end(record, pos)


def _before_next_deal(before: Vector, after: Vector, action: int) -> Vector:
    """The position after an action, without a next deal: as in a game of one deal, if need be."""
    if after[kernel.DEAL] == before[kernel.DEAL]:
        return after.copy()
    single = before.copy()
    single[kernel.TARGET] = single[kernel.IMMEDIATE] = 0
    kernel.apply(single, action)
    return single


def _not_allowed(pos: Vector, action: int) -> str:
    try:
        name = f"{action} ({name_of(pos, action)})"
    except ValueError:
        name = str(action)
    if pos[kernel.PHASE] == kernel.OVER:
        return f"{name}, comes after the end of the game"
    allowed = ", ".join(f"{one} ({name_of(pos, one)})" for one in options(pos))
    return f"{name}, is not allowed; allowed are {allowed}"


def _check_end(record: RecordedGame, pos: Vector) -> None:
    if record.returns is None:
        return
    if pos[kernel.PHASE] != kernel.OVER:
        phase = kernel.PHASE_NAMES[pos[kernel.PHASE]]
        raise BrokenGameError(
            f"its history ends after {len(record.history)} actions, in phase {phase} of deal "
            f"{pos[kernel.DEAL]}, but the game is not over"
        )
    first = float(kernel.return_of_player_0(pos))
    if record.returns != (first, -first):
        raise BrokenGameError(
            f"its returns are said to be {record.returns[0]:g} and {record.returns[1]:g}, but they "
            f"are {first:g} and {0 - first:g}"
        )
