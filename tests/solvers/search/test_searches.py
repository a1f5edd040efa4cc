"""The searches as calls of the wheel: they find what bots find, and refuse what is not allowed."""

import math
from collections.abc import Callable
from typing import Any

import pyspiel
import pytest

import marjolet_spiel  # noqa: F401  (registers the games)
from bots.registry.catalogue import ENTRIES
from marjolet_spiel.sampling import generator
from marjolet_spiel.solvers import search as searches
from marjolet_spiel.solvers.search import (
    IsmctsOptions,
    IsmctsSearch,
    PimcOptions,
    PimcSearch,
    SearchResult,
    search_ismcts,
    search_pimc,
)
from marjolet_spiel.worlds import seen_position
from tests.bots.quick import bot_for
from tests.positions import State, decisions, load, stock_choices, walk
from tests.variants import Params, each_variant

ISMCTS: dict[str, IsmctsOptions] = {
    "ismcts:sims=40": IsmctsOptions(sims=40),
    "ismcts:sims=30,rollout=random,priors=no": IsmctsOptions(30, None, 1.0, "random", priors=False),
    "ismcts:sims=30,uct=2.5,exact=no,pinned=no": IsmctsOptions(
        sims=30, uct=2.5, exact=False, pinned=False
    ),
    "ismcts:sims=30,rollout=none,draws=no": IsmctsOptions(sims=30, rollout="none", draws=False),
}
PIMC: dict[str, PimcOptions] = {
    "pimc:worlds=4,depth=2": PimcOptions(worlds=4, depth=2),
    "pimc:worlds=3,depth=3,postpone=2,choose=vote": PimcOptions(3, 3, 2, "vote"),
}
each_search = pytest.mark.parametrize("search", [search_ismcts, search_pimc])


def found_by_bot(text: str, state: State, seed: int) -> tuple[int, Any]:
    """What a bot takes and thinks."""
    bot = bot_for(text, state, seed)
    return bot.step(state), bot.evaluate(state)


@each_variant
def test_searches_find_what_bots_find(params: Params) -> None:
    for number, state in enumerate(decisions(params, 8)[::4]):
        for text, options in ISMCTS.items():
            found = search_ismcts(state, number, options)
            assert str(tuple(found)) == str(found_by_bot(text, state, number))
        for text, options in PIMC.items():
            found = search_pimc(state, number, options)
            assert tuple(found) == found_by_bot(text, state, number)


@each_search
def test_results_are_of_the_legal_actions(search: Callable[..., SearchResult]) -> None:
    """By default options too, which are those of the bots."""
    name = search.__name__.removeprefix("search_")
    state = stock_choices({}, 9)[2]
    found = search(state)
    assert [entry.action for entry in found.evaluation] == state.legal_actions()
    assert sum(entry.share for entry in found.evaluation) == pytest.approx(1)
    assert found.choice in state.legal_actions()
    assert tuple(found) == found_by_bot(name, state, 1)


@each_search
def test_hidden_cards_have_no_say(search: Callable[..., SearchResult]) -> None:
    for state in stock_choices({"profile": "spanish"}, 4)[::5]:
        world = state.resample_from_infostate(state.current_player(), 3)
        assert search(world) == search(state)


def test_one_search_takes_all_decisions_of_a_player() -> None:
    """What it searched before makes no difference."""
    rules = load({}).rules
    for kept, once in (
        (IsmctsSearch(rules, 0, IsmctsOptions(sims=40)), ISMCTS),
        (PimcSearch(rules, 0, PimcOptions(worlds=4, depth=2)), PIMC),
    ):
        options: Any = next(iter(once.values()))
        for state in (s for s in decisions({}, 3) if s.current_player() == 0):
            seen = seen_position(state, 0)
            fresh = type(kept)(rules, 0, options)
            found = kept.search(seen, generator(5))
            assert str(fresh.search(seen, generator(5))) == str(found)
            assert kept.choose(seen, generator(5)) == found.choice


# --- what is refused ----------------------------------------------------------------------------

ALLOWED = "it must be a state of python_marjolet in which a player is to act"


@each_search
def test_states_in_which_nobody_acts_are_refused(search: Callable[..., SearchResult]) -> None:
    begin, end = load({}).new_initial_state(), list(walk({}, 1))[-1]
    end.apply_action(end.legal_actions()[0])
    assert end.is_terminal()
    for state, what in ((begin, "a chance node"), (end, "a terminal state")):
        with pytest.raises(ValueError, match=f"state: {what} is not allowed; {ALLOWED}"):
            search(state)


@each_search
def test_states_of_other_games_are_refused(search: Callable[..., SearchResult]) -> None:
    foreign = pyspiel.load_game("tic_tac_toe").new_initial_state()
    opened = decisions({}, 1)[0].open_world(1)
    for state, what in ((foreign, "tic_tac_toe"), (opened, "python_marjolet_open"), ([], "list")):
        with pytest.raises(
            ValueError, match=f"state: a state of {what}.* is not allowed; {ALLOWED}"
        ):
            search(state)


@each_search
@pytest.mark.parametrize("seed", [-1, 1.5, True, None])
def test_seeds_are_whole_numbers(search: Callable[..., SearchResult], seed: Any) -> None:
    with pytest.raises(ValueError, match=f"seed: {seed} is not allowed; it must be a whole number"):
        search(decisions({}, 1)[0], seed)


@pytest.mark.parametrize(
    ("options", "name", "value", "allowed"),
    [
        (IsmctsOptions, "sims", 0, "a whole number from 1 to 100000000"),
        (IsmctsOptions, "sims", 2.5, "a whole number from 1 to 100000000"),
        (IsmctsOptions, "time", 0.0, "a number from 0.001 to 3600"),
        (IsmctsOptions, "uct", math.nan, "a number from 0 to 100"),
        (IsmctsOptions, "uct", "1", "a number from 0 to 100"),
        (IsmctsOptions, "rollout", "greedy", "one of random, melding, heuristic, none"),
        (IsmctsOptions, "exact", "no", "True or False"),
        (IsmctsOptions, "pinned", 1, "True or False"),
        (PimcOptions, "worlds", 1001, "a whole number from 1 to 1000"),
        (PimcOptions, "depth", 0, "a whole number from 1 to 40"),
        (PimcOptions, "postpone", True, "a whole number from 1 to 6"),
        (PimcOptions, "choose", "median", "one of mean, vote"),
    ],
)
def test_options_are_checked(
    options: Callable[..., Any], name: str, value: Any, allowed: str
) -> None:
    with pytest.raises(
        ValueError, match=f"^{name}: {value!r} is not allowed; it must be {allowed}"
    ):
        options(**{name: value})


@pytest.mark.parametrize(("bot", "options"), [("ismcts", IsmctsOptions), ("pimc", PimcOptions)])
def test_options_and_their_bounds_are_those_of_the_bot(
    bot: str, options: Callable[..., Any]
) -> None:
    words = {"yes": True, "no": False}
    own = [option for option in ENTRIES[bot].options if option.name != "boundary"]
    assert {option.name for option in own} == set(vars(options()))
    for option in own:
        default = words.get(str(option.default), option.default)
        assert getattr(options(), option.name) == default
        if option.choices:
            for word in option.choices:
                options(**{option.name: words.get(word, word)})
        for bound, step in ((option.least, -1), (option.most, 1)):
            if bound is not None:
                options(**{option.name: option.kind(bound)})
                with pytest.raises(ValueError, match=f"{option.name}: .* is not allowed"):
                    options(**{option.name: option.kind(bound + step)})


def test_modules_and_functions_do_not_hide_each_other() -> None:
    from marjolet_spiel.solvers.search import ismcts, pimc

    assert ismcts.search_ismcts is searches.search_ismcts
    assert pimc.search_pimc is searches.search_pimc
