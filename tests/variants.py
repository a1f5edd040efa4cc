"""Games to run tests over: every profile, every value of every switch, matches and small packs.

A test of what must hold under any rules is marked `each_variant`. By default it runs over the few
of `COVERING`, which have everything in them between them; over the others it is a slow test.
"""

from collections.abc import Container, Iterable, Mapping
from typing import Any

import pytest

from tests.reference import PROFILES as REFERENCE_PROFILES

Params = Mapping[str, str | int]

PROFILES = tuple(REFERENCE_PROFILES)

QJ7: Params = {"num_suits": 2, "ranks": "QJ7", "hand_size": 2}
KQJ7: Params = {"num_suits": 2, "ranks": "KQJ7", "hand_size": 3}
AQJ7: Params = {"num_suits": 2, "ranks": "AQJ7", "hand_size": 3}
AKQJ7: Params = {"num_suits": 2, "ranks": "AKQJ7", "hand_size": 3}
"""Two stock tricks."""
ATKQJ7: Params = {"num_suits": 2, "ranks": "ATKQJ7", "hand_size": 3}
"""Three stock tricks."""

SMALL_PACKS: tuple[Params, ...] = (
    *(QJ7, KQJ7, AQJ7),
    {**AKQJ7, "hand_size": 4},
    {"num_suits": 3, "ranks": "ATKQJ7", "hand_size": 4},
)
"""All that melds, brisques and hands can be in few cards."""

MATCH: Params = {"target": 300, "max_deals": 3}
SMALL_MATCH: Params = {**KQJ7, "target": 100, "max_deals": 4}

COVERING: Mapping[str, Params] = {
    "english": {"profile": "english"},
    "spanish, marriages of jacks": {
        "profile": "spanish",
        "jack_queen": "suit_jack_marriage",
        "four_of_a_kind": "bezique",
        "stock_end_bonus": "winner",
        "endgame_melds": "yes",
    },
    "swedish, jacks of the suit": {
        "profile": "swedish",
        "jack_queen": "suit_jack_marjolet",
        "sweep_bonus": 70,
    },
    "dutch match": {"profile": "dutch", **MATCH},
    "match on a small pack": SMALL_MATCH,
}
"""As few as have every profile, every switch, both ways to end a match, and a small pack."""

VARIANTS: Mapping[str, Params] = {
    **COVERING,
    "spanish": {"profile": "spanish"},
    "swedish": {"profile": "swedish"},
    "dutch": {"profile": "dutch"},
    "match": MATCH,
    "marriages of jacks": {
        "jack_queen": "suit_jack_marriage",
        "four_of_a_kind": "bezique",
        "stock_end_bonus": "winner",
        "endgame_melds": "yes",
        "declaration": "disjoint",
    },
    "2 x QJ7": QJ7,
    "2 x KQJ7": KQJ7,
    "2 x AQJ7": AQJ7,
    "dutch 2 x AKQJ7": {"profile": "dutch", **AKQJ7},
    "2 x AKQJ7": {"profile": "dutch", **AKQJ7, "hand_size": 4},
    "3 suits, no sevens": {"num_suits": 3, "ranks": "ATKQJ8", "hand_size": 5},
    "large hands": {"hand_size": 15, "endgame_melds": "yes"},
}
"""All that tests run over."""

SINGLE_DEALS = {name: params for name, params in VARIANTS.items() if "target" not in params}
MATCHES = {name: params for name, params in VARIANTS.items() if "target" in params}


def over(variants: Mapping[str, Params], quick: Container[str] = COVERING) -> pytest.MarkDecorator:
    """Runs a test over variants by name; over those that are not `quick` it is a slow test."""
    named = [
        pytest.param(params, id=name, marks=[] if name in quick else [pytest.mark.slow])
        for name, params in variants.items()
    ]
    return pytest.mark.parametrize("params", named)


def mostly_slow(values: Iterable[Any], quick: Container[Any]) -> list[Any]:
    """Values to run a test over; with those that are not `quick` it is a slow test."""
    return [v if v in quick else pytest.param(v, marks=pytest.mark.slow) for v in values]


each_variant = over(VARIANTS)
each_single_deal = over(SINGLE_DEALS)
each_match = over(MATCHES)
each_profile = pytest.mark.parametrize("profile", PROFILES)
