"""That the few variants of the default run have everything in them."""

from marjolet_spiel.rules import DEFAULT_PARAMETERS, SWITCHES, Rules
from tests.variants import COVERING, PROFILES, VARIANTS, over

RULES = [Rules.of(**params) for params in COVERING.values()]


def test_every_switch_and_profile_is_covered() -> None:
    assert {rules.profile for rules in RULES} == {*PROFILES}
    for name, values in SWITCHES.items():
        assert {getattr(rules, name) for rules in RULES} == {*values}, name


def test_matches_end_in_both_ways() -> None:
    assert {rules.target_check for rules in RULES if rules.is_match} == {"deal_end", "immediate"}


def test_small_packs_and_single_deals_are_covered() -> None:
    packs = {(rules.num_suits, rules.ranks, rules.hand_size) for rules in RULES}
    default = tuple(DEFAULT_PARAMETERS[name] for name in ("num_suits", "ranks", "hand_size"))
    assert default in packs
    assert len(packs) > 1
    assert {rules.is_match for rules in RULES} == {False, True}
    assert len({rules.sweep_bonus for rules in RULES}) > 2


def test_others_are_left_to_slow_runs() -> None:
    marks = {param.id: [mark.name for mark in param.marks] for param in over(VARIANTS).args[1]}
    assert marks == {name: [] if name in COVERING else ["slow"] for name in VARIANTS}
    assert len(COVERING) < len(VARIANTS) / 3
