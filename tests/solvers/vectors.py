"""Kernel positions of the last tricks, played or dealt at random, and lines of play on them."""

import random
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from typing import Any

import numpy as np

from marjolet_spiel import kernel
from marjolet_spiel.array_types import Vector
from marjolet_spiel.cards import RANKS, bits, mask_of, parse_card, parse_meld
from marjolet_spiel.rules import Rules
from marjolet_spiel.solvers.endgame.table import EndgameTable, build_values
from tests.variants import AKQJ7, KQJ7, PROFILES, QJ7, VARIANTS, Params, over

HELD_DEALS: Mapping[str, Params] = {
    **{name: {"profile": name} for name in PROFILES},
    "sweep 100": {"sweep_bonus": 100},
    "no sweep": {"sweep_bonus": 0},
    "sweep 1000": {"sweep_bonus": 1000},
    "2 x AKQJ7": {**AKQJ7, "hand_size": 4},
    "2 x KQJ7": KQJ7,
    "2 x QJ7": QJ7,
    "3 suits, no sevens": VARIANTS["3 suits, no sevens"],
    "large hands": {"hand_size": 15},
}
"""What makes a difference to the endgame table: profiles, sweep bonuses, packs and hands."""

each_held_deal = over(HELD_DEALS, quick=("english", "dutch", "sweep 1000", "2 x KQJ7"))


@cache
def built(sweep_bonus: int) -> EndgameTable:
    """A table made by the code at hand, whatever is kept on disk."""
    return EndgameTable(sweep_bonus, build_values(sweep_bonus))


def table_for(pos: Vector) -> EndgameTable:
    """The table for the rules of a position."""
    return built(int(pos[kernel.SWEEP_BONUS]))


def cards_left(pos: Vector) -> int:
    """How many cards the players hold at most."""
    return max(int(pos[kernel.HAND0 + player]).bit_count() for player in range(2))


def in_endgame(pos: Vector) -> bool:
    """Whether a player is on turn after the stock."""
    return bool(pos[kernel.PLAYER] >= 0 and pos[kernel.TRICK] > pos[kernel.STOCK_TRICKS])


def random_game(rules: Rules, rng: random.Random) -> Iterator[Vector]:
    """The positions of a random game, each its own."""
    pos = kernel.initial_position(rules)
    while pos[kernel.PHASE] != kernel.OVER:
        yield pos.copy()
        chance = pos[kernel.PLAYER] == kernel.CHANCE
        possible = int(kernel.chance_mask(pos) if chance else kernel.legal_mask(pos))
        assert kernel.apply(pos, rng.choice(bits(possible)))


def reached(params: Params, seed: int) -> Iterator[Vector]:
    """Positions of the last tricks, a few of each of endless random games."""
    rules, rng = Rules.of(**params), random.Random(seed)
    while True:
        found = [pos for pos in random_game(rules, rng) if in_endgame(pos)]
        yield from rng.sample(found, min(5, len(found)))


def held(params: Params, count: int, seed: int) -> list[Vector]:
    """As many positions of random games that the table holds."""
    return list(islice((pos for pos in reached(params, seed) if table_for(pos).holds(pos)), count))


# --- dealt at random ----------------------------------------------------------------------------

STATUSES = ("both may sweep", "the leader may sweep", "nobody may sweep")


def _random_rules(rng: random.Random, hand_size: int) -> Rules:
    """Rules of some pack of which so many cards are dealt to a hand."""
    while True:
        ranks = "".join(sorted(rng.sample(RANKS, rng.randint(2, 8)), key=RANKS.index))
        try:
            return Rules.of(
                num_suits=rng.randint(2, 4),
                ranks=ranks,
                hand_size=hand_size,
                dix_play=rng.choice(["always", "unless_swapped", "once_per_deal"]),
                jack_queen=rng.choice(["trump_jack", "suit_jack_marriage"]),
            )
        except ValueError:
            continue


def _wins(rng: random.Random, status: str, played: int, leader: int) -> list[int]:
    wins = [0, 0]
    wins[leader] = rng.randrange(1, played) if status == STATUSES[2] else played
    wins[1 - leader] = played - wins[leader]
    return wins


def laid_out(rng: random.Random, cards: int, status: str) -> Vector:
    """A position with `cards` cards a hand before a trick that need not come of any game.

    Which cards are gone, who has them, the points and who leads are random; in half of the
    positions a card is led already.
    """
    least, most = {STATUSES[0]: (0, 0), STATUSES[1]: (1, 3), STATUSES[2]: (2, 4)}[status]
    played = rng.randint(least, most)
    rules = _random_rules(rng, cards + played)
    pos = kernel.initial_position(rules)
    for field in range(kernel.PHASE, kernel.SIZE):
        pos[field] = 0
    pack = bits(rules.pack)
    rng.shuffle(pack)
    leader, gone = rng.randrange(2), pack[2 * cards :]
    pos[kernel.LED] = pos[kernel.INDICATOR] = kernel.NONE
    pos[kernel.PHASE], pos[kernel.PLAYER], pos[kernel.LEADER] = kernel.LEAD, leader, leader
    pos[kernel.DEAL], pos[kernel.TRICK] = 1, rules.num_tricks - cards + 1
    pos[kernel.TURN_UP] = rng.choice(pack)
    pos[kernel.TRUMP] = pos[kernel.TURN_UP] >> 3
    pos[kernel.SWAPPED] = rng.randrange(2)
    pos[kernel.HAND0], pos[kernel.HAND1] = mask_of(pack[:cards]), mask_of(pack[cards : 2 * cards])
    half = len(gone) // 4 * 2
    pos[kernel.CAPTURED0], pos[kernel.CAPTURED1] = mask_of(gone[:half]), mask_of(gone[half:])
    pos[kernel.WINS0], pos[kernel.WINS1] = _wins(rng, status, played, leader)
    for field in range(kernel.MELD_POINTS0, kernel.LAST_POINTS0):
        pos[field] = 10 * rng.randrange(20)
    if rng.randrange(2):
        assert kernel.apply(pos, rng.choice(bits(int(kernel.legal_mask(pos)))))
    return pos


# --- lines --------------------------------------------------------------------------------------


def line_actions(pos: Vector, line: str) -> list[int]:
    """The actions of a line of play from a position, windows closed where it says nothing.

    Who takes each trick by the line is compared with the rules.
    """
    now, actions = np.array(pos), []

    def act(action: int) -> None:
        assert kernel.apply(now, action), (line, action)
        actions.append(action)

    for part in filter(None, line.split(", ")):
        if part.startswith("meld "):
            act(kernel.FIRST_MELD + parse_meld(part[5:], int(now[kernel.NUM_SUITS])))
            continue
        if now[kernel.PHASE] == kernel.DECLARE:
            act(kernel.DONE)
        names = part.split()
        winner = names.pop()[1:-1] if names[-1].startswith("(") else ""
        _play_trick(now, names, act)
        if winner and now[kernel.DEAL] == pos[kernel.DEAL]:
            assert winner == str(now[kernel.LEADER]), (line, part)
    return actions


def _play_trick(now: Vector, names: Sequence[str], act: Any) -> None:
    cards = [parse_card(name) for name in names]
    if now[kernel.PHASE] == kernel.FOLLOW:
        assert cards.pop(0) == now[kernel.LED]
    for card in cards:
        act(kernel.FIRST_PLAY + card)


def after(pos: Vector, actions: Sequence[int]) -> Vector:
    """The position after some actions."""
    now = np.array(pos)
    for action in actions:
        assert kernel.apply(now, action)
    return now


def difference(pos: Vector) -> int:
    """The points of player 0 so far less those of player 1."""
    return int(kernel.deal_points(pos, 0) - kernel.deal_points(pos, 1))
