"""The bot that plays what full-pack CFR has learnt, and the files it plays."""

import os
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyspiel
import pytest

from bots.cfr_bot import CfrBot, cfr_bot
from bots.registry import make_bot, parse_spec
from marjolet_spiel.rules import PROFILES, Rules
from marjolet_spiel.solvers.blueprint import file as cfr_file
from marjolet_spiel.solvers.blueprint.file import (
    CfrPolicy,
    read_checkpoint,
    read_policy,
    write_policy,
)
from marjolet_spiel.solvers.search.leaves import solvable
from marjolet_spiel.solvers.solve import solve
from tests.bots.cfr_files import trained, write_trained
from tests.positions import State, decisions, load, stock_choices, walk
from tests.variants import Params, each_variant


def bot_for(state: State, params: Params, seed: int = 1, pure: bool = True) -> CfrBot:
    """A bot after a short training, for whoever is on turn."""
    policy = trained(params, 30).policy()
    return CfrBot(state.get_game().rules, state.current_player(), seed, policy, pure)


@each_variant
def test_plays_legally_to_the_end(params: Params) -> None:
    game, policy = load(params), trained(params, 30).policy()
    for seed in range(3):
        bots = [CfrBot(game.rules, player, seed, policy, seed > 0) for player in range(2)]
        assert sum(pyspiel.evaluate_bots(game.new_initial_state(), bots, seed)) == 0


@each_variant
def test_choices_depend_on_seed_and_information_state_alone(params: Params) -> None:
    rng = np.random.default_rng(2)
    for state in decisions(params, 2):
        player = state.current_player()
        other = state.resample_from_infostate(player, rng)
        bot = bot_for(state, params, pure=False)
        policy, action = bot.step_with_policy(state)
        assert bot.get_policy(other) == policy
        assert bot.step(other) == bot.step(state) == action
        assert bot_for(state, params, pure=False).step(other) == action


def test_seeds_matter_where_it_draws() -> None:
    state = next(s for s in stock_choices({}, 1) if len(mixed(s)) > 1)
    counts = Counter(bot_for(state, {}, seed, pure=False).step(state) for seed in range(2000))
    for action, chance in mixed(state).items():
        assert counts[action] / 2000 == pytest.approx(chance, abs=0.05)
    assert len({bot_for(state, {}, seed).step(state) for seed in range(20)}) == 1


def mixed(state: State) -> dict[int, float]:
    """The probabilities of actions when it draws."""
    return dict(bot_for(state, {}, pure=False).get_policy(state))


def test_policies_are_distributions_over_legal_actions() -> None:
    mixes = 0
    for state in [state for seed in range(4) for state in decisions({"profile": "dutch"}, seed)]:
        for pure in (True, False):
            policy = dict(bot_for(state, {"profile": "dutch"}, pure=pure).get_policy(state))
            assert set(policy) <= set(state.legal_actions())
            assert sum(policy.values()) == pytest.approx(1)
            assert not pure or list(policy.values()) == [1.0]
            mixes += len(policy) > 1
    assert mixes > 0


def test_pure_play_takes_what_is_most_likely() -> None:
    for state in stock_choices({}, 3):
        policy = mixed(state)
        (action,) = dict(bot_for(state, {}).get_policy(state))
        assert policy[action] == max(policy.values())


def test_last_tricks_are_exact() -> None:
    found = 0
    for state in decisions({}, 5):
        if solvable(state.core.pos) and len(state.legal_actions()) > 1:
            assert bot_for(state, {}).step(state) in solve(state).best_moves
            found += 1
    assert found > 2


def test_what_is_unknown_is_played_sensibly() -> None:
    """By the candidate that is valued most, as a policy without buckets shows."""
    nothing = CfrPolicy(0, np.zeros(0, dtype=np.int64), np.zeros((0, 6), dtype=np.uint8))
    for state in stock_choices({}, 3):
        bot = CfrBot(state.get_game().rules, state.current_player(), 1, nothing, pure=False)
        assert list(dict(bot.get_policy(state)).values()) == [1.0]


def test_refuses_other_states() -> None:
    for state in walk({}, 5):
        if state.current_player() not in (0, pyspiel.PlayerId.CHANCE):
            with pytest.raises(ValueError, match="player 0 is not on turn"):
                CfrBot(Rules.of(), 0, 1, trained({}, 30).policy()).step(state)
    state = decisions({"profile": "dutch"}, 4)[0]
    with pytest.raises(ValueError, match="profile=dutch.* is not allowed; it was made for"):
        CfrBot(Rules.of(), state.current_player(), 1, trained({}, 30).policy()).step(state)


# --- files --------------------------------------------------------------------------------------


def test_bots_are_named_with_their_file(tmp_path: Path) -> None:
    path = write_trained(tmp_path / "cfr.npz", {}, 30)
    state = stock_choices({}, 2)[0]
    bot = make_bot(f"cfr:{path}", load({}), state.current_player(), 1)
    assert bot.step(state) == bot_for(state, {}).step(state)
    drawing = make_bot(f"cfr:{path},pure=no", load({}), state.current_player(), 1)
    assert drawing.get_policy(state) == bot_for(state, {}, pure=False).get_policy(state)
    with pytest.raises(ValueError, match="bot 'cfr': it needs a file"):
        parse_spec("cfr")


def test_policies_come_back(tmp_path: Path) -> None:
    path, policy = write_trained(tmp_path / "cfr.npz", {}, 30), trained({}, 30).policy()
    found = read_policy(path, Rules.of())
    assert found.iterations == 30
    assert (found.buckets == policy.buckets).all()
    assert (found.shares == policy.shares).all()
    before = Path(path).read_bytes()
    write_trained(tmp_path / "cfr.npz", {}, 30)
    assert Path(path).read_bytes() == before
    assert [*tmp_path.iterdir()] == [tmp_path / "cfr.npz"]


def test_what_makes_no_difference_in_a_deal_is_allowed(tmp_path: Path) -> None:
    path = write_trained(tmp_path / "cfr.npz", {}, 30)
    for params in ({"target": 300}, {"first_dealer": 1}, {"target": 300, "max_deals": 3}):
        game = load(params)
        bots = [cfr_bot(game, player, 1, path) for player in range(2)]
        assert sum(pyspiel.evaluate_bots(game.new_initial_state(), bots, 1)) == 0


def refusal(path: Path, rules: Rules | None = None) -> str:
    """The sentence with which a file is refused, which names it."""
    with pytest.raises(ValueError) as caught:  # noqa: PT011  (the message is checked)
        read_policy(path, rules or Rules.of())
    message = str(caught.value)
    assert message.startswith(f"cfr file {str(path)!r}: ")
    assert "\n" not in message
    return message


def test_files_for_other_rules_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "cfr.npz"
    write_trained(path, {}, 30)
    for profile in set(PROFILES) - {"english"}:
        message = refusal(path, Rules.of(profile=profile))
        assert "it was trained for deals(profile=english," in message
        assert f"not deals(profile={profile}," in message
    assert "sweep_bonus=40" in refusal(path, Rules.of(sweep_bonus=40))
    with pytest.raises(ValueError, match="it was trained for deals"):
        make_bot(f"cfr:{path}", load({"profile": "dutch"}), 0, 1)


@pytest.mark.parametrize("name", ["RULES_VERSION", "ABSTRACTION_VERSION"])
def test_files_of_other_versions_are_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "cfr.npz"
    write_trained(path, {}, 30)
    monkeypatch.setattr(cfr_file, name, 99)
    assert "version 99" in refusal(path)


def test_files_of_other_formats_and_kinds_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "there is no such file" in refusal(tmp_path / "none.npz")
    path = tmp_path / "cfr.npz"
    trained({}, 30).save(path)
    assert "it is damaged: its array 'shares' is missing" in refusal(path)
    np.savez(path, numbers=np.zeros(3))
    assert "it holds no policy of full-pack CFR" in refusal(path)
    write_trained(path, {}, 30)
    with pytest.raises(ValueError, match="checkpoint .*cfr.npz': it is damaged: its array"):
        read_checkpoint(path, Rules.of())
    monkeypatch.setattr(cfr_file, "POLICY_FILE", replace(cfr_file.POLICY_FILE, version=2))
    assert "it has format 1, but only format 2 can be read" in refusal(path)


def test_truncated_and_altered_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "cfr.npz"
    write_trained(path, {}, 30)
    whole, policy = path.read_bytes(), trained({}, 30).policy()
    for size in range(0, len(whole), 97):
        path.write_bytes(whole[:size])
        assert "damaged" in refusal(path)
    loaded = 0
    for place in range(0, len(whole), 41):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 255]) + whole[place + 1 :])
        try:
            found = read_policy(path, Rules.of())
        except ValueError as error:
            assert str(error).startswith(f"cfr file {str(path)!r}: ")  # noqa: PT017
        else:
            loaded += 1  # a date, say, was hit
            assert (found.shares == policy.shares).all()
    assert loaded < 20


Arrays = dict[str, Any]
DAMAGE: dict[str, tuple[Callable[[Arrays], Arrays], str, bool]] = {
    "shares": (lambda old: {"shares": old["shares"] ^ 1}, "its checksum is wrong", False),
    "iterations": (lambda old: {"iterations": old["iterations"] + 1}, "its checksum", False),
    "type": (lambda old: {"shares": old["shares"].astype(float)}, "array 'shares'", False),
    "order": (lambda old: {"buckets": old["buckets"][::-1]}, "do not fit together", True),
    "length": (lambda old: {"shares": old["shares"][1:]}, "do not fit together", True),
    "width": (lambda old: {"shares": old["shares"][:, 1:]}, "do not fit together", True),
    "nothing": (lambda old: {"shares": old["shares"] * 0}, "a bucket has no shares", True),
}


@pytest.mark.parametrize(("damage", "why", "reseal"), DAMAGE.values(), ids=DAMAGE.keys())
def test_arrays_that_do_not_fit_are_refused(
    tmp_path: Path, damage: Callable[[Arrays], Arrays], why: str, reseal: bool
) -> None:
    path = tmp_path / "cfr.npz"
    write_trained(path, {}, 30)
    with np.load(path) as data:
        arrays = dict(data)
    arrays.update(damage(arrays))
    if reseal:
        arrays["checksum"] = np.array(cfr_file.POLICY_FILE.checksum(arrays))
    np.savez(path, **arrays)
    assert why in refusal(path)


def test_checkpoints_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "cfr.checkpoint"
    trained({}, 30).save(path)
    whole = path.read_bytes()
    with pytest.raises(ValueError, match="checkpoint .*: it was trained for deals"):
        read_checkpoint(path, Rules.of(profile="dutch"))
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match="checkpoint .*: it is damaged"):
        read_checkpoint(path, Rules.of())
    path.write_bytes(whole)
    with np.load(path) as data:
        arrays = dict(data)
    arrays["rows"] = arrays["rows"] + (1 << 14)
    arrays["checksum"] = np.array(cfr_file.CHECKPOINT_FILE.checksum(arrays))
    with path.open("wb") as file:
        np.savez(file, **arrays)
    with pytest.raises(ValueError, match="its arrays do not fit together"):
        read_checkpoint(path, Rules.of())


def test_files_are_read_once_and_again_when_they_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_trained(tmp_path / "cfr.npz", {}, 30)
    first = cfr_bot(load({}), 0, 1, path)
    with monkeypatch.context() as patch:
        patch.setattr("bots.cfr_bot.read_policy", lambda *arguments: pytest.fail("read again"))
        assert cfr_bot(load({}), 1, 1, path)._policy is first._policy
    write_policy(path, Rules.of(), CfrPolicy(7, first._policy.buckets, first._policy.shares))
    os.utime(path, ns=(1, 1))
    assert cfr_bot(load({}), 0, 1, path)._policy.iterations == 7
