"""Games as text."""

from marjolet_spiel.rules import Rules
from scripts.arena.plan.game_text import game_text, load_game, parse_game


def test_games_are_written_in_one_way() -> None:
    text = "python_marjolet(profile=dutch,target=300)"
    assert game_text(parse_game("python_marjolet(target=300, profile=dutch,max_deals=32)")) == text
    assert game_text(parse_game(text)) == text
    assert game_text(parse_game("python_marjolet()")) == "python_marjolet"
    assert load_game(text).rules == Rules.of(profile="dutch", target=300)
    assert load_game(text) is load_game(text)
