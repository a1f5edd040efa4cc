"""Plans: what a tournament plays, as a pure function of its configuration.

A plan is a list of blocks. A block is one pairing and some *duplicate pairs*: the same deal twice,
with the seats swapped. Everything about a game follows from the plan and its place in it, so blocks
can be played in any order and by anybody.
"""

import hashlib
import json
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import combinations

from marjolet_spiel.rules import RULES_VERSION
from scripts.arena.plan.config import Config

PLAN_VERSION = 2
"""Changes whenever the same configuration leads to other games."""


@dataclass(frozen=True)
class Block:
    """A part of a plan: some pairs of one pairing.

    Attributes:
      index: its place in the plan.
      first: a bot, as an index into the bots of the configuration.
      second: its opponent.
      first_pair: the number of its first pair; the same number is the same deal in all pairings.
      num_pairs: how many pairs it has.
    """

    index: int
    first: int
    second: int
    first_pair: int
    num_pairs: int

    @property
    def pairs(self) -> range:
        """The numbers of its pairs."""
        return range(self.first_pair, self.first_pair + self.num_pairs)

    @property
    def games(self) -> list[tuple[int, int]]:
        """Its games, each by the number of its pair and its seating, 0 or 1."""
        return [(pair, seating) for pair in self.pairs for seating in range(2)]


@dataclass(frozen=True)
class Plan:
    """A round robin, each bot against each other one, or a gauntlet, one bot against the others."""

    config: Config

    @property
    def pairings(self) -> list[tuple[int, int]]:
        """The two bots of each pairing, as indices; in a gauntlet its bot is the first."""
        size, gauntlet = len(self.config.bots), self.config.gauntlet
        if not gauntlet:
            return list(combinations(range(size), 2))
        one = self.config.bots.index(gauntlet)
        return [(one, other) for other in range(size) if other != one]

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """All blocks. Every pairing plays its first pairs, then every pairing the next ones."""
        config = self.config
        blocks: list[Block] = []
        for start in range(0, config.pairs, config.block_pairs):
            size = min(config.block_pairs, config.pairs - start)
            for first, second in self.pairings:
                blocks.append(Block(len(blocks), first, second, start, size))
        return tuple(blocks)

    @property
    def num_games(self) -> int:
        """Games of the whole plan."""
        return 2 * self.config.pairs * len(self.pairings)

    @cached_property
    def hash(self) -> str:
        """What tells plans apart: 64 hexadecimal digits."""
        text = json.dumps(
            {"plan": PLAN_VERSION, "rules": RULES_VERSION, "config": asdict(self.config)},
            sort_keys=True,
        )
        return hashlib.sha256(text.encode()).hexdigest()
