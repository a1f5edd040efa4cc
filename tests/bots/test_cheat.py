"""The bot that sees all cards: only where it is allowed, and then it makes use of them."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bots.registry import Entry, make_bot
from bots.registry import specs as registry
from marjolet_spiel import kernel
from marjolet_spiel.cards import bits
from marjolet_spiel.open_game import MarjoletOpenState
from scripts.arena.plan.config import Watch, make_config
from scripts.arena.plan.deals import PairDeals
from scripts.arena.plan.game_text import load_game
from scripts.arena.plan.pairings import Plan
from scripts.arena.play import referee
from scripts.arena.play.games import play_block
from scripts.arena.play.referee import play_game
from scripts.arena.stats.margins import pairing_result
from tests.bots.quick import bot_for
from tests.positions import State, load, stock_choices
from tests.scripts.players import Player, first_action
from tests.scripts.test_tournament import call

GAMES = [
    "python_marjolet",
    "python_marjolet(first_dealer=1)",
    "python_marjolet(profile=dutch,target=300)",
    "python_marjolet(num_suits=2,ranks=KQJ7,hand_size=3,target=60)",
]


# --- only where it is allowed -------------------------------------------------------------------


def test_plans_refuse_it_unless_cheating_is_allowed() -> None:
    bots = ["greedy", "cheat:sims=5"]
    with pytest.raises(ValueError, match="'cheat:sims=5' looks at hidden cards.*allow_cheating"):
        make_config("python_marjolet", bots, 1)
    assert make_config("python_marjolet", bots, 1, watch=Watch(allow_cheating=True)).bots == tuple(
        bots
    )


def test_tournaments_say_how_to_go_on_with_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--bots=greedy;cheat:sims=5", "--pairs=1", f"--output={tmp_path}/out"]
    assert call(*words) == 2
    assert "cheat:sims=5" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
    assert call(*words, "--allow_cheating") == 0
    command = capsys.readouterr().out.rstrip().splitlines()[-1]
    assert command.split()[-1] == "--allow_cheating"
    assert call("--bots=greedy,random", "--pairs=1", f"--output={tmp_path}/fair") == 0
    assert "--allow_cheating" not in capsys.readouterr().out


# --- what the referee shows it ------------------------------------------------------------------

Turn = tuple[State, State]
"""What a bot was shown, and the true state."""


def watched(monkeypatch: pytest.MonkeyPatch, game: str, pair: int) -> dict[str, list[Turn]]:
    """The turns of an honest bot and of one that sees all in a game between them."""
    turns: dict[str, list[Turn]] = {"honest": [], "sees all": []}
    truth: list[State] = []
    original = referee._Table._take_turn

    def take_turn(self: Any, seat: int) -> None:
        truth.append(self.state.clone())
        original(self, seat)

    def watcher(name: str) -> Entry:
        def choose(state: State) -> int:
            turns[name].append((state.clone(), truth[-1]))
            return first_action(turns[name][-1][0])

        def make(game: Any, player: int, seed: int, options: Any) -> Any:
            return Player(choose)

        return Entry(name, "", make, sees_all=name == "sees all")

    monkeypatch.setattr(referee._Table, "_take_turn", take_turn)
    for name in turns:
        monkeypatch.setitem(registry.ENTRIES, name, watcher(name))
    loaded = load_game(game)
    deals = PairDeals(1, pair, loaded.rules.pack)
    outcome = play_game(loaded, deals, list(turns), [1, 2], np.random.default_rng(3))
    monkeypatch.undo()
    assert outcome.forfeit is None
    return turns


each_game = pytest.mark.parametrize("game", GAMES)


@each_game
def test_it_is_shown_the_true_position(monkeypatch: pytest.MonkeyPatch, game: str) -> None:
    for pair in range(3):
        turns = watched(monkeypatch, game, pair)["sees all"]
        assert turns
        for seen, truth in turns:
            assert isinstance(seen, MarjoletOpenState)
            fields = np.flatnonzero(seen.position() != truth.position())
            assert set(fields.tolist()) <= {kernel.FIRST_DEALER}
            assert sorted(seen.stock_order()) == bits(int(truth.position()[kernel.DOWN]))


@each_game
def test_the_stock_comes_in_the_order_that_it_is_shown(
    monkeypatch: pytest.MonkeyPatch, game: str
) -> None:
    drawn: list[tuple[int, int]] = []
    original = PairDeals.outcome

    def outcome(self: PairDeals, state: Any) -> int:
        card = original(self, state)
        if state.core.pos[kernel.PHASE] == kernel.DRAW:
            drawn.append((int(state.core.pos[kernel.DEAL]), card))
        return card

    monkeypatch.setattr(PairDeals, "outcome", outcome)
    turns = watched(monkeypatch, game, 4)["sees all"]
    for deal in {int(seen.core.pos[kernel.DEAL]) for seen, _ in turns}:
        here = [seen for seen, _ in turns if seen.core.pos[kernel.DEAL] == deal]
        order, later = here[0].stock_order(), [card for number, card in drawn if number == deal]
        assert order
        before = int(here[0].core.pos[kernel.TRICK] - 1) * 2
        assert later[before:] == order[: len(later) - before]
        assert all(s.stock_order() == order[len(order) - len(s.stock_order()) :] for s in here)


@each_game
def test_its_opponent_is_still_shown_nothing(monkeypatch: pytest.MonkeyPatch, game: str) -> None:
    hidden = changed = 0
    for pair in range(6):
        for seen, truth in watched(monkeypatch, game, pair)["honest"]:
            assert not isinstance(seen, MarjoletOpenState)
            player = truth.current_player()
            told = [state.information_state_string(player) for state in (seen, truth)]
            assert told[0] == told[1]
            pos = truth.position()
            if pos[kernel.DOWN] and pos[kernel.HAND1 - player] & ~pos[kernel.KNOWN1 - player]:
                hidden += 1
                changed += seen.position()[kernel.HAND1 - player] != pos[kernel.HAND1 - player]
    assert changed > hidden / 3


# --- what it makes of it ------------------------------------------------------------------------


def test_beats_greedy_by_far() -> None:
    bots = ["cheat:sims=200", "greedy"]
    plan = Plan(make_config("python_marjolet", bots, 10, 3, 10, watch=Watch(allow_cheating=True)))
    result = pairing_result(*bots, play_block(plan, plan.blocks[0]).record.games)
    assert result.margin.count == 10
    assert result.margin.mean > 50
    assert result.margin.low > 25


def test_uses_the_order_of_the_stock() -> None:
    """Two worlds that differ in nothing else are played differently somewhere."""
    differ = 0
    for state in stock_choices({}, 1):
        worlds = [state.open_world(seed) for seed in range(2)]
        found = [bot_for("cheat:sims=200", world).step(world) for world in worlds]
        again = [bot_for("cheat:sims=200", world).step(world) for world in worlds]
        assert found == again
        differ += found[0] != found[1]
    assert differ > 3


def test_finds_the_best_play_of_the_true_world() -> None:
    """Against exhaustive search with the order of the stock."""
    params = {"num_suits": 2, "ranks": "KQJ7", "hand_size": 3}
    for seed in range(12):
        for state in stock_choices(params, seed):
            world = state.open_world(seed)
            exact = {a: best_value(world.child(a), world.current_player()) for a in legal(world)}
            action = bot_for("cheat:sims=5000", world).step(world)
            assert exact[action] == max(exact.values())


def legal(state: State) -> list[int]:
    """The legal actions."""
    actions: list[int] = state.legal_actions()
    return actions


def best_value(world: State, player: int) -> float:
    """The return of `player` from an open world under best play of both."""
    if world.is_terminal():
        value: float = world.returns()[player]
        return value
    values = [best_value(world.child(action), player) for action in legal(world)]
    return max(values) if world.current_player() == player else min(values)


def test_sees_hands_but_no_order_where_cards_are_hidden() -> None:
    """In the true game it depends on the hands; what will be drawn is not settled there."""
    differ = 0
    for state in stock_choices({}, 5):
        player = state.current_player()
        game = load({})
        bots = [make_bot("cheat:sims=60", game, player, 1) for _ in range(2)]
        world = state.resample_from_infostate(player, 9)
        differ += str(bots[0].evaluate(state)) != str(bots[1].evaluate(world))
    assert differ
