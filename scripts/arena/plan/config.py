"""The configuration of a tournament: what may be asked for, checked and written in one way."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from bots.registry import parse_spec, sees_all
from scripts.arena.plan.game_text import game_text, load_game, parse_game
from scripts.arena.plan.hypotheses import parse_sprt

MAX_PAIRS = 10_000_000
MAX_SEED = 2**63 - 1
MAX_SECONDS = 86_400
MAX_MEMORY = 2**20
MEGABYTES = 1024
"""In a gigabyte; limits are kept in megabytes, and flags have gigabytes."""


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
class Watch:
    """How bots are watched while they play; the limits are as in `Config`.

    Attributes:
      audit_pairs: from 0.
      move_limit: from 0.01, or 0.
      memory_limit: from 0; only with a move limit.
      allow_cheating: whether bots may play that look at hidden cards.
    """

    audit_pairs: int = 1
    move_limit: float = 0.0
    memory_limit: int = 0
    allow_cheating: bool = False


UNWATCHED = Watch()


def make_config(
    game: str,
    bots: Sequence[str],
    pairs: int,
    seed: int = 1,
    block_pairs: int = 10,
    *,
    gauntlet: str = "",
    sprt: str = "",
    watch: Watch = UNWATCHED,
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
      watch: how bots are watched; by default they have no limits.

    Raises:
      ValueError: names what is wrong, its value and what is allowed.
    """
    specs, champion = _bots(bots, gauntlet)
    cheats = [spec for spec in specs if sees_all(spec)]
    if cheats and not watch.allow_cheating:
        raise ValueError(
            f"bots: {cheats[0]!r} looks at hidden cards; it may play only if cheating is allowed "
            "(--allow_cheating)"
        )
    if sprt and len(specs) != 2:
        raise ValueError(f"sprt: {sprt!r} tests one pairing, but {len(specs)} bots are to play")
    check_whole("pairs", pairs, 1, MAX_PAIRS)
    check_whole("seed", seed, 0, MAX_SEED)
    check_whole("block_pairs", block_pairs, 1, MAX_PAIRS)
    check_whole("audit_pairs", watch.audit_pairs, 0, MAX_PAIRS)
    check_limits(watch.move_limit, watch.memory_limit)
    text = game_text(parse_game(game))
    return Config(
        *(text, specs, pairs, seed, block_pairs, champion),
        sprt=str(parse_sprt(sprt, load_game(text).max_utility())) if sprt else "",
        audit_pairs=watch.audit_pairs,
        move_limit=float(watch.move_limit),
        memory_limit=watch.memory_limit,
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


def flags_of(config: Config) -> dict[str, Any]:
    """The values of the flags that make a configuration, by their names."""
    fields = {**asdict(config), "bots": list(config.bots)}
    megabytes = fields.pop("memory_limit")
    return {**fields, "memory": gigabytes_text(megabytes)}


def gigabytes_text(megabytes: int) -> str:
    """So many megabytes in gigabytes, as the flag `--memory` has them."""
    return f"{megabytes / MEGABYTES!r}".removesuffix(".0")


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
