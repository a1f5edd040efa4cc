"""Parameters of the game: defaults, profiles, errors and the bounds that follow from them."""

import numpy as np
import pyspiel
import pytest

import marjolet_spiel
from marjolet_spiel import simulate
from marjolet_spiel.rules import DEFAULT_PARAMETERS, PARAMETER_HELP, PROFILES, SWITCHES, Rules
from tests.variants import each_profile

BAD = [
    ("profile", "german", "one of spanish, english, swedish, dutch"),
    ("target", -10, "from 0"),
    ("max_deals", 0, "from 1"),
    ("first_dealer", 2, "from -1 to 1"),
    ("num_suits", 5, "from 2 to 4"),
    ("num_suits", 1, "from 2 to 4"),
    ("ranks", "", "some of ATKQJ987"),
    ("ranks", "AAKQ", "some of ATKQJ987"),
    ("ranks", "KAQJ", "some of ATKQJ987"),
    ("ranks", "AKX", "some of ATKQJ987"),
    ("ranks", "987", "at least one letter"),
    ("hand_size", 1, "from 2"),
    ("hand_size", 16, "even stock of at least 2"),
    ("players", 3, "must be 2"),
    ("declaration", "both", "shared, disjoint"),
    ("dix_play", "never", "always, unless_swapped, once_per_deal"),
    ("stock_end_bonus", "both", "loser, winner"),
    ("jack_queen", "jack", "trump_jack"),
    ("four_of_a_kind", "poker", "marjolet, bezique"),
    ("target_check", "later", "deal_end, immediate"),
    ("endgame_melds", "maybe", "no, yes"),
    ("sweep_bonus", -2, "from -1"),
    ("sweep_bonus", 45, "multiple of 10"),
]


@pytest.mark.parametrize("game", ["python_marjolet", "python_marjolet_open"])
@pytest.mark.parametrize(("name", "value", "allowed"), BAD)
def test_bad_value_is_named_with_what_is_allowed(
    game: str, name: str, value: object, allowed: str
) -> None:
    with pytest.raises(ValueError, match=f"^{name}: {value!r} is not allowed.*{allowed}"):
        pyspiel.load_game(game, {name: value})


def test_odd_pack_is_refused() -> None:
    with pytest.raises(ValueError, match=r"hand_size: 2 .*this leaves 5"):
        Rules.of(num_suits=3, ranks="KQJ", hand_size=2)


def test_unknown_parameter_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^parameter: 'suits' is unknown"):
        Rules.of(suits=4)


def test_value_of_the_wrong_type_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^target: '300' is not allowed; target must be a whole"):
        Rules.of(target="300")


def test_direct_and_loaded_game_are_the_same() -> None:
    direct = marjolet_spiel.MarjoletGame({"profile": "dutch", "target": 300})
    loaded = pyspiel.load_game("python_marjolet(profile=dutch,target=300)")
    assert direct == loaded
    assert pyspiel.load_game(str(direct)) == direct


def test_every_parameter_is_explained() -> None:
    assert set(PARAMETER_HELP) == set(DEFAULT_PARAMETERS)


def test_switch_overrules_profile() -> None:
    assert Rules.of(profile="dutch").sweep_bonus == 40
    assert Rules.of(profile="dutch", sweep_bonus=0).sweep_bonus == 0
    assert Rules.of(profile="spanish").declaration == "disjoint"
    assert Rules.of(profile="spanish", declaration="shared").declaration == "shared"


@each_profile
def test_every_switch_value_loads(profile: str) -> None:
    for name, values in SWITCHES.items():
        for value in values:
            assert getattr(Rules.of(profile=profile, **{name: value}), name) == value


@each_profile
@pytest.mark.parametrize(
    "pack",
    [
        {},
        {"num_suits": 2, "ranks": "KQJ7", "hand_size": 3},
        {"num_suits": 3, "ranks": "ATKQJ7", "hand_size": 4},
        {"num_suits": 4, "ranks": "ATKQJ987", "hand_size": 8},
    ],
)
def test_bounds_are_never_exceeded(profile: str, pack: dict[str, object]) -> None:
    rules = Rules.of(profile=profile, **pack)  # type: ignore[arg-type]
    played = simulate.play_random(rules, 20_000, seed=3)
    assert np.abs(played.returns).max() <= rules.max_utility()
    assert played.decisions.max() <= rules.max_deal_length()
    assert played.melds.sum(axis=(1, 2)).max() <= rules.max_melds_per_deal()


def test_bounds_of_the_full_pack() -> None:
    assert Rules.of(profile="english").max_deal_points() == 650  # reached: see the match rows
    assert Rules.of(profile="spanish").max_deal_points() == 640
    assert [Rules.of(profile=p).max_deal_length() for p in PROFILES] == [55, 55, 55, 60]
    assert Rules.of(first_dealer=0).max_chance_nodes() == 31
    assert Rules.of(target=500, max_deals=3).max_chance_nodes() == 1 + 3 * 31
