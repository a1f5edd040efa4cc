"""What the rule-of-thumb player does in plain cases."""

import itertools

import pytest

from bots.greedy.endgame import winners
from bots.greedy.melds import MeldBook, best_disjoint
from bots.registry import make_bot
from bots.view import seat_view
from marjolet_spiel import cards, kernel
from marjolet_spiel.cards import mask_of, parse_cards
from marjolet_spiel.rules import Rules
from tests.positions import State, dealt, decisions, endgame, named
from tests.variants import Params, each_variant


def choice(state: State) -> str:
    """What greedy does."""
    player = state.current_player()
    return named(state, make_bot("greedy", state.get_game(), player, 0).step(state))


def window(state: State) -> list[str]:
    """All that greedy does in the window that is open."""
    done: list[str] = []
    while state.to_dict()["phase"] == "declare":
        done.append(choice(state))
        state.apply_action(state.string_to_action(done[-1]))
    return done


MELDS = ["KD QD QS JD AH 7C", "TS JS KH JH 9C 8D"]


def test_declares_every_meld_at_once() -> None:
    state = dealt({}, MELDS, "TD", "play AH, play JH")
    assert window(state) == ["meld KD-QD", "meld JD-QS", "meld JD-QD", "done"]


def test_declares_the_most_valuable_melds_where_a_card_serves_one() -> None:
    state = dealt({"profile": "spanish"}, MELDS, "TD", "play AH, play JH")
    assert window(state) == ["meld KD-QD", "meld JD-QS", "done"]
    hands = ["QS QH QD QC JD AH", "TS JS KH JH 9C 8D"]
    state = dealt({"profile": "spanish"}, hands, "TD", "play AH, play JH")
    assert window(state) == ["meld QS-QH-QD-QC", "done"]


def test_swaps_before_it_melds_with_the_card_taken() -> None:
    state = dealt({}, ["QC 7C AH 8D 8H 9S", "TS JS TH JH 9C 8S"], "KC", "play AH, play JH")
    assert window(state) == ["swap", "meld KC-QC", "done"]


@each_variant
def test_windows_score_as_much_as_they_can(params: Params) -> None:
    """Against every order of every choice in one window."""

    def best(state: State) -> int:
        if state.current_player() != player or state.to_dict()["phase"] != "declare":
            return 0
        gains = [0]
        for action in state.legal_actions():
            if kernel.FIRST_MELD <= action < kernel.DONE:
                child = state.clone()
                child.apply_action(action)
                gains.append(points(child) - points(state) + best(child))
        return max(gains)

    def points(state: State) -> int:
        found: int = state.to_dict()["points"][player]["melds"]
        return found

    for seed in range(6):
        for state in decisions({**params, "target": 0}, seed):
            player = state.current_player()
            if len(state.legal_actions()) > 1 and state.to_dict()["phase"] == "declare":
                if 0 in state.legal_actions():
                    state.apply_action(0)
                most, before, now = best(state), points(state), state.clone()
                while now.to_dict()["phase"] == "declare":
                    last = points(now)
                    now.apply_action(now.string_to_action(choice(now)))
                assert last - before == most


def test_keeps_melds_together() -> None:
    hand = "KS QS QH JC 8H 7D"
    assert choice(dealt({}, [hand, "TS JS KH TD 9C 8D"], "TC")) in ("play 8H", "play 7D")


def test_keeps_the_dix_for_the_swap() -> None:
    state = dealt({}, ["7C 9H 8H 9S 8S 8D", "TS JS KH TD 9C QC"], "AC", "play 9H, play KH, done")
    state.apply_action(state.string_to_action("play TD"))
    assert choice(state) != "play 7C"


def test_ruffs_brisques_as_cheaply_as_it_can() -> None:
    hands = ["TD QS 8H 7H 9D KD", "9S JS AC 9C KC 8S"]
    assert choice(dealt({}, hands, "JC", "play TD")) == "play 9C"


def test_takes_brisques_with_the_suit_led_if_it_can() -> None:
    assert choice(dealt({}, ["TD QS 8H 7H 9D KH", "9S JS AD 9C KC 8S"], "JC", "play TD")) in (
        "play AD",
        "play 9C",
    )


def test_throws_a_worthless_card_under_a_trick_it_cannot_win() -> None:
    hands = ["AD QS 8H 7H 9D KH", "TS 9S 8S 7S TH AH"]
    assert choice(dealt({}, hands, "JC", "play AD")) == "play 7S"


def test_leads_low_plain_cards() -> None:
    state = dealt({}, ["AS TH 7D 9C KC AC", "TS JS KH TD QD 8D"], "JC")
    assert choice(state) == "play 7D"


# --- the last tricks ----------------------------------------------------------------------------

ENDGAMES = {
    "cashes an ace that nobody beats": (["AS 7H", "KS QD"], "C", "", "AS"),
    "does not lead into the ace": (["TS 7D", "AS 8D"], "C", "", "7D"),
    "draws the trump before it cashes": (["AC AD", "9C 8D"], "C", "", "AC"),
    "keeps the ace of trumps for the ten": (["AC 8D", "9D TD"], "C", "", "8D"),
    "ruffs low": (["KC 9C", "8D"], "C", "TD", "9C"),
    "takes with the ace": (["AD KD", "8S"], "C", "QD", "AD"),
    "throws off low": (["7S TS", "8H"], "C", "TD", "7S"),
}


@pytest.mark.parametrize("case", ENDGAMES.values(), ids=ENDGAMES.keys())
def test_last_tricks(case: tuple[list[str], str, str, str]) -> None:
    hands, trump, led, card = case
    assert choice(endgame(hands, trump, led)) == f"play {card}"


def test_winners_win_against_every_answer() -> None:
    deck = parse_cards(["AS", "TS", "7S", "KH", "9H", "QD", "AC", "8C"])
    for chosen in itertools.combinations(cards.bits(deck), 4):
        hand = mask_of(chosen)
        other = deck & ~hand
        for trump in range(4):
            sure = winners(hand, other, trump)
            for card in chosen:
                replies = cards.bits(kernel.strict_answers(other, card, trump))
                beaten = any(kernel.follower_wins(card, reply, trump) for reply in replies)
                assert bool(sure >> card & 1) == (not beaten)


def test_best_disjoint_melds() -> None:
    assert best_disjoint([]) == (0, [])
    assert best_disjoint([(1, 0b11, 40), (2, 0b110, 60), (3, 0b1000, 10)]) == (70, [2, 3])
    assert best_disjoint([(1, 0b11, 40), (2, 0b110, 60), (3, 0b1100, 30)]) == (70, [1, 3])


def test_points_in_hand() -> None:
    state = dealt({}, MELDS, "TD", "play AH, play JH")
    view = seat_view(state, 0)
    assert MeldBook(Rules.of()).points_in_hand(view, view.hand) == 40 + 20 + 40
    assert MeldBook(Rules.of(declaration="disjoint")).points_in_hand(view, view.hand) == 60
    assert MeldBook(Rules.of()).points_in_hand(view, 0) == 0
