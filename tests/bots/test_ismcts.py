"""The ISMCTS bot: what it searches, how much, and whether it finds what there is to find."""

import itertools
import math

import pyspiel
import pytest

from bots.registry import make_bot
from bots.registry.catalogue import ENTRIES
from marjolet_spiel import kernel
from marjolet_spiel.array_types import Vector
from marjolet_spiel.solvers.endgame.table import endgame_table
from marjolet_spiel.solvers.search.leaves import solvable
from marjolet_spiel.solvers.solve import solve
from scripts.arena.plan.config import make_config
from scripts.arena.plan.pairings import Plan
from scripts.arena.play.games import play_block
from tests.bots.quick import bot_for
from tests.positions import State, decisions, load, stock_choices
from tests.variants import VARIANTS, Params, each_single_deal, each_variant

SMALL = VARIANTS["2 x AKQJ7"]


# --- a search -----------------------------------------------------------------------------------


def test_the_same_seed_finds_the_same() -> None:
    for state in stock_choices({}, 1):
        one, two = (bot_for("ismcts:sims=50", state, 7) for _ in range(2))
        found = str(one.evaluate(state))
        assert str(two.evaluate(state)) == str(one.evaluate(state)) == found
        assert one.step(state) == two.step(state)


def test_seeds_make_a_difference() -> None:
    states = stock_choices({}, 2)
    runs = [[bot_for("ismcts:sims=20", s, seed).step(s) for s in states] for seed in (1, 2)]
    assert runs[0] != runs[1]


@each_variant
@pytest.mark.parametrize("sims", [60, 500])
def test_simulations_are_as_many_as_asked_for(params: Params, sims: int) -> None:
    for state in stock_choices(params, 3)[::4]:
        bot = bot_for(f"ismcts:sims={sims}", state)
        bot.step(state)
        assert abs(bot.simulations - sims) <= len(state.legal_actions())


def test_every_action_is_tried_even_with_few_simulations() -> None:
    for state in stock_choices({}, 3)[::4]:
        bot = bot_for("ismcts:sims=1", state)
        found = bot.evaluate(state)
        assert not any(math.isnan(mean) for _, mean, _ in found)
        assert bot.simulations <= 2 * len(found) + 1


def test_time_limits_a_search() -> None:
    state = stock_choices({}, 4)[0]
    counts = []
    for seconds in (0.005, 0.1):
        bot = bot_for(f"ismcts:time={seconds}", state)
        assert bot.step(state) in state.legal_actions()
        counts.append(bot.simulations)
    assert len(state.legal_actions()) < counts[0] < counts[1]


def test_games_by_time_have_no_forfeits() -> None:
    plan = Plan(make_config("python_marjolet", ["ismcts:time=0.002", "greedy"], pairs=1))
    games = play_block(plan, plan.blocks[0]).record.games
    assert [game.reason for game in games] == ["", ""]


def test_sims_and_time_exclude_each_other() -> None:
    with pytest.raises(ValueError, match="sims and time are both given"):
        make_bot("ismcts:sims=50,time=1", load({}), 0, 1)


def test_the_default_of_sims_excludes_time_too() -> None:
    with pytest.raises(ValueError, match="sims and time are both given"):
        make_bot("ismcts:sims=1000,time=1", load({}), 0, 1)


@each_variant
def test_evaluations_are_of_the_legal_actions(params: Params) -> None:
    for state in decisions(params, 5)[::3]:
        legal = state.legal_actions()
        if len(legal) > 1:
            found = bot_for("ismcts:sims=60", state).evaluate(state)
            assert [action for action, *_ in found] == legal
            assert sum(weight for *_, weight in found) == pytest.approx(1)
            assert min(weight for *_, weight in found) >= 0


@each_single_deal
def test_means_lie_within_the_bounds_of_the_return(params: Params) -> None:
    for state in stock_choices(params, 6)[::3]:
        most = state.get_game().max_utility()
        for _, mean, _ in bot_for("ismcts:sims=60", state).evaluate(state):
            assert -most <= mean <= most


def test_means_lie_within_the_bounds_of_the_return_in_matches() -> None:
    for seed in range(5):
        for state in stock_choices({"target": 100}, seed)[::3]:
            for _, mean, _ in bot_for("ismcts:sims=30", state).evaluate(state):
                assert -1 <= mean <= 1


def test_only_actions_can_be_evaluated() -> None:
    state = next(s for s in decisions({}, 5) if s.legal_actions() == [kernel.DONE])
    assert bot_for("ismcts", state).evaluate(state)[0][::2] == (kernel.DONE, 1.0)


# --- options ------------------------------------------------------------------------------------

SWITCHES = ("exact", "pinned", "draws", "priors")
ROLLOUTS = next(option for option in ENTRIES["ismcts"].options if option.name == "rollout").choices


@pytest.mark.parametrize("rollout", ROLLOUTS)
def test_all_options_play_legally_to_the_end(rollout: str) -> None:
    for values in itertools.product(("yes", "no"), repeat=len(SWITCHES)):
        switches = ",".join(f"{name}={value}" for name, value in zip(SWITCHES, values, strict=True))
        text = f"ismcts:sims=12,rollout={rollout},{switches}"
        for params in (SMALL, VARIANTS["match on a small pack"], VARIANTS["dutch"]):
            game = load(params)
            bots = [make_bot(text, game, player, 1) for player in range(2)]
            assert sum(pyspiel.evaluate_bots(game.new_initial_state(), bots, 1)) == 0


@pytest.mark.parametrize("option", ["rollout=random", "exact=no", "draws=no", "priors=no", "uct=3"])
def test_options_make_a_difference(option: str) -> None:
    states = [state for seed in range(3) for state in stock_choices({}, seed)]
    plain, changed = ("ismcts:sims=80", f"ismcts:sims=80,{option}")
    found = [[str(bot_for(t, s).evaluate(s)) for s in states] for t in (plain, changed)]
    assert found[0] != found[1]


# --- the last tricks ----------------------------------------------------------------------------


@each_variant
def test_last_tricks_are_played_as_the_solver_says(params: Params) -> None:
    seen = 0
    for seed in range(3):
        for state in decisions(params, seed):
            if solvable(state.core.pos):
                bot = bot_for("ismcts:sims=1", state)
                best = solve(state).best_moves
                assert bot.step(state) in best
                if len(state.legal_actions()) > 1:
                    found = bot.evaluate(state)
                    assert {a: value for a, value, _ in found} == pytest.approx(solve(state).moves)
                    assert sum(weight for a, _, weight in found if a in best) == 1
                seen += 1
    assert seen


def test_last_tricks_are_played_as_the_table_says() -> None:
    table = endgame_table()
    states = [state for seed in range(5) for state in decisions({}, seed) if table.holds(state)]
    assert len(states) > 50
    for state in states:
        assert bot_for("ismcts:sims=1", state).step(state) in table.best_moves(state)


def test_long_hands_are_searched_and_not_solved() -> None:
    """With 15 cards a hand most of the last tricks are too long to be solved."""
    searched = 0
    for state in decisions(VARIANTS["large hands"], 1):
        pos: Vector = state.core.pos
        long = max(int(pos[field]).bit_count() for field in (kernel.HAND0, kernel.HAND1)) > 6
        assert solvable(pos) == (pos[kernel.TRICK] > pos[kernel.STOCK_TRICKS] and not long)
        if not solvable(pos) and len(state.legal_actions()) > 1:
            bot = bot_for("ismcts:sims=100", state)
            assert bot.step(state) in state.legal_actions()
            assert bot.simulations > 50
            searched += pos[kernel.TRICK] > pos[kernel.STOCK_TRICKS]
    assert searched > 5


def test_matches_are_played_for_the_match() -> None:
    """Where the cards that win the match are not those that bring most points."""
    found = 0
    for seed in range(12):
        for state in decisions({}, seed):
            if solvable(state.core.pos) and len(state.legal_actions()) > 1:
                best_for_points = set(solve(state).best_moves)
                for match in matches_at(state):
                    best = solve(match).best_moves
                    if not best_for_points & set(best):
                        found += 1
                        assert bot_for("ismcts", match).step(match) in best
    assert found > 3


def matches_at(state: State) -> list[State]:
    """The same position in matches that this deal may end."""
    fields = state.to_dict()
    target = 500
    before = [target - points for points in fields["deal_points"]]
    matches = []
    for more in itertools.product((10, 30, 50), repeat=2):
        scores = [before[player] - more[player] for player in range(2)]
        setup = {**fields, "deal_number": 2, "scores": scores}
        game = load({"target": target, "max_deals": 3, "target_check": "immediate"})
        matches.append(game.new_initial_state(setup))
    return matches
