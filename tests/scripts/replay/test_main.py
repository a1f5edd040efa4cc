"""Recorded games played back: what is told, what is refused, and the command line."""

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bots.registry import specs as registry
from marjolet_spiel import kernel
from marjolet_spiel.cards import names_of
from marjolet_spiel.solvers.endgame.table import endgame_table
from marjolet_spiel.solvers.solve import solve
from scripts.arena.plan.game_text import load_game
from scripts.arena.store.recorded import GAMES, RecordedGame
from scripts.replay import __main__ as front
from scripts.replay.endings import result_words, short_names
from scripts.replay.steps import BrokenGameError, walk
from scripts.replay.words import retell
from tests.places import ROOT
from tests.scripts.front_ends import call_main
from tests.scripts.games import BOTS, forfeited, play, random_record, random_states, record_of
from tests.scripts.players import BAD_PLAYERS
from tests.variants import VARIANTS, each_variant

SMALL = {"num_suits": 2, "ranks": "KQJ7", "hand_size": 3}
MATCH = {"profile": "dutch", "target": 300}


def told(record: RecordedGame, exact: bool = False) -> str:
    """The whole text."""
    return "\n".join(retell(record, exact))


def unwrapped(text: str) -> list[str]:
    """The lines of a text, those that were wrapped put together again."""
    return re.sub(r"\n {4}(?=\S)", " ", text).splitlines()


def points_of(state: Any) -> list[int]:
    """The points of both players in the deal in progress."""
    return [int(kernel.deal_points(state.core.pos, player)) for player in range(2)]


def hand_of(state: Any, player: int) -> set[str]:
    return set(names_of(int(state.core.pos[kernel.HAND0 + player])))


# What is told.


@each_variant
def test_points_and_hands_are_those_of_the_states(params: Any) -> None:
    for seed in range(4):
        states = random_states(params, seed)
        lines = unwrapped(told(record_of(states[-1])))
        leads = [s for s in states if s.core.pos[kernel.PHASE] == kernel.LEAD]
        heads = [i for i, line in enumerate(lines) if line.startswith("Trick ")]
        assert len(heads) == len(leads)
        for state, head in zip(leads, heads, strict=True):
            pos = state.core.pos
            assert lines[head].startswith(f"Trick {pos[kernel.TRICK]} of {pos[kernel.NUM_TRICKS]}")
            for player, bot in enumerate(BOTS):
                line = lines[head + 1 + player].removeprefix(f"  {bot}  ")
                assert set(line.replace("on the table:", "").split()) == hand_of(state, player)
                shown = set(line.partition("on the table: ")[2].split())
                assert shown == set(names_of(int(pos[kernel.EXPOSED0 + player])))
        wanted = [points_of(state) for state in leads if state.core.pos[kernel.TRICK] > 1]
        form = re.compile(rf"  points: {BOTS[0]} (\d+), {BOTS[1]} (\d+)")
        found = [list(map(int, m.groups())) for m in map(form.match, lines) if m]
        assert found == wanted


@each_variant
def test_end_is_that_of_the_state(params: Any) -> None:
    for seed in range(4):
        states = random_states(params, seed)
        final = states[-1].to_dict()
        lines = unwrapped(told(record_of(states[-1])))
        head = max(i for i, line in enumerate(lines) if line.startswith("End of deal "))
        assert lines[head] == f"End of deal {final['deal_number']}"
        totals = []
        for player, bot in enumerate(BOTS):
            cells = lines[head + 2 + player].removeprefix(f"  {bot}").split()
            numbers = [*final["points"][player].values(), final["deal_points"][player]]
            before = final["scores"][player]
            totals.append(before + numbers[-1])
            numbers += [before, totals[-1]] if "target" in params else []
            assert list(map(int, cells)) == numbers
        first, second = states[-1].returns()
        winner = int(second > first)
        if first == second:
            assert "draw" in lines[-1] or "level" in lines[-1]
        else:
            assert lines[-1].startswith(f"{BOTS[winner]} wins the ")
            assert f" {totals[winner]} to {totals[1 - winner]}" in lines[-1]


@pytest.mark.parametrize("params", [VARIANTS["match"], VARIANTS["dutch match"]], ids=str)
def test_totals_of_a_match_are_those_of_the_states(params: Any) -> None:
    """Also at the end of a deal, after which the states are those of the next one."""
    for seed in range(4):
        states = random_states(params, seed)
        lines = unwrapped(told(record_of(states[-1])))
        scores = {s.core.pos[kernel.DEAL]: s.to_dict()["scores"] for s in states}
        assert len(scores) > 1
        table = [i for i, line in enumerate(lines) if line.startswith("End of deal ")]
        rows = [[lines[i + 2 + p].split() for p in range(2)] for i in table]
        assert [[int(row[-1]) for row in both] for both in rows[:-1]] == list(scores.values())[1:]
        assert [[int(row[-2]) for row in both] for both in rows] == list(scores.values())
        later = [s for s in states if s.core.pos[kernel.PHASE] == kernel.LEAD]
        later = [s for s in later if s.core.pos[kernel.DEAL] > 1 < s.core.pos[kernel.TRICK]]
        wanted = [
            [a + b for a, b in zip(points_of(s), s.to_dict()["scores"], strict=True)] for s in later
        ]
        form = re.compile(rf"  points: .*; match: {BOTS[0]} (\d+), {BOTS[1]} (\d+)")
        assert [list(map(int, m.groups())) for m in map(form.match, lines) if m] == wanted


@each_variant
def test_every_point_is_told_where_it_is_made(params: Any) -> None:
    """What stands in brackets adds up to all that was scored."""
    kinds: Counter[str] = Counter()
    for seed in range(6):
        states = random_states(params, seed)
        ends = [a for a, b in zip(states, [*states[1:], None], strict=True) if _ends(a, b)]
        lines = unwrapped(told(record_of(states[-1])))
        table = [i for i, line in enumerate(lines) if line.startswith("End of deal ")]
        assert len(table) == len(ends)
        rows = [
            lines[i + 2 + p].removeprefix(f"  {BOTS[p]}").split() for i in table for p in (0, 1)
        ]
        scored = sum(int(row[6]) for row in rows)
        story = [line for line in lines if not line.startswith("End of deal")]
        made = re.findall(r"(?:\(|, )(\d+)(?: for ([^,)]*))?(?=[,)])", "\n".join(story))
        assert sum(int(number) for number, _ in made) == scored
        kinds.update(kind for _, kind in made)
    assert kinds["the last trick"] > 0
    assert kinds["the end of the stock"] > 0


def _ends(state: Any, following: Any) -> bool:
    """Whether a deal ends with the action that is taken in a state."""
    if following is None or state.is_terminal():
        return False
    deals = [s.core.pos[kernel.DEAL] for s in (state, following)]
    return bool(following.is_terminal() or deals[0] != deals[1])


@each_variant
def test_every_action_is_told(params: Any) -> None:
    for seed in range(3):
        record = random_record(params, seed)
        text = " ".join(unwrapped(told(record)))
        names = [step.name for step in walk(record)]
        cards = [name[5:] for name in names if name.startswith("play ")]
        assert re.findall(r" (?:leads|answers) (\w\w)", text) == cards
        draws = [name[5:] for name in names if name.startswith("draw ")]
        melds = [name[5:] for name in names if name.startswith("meld ")]
        assert len(re.findall(r"swaps 7\w for ", text)) == names.count("swap")
        assert re.findall(r"([\w-]+) \(\d+\)", re.sub(r"swaps \w\w for \w\w", "", text)) == melds
        drawn = re.findall(r" draws (\w\w)", text)
        assert Counter(drawn) - Counter(draws) == Counter(_last_cards(record))
        assert not Counter(draws) - Counter(drawn)


def _last_cards(record: RecordedGame) -> list[str]:
    """The last face-down card of each deal that comes so far."""
    found = []
    for step in walk(record):
        if step.before[kernel.INDICATOR] != step.after[kernel.INDICATOR] == kernel.NONE:
            found += names_of(int(step.before[kernel.DOWN]))
    return found


HAND_GAME = "python_marjolet(num_suits=2,ranks=KQJ7,hand_size=3)"
BY_HAND = """\
python_marjolet(num_suits=2,ranks=KQJ7,hand_size=3): english rules, a single deal
Pair 4, seating 1: greedy is player 0, ismcts:sims=9 is player 1.

The lot falls on greedy to deal.

Deal 1: greedy deals and turns up QH. Hearts are trumps.

Trick 1 of 4, 2 cards in the stock, QH face up
  greedy  JS 7S JH
  ismcts  KS QS 7H
  ismcts leads QS, greedy answers 7S: ismcts takes it
  ismcts swaps 7H for QH (10)
  ismcts draws KH, greedy takes 7H (10 for the end of the stock)
  points: greedy 10, ismcts 10

Trick 2 of 4, the stock is gone
  greedy  JS JH 7H
  ismcts  KS KH QH
  ismcts leads KS, greedy answers JS: ismcts takes it
  points: greedy 10, ismcts 10

Trick 3 of 4, the stock is gone
  greedy  JH 7H
  ismcts  KH QH
  ismcts leads QH, greedy answers 7H (10 for the dix): ismcts takes it
  points: greedy 20, ismcts 10

Trick 4 of 4, the stock is gone
  greedy  JH
  ismcts  KH
  ismcts leads KH, greedy answers JH: ismcts takes it (10 for the last trick, 50 for the sweep)

End of deal 1
          melds  dix  stock end  last trick  sweep  brisques  deal
  greedy      0   10         10           0      0         0    20
  ismcts      0   10          0          10     50         0    70

ismcts wins the deal 70 to 20, by 50."""
DEALT = "dealer 0, deal KS, deal QS, deal 7H, deal JS, deal 7S, deal JH, turn QH"
PLAYED = "play QS, play 7S, swap, done, play KS, play JS, play QH, play 7H, play KH, play JH"


def by_hand(names: str, **changes: Any) -> RecordedGame:
    """The game above, as far as some actions lead; without `changes` it is won by 50."""
    state = load_game(HAND_GAME).new_initial_state()
    for name in names.split(", "):
        state.apply_action(state.string_to_action(name))
    bots = ("greedy", "ismcts:sims=9")
    record = RecordedGame(0, 4, 1, HAND_GAME, bots, tuple(state.history()), (-50.0, 50.0))
    return replace(record, **changes)


WHOLE = by_hand(f"{DEALT}, {PLAYED}")


def test_a_deal_by_hand() -> None:
    assert unwrapped(told(WHOLE)) == BY_HAND.splitlines()


def test_windows_tell_what_is_declared_and_what_is_held_back() -> None:
    forfeit = {"returns": None, "forfeit": 0, "reason": "tired"}
    deal = "dealer 0, deal QS, deal KH, deal QH, deal JS, deal 7S, deal JH, turn 7H"
    text = told(by_hand(f"{deal}, play QS, play 7S, meld KH-QH", **forfeit))
    assert "deals and turns up 7H (10 for the dix). Hearts are trumps." in text
    assert text.endswith("  ismcts declares KH-QH (40)\n\nHere greedy forfeits the game: tired")
    text = told(by_hand(f"{deal}, play QS, play 7S, done", **forfeit))
    assert "  ismcts holds back KH-QH\n  ismcts draws KS, greedy takes 7H (10 for" in text


def test_several_melds_of_one_window() -> None:
    lines = [
        line
        for seed in range(30)
        for line in unwrapped(told(random_record(VARIANTS["english"], seed)))
        if line.count("-") > 1 and " declares " in line and "holds back" not in line
    ]
    assert lines
    for line in lines:
        assert line.count(" declares ") == 1


def test_names() -> None:
    assert short_names(("greedy", "ismcts:sims=9")) == ("greedy", "ismcts")
    assert short_names(("ismcts", "ismcts:sims=9")) == ("ismcts", "ismcts:sims=9")
    assert short_names(("greedy", "greedy")) == ("player 0", "player 1")


def test_results_in_a_few_words() -> None:
    game = WHOLE
    assert result_words(game) == "ismcts:sims=9 wins by 50"
    assert result_words(replace(game, returns=(0.0, 0.0))) == "level"
    match = replace(game, game="python_marjolet(target=300)", returns=(1.0, -1.0))
    assert result_words(match) == "greedy wins the match"
    assert result_words(replace(match, returns=(0.0, 0.0))) == "a draw"
    assert result_words(forfeited(game, 3, 1, "tired")) == "ismcts:sims=9 forfeits: tired"


@pytest.mark.parametrize("params", [SMALL, MATCH, {"profile": "spanish"}], ids=str)
def test_text_is_plain_and_narrow(params: Any) -> None:
    bots = ("policy:file=\u00fc\u2028.npz", "greedy")
    record = replace(random_record(params, 3), bots=bots)
    for text in (told(record), told(record, exact=True), result_words(record)):
        assert text.isascii()
        assert max(map(len, text.splitlines())) <= 100
        assert text == "\n".join(line.rstrip() for line in text.splitlines())
        assert "\n\n\n" not in text


# Forfeits.


@pytest.mark.parametrize("params", [SMALL, VARIANTS["dutch"], VARIANTS["match"]], ids=str)
def test_forfeits_at_any_point(params: Any) -> None:
    whole = random_record(params, 5)
    for actions in range(len(whole.history) + 1):
        record = forfeited(whole, actions, actions % 2, "choosing: no idea")
        text = told(record)
        assert text.endswith(f"\n\nHere {BOTS[actions % 2]} forfeits the game: choosing: no idea")
        assert " wins the " not in text
        cards = [step.name for step in walk(record) if step.name.startswith("play ")]
        assert len(re.findall(r" (?:leads|answers) ", text)) == len(cards)


def test_forfeit_while_dealing_shows_the_cards_so_far() -> None:
    record = forfeited(WHOLE, 4, 0, "gone")
    assert "The deal is not finished:\n  greedy\n  ismcts  KS QS 7H\n\nHere greedy" in told(record)


@pytest.mark.parametrize("name", ["raises", "broken", "illegal"])
def test_forfeits_of_real_games(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    bad, reason = BAD_PLAYERS[name]
    monkeypatch.setitem(registry.ENTRIES, name, bad)
    record = play("python_marjolet", ("greedy", name))
    assert record.forfeit == 1
    (end,) = re.findall(rf"Here {name} forfeits the game: (.*)", "\n".join(unwrapped(told(record))))
    assert re.fullmatch(reason, end)


@pytest.mark.parametrize("game", ["python_marjolet", "python_marjolet(profile=dutch,target=300)"])
def test_real_games(game: str) -> None:
    for pair in range(3):
        record = play(game, ("greedy", "random"), pair)
        assert record.returns is not None
        assert ("greedy wins" in told(record)) == (record.returns[0] > 0)


# What breaks the rules.

TURN, ANSWER = 7, 9


def without(index: int, action: int) -> RecordedGame:
    """The game by hand with another action in a place."""
    history = (*WHOLE.history[:index], action, *WHOLE.history[index + 1 :])
    return replace(WHOLE, history=history)


BROKEN = {
    "card of the other": (
        without(ANSWER, kernel.FIRST_PLAY + 2),
        "action 9 of its history, 3 (play KS), is not allowed; allowed are 5 (play JS), 8 (play "
        "7S), 13 (play JH)",
    ),
    "no such action": (without(ANSWER, 58 + 6), "action 9 of its history, 64, is not allowed"),
    "huge": (without(ANSWER, 10**30), f"action 9 of its history, {10**30}, is not allowed"),
    "swap": (without(ANSWER, 0), "action 9 of its history, 0 (swap), is not allowed"),
    "card dealt twice": (
        without(2, 2),
        "action 2 of its history, 2 (deal KS), is not allowed; allowed are ",
    ),
    "lot": (without(0, 2), "action 0 of its history, 2, is not allowed; allowed are 0 (dealer 0)"),
    "turned up": (without(TURN, 99), "action 7 of its history, 99, is not allowed; allowed are "),
    "too short": (
        replace(WHOLE, history=WHOLE.history[:-1]),
        "its history ends after 17 actions, in phase follow of deal 1, but the game is not over",
    ),
    "empty": (
        replace(WHOLE, history=()),
        "its history ends after 0 actions, in phase dealer of deal 1, but the game is not over",
    ),
    "too long": (
        replace(WHOLE, history=(*WHOLE.history, 58)),
        "action 18 of its history, 58 (done), comes after the end of the game",
    ),
    "returns": (
        replace(WHOLE, returns=(50.0, -50.0)),
        "its returns are said to be 50 and -50, but they are -50 and 50",
    ),
    "returns of one": (
        replace(WHOLE, returns=(-50.0, 40.0)),
        "its returns are said to be -50 and 40, but they are -50 and 50",
    ),
}
"""Games that break the rules, and what is said of them."""


@pytest.mark.parametrize(("record", "why"), BROKEN.values(), ids=BROKEN.keys())
def test_broken_games_are_told_apart(record: RecordedGame, why: str) -> None:
    with pytest.raises(BrokenGameError) as error:
        list(walk(record))
    assert str(error.value).startswith(why)


@each_variant
def test_an_illegal_action_anywhere_is_found(params: Any) -> None:
    states = random_states(params, 8)
    record = record_of(states[-1])
    assert len(list(walk(record))) == len(record.history) == len(states) - 1
    for index in range(0, len(record.history), 7):
        legal = states[index].legal_actions()
        bad = next(action for action in range(60) if action not in legal)
        history = (*record.history[:index], bad, *record.history[index + 1 :])
        with pytest.raises(BrokenGameError, match=f"^action {index} of its history, {bad}\\b"):
            list(walk(replace(record, history=history)))


def test_what_is_told_before_the_error_is_told() -> None:
    texts: list[str] = []
    with pytest.raises(BrokenGameError):
        texts.extend(retell(BROKEN["card of the other"][0]))
    text = "\n".join(texts)
    assert BY_HAND.startswith(text)
    assert text.endswith("\n  ismcts leads QS")


# The endgame beside the best ones.

_BRACKET = re.compile(r"\[(~?[+-][\d.]+)(?:\? best (~?[+-][\d.]+): ([^\]]*))?\]")


def judgements(record: RecordedGame) -> list[tuple[str, str, str]]:
    """What stands in square brackets, in the order of the moves."""
    lines = unwrapped(told(record, exact=True))
    start = next(i for i, line in enumerate(lines) if line.startswith("Deal 1"))
    return _BRACKET.findall("\n".join(lines[start:]))


@pytest.mark.parametrize("profile", ["spanish", "english", "swedish"])
def test_exact_values_are_those_of_the_table(profile: str) -> None:
    table = endgame_table(50)
    mistakes = 0
    for seed in range(6):
        states = random_states({"profile": profile}, seed)
        record = record_of(states[-1])
        chosen = [
            (state, action)
            for state, action in zip(states, record.history, strict=False)
            if table.holds(state)
        ]
        found = judgements(record)
        assert len(found) == len(chosen) == 12
        for (state, action), (value, best, better) in zip(chosen, found, strict=True):
            sign = 1 if state.current_player() == 0 else -1
            moves = table.moves(state)
            assert int(value) == sign * moves[action]
            if moves[action] == max(moves.values()):
                assert best == better == ""
                continue
            mistakes += 1
            assert int(best) == table.value(state)
            names = {state.action_to_string(move)[5:] for move in table.best_moves(state)}
            assert set(better.split(" or ")) == names
    assert mistakes > 5


@pytest.mark.parametrize("params", [VARIANTS["dutch"], VARIANTS["dutch match"]], ids=str)
def test_exact_values_of_melds_and_matches(params: Any) -> None:
    for seed in range(3):
        states = random_states(params, seed)
        record = record_of(states[-1])
        wanted = []
        for state, action in zip(states, record.history, strict=False):
            pos = state.core.pos
            alone = pos[kernel.PHASE] == kernel.DECLARE and state.legal_actions() == [kernel.DONE]
            late = pos[kernel.TRICK] > pos[kernel.STOCK_TRICKS] and state.current_player() >= 0
            if late and not alone:
                solution = solve(state)
                sign = 1 if solution.player == 0 else -1
                wanted.append(sign * solution.moves[action])
        found = [float(value.lstrip("~")) for value, _, _ in judgements(record)]
        assert found == pytest.approx(wanted, abs=6e-4)
        assert len(found) >= 12


def test_exact_says_nothing_of_the_stock_nor_of_long_hands() -> None:
    record = random_record({"hand_size": 15}, 1)
    lines = told(record, exact=True).splitlines()
    heads = [i for i, line in enumerate(lines) if line.startswith("Trick ")]
    assert all("[" not in line for line in lines[heads[0] : heads[4]])
    assert "[" in " ".join(lines[heads[5] :])
    assert "[" not in told(record)


# The command line.


def call(*words: str) -> int:
    """The exit code of ``python -m scripts.replay`` with these words."""
    return call_main(front, *words)


def written(folder: Path, records: Sequence[RecordedGame], torn: str = "") -> str:
    """A store with some games, by its folder."""
    text = "".join(record.to_line() + "\n" for record in records)
    (folder / GAMES).write_text(text + torn)
    return str(folder)


def five_games() -> list[RecordedGame]:
    """Games of three bots in two pairs, one of them a forfeit."""
    one, two, three = "random:seed=1", "greedy", "ismcts:sims=9"
    games = [replace(random_record(SMALL, seed), pair=seed // 2) for seed in range(5)]
    seats = [(one, two), (two, one), (one, three), (three, one), (three, two)]
    games = [
        replace(game, bots=bots, seating=i % 2)
        for i, (game, bots) in enumerate(zip(games, seats, strict=True))
    ]
    return [*games[:4], forfeited(games[4], 12, 1, "tired")]


def lines_listed(out: str) -> list[int]:
    """The numbers of the games in a printed list."""
    return [int(line.split()[0]) for line in out.splitlines() if line[:1].isdigit()]


def test_several_games_are_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = written(tmp_path, five_games())
    assert call(folder) == 0
    out = capsys.readouterr().out
    assert lines_listed(out) == [1, 2, 3, 4, 5]
    assert call(folder + "/" + GAMES) == 0
    assert capsys.readouterr().out == out
    row = out.splitlines()[5].split()
    assert row == ["5", "2", "0", "ismcts:sims=9", "greedy", "greedy", "forfeits:", "tired"]


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        (["--pair=1"], [3, 4]),
        (["--seating=0"], [1, 3, 5]),
        (["--bots=greedy"], [1, 2, 5]),
        (["--bots=random"], [1, 2, 3, 4]),
        (["--bots=random:seed=1 ismcts:sims=9"], [3, 4]),
        (["--bots=ismcts", "--bots=random:seed=01"], [3, 4]),
        (["--bots=greedy", "--pair=0"], [1, 2]),
    ],
)
def test_flags_choose(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], lines: list[int]
) -> None:
    folder = written(tmp_path, five_games())
    assert call(folder, *words) == 0
    assert lines_listed(capsys.readouterr().out) == lines
    assert call(folder, *words, "--all") == 0
    whole = [told(game) for game in (five_games()[line - 1] for line in lines)]
    assert capsys.readouterr().out == ("\n\n" + "-" * 40 + "\n\n").join(whole) + "\n"


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--number=2"], 2),
        (["--pair=1", "--seating=1"], 4),
        (["--bots=greedy,ismcts"], 5),
        (["--number=3", "--pair=1"], 3),
    ],
)
def test_one_game_is_played_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], line: int
) -> None:
    folder = written(tmp_path, five_games())
    for exact in ([], ["--exact"]):
        assert call(folder, *words, *exact) == 0
        assert capsys.readouterr().out == told(five_games()[line - 1], bool(exact)) + "\n"


def test_the_only_game_is_played_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(written(tmp_path, [WHOLE])) == 0
    assert capsys.readouterr().out == told(WHOLE) + "\n"


def test_check_counts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = written(tmp_path, five_games())
    assert call(folder, "--check") == 0
    assert capsys.readouterr() == ("5 games, 1 forfeit among them: all follow the rules\n", "")
    assert call(folder, "--check", "--number=1") == 0
    assert capsys.readouterr().out == "1 game: all follow the rules\n"


def test_check_names_all_games_that_break_the_rules(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    games = five_games()
    games[1] = BROKEN["returns"][0]
    games[3] = BROKEN["card of the other"][0]
    folder = written(tmp_path, games)
    assert call(folder, "--check") == 1
    out, err = capsys.readouterr()
    assert out == "5 games, 1 forfeit among them: 2 of them break the rules\n"
    first, second = err.splitlines()
    where = f"replay: {folder}: line %d (pair 4, seating 1, greedy against ismcts:sims=9): "
    assert first == where % 2 + BROKEN["returns"][1]
    assert second == where % 4 + BROKEN["card of the other"][1]


@pytest.mark.parametrize(("record", "why"), BROKEN.values(), ids=BROKEN.keys())
def test_broken_game_is_exit_code_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], record: RecordedGame, why: str
) -> None:
    assert call(written(tmp_path, [record])) == 1
    out, err = capsys.readouterr()
    assert out.startswith(HAND_GAME)
    assert err.startswith(f"replay: {tmp_path}: line 1 (pair 4, ")
    assert why in err
    assert err.count("\n") == 1


def test_torn_last_line_is_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = written(tmp_path, five_games()[:2], torn=WHOLE.to_line()[:99])
    assert call(folder, "--check") == 0
    out, err = capsys.readouterr()
    assert out == "2 games: all follow the rules\n"
    assert err == f"replay: {folder}/{GAMES}: line 3 is not whole; it is left out\n"


GOOD = WHOLE.to_line() + "\n"
NO_GAME = replace(WHOLE, game="python_marjolet(profile=danish)").to_line() + "\n"
BAD_FILES = {
    "empty": ("", [], "there is no game in it"),
    "torn alone": (GOOD[:50], [], "no game is as asked for; there is no game"),
    "damaged": (GOOD + GOOD.replace("58", "57"), [], "line 2 is damaged: its checksum is wrong"),
    "other": ("[1]\n", [], "line 1 is damaged: it is no game"),
    "other, checked": (GOOD + "x\n", ["--check"], "line 2 is damaged"),
    "game": (NO_GAME, [], "profile: 'danish' is not allowed"),
    "game, checked": (NO_GAME, ["--check"], "profile: 'danish' is not allowed"),
    "game, listed": (GOOD + NO_GAME, [], "profile: 'danish' is not allowed"),
    "no line": (GOOD, ["--number=2"], "no game is as asked for; there is 1 game of greedy, ismcts"),
    "no pair": (GOOD, ["--pair=5"], "no game is as asked for"),
    "no bot": (GOOD, ["--bots=nobody"], "there is 1 game of greedy, ismcts:sims=9"),
    "same bot": (GOOD, ["--bots=greedy greedy"], "no game is as asked for"),
    "no seating": (GOOD, ["--seating=0", "--check"], "no game is as asked for"),
    "game 0": (
        GOOD,
        ["--number=0"],
        "--number: 0 is not allowed; it must be a whole number from 1",
    ),
    "pair -1": (GOOD, ["--pair=-1"], "--pair: -1 is not allowed"),
    "seating 2": (GOOD, ["--seating=2"], "--seating: 2 is not allowed; it must be 0 or 1"),
    "three": (GOOD, ["--bots=a,b,c"], "--bots: 3 are named; a game has two"),
    "flag": (GOOD, ["--bot=greedy"], "--bot: there is no such flag"),
    "no number": (GOOD, ["--number=x"], "--number: 'x' is not allowed; it must be a whole number"),
    "argument": (GOOD, ["more"], "unknown argument 'more'"),
}


@pytest.mark.parametrize(("text", "words", "why"), BAD_FILES.values(), ids=BAD_FILES.keys())
def test_bad_input_is_exit_code_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, words: list[str], why: str
) -> None:
    path = tmp_path / GAMES
    path.write_text(text)
    _check_refused(capsys, why, str(path), *words)


def test_missing_files_are_exit_code_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _check_refused(capsys, f"{tmp_path}/{GAMES}: cannot be read (No such file", str(tmp_path))
    _check_refused(capsys, "/nowhere/x: cannot be read (No such file", "/nowhere/x")
    _check_refused(capsys, "no file or folder is given; see --help")


def _check_refused(capsys: pytest.CaptureFixture[str], why: str, *words: str) -> None:
    assert call(*words) == 2
    out, err = capsys.readouterr()
    assert "wins" not in out
    *notes, last = err.splitlines()
    assert last.startswith("replay: ")
    assert why in last
    assert all("is left out" in note for note in notes)


def test_ctrl_c_is_quiet(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(path: Path) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(front, "show", stop)
    assert call(written(tmp_path, [WHOLE])) == 130
    assert capsys.readouterr() == ("", "")


def test_whole_program(tmp_path: Path) -> None:
    folder = written(tmp_path, [WHOLE])
    command = [sys.executable, "-m", "scripts.replay", folder]
    run = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert run.returncode == 0, run.stderr
    assert run.stdout == told(WHOLE) + "\n"
