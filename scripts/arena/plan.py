"""Plans: what a tournament plays, as a pure function of its configuration.

A plan is a list of blocks. A block is one pairing and some *duplicate pairs*: the same deal twice,
with the seats swapped. Everything about a game follows from the plan and its place in it, so blocks
can be played in any order and by anybody.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

from bots.registry import make_bot, parse_spec, sees_all
from marjolet_spiel.rules import RULES_VERSION
from scripts.arena.game_text import game_text, load_game, parse_game

PLAN_VERSION = 1
"""Changes whenever the same configuration leads to other games."""

MAX_PAIRS = 10_000_000
MAX_SEED = 2**63 - 1


@dataclass(frozen=True)
class Config:
    """What a tournament is made from; made by `make_config`.

    Attributes:
      game: the text of the game (`game_text`).
      bots: the texts of the bots (`registry.BotSpec`), at least two, all different.
      pairs: duplicate pairs that each pairing plays.
      seed: the root of all randomness.
      block_pairs: pairs in a block; the last block of a pairing may have fewer.
    """

    game: str
    bots: tuple[str, ...]
    pairs: int
    seed: int
    block_pairs: int


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


@dataclass(frozen=True)
class Plan:
    """A round robin: each bot against each other one."""

    config: Config

    @property
    def pairings(self) -> list[tuple[int, int]]:
        """The two bots of each pairing, as indices."""
        return list(combinations(range(len(self.config.bots)), 2))

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


def make_config(
    game: str,
    bots: Sequence[str],
    pairs: int,
    seed: int = 1,
    block_pairs: int = 10,
    allow_cheating: bool = False,
) -> Config:
    """A checked configuration, in which equal games and bots are written alike.

    Bots that look at hidden cards are refused unless `allow_cheating`.

    Raises:
      ValueError: names what is wrong, its value and what is allowed.
    """
    specs = tuple(str(parse_spec(text)) for text in bots)
    if len(specs) < 2:
        named = f"{specs[0]!r} alone is" if specs else "none is"
        raise ValueError(f"bots: {named} not enough; a tournament needs at least two")
    for spec in specs:
        if specs.count(spec) > 1:
            raise ValueError(
                f"bots: {spec!r} is named twice; to play a bot against itself give the two "
                f"different seeds, such as '{spec.partition(':')[0]}:seed=1'"
            )
    cheats = [spec for spec in specs if sees_all(spec)]
    if cheats and not allow_cheating:
        raise ValueError(
            f"bots: {cheats[0]!r} looks at hidden cards; it may play only if cheating is allowed "
            "(--allow_cheating)"
        )
    _check_whole("pairs", pairs, 1, MAX_PAIRS)
    _check_whole("seed", seed, 0, MAX_SEED)
    _check_whole("block_pairs", block_pairs, 1, MAX_PAIRS)
    return Config(game_text(parse_game(game)), specs, pairs, seed, block_pairs)


def check_bots(config: Config) -> None:
    """Makes each bot once, so that a missing file or the like is told before the first game.

    Raises:
      ValueError: a bot cannot be made for the game; the message says why.
    """
    game = load_game(config.game)
    for spec in config.bots:
        make_bot(spec, game, 0, 0)


def _check_whole(name: str, value: Any, least: int, most: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise ValueError(
            f"{name}: {value!r} is not allowed; it must be a whole number from {least} to {most}"
        )
