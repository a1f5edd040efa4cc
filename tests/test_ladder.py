"""The ladder of small packs: each loads, is what it is said to be, and is as large as counted."""

import pyspiel
import pytest

from marjolet_spiel.cards import RANKS
from marjolet_spiel.rules import PROFILES, Rules, SmallPack, ladder
from marjolet_spiel.solvers.tabular.size import tree_size

PACKS = ladder()
each_pack = pytest.mark.parametrize("pack", PACKS.values(), ids=PACKS.keys())

TERMINALS = {
    "qj7": 2_196,
    "qj": 116_928,
    "aqj7": 175_232,
    "kqj7-spanish": 189_744,
    "kqj7-english": 189_744,
    "kqj7-swedish": 189_744,
    "kqj7-dutch": 233_040,
    "kqj7-draws": 537_024,
}
"""Ends of the packs that are counted at once. OpenSpiel's walks of 2 x QJ7, KQJ7 and AQJ7 agree."""


@each_pack
def test_packs_load_under_their_rules(pack: SmallPack) -> None:
    game = pyspiel.load_game(pack.game)
    assert game.rules == pack.rules
    assert PACKS[pack.name] is pack
    assert not pack.rules.is_match
    assert pack.rules.first_dealer == 0
    assert pack.help


@each_pack
def test_packs_have_what_is_said_of_them(pack: SmallPack) -> None:
    rules = pack.rules
    assert ("no melds" in pack.help) == (not rules.melds())
    assert (pack.name.endswith("-draws")) == (rules.stock_tricks > 1)
    assert ("no dix" in pack.help) == ("7" not in rules.ranks)
    assert "everything" not in pack.help or {*"AKQJ7"} <= {*rules.ranks}


def test_every_profile_has_a_rung() -> None:
    assert {pack.rules.profile for pack in PACKS.values()} == {*PROFILES}
    assert all(PACKS[f"kqj7-{name}"].rules.profile == name for name in PROFILES)


def test_parameters_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        PACKS["qj7"].parameters["hand_size"] = 3  # type: ignore[index]


@pytest.mark.parametrize(("name", "terminals"), TERMINALS.items())
def test_ends_are_counted(name: str, terminals: int) -> None:
    size = tree_size(PACKS[name].rules)
    assert size.terminals == terminals
    assert size.forced_decisions > 0.7 * size.decisions


@pytest.mark.slow
def test_larger_packs_are_counted_too() -> None:
    assert tree_size(PACKS["akqj7"].rules).terminals == 19_091_624
    assert tree_size(PACKS["akqj7-draws"].rules).terminals == 191_961_624


def test_deals_are_counted() -> None:
    assert tree_size(PACKS["qj7"].rules).deals == 15 * 6 * 2
    both = Rules.of(num_suits=2, ranks="QJ7", hand_size=2)
    assert tree_size(both).deals == 2 * 15 * 6 * 2
    assert tree_size(both).terminals == 2 * 2_196


def test_ladder_climbs() -> None:
    sizes = [TERMINALS[name] for name in PACKS if name in TERMINALS]
    assert sizes == sorted(sizes)
    assert all(rank in RANKS for pack in PACKS.values() for rank in pack.rules.ranks)
