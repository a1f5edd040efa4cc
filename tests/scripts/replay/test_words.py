"""What is told of recorded games, forfeits among them."""

import re
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from bots.registry import specs as registry
from marjolet_spiel import kernel
from marjolet_spiel.cards import names_of
from scripts.arena.store.recorded import RecordedGame
from scripts.replay.endings import result_words, short_names
from scripts.replay.steps import walk
from tests.scripts.games import BOTS, forfeited, play, random_record, random_states, record_of
from tests.scripts.players import BAD_PLAYERS
from tests.scripts.replay.games_told import (
    BY_HAND,
    MATCH,
    SMALL,
    WHOLE,
    by_hand,
    told,
    unwrapped,
)
from tests.variants import VARIANTS, each_variant


def points_of(state: Any) -> list[int]:
    """The points of both players in the deal in progress."""
    return [int(kernel.deal_points(state.core.pos, player)) for player in range(2)]


def hand_of(state: Any, player: int) -> set[str]:
    return set(names_of(int(state.core.pos[kernel.HAND0 + player])))


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
