"""The compliance check of a bot, from its flags to its lines."""

import pytest

from scripts import check_bot
from scripts.arena.plan.game_text import load_game
from scripts.arena.play.compliance import NOTE, OK, UNSEEING, WRONG, Facts, findings
from tests.bots.quick import FAIR_PLAYERS
from tests.scripts.front_ends import assert_refused, call_main
from tests.scripts.rogues import PATH

pytestmark = pytest.mark.usefixtures("one_process")

SMALL = "--game=python_marjolet(num_suits=2,ranks=KQJ7,hand_size=3)"


def call(*words: str) -> int:
    """The exit code of ``python -m scripts.check_bot`` with these flags."""
    return call_main(check_bot, *words)


def lines_of(capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    """What was printed of each check: its verdict and its text."""
    lines = [line.partition(": ") for line in capsys.readouterr().out.splitlines()]
    return {line[6:]: f"{line[:6].strip()} {text}".strip() for line, _, text in lines if line}


def test_our_bots_are_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    for bot in FAIR_PLAYERS:
        assert call(f"--bot={bot}", SMALL, "--deals=2") == 0
        found = lines_of(capsys)
        assert found[UNSEEING] == OK, bot
        assert found["it does the same again with the same seed"] == OK, bot
        assert found["its policies are probabilities of legal actions"] == OK, bot
        assert not [text for text in found.values() if text.startswith(WRONG)]


MISDEEDS = {
    "sleeps": ("it answers in time", "choosing: no answer within 0.3 s"),
    "dies": ("it leaves its process alive", "choosing: its process ended (exit code 7)"),
    "changes": ("it leaves the states that it is given as they are", "choosing: it changed the st"),
    "peeks": (UNSEEING, "choosing: decision "),
    "illegal": ("it chooses legal actions", "choosing: action 9999 is not legal"),
    "text": ("it chooses legal actions", "choosing: str is no action id"),
    "raises": ("it raises nothing", "choosing: ZeroDivisionError: "),
}


@pytest.mark.parametrize("deed", MISDEEDS)
def test_each_misdeed_is_told(deed: str, capsys: pytest.CaptureFixture[str]) -> None:
    check, why = MISDEEDS[deed]
    limit = "0.3" if deed == "sleeps" else "60"
    words = [f"--bot={PATH}:make:does={deed}", "--deals=2", f"--move_limit={limit}"]
    assert call(*words) == 1
    found = lines_of(capsys)
    assert found[check].startswith(f"{WRONG} {why}")
    wrong = [name for name, text in found.items() if text.startswith(WRONG)]
    assert set(wrong) <= {check, "it plays a second game after restart()"}


def test_chance_that_is_not_seeded_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert call(f"--bot={PATH}:make:does=unseeded", "--deals=2") == 0
    found = lines_of(capsys)
    assert found["it does the same again with the same seed"].startswith(f"{NOTE} not in 4 of 4")
    assert found[UNSEEING] == f"{NOTE} not found out"


def test_who_says_so_is_not_held_to_be_reproducible(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("--bot=ismcts:time=0.001", SMALL, "--deals=1") == 0
    found = lines_of(capsys)
    assert found["it does the same again with the same seed"] == f"{NOTE} not found out"
    assert found[UNSEEING] == f"{NOTE} not found out"


@pytest.mark.parametrize(
    ("deed", "says"),
    [
        ("gives_up", f"{WRONG} choosing: RuntimeError: a second game"),
        ("first", f"{OK} as a new bot does"),
        ("remembers", f"{NOTE} but not as a new one"),
    ],
)
def test_restarts_are_tried(deed: str, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(f"--bot={PATH}:make:does={deed}", "--deals=1") == (1 if WRONG in says else 0)
    assert lines_of(capsys)["it plays a second game after restart()"].startswith(says)


@pytest.mark.parametrize(
    ("deed", "says"),
    [
        ("half", "its probabilities [0.5] do not add up to 1"),
        ("beyond", "it gives weight to [9999], not legal"),
        ("fails", "RuntimeError: no idea"),
    ],
)
def test_policies_are_looked_at(deed: str, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(f"--bot={PATH}:make_policy:does={deed}", "--deals=1") == 1
    assert lines_of(capsys)["its policies are probabilities of legal actions"] == f"{WRONG} {says}"


def test_nothing_seen_is_nothing_said() -> None:
    verdicts = {finding.verdict for finding in findings(Facts())}
    assert verdicts == {NOTE}
    found = findings(Facts(misdeeds=[("choosing: its process ended (exit code 1)", "here")]))
    (ended,) = [finding for finding in found if finding.verdict == WRONG]
    assert ended.check == "it leaves its process alive"
    assert OK not in {finding.verdict for finding in found}


def test_other_games_are_played(capsys: pytest.CaptureFixture[str]) -> None:
    dutch = "python_marjolet(profile=dutch,target=100)"
    assert call("--bot=greedy", f"--game={dutch}", SMALL, "--deals=1") == 0
    out = capsys.readouterr().out
    assert out.startswith(f"greedy on {dutch}, python_marjolet(num_suits=2,ranks=KQJ7,hand_size=3)")
    assert "4 games" in out
    assert load_game(dutch).rules.is_match


WRONG_INPUT = {
    "no bot": ([], "bot: is missing"),
    "unknown": (["--bot=gredy"], "bot: 'gredy' is unknown"),
    "no module": (["--bot=no_such:make"], "no_such cannot be imported (ModuleNotFoundError"),
    "game": (["--bot=greedy", "--game=euchre"], "game: 'euchre' is not allowed"),
    "deals": (["--bot=greedy", "--deals=0"], "deals: 0 is not allowed"),
    "seed": (["--bot=greedy", "--seed=-1"], "seed: -1 is not allowed"),
    "no limit": (["--bot=greedy", "--move_limit=0"], "move_limit: 0 is not allowed"),
    "limit": (["--bot=greedy", "--move_limit=-1"], "move_limit: -1.0 is not allowed"),
    "cheat": (["--bot=cheat"], "'cheat' looks at hidden cards, as it says"),
    "argument": (["greedy"], "unknown argument 'greedy'"),
}


@pytest.mark.parametrize(("words", "why"), WRONG_INPUT.values(), ids=WRONG_INPUT.keys())
def test_bad_input_is_one_sentence_and_exit_code_2(
    words: list[str], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert_refused(call(*words), why, "check_bot", capsys)
