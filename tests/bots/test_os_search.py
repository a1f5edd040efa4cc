"""OpenSpiel's searches as bots: legal, blind to hidden cards, reproducible and of some use."""

import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pyspiel
import pytest
from open_spiel.python.algorithms import ismcts, mcts, minimax

from bots.openspiel_bot import ViewBot
from bots.os_alphabeta import OsAlphaBetaBot, value_so_far
from bots.os_ismcts import OsIsmctsBot
from bots.os_mcts import OsMctsBot
from bots.os_search import OsSearchBot, return_spread
from marjolet_spiel import kernel
from marjolet_spiel.rules import Rules
from tests.positions import State, decisions, endgame, load, named
from tests.variants import Params

Maker = Callable[[Any, int, int], OsSearchBot]

TINY: dict[str, Maker] = {
    "ismcts": lambda game, player, seed: OsIsmctsBot(game, player, seed, sims=8),
    "mcts": lambda game, player, seed: OsMctsBot(game, player, seed, worlds=2, sims=5),
    "alpha-beta": lambda game, player, seed: OsAlphaBetaBot(game, player, seed, worlds=2, depth=2),
}
STRONG: dict[str, Maker] = {
    "ismcts": lambda game, player, seed: OsIsmctsBot(game, player, seed, sims=300),
    "mcts": lambda game, player, seed: OsMctsBot(game, player, seed, worlds=4, sims=80),
    "alpha-beta": lambda game, player, seed: OsAlphaBetaBot(game, player, seed, depth=12),
}
each_tiny = pytest.mark.parametrize("make", TINY.values(), ids=TINY.keys())
each_strong = pytest.mark.parametrize("make", STRONG.values(), ids=STRONG.keys())

GAMES: dict[str, Params] = {
    "english": {},
    "dutch": {"profile": "dutch"},
    "match": {"num_suits": 2, "ranks": "KQJ7", "hand_size": 3, "target": 100, "max_deals": 3},
}
SMALL: dict[str, Params] = {
    "2 x QJ7": {"num_suits": 2, "ranks": "QJ7", "hand_size": 2},
    "2 x AKQJ7": {"profile": "dutch", "num_suits": 2, "ranks": "AKQJ7", "hand_size": 4},
    "match": GAMES["match"],
    "full pack": {"profile": "spanish"},
}
each_game = pytest.mark.parametrize("params", GAMES.values(), ids=GAMES.keys())


def choices(params: Params, seed: int, step: int = 1) -> list[State]:
    """Every so-many-th state of a random game in which there are several legal actions."""
    return [s for s in decisions(params, seed) if len(s.legal_actions()) > 1][::step]


def bot_for(state: State, make: Maker, seed: int = 1) -> OsSearchBot:
    """A bot for whoever is on turn."""
    return make(state.get_game(), state.current_player(), seed)


def scores_of(bot: OsSearchBot, state: State) -> str:
    """All that the search finds, as a text in which nan equals nan."""
    return str(bot.evaluate(state))


# --- what they may do, and what they may see ----------------------------------------------------


@each_tiny
@pytest.mark.parametrize("params", SMALL.values(), ids=SMALL.keys())
def test_plays_legally_to_the_end(params: Params, make: Maker) -> None:
    game = load(params)
    bots = [make(game, player, 1) for player in range(2)]
    returns = pyspiel.evaluate_bots(game.new_initial_state(), bots, 3)
    assert sum(returns) == 0


@each_tiny
@each_game
def test_does_not_look_at_hidden_cards(params: Params, make: Maker) -> None:
    differ = 0
    for state in choices(params, 4, 5):
        player = state.current_player()
        worlds = [state.resample_from_infostate(player, seed) for seed in range(2)]
        differ += len({str(world) for world in (state, *worlds)}) > 1
        bot = bot_for(state, make)
        assert scores_of(bot, worlds[0]) == scores_of(bot, worlds[1]) == scores_of(bot, state)
    assert differ


@each_tiny
def test_never_asks_the_given_state_for_more_than_its_seat_sees(make: Maker) -> None:
    """Not only the result, nothing at all depends on hidden cards: they are never touched."""

    class Guarded:
        allowed = ("current_player", "information_state_string", "resample_from_infostate")

        def __init__(self, state: State) -> None:
            self._state = state
            header = state.position()
            header[kernel.FIRST_DEALER :] = -1  # the rules alone
            self.core = SimpleNamespace(pos=header)

        def __getattr__(self, name: str) -> Any:
            assert name in self.allowed
            return getattr(self._state, name)

    state = choices({}, 5)[4]
    bot = bot_for(state, make)
    assert bot.step(Guarded(state)) == bot.step(state)


@each_tiny
@each_game
def test_the_same_seed_does_the_same_by_every_call(params: Params, make: Maker) -> None:
    for state in choices(params, 6, 6):
        bot = bot_for(state, make)
        action = bot.step(state)
        assert bot.get_policy(state) == [(action, 1.0)]
        assert bot.step_with_policy(state) == ([(action, 1.0)], action)
        assert bot.step(state) == action == bot_for(state, make).step(state)


@each_tiny
def test_seeds_make_a_difference(make: Maker) -> None:
    states = choices({}, 7, 3)
    runs = [[scores_of(bot_for(s, make, seed), s) for s in states] for seed in (1, 2)]
    assert runs[0] != runs[1]


@each_tiny
def test_states_stay_as_they_are(make: Maker) -> None:
    for params in GAMES.values():
        state = choices(params, 8)[1]
        before = state.serialize()
        bot_for(state, make).step(state)
        assert state.serialize() == before


@each_tiny
def test_scores_are_of_the_legal_actions(make: Maker) -> None:
    for state in choices({"profile": "dutch"}, 9, 4):
        bot = bot_for(state, make)
        scores = bot.evaluate(state)
        assert [action for action, _, _ in scores] == state.legal_actions()
        assert sum(weight for _, _, weight in scores) == pytest.approx(1)
        assert all(math.isnan(value) or abs(value) < 650 for _, value, _ in scores)
        assert all(math.isnan(value) == (weight == 0) for _, value, weight in scores)
        chosen = next(score for score in scores if score[0] == bot.step(state))
        place = 1 if isinstance(bot, OsAlphaBetaBot) else 2
        best = [score for score in scores if score[place] >= chosen[place]]
        assert best[0] == chosen


@each_tiny
def test_only_actions_are_taken_without_a_search(
    make: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = next(s for s in decisions({}, 2) if len(s.legal_actions()) == 1)
    bot = bot_for(state, make)
    monkeypatch.setattr(bot, "search", lambda root: pytest.fail("searched"))
    action = state.legal_actions()[0]
    assert bot.step(state) == action
    assert str(bot.evaluate(state)) == str([(action, math.nan, 1.0)])


@each_tiny
def test_open_games_are_played_too(make: Maker) -> None:
    game = pyspiel.load_game("python_marjolet_open(num_suits=2,ranks=KQJ7,hand_size=3)")
    bots: list[ViewBot[Any]] = [make(game, player, 1) for player in range(2)]
    returns = pyspiel.evaluate_bots(game.new_initial_state(), bots, 3)
    assert returns == pyspiel.evaluate_bots(game.new_initial_state(), bots, 3)
    assert sum(returns) == 0


# --- strength -----------------------------------------------------------------------------------


@each_strong
@pytest.mark.parametrize(("hands", "trump"), [(("AS 7H", "TH 8D"), "S"), (("AS 7H", "TS AH"), "C")])
def test_keeps_the_ace_for_the_last_trick(make: Maker, hands: tuple[str, ...], trump: str) -> None:
    state = endgame(hands, trump)
    assert named(state, bot_for(state, make).step(state)) == "play 7H"
    assert named(state, state.legal_actions()[0]) == "play AS"  # what it would do without thought


@each_strong
def test_wins_every_last_trick_that_can_be_won(make: Maker) -> None:
    tried = 0
    for seed in range(30):
        for state in decisions({}, seed):
            if state.to_dict()["trick"] != 15 or state.to_dict()["phase"] != "lead":
                continue
            player = state.current_player()
            values = {a: exact(state.child(a), player) for a in state.legal_actions()}
            if len({*values.values()}) > 1:
                tried += 1
                assert values[bot_for(state, make).step(state)] == max(values.values())
    assert tried > 3


def exact(state: State, player: int) -> float:
    """What `player` gets when both play best and nothing is hidden, by trying everything."""
    if state.is_terminal():
        value: float = state.returns()[player]
        return value
    best = max if state.current_player() == player else min
    return best(exact(state.child(action), player) for action in state.legal_actions())


def test_alpha_beta_is_exact_in_the_last_tricks() -> None:
    for profile in ("english", "dutch"):
        for state in choices({"profile": profile}, 1):
            if state.to_dict()["trick"] < 14:
                continue
            bot = bot_for(state, STRONG["alpha-beta"])
            player = state.current_player()
            for action, value, weight in bot.evaluate(state):
                assert value == exact(state.child(action), player)
                assert weight == 1 / len(state.legal_actions())


def test_alpha_beta_is_the_mean_of_its_worlds() -> None:
    """Counted anew: every world apart, without pruning, to the same depth."""
    for state in choices({}, 3, 4):
        player = state.current_player()
        bot = OsAlphaBetaBot(state.get_game(), player, 5, worlds=3, depth=3)
        root = bot.look(state)
        rng = root.random_state()
        worlds = [root.state.open_world(rng, player) for _ in range(3)]
        for action, value, _ in bot.evaluate(state):
            values = [limited(world.child(action), player, 2) for world in worlds]
            assert value == pytest.approx(sum(values) / 3)


def limited(state: State, player: int, depth: int) -> float:
    """Best play to a depth, and the difference of the points there."""
    if depth == 0 or state.is_terminal():
        points = state.to_dict()["deal_points"]
        return float(points[player] - points[1 - player])
    best = max if state.current_player() == player else min
    return best(limited(state.child(a), player, depth - 1) for a in state.legal_actions())


def test_every_playout_of_ismcts_is_in_a_world_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    worlds = []
    real = ismcts.ISMCTSBot.sample_root_state

    def watching(bot: Any, state: State) -> State:
        worlds.append(str(real(bot, state)))
        return real(bot, state)

    monkeypatch.setattr(ismcts.ISMCTSBot, "sample_root_state", watching)
    state = choices({}, 3)[6]
    OsIsmctsBot(state.get_game(), state.current_player(), 1, sims=20).step(state)
    assert len(worlds) == 20
    assert len({*worlds}) > 15


def test_mcts_adds_up_the_visits_of_different_worlds(monkeypatch: pytest.MonkeyPatch) -> None:
    hands, visits = [], []
    real = mcts.MCTSBot.mcts_search

    def watching(bot: Any, world: State) -> Any:
        root = real(bot, world)
        hands.append(tuple(map(tuple, world.to_dict()["hands"])))
        visits.append({child.action: child.explore_count for child in root.children})
        return root

    monkeypatch.setattr(mcts.MCTSBot, "mcts_search", watching)
    state = choices({}, 3)[6]
    player = state.current_player()
    bot = OsMctsBot(state.get_game(), player, 1, worlds=6, sims=11)
    scores = bot.evaluate(state)
    assert len({*hands}) > 3
    assert {hand[player] for hand in hands} == {tuple(state.to_dict()["hands"][player])}
    for action, _, weight in scores:
        assert weight == pytest.approx(sum(found[action] for found in visits) / 60)


def test_equal_worlds_are_searched_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    real = minimax.alpha_beta_search

    def counting(*args: Any, **kwargs: Any) -> Any:
        calls.append(1)
        return real(*args, **kwargs)

    monkeypatch.setattr(minimax, "alpha_beta_search", counting)
    state = endgame(("AS 7H", "TH 8D"), "S")
    OsAlphaBetaBot(state.get_game(), 0, 1, worlds=5).step(state)
    assert len(calls) == len(state.legal_actions())


@pytest.mark.parametrize("target_check", ["deal_end", "immediate"])
def test_value_so_far_of_a_match_lies_between_loss_and_win(target_check: str) -> None:
    params: Params = {"target": 100, "max_deals": 4, "target_check": target_check}
    found = []
    for seed in range(5):
        for state in decisions(params, seed):
            fields = state.to_dict()
            totals = [
                score + points
                for score, points in zip(fields["scores"], fields["deal_points"], strict=True)
            ]
            world = state.open_world(seed)
            value = value_so_far(state.get_game().rules, 0)(world)
            assert value == -value_so_far(state.get_game().rules, 1)(world)
            assert -1 < value < 1
            assert (value > 0) == (totals[0] > totals[1])
            found.append(value)
    assert len({*found}) > 10


def test_spread_is_that_of_random_play() -> None:
    assert return_spread(Rules.of(target=300)) == 1
    assert 40 < return_spread(Rules.of()) < 80


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda game: OsIsmctsBot(game, 0, 1, sims=1), "sims: 1 is not allowed; .* at least 2"),
        (lambda game: OsIsmctsBot(game, 0, 1, uct=-1), "uct: -1 is not allowed"),
        (lambda game: OsMctsBot(game, 0, 1, worlds=0), "worlds: 0 is not allowed"),
        (lambda game: OsMctsBot(game, 0, 1, sims=1), "sims: 1 is not allowed"),
        (lambda game: OsMctsBot(game, 0, 1, uct=math.nan), "uct: nan is not allowed"),
        (lambda game: OsAlphaBetaBot(game, 0, 1, worlds=0), "worlds: 0 is not allowed"),
        (lambda game: OsAlphaBetaBot(game, 0, 1, depth=0), "depth: 0 is not allowed"),
        (lambda game: OsAlphaBetaBot(game, 2, 1), "player: 2 is not allowed"),
    ],
)
def test_wrong_options_are_refused(make: Callable[[Any], OsSearchBot], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        make(load({}))


@pytest.mark.parametrize("kind", [OsIsmctsBot, OsMctsBot])
def test_two_playouts_are_enough_to_act(kind: Any) -> None:
    state = choices({}, 3)[0]
    bot = kind(state.get_game(), state.current_player(), 1, sims=2)
    weights = {action: weight for action, _, weight in bot.evaluate(state)}
    assert weights[bot.step(state)] == max(weights.values()) > 0
