"""The game against the reference, step by step, on random deals.

At every node of every deal the two must agree on everything: legal actions, chance outcomes and
their probabilities, every field of the position and the returns. Several ways of playing are
mixed, because uniform random play melds and swaps too seldom to get everywhere.
"""

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from tests.tables import REFUSALS, GameTable, ReferenceTable, View
from tests.variants import PROFILES, SMALL_PACKS, Params, each_profile

SWITCHES: dict[str, tuple[str | int, ...]] = {
    "declaration": ("shared", "disjoint"),
    "dix_play": ("always", "unless_swapped", "once_per_deal"),
    "stock_end_bonus": ("loser", "winner"),
    "jack_queen": ("trump_jack", "suit_jack_marjolet", "suit_jack_marriage"),
    "four_of_a_kind": ("marjolet", "bezique"),
    "target_check": ("deal_end", "immediate"),
    "endgame_melds": ("no", "yes"),
    "sweep_bonus": (0, 40, 50, 100),
}
TARGETS = (50, 120, 300)
MATCH: Params = {"target": 120, "max_deals": 2}


@dataclass(frozen=True)
class Style:
    """A way of playing: how often it declares or swaps, keeps court cards, and bends the deal."""

    eager: float
    keep: float
    wild: bool

    def act(self, legal: list[str], rng: random.Random) -> str:
        """An action of a player."""
        offers = [action for action in legal if action == "swap" or action.startswith("meld ")]
        if offers and rng.random() < self.eager:
            return offers[0] if rng.random() < 0.7 else rng.choice(offers)
        low = [action for action in legal if action.startswith("play ") and action[5] in "98"]
        if low and rng.random() < self.keep:
            return rng.choice(low)
        return rng.choice(legal)

    def chance(self, outcomes: dict[str, float], rng: random.Random) -> str:
        """A chance outcome; a wild deal often brings sevens as turn-ups and court cards to draw."""
        if not self.wild:
            return rng.choices(list(outcomes), list(outcomes.values()))[0]
        wanted = {"turn": "7", "draw": "KQJ"}.get(next(iter(outcomes)).split()[0], "")
        helpful = [action for action in outcomes if action[5] in wanted]
        return rng.choice(helpful if helpful and rng.random() < 0.3 else list(outcomes))


STYLES = (Style(0.5, 0.0, False), Style(0.95, 0.8, False), Style(0.9, 0.8, True))


def labelled(params: Params) -> Any:
    """Game parameters as a pytest parameter named after them."""
    return pytest.param(params, id=",".join(f"{name}={value}" for name, value in params.items()))


def one_switch_each() -> Iterator[Params]:
    """Every value of every switch on top of every profile; a target where only that can tell."""
    for profile in PROFILES:
        for name, values in SWITCHES.items():
            for value in values:
                more = MATCH if name == "target_check" else {}
                yield {"profile": profile, name: value, **more}


def matches() -> Iterator[Params]:
    """Short matches, checked at the end of a deal and at once."""
    for profile in PROFILES:
        for target in TARGETS:
            for check in SWITCHES["target_check"]:
                yield {
                    "profile": profile,
                    "target": target,
                    "target_check": check,
                    "max_deals": 2,
                }


def small_packs() -> Iterator[Params]:
    """Every small pack under every profile."""
    for pack in SMALL_PACKS:
        for profile in PROFILES:
            yield {"profile": profile, **pack}


def assert_same_position(reference: ReferenceTable, game: GameTable) -> View:
    """Both tables show the same; the position."""
    view, ours = reference.view(), game.view()
    assert set(ours) == set(view)
    for key, value in view.items():
        if key == "declared":  # the reference has the order of declaration, the game none
            assert [sorted(melds) for melds in ours[key]] == [sorted(melds) for melds in value]
        else:
            assert ours[key] == value, key
    assert game.state.current_player() == view["current_player"]
    assert game.state.is_terminal() == (view["phase"] == "over")
    assert game.returns() == reference.returns()
    return view


def assert_same_choices(reference: ReferenceTable, game: GameTable) -> None:
    """Legal actions in the same order, chance outcomes with the same probabilities."""
    assert game.legal() == reference.legal()
    outcomes, ours = reference.chance(), game.chance()
    assert list(ours) == list(outcomes)
    for action, probability in outcomes.items():
        assert ours[action] == pytest.approx(probability, rel=0, abs=1e-12)


def assert_nothing_else_is_possible(game: GameTable, rng: random.Random) -> None:
    """An action that is not legal is refused, and the other player has none."""
    state = game.state
    player, legal = state.current_player(), state.legal_actions()
    assert state.legal_actions(1 - player) == []
    others = sorted(set(range(game.game.num_distinct_actions())) - set(legal))
    with pytest.raises(REFUSALS):
        state.clone().apply_action(rng.choice(others))


def play_in_lockstep(params: Params, seed: str, style: Style) -> None:
    """One game over both tables, compared at every node."""
    rng = random.Random(seed)
    reference, game = ReferenceTable(params), GameTable(params)
    while assert_same_position(reference, game)["phase"] != "over":
        assert_same_choices(reference, game)
        if legal := reference.legal():
            if rng.random() < 0.1:
                assert_nothing_else_is_possible(game, rng)
            action = style.act(legal, rng)
        else:
            action = style.chance(reference.chance(), rng)
        reference.apply(action)
        game.apply(action)


def play_deals(params: Params, first: int, last: int) -> None:
    """Games number `first` to `last` - 1 of these parameters, the styles in turn."""
    for number in range(first, last):
        play_in_lockstep(params, f"{params}-{number}", STYLES[number % len(STYLES)])


@each_profile
def test_profile_plays_as_the_reference(profile: str) -> None:
    play_deals({"profile": profile}, 0, 60)


@pytest.mark.parametrize("params", [labelled(each) for each in one_switch_each()])
def test_switch_plays_as_the_reference(params: Params) -> None:
    play_deals(params, 0, len(STYLES))


@pytest.mark.parametrize("params", [labelled(each) for each in matches()])
def test_match_plays_as_the_reference(params: Params) -> None:
    play_deals(params, 0, len(STYLES))


@pytest.mark.parametrize("params", [labelled(each) for each in small_packs()])
def test_small_pack_plays_as_the_reference(params: Params) -> None:
    play_deals(params, 0, 12)


@pytest.mark.parametrize("dealer", [0, 1])
def test_given_first_dealer_plays_as_the_reference(dealer: int) -> None:
    play_deals({"first_dealer": dealer, **MATCH}, 0, 6)


def random_rules(rng: random.Random) -> Params:
    """Any switches on any profile and pack, in a deal or a match."""
    params: dict[str, str | int] = {"profile": rng.choice(list(PROFILES))}
    params |= {name: rng.choice(values) for name, values in SWITCHES.items() if rng.random() < 0.5}
    params |= rng.choice([{}, {}, *SMALL_PACKS])
    params |= rng.choice([{}, {"target": rng.choice(TARGETS), "max_deals": rng.randint(1, 4)}])
    return params


@pytest.mark.parametrize("number", range(20))
def test_mixed_rules_play_as_the_reference(number: int) -> None:
    params = random_rules(random.Random(f"rules-{number}"))
    play_deals(params, 0, 3)


@pytest.mark.slow
@each_profile
def test_profile_plays_as_the_reference_on_many_deals(profile: str) -> None:
    play_deals({"profile": profile}, 60, 1000)


@pytest.mark.slow
@pytest.mark.parametrize(
    "params", [labelled(each) for each in (*one_switch_each(), *matches(), *small_packs())]
)
def test_changed_rules_play_as_the_reference_on_more_deals(params: Params) -> None:
    play_deals(params, len(STYLES), 30)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(20, 1000))
def test_many_mixed_rules_play_as_the_reference(number: int) -> None:
    params = random_rules(random.Random(f"rules-{number}"))
    play_deals(params, 0, 6)


RARE = (
    "turned-up seven is played",
    "swap after the last stock trick",
    "swapped seven is drawn and played",
    "seven is the last face-down card",
    "meld with the card just swapped in",
    "three melds in one window",
    "sweep",
    "level deal",
)


def rare_events(params: Params, seed: str, style: Style) -> Iterator[str]:
    """What a deal played by the reference alone brings of `RARE`."""
    rng = random.Random(seed)
    table = ReferenceTable(params)
    reference = table.reference
    while reference.phase != "over":
        legal, dix = reference.legal(), f"7{reference.trump}"
        action = style.act(legal, rng) if legal else style.chance(table.chance(), rng)
        last_stock_trick = reference.trick == reference.stock_tricks
        if action == f"play {dix}" and reference.turn_up == dix:
            yield "turned-up seven is played"
        if action == f"play {dix}" and reference.swapped:
            yield "swapped seven is drawn and played"
        if action == "swap" and last_stock_trick:
            yield "swap after the last stock trick"
        if action == "done" and last_stock_trick and dix in reference.face_down:
            yield "seven is the last face-down card"
        if action.startswith("meld ") and reference.swapped and reference.turn_up in action:
            yield "meld with the card just swapped in"
        reference.apply(action)
        if len(reference.window) == 3:
            yield "three melds in one window"
    if any(points["sweep"] for points in reference.points):
        yield "sweep"
    if reference.returns() == [0, 0]:
        yield "level deal"


@each_profile
def test_deals_of_the_default_run_reach_rare_branches(profile: str) -> None:
    params: Params = {"profile": profile}
    seen = Counter(
        event
        for number in range(60)
        for event in rare_events(params, f"{params}-{number}", STYLES[number % len(STYLES)])
    )
    scarce = {"three melds in one window", "level deal"} if profile == "spanish" else set()
    assert set(RARE) - set(seen) <= scarce
