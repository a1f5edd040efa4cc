"""Last tricks worked out by hand, as a card player would.

Values are the points that are still to come, mine less his. I am player 0, on turn.
"""

from typing import Any

from marjolet_spiel.solvers.solve import solve
from tests.positions import State, endgame, load, named
from tests.solvers.vectors import built, difference

Worth = dict[str, int]


def worth(state: State) -> Worth:
    """What is to come after each of my cards; alpha-beta and the table agree on it."""
    so_far = difference(state.position())
    searched = solve(state, use_table=False)
    assert built(50).moves(state) == searched.moves
    return {
        named(state, action).removeprefix("play "): int(value) - so_far
        for action, value in searched.moves.items()
    }


def line(state: State) -> str:
    """Best play by the table."""
    return built(50).line(state)


def with_rules(state: State, params: dict[str, Any], **changes: Any) -> State:
    """The same cards under other rules."""
    view = state.to_dict()
    del view["known"], view["deal_points"]  # they follow from the rest
    return load(params).new_initial_state({**view, **changes})


# --- leading ------------------------------------------------------------------------------------


def test_last_trump_is_drawn_before_the_ace_is_cashed() -> None:
    # The ace first: he has no heart and must ruff it, -10; on his diamond I must ruff with the
    # king, which is the last trick, +10. The king first takes his only trump; then the ace is
    # good, 10 and 10 for the last trick.
    state = endgame(("KS AH", "QS 7D"), "S")
    assert worth(state) == {"KS": 20, "AH": 0}
    assert line(state) == "KS QS (0), AH 7D (0)"


def test_king_makes_the_ace_come_out_and_frees_the_ten() -> None:
    # King: he must beat it with the ace, -10. If he returns the seven of hearts my ten must beat
    # it, +10, and my trump is last, +10. If he leads the club I must ruff it, and the ten beats
    # the seven in the last trick, +20. Both +10 in all.
    # Ten: the ace takes it, -20, and I get the last trick, by trump or king, +10.
    # Trump: he throws the seven of hearts. King or ten, the ace takes it, and the other one is
    # thrown on his club: ace, ten and the last trick, -30.
    state = endgame(("TH KH 9S", "AH 7H 8C"), "S")
    assert worth(state) == {"KH": 10, "TH": -10, "9S": -30}


def test_trump_is_kept_for_the_last_trick() -> None:
    # Trump first: he throws the ten of diamonds, +10, and his eight of hearts makes the last
    # trick, -10. Seven first: his eight must beat it and he is left with the ten, which I ruff in
    # the last trick, +20.
    state = endgame(("9S 7H", "8H TD"), "S")
    assert worth(state) == {"9S": 0, "7H": 20}
    assert line(state) == "7H 8H (1), TD 9S (0)"


def test_low_card_of_a_suit_he_is_void_in_makes_him_ruff() -> None:
    # Seven of clubs: he must ruff with his queen. I must ruff his heart, and my ten of diamonds
    # is good on the last trick, 10 and 10.
    # Ten of diamonds: he must ruff that, -10; I ruff his heart and the seven of clubs is last, +10.
    # Nine of trumps: the queen must beat it. I have no trump left: the ten falls to a heart sooner
    # or later, -10, and the last trick is his, -10.
    state = endgame(("9S TD 7C", "QS 9H 8H"), "S")
    assert worth(state) == {"7C": 20, "TD": 0, "9S": -20}


def test_nine_of_trumps_makes_the_ace_come_out() -> None:
    # Nine: only the ace beats it, so it must, -10. He returns the eight, which my ten must beat,
    # +10; his king of hearts is last, -10. (His king first would leave the ten the last trick.)
    # Heart: his king must beat it. He leads the eight of trumps: with the ten I get 10 and lose
    # the nine to the ace in the last trick, -20. (His ace first would make my ten last.)
    # Ten: the ace takes both, -20; on the eight my nine wins but his king is last, -10.
    state = endgame(("TS 9S 7H", "AS 8S KH"), "S")
    assert worth(state) == {"9S": -10, "7H": -10, "TS": -30}


# --- answering ----------------------------------------------------------------------------------


def test_ace_is_brought_home_before_a_trump_takes_it() -> None:
    # He has a trump left, which takes whatever I lead next. Ace: +10, the queen and the last
    # trick are lost, -10. Queen: the ace and the last trick are lost, -20.
    state = endgame(("AH QH", "JS"), "S", led="JH")
    assert worth(state) == {"AH": 0, "QH": -20}


def test_ruff_is_low_when_the_ten_of_trumps_is_good_later() -> None:
    # Nine: his ace, +10; my ten beats the king in the last trick, +20. Ten: +20 now, but the nine
    # loses the last trick to the king, -10.
    assert worth(endgame(("TS 9S", "KS"), "S", led="AH")) == {"9S": 30, "TS": 10}


def test_ruff_is_high_when_the_ten_of_trumps_would_be_lost() -> None:
    # Ten: +20 now; the ace of trumps takes the nine in the last trick, -20. Nine: +10 now; the
    # ace takes the ten and the last trick, -30.
    assert worth(endgame(("TS 9S", "AS"), "S", led="AH")) == {"9S": -20, "TS": 0}


def test_card_that_can_win_no_more_is_thrown() -> None:
    # I have neither hearts nor trumps. Nine of clubs: the ten of diamonds beats his seven in the
    # last trick, +20. Ten: it is his, -10, and his seven of diamonds wins the last trick, -10.
    assert worth(endgame(("TD 9C", "7D"), "S", led="KH")) == {"9C": 20, "TD": -20}


def test_who_can_beat_must() -> None:
    # The ten may not be held back: +10. The seven then loses to the ace: 10 and the last trick.
    assert worth(endgame(("TH 7H", "AH"), "S", led="9H")) == {"TH": -10}


# --- the seven of trumps ------------------------------------------------------------------------


def test_seven_of_trumps_pays_its_holder_win_or_lose() -> None:
    # It is ruffed with: 10 and the last trick for him.
    assert worth(endgame(("8H", "7S"), "S")) == {"8H": -20}
    # It falls to my ace: 10 for the ace, 10 for the last trick, and 10 for him all the same.
    assert worth(endgame(("AS", "7S"), "S")) == {"AS": 10}
    # It is mine: 10, his ace thrown on it 10, the last trick 10.
    assert worth(endgame(("7S", "AH"), "S")) == {"7S": 30}


def test_seven_of_trumps_that_was_turned_up_pays_once_in_spain() -> None:
    # As before, but the dealer had the 10 when it was turned up.
    state = endgame(("8H", "7S"), "S")
    points = [{**each, "dix": 10 * (i == 0)} for i, each in enumerate(state.to_dict()["points"])]
    turned_up = {"turn_up": "7S", "points": points}
    assert worth(with_rules(state, {"profile": "spanish"}, **turned_up)) == {"8H": -10}
    assert worth(with_rules(state, {"profile": "english"}, **turned_up)) == {"8H": -20}


# --- all six tricks -----------------------------------------------------------------------------


def test_one_trick_given_up_costs_the_sweep() -> None:
    # Ace of trumps: it takes his only trump, and five hearts are good: ace, ace and ten 30, the
    # last trick 10, all six 50, less his 10 for the seven of trumps.
    # A heart first: he must ruff it, which pays him 10 for the seven and 10 for an ace or ten. I
    # ruff his club with the ace, +10, and the hearts left are good: the last trick 10 and 10 for
    # each of ace and ten that I still have.
    state = endgame(("AS AH TH KH QH JH", "7S QC JC 9C 8C 7C"), "S")
    small = {"KH": 30, "QH": 30, "JH": 30}
    assert worth(state) == {"AS": 80, "AH": 10, "TH": 10, **small}


def test_one_trick_saves_the_sweep() -> None:
    # His trumps take all but the ace of hearts, which makes his king fall: 10 for me, 20 for ace
    # and ten of trumps and 10 for the last trick for him.
    # A club first comes to the same: he ruffs and must play the king at once, as I throw all but
    # the ace on trumps and would make it in the last trick.
    # Queen or jack of hearts: his king must beat it. Then he has nothing but trumps: the ace is
    # lost too, and he has all six: -20 -10 -10 -50.
    state = endgame(("AH QH JH 9C 8C 7C", "AS TS KS QS JS KH"), "S")
    clubs = {"9C": -20, "8C": -20, "7C": -20}
    assert worth(state) == {"AH": -20, "QH": -90, "JH": -90, **clubs}


def test_sweep_is_out_of_reach_once_both_have_a_trick() -> None:
    # Four good trumps, but not six tricks: ace and ten 20, his ace and ten 20, the last trick 10.
    state = endgame(("AS TS KS QS", "AH TH KH QH"), "S")
    assert worth(state) == dict.fromkeys(("AS", "TS", "KS", "QS"), 50)


# --- other rules --------------------------------------------------------------------------------


def test_dutch_marriage_is_declared_before_it_is_broken() -> None:
    # Ace of hearts: +10, and with that trick I may declare the marriage of trumps, 40; the last
    # trick is mine, +10. King or queen first: no marriage any more, 20 in all.
    state = with_rules(endgame(("KS QS AH", "7H 9C 8C"), "S"), {"profile": "dutch"})
    so_far, solution = difference(state.position()), solve(state)
    moves = {named(state, action): value - so_far for action, value in solution.moves.items()}
    assert moves == {"play AH": 60, "play KS": 20, "play QS": 20}
    assert solution.line.startswith("AH 7H (0), meld KS-QS, ")


def test_ten_points_short_of_the_match_the_next_brisque_wins() -> None:
    # As in the first position: after the king of trumps my ace makes 10 and I am there; the ace
    # first is ruffed, and he is. How much it is by does not count.
    state = endgame(("KS AH", "QS 7D"), "S")
    scores = [990 - points for points in state.to_dict()["deal_points"]]
    rules = {"profile": "dutch", "target": 1000}
    match = with_rules(state, rules, scores=scores, deal_number=2)
    solution = solve(match)
    assert {named(match, a): value for a, value in solution.moves.items()} == {
        "play KS": 1,
        "play AH": -1,
    }
    assert solution.exact
