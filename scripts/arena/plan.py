"""Plans: what a tournament plays, as a pure function of its configuration.

A plan is a list of blocks. A block is one pairing and some *duplicate pairs*: the same deal twice,
with the seats swapped. Everything about a game follows from the plan and its place in it, so blocks
can be played in any order and by anybody.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

from bots.registry import parse_spec, sees_all
from marjolet_spiel.rules import RULES_VERSION
from scripts.arena.game_text import game_text, load_game, parse_game
from scripts.arena.sequential import parse_sprt

PLAN_VERSION = 2
"""Changes whenever the same configuration leads to other games."""

MAX_PAIRS = 10_000_000
MAX_SEED = 2**63 - 1
MAX_SECONDS = 86_400
MAX_MEMORY = 2**20


@dataclass(frozen=True)
class Config:
    """What a tournament is made from; made by `make_config`.

    Attributes:
      game: the text of the game (`game_text`).
      bots: the texts of the bots (`registry.BotSpec`), at least two, all different.
      pairs: duplicate pairs that each pairing plays.
      seed: the root of all randomness.
      block_pairs: pairs in a block; the last block of a pairing may have fewer.
      gauntlet: the bot that plays each other one, while these do not meet; empty for a round robin.
      sprt: the hypotheses of a sequential test that may end it early, as text; empty without one.
      audit_pairs: in how many pairs, the first ones of each pairing, the referee looks out for
        bots that look at hidden cards.
      move_limit: seconds that a bot may take for a move. 0 is no limit: then bots play in the
        process that asks for their games, and can end it.
      memory_limit: megabytes that the process in which bots play may use; 0 is no limit.
    """

    game: str
    bots: tuple[str, ...]
    pairs: int
    seed: int
    block_pairs: int
    gauntlet: str = ""
    sprt: str = ""
    audit_pairs: int = 1
    move_limit: float = 0.0
    memory_limit: int = 0


def config_of(fields: Mapping[str, Any]) -> Config:
    """The configuration that `dataclasses.asdict` made fields of, by way of JSON or not.

    Raises:
      TypeError, KeyError: they are something else.
    """
    return Config(**{**fields, "bots": tuple(fields["bots"])})


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


def make_config(
    game: str,
    bots: Sequence[str],
    pairs: int,
    seed: int = 1,
    block_pairs: int = 10,
    *,
    gauntlet: str = "",
    sprt: str = "",
    audit_pairs: int = 1,
    move_limit: float = 0.0,
    memory_limit: int = 0,
    allow_cheating: bool = False,
) -> Config:
    """A checked configuration, in which equal games and bots are written alike.

    Args:
      game: as in `Config`, as all others.
      bots: may leave out the bot of a gauntlet, which comes first then.
      pairs: with a sequential test the most that is played.
      seed: from 0.
      block_pairs: from 1.
      gauntlet: a bot, or nothing.
      sprt: such as "0,5", or nothing; only for two bots.
      audit_pairs: from 0.
      move_limit: from 0.01, or 0.
      memory_limit: from 0; only with a move limit.
      allow_cheating: whether bots may play that look at hidden cards.

    Raises:
      ValueError: names what is wrong, its value and what is allowed.
    """
    specs, champion = _bots(bots, gauntlet)
    cheats = [spec for spec in specs if sees_all(spec)]
    if cheats and not allow_cheating:
        raise ValueError(
            f"bots: {cheats[0]!r} looks at hidden cards; it may play only if cheating is allowed "
            "(--allow_cheating)"
        )
    if sprt and len(specs) != 2:
        raise ValueError(f"sprt: {sprt!r} tests one pairing, but {len(specs)} bots are to play")
    check_whole("pairs", pairs, 1, MAX_PAIRS)
    check_whole("seed", seed, 0, MAX_SEED)
    check_whole("block_pairs", block_pairs, 1, MAX_PAIRS)
    check_whole("audit_pairs", audit_pairs, 0, MAX_PAIRS)
    check_limits(move_limit, memory_limit)
    text = game_text(parse_game(game))
    return Config(
        *(text, specs, pairs, seed, block_pairs, champion),
        sprt=str(parse_sprt(sprt, load_game(text).max_utility())) if sprt else "",
        audit_pairs=audit_pairs,
        move_limit=float(move_limit),
        memory_limit=memory_limit,
    )


def _bots(bots: Sequence[str], gauntlet: str) -> tuple[tuple[str, ...], str]:
    """The texts of all bots and that of the gauntlet's, written in one way."""
    specs = tuple(str(parse_spec(text)) for text in bots)
    champion = str(parse_spec(gauntlet)) if gauntlet else ""
    if champion and champion not in specs:
        specs = (champion, *specs)
    if len(specs) < 2:
        named = f"{specs[0]!r} alone is" if specs else "none is"
        raise ValueError(f"bots: {named} not enough; a tournament needs at least two")
    for spec in specs:
        if specs.count(spec) > 1:
            example = f"{spec}{',' if parse_spec(spec).options else ':'}seed=1"
            raise ValueError(
                f"bots: {spec!r} is named twice; to play a bot against itself give the two "
                f"different seeds, such as {example!r}"
            )
    return specs, champion


def check_limits(move_limit: float, memory_limit: int) -> None:
    """Checks the limits of `Config`; ValueError if they are not allowed."""
    if isinstance(move_limit, bool) or not (move_limit == 0 or 0.01 <= move_limit <= MAX_SECONDS):
        raise ValueError(
            f"move_limit: {move_limit!r} is not allowed; it must be a number of seconds from 0.01 "
            f"to {MAX_SECONDS}, or 0 for no limit"
        )
    check_whole("memory_limit", memory_limit, 0, MAX_MEMORY)
    if memory_limit and not move_limit:
        raise ValueError(
            f"memory_limit: {memory_limit!r} cannot be kept without a move_limit; bots then play "
            "in the process that asks for their games"
        )


def check_whole(name: str, value: Any, least: int, most: int) -> None:
    """ValueError unless a value that has a name is a whole number from `least` to `most`."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise ValueError(
            f"{name}: {value!r} is not allowed; it must be a whole number from {least} to {most}"
        )
