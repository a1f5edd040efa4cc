"""Lines of play as text."""

from collections.abc import Callable

from marjolet_spiel import kernel
from marjolet_spiel.array_types import Vector
from marjolet_spiel.notation import action_name


def line_text(pos: Vector, choose: Callable[[Vector], int]) -> str:
    """How a deal goes on to its end when every action is chosen by `choose`.

    Tricks are separated by commas, each with its cards in the order of play and the player who
    takes it in brackets: ``AS 7S (0), TD JD (0)``. Melds stand between tricks; windows in which
    nothing is declared are left out.

    Args:
      pos: one of the endgame; it is moved on.
      choose: gives a legal action of a position.
    """
    parts: list[str] = []
    cards: list[str] = []
    deal, suits = pos[kernel.DEAL], int(pos[kernel.NUM_SUITS])
    while pos[kernel.PHASE] != kernel.OVER and pos[kernel.DEAL] == deal:
        phase, only = pos[kernel.PHASE], kernel.legal_mask(pos) == 1 << kernel.DONE
        action = kernel.DONE if only else choose(pos)
        leader, wins = int(pos[kernel.LEADER]), False
        if phase == kernel.FOLLOW:
            card = action - kernel.FIRST_PLAY
            wins = kernel.follower_wins(pos[kernel.LED], card, pos[kernel.TRUMP])
            if not cards:
                cards.append(action_name(int(pos[kernel.LED]) + kernel.FIRST_PLAY)[5:])
        name = action_name(action, suits)
        kernel.apply_decision(pos, action)
        if action >= kernel.FIRST_MELD:
            parts += [name] if action < kernel.DONE else []
            continue
        cards.append(name.removeprefix("play "))
        if phase == kernel.FOLLOW and pos[kernel.LED] == kernel.NONE:  # else it ended the match
            parts.append(f"{' '.join(cards)} ({1 - leader if wins else leader})")
            cards = []
    return ", ".join([*parts, " ".join(cards)] if cards else parts)
