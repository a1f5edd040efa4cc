"""Bots named by text."""

from dataclasses import FrozenInstanceError
from typing import Any

import pyspiel
import pytest

from bots.greedy import GreedyBot
from bots.random_bot import RandomBot
from bots.registry import BotSpec, Entry, Option, make_bot, parse_spec, split_specs
from bots.registry import specs as registry
from tests.positions import decisions, load

ENTRY = Entry(
    "search",
    "for the tests",
    lambda game, player, seed, options: (player, seed, dict(options)),
    (
        Option("sims", int, 400, "", 1, 10_000),
        Option("explore", float, 0.2, "", 0),
        Option("vote", str, "sum", "", choices=("sum", "most")),
    ),
)


@pytest.fixture
def search(monkeypatch: pytest.MonkeyPatch) -> None:
    """One more bot, with options of every kind."""
    monkeypatch.setitem(registry.ENTRIES, "search", ENTRY)


def test_names_make_bots() -> None:
    game = load({})
    assert isinstance(make_bot("greedy", game, 0, 1), GreedyBot)
    bot = make_bot("random", game, 1, 1)
    assert isinstance(bot, RandomBot)
    assert isinstance(bot, pyspiel.Bot)
    assert bot.player_id() == 1
    assert bot.provides_policy()


def test_options_are_parsed_and_written_in_one_way(search: None) -> None:
    assert parse_spec("search") == BotSpec("search")
    spec = parse_spec(" search:vote=most, sims=50 ")
    assert spec.options == (("sims", 50), ("vote", "most"))
    assert str(spec) == "search:sims=50,vote=most"
    assert parse_spec(str(spec)) == spec
    assert str(parse_spec("search:sims=400,explore=0.20")) == "search"
    assert str(parse_spec("random:seed=03")) == "random:seed=3"


def test_specifications_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        parse_spec("random").name = "greedy"  # type: ignore[misc]


def test_factories_get_every_option(search: None) -> None:
    made: Any = make_bot("search:sims=7", load({}), 1, 5)
    assert made == (1, 5, {"sims": 7, "explore": 0.2, "vote": "sum"})


def test_seed_of_the_text_is_mixed_in(search: None) -> None:
    seeds = [make_bot(f"search{text}", load({}), 0, 5)[1] for text in ("", ":seed=1", ":seed=2")]
    assert seeds[0] == 5
    assert len(set(seeds)) == 3
    again: Any = make_bot("search:seed=2", load({}), 0, 5)
    other: Any = make_bot("search:seed=2", load({}), 0, 6)
    assert again[1] == seeds[2] != other[1]


def choices(spec: str, seed: int) -> list[int]:
    """What a bot does in a few positions."""
    states = decisions({}, 3)
    bots = [make_bot(spec, states[0].get_game(), player, seed) for player in range(2)]
    return [bots[state.current_player()].step(state) for state in states]


def test_seeds_decide_what_random_bots_do() -> None:
    assert choices("random", 1) == choices("random", 1)
    assert choices("random", 1) != choices("random", 2)
    assert choices("random:seed=1", 1) != choices("random:seed=2", 1)


WRONG = {
    "gredy": "bot: 'gredy' is unknown; the bots are random, greedy, ismcts",
    "": "bot: '' is unknown",
    "search:depth=3": "option 'depth' is unknown; its options are sims, explore, vote, seed",
    "search:sims": "'sims' is not allowed; options read NAME=VALUE",
    "search:sims=1,search": "'search' is not allowed; options read NAME=VALUE; a ';' or a blank",
    "search:": "'' is not allowed; options read NAME=VALUE",
    "search:=3": "'=3' is not allowed",
    "search:sims=1,sims=2": "option 'sims' is given twice",
    "search:sims=0": "sims: '0' is not allowed; it must be a whole number from 1 to 10000",
    "search:sims=10001": "sims: '10001' is not allowed",
    "search:sims=1.5": "sims: '1.5' is not allowed",
    "search:explore=-1": "explore: '-1' is not allowed; it must be a number from 0",
    "search:explore=nan": "explore: 'nan' is not allowed",
    "search:explore=inf": "explore: 'inf' is not allowed",
    "ismcts:sims=5,time=1": "sims and time are both given; a search is limited by one of them",
    "policy": "bot 'policy': it needs a file",
    "policy:a.npz,b.npz": "option 'file' is given twice",
    "search:vote=least": "vote: 'least' is not allowed; it must be one of sum, most",
    "random:seed=-1": "seed: '-1' is not allowed; it must be a whole number from 0",
    "random:seed=x": "bot 'random:seed=x': seed: 'x' is not allowed",
}


@pytest.mark.parametrize(("text", "why"), WRONG.items())
def test_wrong_texts_are_refused(search: None, text: str, why: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011  (the message is checked)
        parse_spec(text)
    assert why in str(caught.value)
    with pytest.raises(ValueError):  # noqa: PT011
        make_bot(text, load({}), 0, 0)


@pytest.mark.parametrize(
    ("texts", "names"),
    [
        (["random,greedy"], ["random", "greedy"]),
        (["random greedy"], ["random", "greedy"]),
        (["a:x=1,y=2; b", "c,d"], ["a:x=1,y=2", "b", "c", "d"]),
        (["a:x=1", "b:x=1,y=2"], ["a:x=1", "b:x=1,y=2"]),
        ([" ; ,"], []),
    ],
)
def test_texts_are_split_into_specifications(texts: list[str], names: list[str]) -> None:
    assert split_specs(texts) == names


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="kuhn_poker.* is not allowed"):
        make_bot("random", pyspiel.load_game("kuhn_poker"), 0, 0)
    with pytest.raises(ValueError, match="player: 2 is not allowed"):
        make_bot("random", load({}), 2, 0)
    for seed in (-1, "x", True, 1.5):
        with pytest.raises(ValueError, match="seed: .* is not allowed"):
            make_bot("random", load({}), 0, seed)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="'none' is unknown"):
        make_bot(BotSpec("none"), load({}), 0, 0)


def test_options_with_odd_defaults() -> None:
    text = Option("path", str, None, "")
    assert text.parse("x") == "x"
    assert text.allowed == "a word"
    with pytest.raises(ValueError, match="path: '' is not allowed"):
        text.parse("")
