"""What all bots have in common, and the random one."""

from collections import Counter

import pyspiel
import pytest
from scipy.stats import chisquare

from bots.registry import make_bot
from tests.bots.quick import PLAYERS, SEARCHES
from tests.positions import decisions, load, walk
from tests.variants import Params, each_variant

each_bot = pytest.mark.parametrize("name", PLAYERS)


@each_bot
@each_variant
def test_bots_play_legally_to_the_end(params: Params, name: str) -> None:
    game = load(params)
    for seed in range(1 if name.startswith("os_") else 3):
        bots = [make_bot(name, game, player, seed) for player in range(2)]
        returns = pyspiel.evaluate_bots(game.new_initial_state(), bots, seed)
        assert sum(returns) == 0


@each_bot
def test_policies_are_distributions_over_legal_actions(name: str) -> None:
    for state in decisions({"profile": "dutch"}, 1):
        bot = make_bot(name, state.get_game(), state.current_player(), 1)
        policy, action = bot.step_with_policy(state)
        assert policy == bot.get_policy(state)
        chances = dict(policy)
        assert set(chances) <= set(state.legal_actions())
        assert chances[action] > 0
        assert sum(chances.values()) == pytest.approx(1)


@each_bot
def test_step_and_step_with_policy_agree(name: str) -> None:
    states = decisions({}, 2)
    game = states[0].get_game()
    one, two = ([make_bot(name, game, player, 3) for player in range(2)] for _ in range(2))
    for state in states:
        player = state.current_player()
        assert one[player].step(state) == two[player].step_with_policy(state)[1]


@each_bot
def test_bots_do_not_change_states(name: str) -> None:
    for state in decisions({}, 3):
        before = state.serialize()
        make_bot(name, state.get_game(), state.current_player(), 1).step_with_policy(state)
        assert state.serialize() == before


@each_bot
def test_bots_take_what_openspiel_tells_them(name: str) -> None:
    state = decisions({}, 4)[3]
    player = state.current_player()
    bot = make_bot(name, state.get_game(), player, 1)
    bot.restart()
    bot.restart_at(state)
    bot.inform_action(state, 1 - player, state.legal_actions()[0])
    bot.inform_actions(state, state.legal_actions())
    assert bot.step(state) in state.legal_actions()


@each_bot
def test_bots_refuse_to_act_out_of_turn(name: str) -> None:
    for state in walk({}, 5):
        bot = make_bot(name, state.get_game(), 0, 1)
        if state.current_player() != 0:
            with pytest.raises(ValueError, match="player 0 is not on turn"):
                bot.step(state)


@each_bot
def test_bots_refuse_states_of_other_games(name: str) -> None:
    bot = make_bot(name, load({}), 0, 1)
    other = pyspiel.load_game("tic_tac_toe").new_initial_state()
    with pytest.raises(ValueError, match="a state of tic_tac_toe.* is not allowed"):
        bot.step(other)


@pytest.mark.parametrize("name", ["greedy", *sorted(SEARCHES)])
def test_bots_refuse_states_of_other_rules(name: str) -> None:
    state = next(s for s in decisions({"profile": "dutch"}, 4) if s.current_player() == 0)
    with pytest.raises(ValueError, match="profile=dutch.* is not allowed; it was made for"):
        make_bot(name, load({}), 0, 1).step(state)


def test_random_bots_choose_uniformly() -> None:
    state = decisions({}, 6)[0]
    bot = make_bot("random", state.get_game(), state.current_player(), 1)
    counts = Counter(bot.step(state) for _ in range(3000))
    assert set(counts) == set(state.legal_actions())
    assert chisquare(list(counts.values())).pvalue > 1e-4
