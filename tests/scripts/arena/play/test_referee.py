"""One game: its cards, what bots are shown, and what happens to those that misbehave."""

import re
from collections import defaultdict
from math import comb, sqrt
from typing import Any

import numpy as np
import pytest

from bots.registry import Entry, make_bot
from bots.registry import specs as registry
from bots.view import SeatView, seat_view
from marjolet_spiel import kernel
from scripts.arena.plan.config import Watch, make_config
from scripts.arena.plan.deals import PairDeals
from scripts.arena.plan.game_text import load_game
from scripts.arena.plan.pairings import Plan
from scripts.arena.play import referee
from scripts.arena.play.games import play_block
from scripts.arena.play.referee import Outcome, play_game
from tests.bots.quick import PLAYERS
from tests.scripts.players import BAD_PLAYERS, Player, entry, first_action

GAMES = [
    "python_marjolet",
    "python_marjolet(first_dealer=1)",
    "python_marjolet(profile=dutch,target=300)",
    "python_marjolet(num_suits=2,ranks=KQJ7,hand_size=3)",
    "python_marjolet(num_suits=3,ranks=ATKQJ8,hand_size=5,target=100)",
]
each_game = pytest.mark.parametrize("name", GAMES)


def play(game: str, *specs: str, pair: int = 0) -> Outcome:
    """One game between bots."""
    loaded = load_game(game)
    deals = PairDeals(1, pair, loaded.rules.pack)
    return play_game(loaded, deals, specs, [1, 2], np.random.default_rng(3))


@each_game
def test_games_are_played_to_the_end(name: str) -> None:
    outcome = play(name, "greedy", "random")
    assert outcome.returns is not None
    assert sum(outcome.returns) == 0
    assert outcome.decisions > 0
    assert outcome.forfeit is None


# --- the same cards -----------------------------------------------------------------------------


@pytest.fixture
def chances(monkeypatch: pytest.MonkeyPatch) -> list[list[int]]:
    """All chance outcomes, one list a game."""
    games: list[list[int]] = []
    original = PairDeals.outcome

    def outcome(self: PairDeals, state: Any) -> int:
        if not state.history():
            games.append([])
        games[-1].append(original(self, state))
        return games[-1][-1]

    monkeypatch.setattr(PairDeals, "outcome", outcome)
    return games


@each_game
def test_cards_are_the_same_for_both_seatings_and_all_pairings(
    chances: list[list[int]], name: str
) -> None:
    """Stock order and dealers included; matches are equal as far as both go."""
    plan = Plan(make_config(name, ["random", "greedy", "random:seed=2"], pairs=4, block_pairs=4))
    by_pair = defaultdict(list)
    for block in plan.blocks:
        del chances[:]
        play_block(plan, block)
        for i, game in enumerate(chances):
            by_pair[i // 2].append(game)
    assert len(by_pair) == 4
    for games in by_pair.values():
        assert len(games) == 6
        for game in games[1:]:
            common = min(len(game), len(games[0]))
            assert game[:common] == games[0][:common]
            assert common == len(game) or "target" in name
    assert len({tuple(games[0][:20]) for games in by_pair.values()}) == 4


def test_bots_swap_seats_and_hold_the_same_cards(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str, int, int, int]] = []

    def watcher(name: str) -> Entry:
        def choose(state: Any) -> int:
            view = seat_view(state, state.current_player())
            if view.trick == 1 and view.phase != kernel.DECLARE:
                seen.append((name, view.player, view.hand, view.turn_up))
            return first_action(state)

        return entry(name, choose)

    for name in ("one", "two"):
        monkeypatch.setitem(registry.ENTRIES, name, watcher(name))
    plan = Plan(make_config("python_marjolet", ["one", "two"], pairs=5, watch=Watch(audit_pairs=0)))
    play_block(plan, plan.blocks[0])
    assert len(seen) == 20
    for start in range(0, 20, 4):
        first, second = seen[start : start + 2], seen[start + 2 : start + 4]
        assert {(name, seat) for name, seat, *_ in first} == {("one", 0), ("two", 1)}
        assert {(name, seat) for name, seat, *_ in second} == {("two", 0), ("one", 1)}
        assert [cards for _, *cards in first] == [cards for _, *cards in second]


# --- what bots are shown ------------------------------------------------------------------------


def hidden_hand(state: Any, player: int) -> int:
    """What a peeping `player` is after."""
    return int(state.core.pos[kernel.HAND1 - player])


def test_peeping_shows_a_hand_drawn_at_random(monkeypatch: pytest.MonkeyPatch) -> None:
    """The true hand comes up just as often as chance has it, early and late in the stock phase."""
    shown: list[int] = []
    expected = {"early": [0.0, 0.0, 0.0], "late": [0.0, 0.0, 0.0]}  # by chance, variance, found
    original = referee._Table._take_turn

    def choose(state: Any) -> int:
        shown.append(hidden_hand(state, state.current_player()))
        return first_action(state)

    def take_turn(self: Any, seat: int) -> None:
        view, truth = seat_view(self.state, seat), hidden_hand(self.state, seat)
        own_hand = self.state.core.pos[kernel.HAND0 + seat]
        original(self, seat)
        assert view.hand == own_hand
        if view.stock_open:
            hidden = view.his_count - view.his_known.bit_count()
            chance = 1 / comb(view.unseen.bit_count(), hidden)
            tally = expected["late" if view.trick == view.stock_tricks else "early"]
            tally[0] += chance
            tally[1] += chance * (1 - chance)
            tally[2] += shown[-1] == truth
        else:
            assert shown[-1] == truth

    monkeypatch.setattr(referee._Table, "_take_turn", take_turn)
    monkeypatch.setitem(registry.ENTRIES, "peeping", entry("peeping", choose))
    for pair in range(120):
        play("python_marjolet", "peeping", "peeping", pair=pair)
    for chance, variance, found in expected.values():
        assert chance > 5
        assert abs(found - chance) < 4 * sqrt(variance)


@pytest.mark.parametrize("deed", ["changes", "edits"])
def test_changing_the_state_that_is_shown_forfeits_the_game(deed: str) -> None:
    rogue = f"tests.scripts.rogues:make:does={deed}"
    for seat, specs in enumerate([(rogue, "random"), ("random", rogue)]):
        outcome = play("python_marjolet", *specs)
        assert outcome.forfeit == seat
        assert outcome.reason == "choosing: it changed the state that it was given"
        assert 0 < outcome.decisions < 40
        state = load_game("python_marjolet").new_initial_state()
        for action in outcome.history:  # what was done to the world that was shown is not in it
            assert action in state.legal_actions()
            state.apply_action(action)


class Listener(Player):
    """A bot that checks what it is told."""

    listens = True

    def __init__(self, player: int, told: list[tuple[SeatView, int, int]]) -> None:
        super().__init__(first_action)
        self._player = player
        self._told = told

    def inform_action(self, state: Any, player_id: int, action: int) -> None:
        """Notes what it sees; the action must be possible in the state it is told of."""
        assert player_id == 1 - self._player == state.current_player()
        self._told.append(
            (seat_view(state, self._player), hidden_hand(state, self._player), action)
        )
        state.clone().apply_action(action)


@each_game
def test_listeners_are_told_of_actions_and_of_nothing_hidden(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    told: list[tuple[SeatView, int, int]] = []
    truth: list[tuple[SeatView, int, int]] = []
    original = referee._Table._take_turn

    def take_turn(self: Any, seat: int) -> None:
        before, history = self.state.clone(), len(self.state.history())
        original(self, seat)
        if seat == 0:
            action = self.state.history()[history]
            truth.append((seat_view(before, 1), hidden_hand(before, 1), action))

    monkeypatch.setattr(referee._Table, "_take_turn", take_turn)
    listener = Entry("listener", "", lambda game, player, seed, options: Listener(player, told))
    monkeypatch.setitem(registry.ENTRIES, "listener", listener)
    for pair in range(10):
        assert play(name, "random", "listener", pair=pair).forfeit is None
    assert [(view, action) for view, _, action in told] == [(v, a) for v, _, a in truth]
    assert [hand for _, hand, _ in told] != [hand for _, hand, _ in truth]


def test_our_bots_do_not_listen() -> None:
    for name in PLAYERS:
        assert make_bot(name, load_game("python_marjolet"), 0, 1).listens is False


# --- forfeits -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("bad", "reason"), BAD_PLAYERS.values(), ids=BAD_PLAYERS.keys())
def test_misbehaviour_forfeits_the_game(
    monkeypatch: pytest.MonkeyPatch, bad: Entry, reason: str
) -> None:
    monkeypatch.setitem(registry.ENTRIES, bad.name, bad)
    for seat, specs in enumerate([(bad.name, "greedy"), ("greedy", bad.name)]):
        outcome = play("python_marjolet", *specs)
        assert outcome.returns is None
        assert outcome.forfeit == seat
        assert re.fullmatch(reason, outcome.reason)
        assert len(outcome.reason) <= referee.MAX_REASON + 20
        assert "\n" not in outcome.reason


def test_failing_to_listen_forfeits_the_game(monkeypatch: pytest.MonkeyPatch) -> None:
    class Deaf(Listener):
        def inform_action(self, state: Any, player_id: int, action: int) -> None:
            raise OSError("what?")

    deaf = Entry("deaf", "", lambda game, player, seed, options: Deaf(player, []))
    monkeypatch.setitem(registry.ENTRIES, "deaf", deaf)
    outcome = play("python_marjolet", "deaf", "random")
    assert (outcome.forfeit, outcome.reason) == (0, "listening: OSError: what?")


def test_stopping_the_program_is_no_forfeit(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(state: Any) -> int:
        raise KeyboardInterrupt

    monkeypatch.setitem(registry.ENTRIES, "stop", entry("stop", stop))
    with pytest.raises(KeyboardInterrupt):
        play("python_marjolet", "stop", "random")


def test_forfeits_are_the_bots_and_not_the_seats(monkeypatch: pytest.MonkeyPatch) -> None:
    bad, _ = BAD_PLAYERS["raises"]
    monkeypatch.setitem(registry.ENTRIES, "raises", bad)
    plan = Plan(make_config("python_marjolet", ["random", "raises"], pairs=2))
    games = play_block(plan, plan.blocks[0]).record.games
    assert [(game.pair, game.seating) for game in games] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert all(game.forfeit == 1 and game.margin is None for game in games)
    assert len({game.reason for game in games}) == 1
