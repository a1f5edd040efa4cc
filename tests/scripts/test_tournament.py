"""The front end, from its flags to its table."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from bots.registry import specs as registry
from scripts import tournament
from scripts.arena.plan import pairings
from scripts.arena.plan.config import make_config
from scripts.arena.plan.pairings import Block, Plan
from scripts.arena.play import runner
from scripts.arena.play.games import play_block
from scripts.arena.stats.margins import pairing_result
from scripts.arena.store.reading import BLOCKS
from scripts.arena.store.records import PlayedBlock
from tests.places import ROOT
from tests.scripts.front_ends import assert_refused, call_main
from tests.scripts.players import BAD_PLAYERS
from tests.variants import PROFILES, mostly_slow


def call(*words: str) -> int:
    """The exit code of ``python -m scripts.tournament`` with these flags, without a report."""
    return call_main(tournament, "--noreport", *words)


def test_whole_program(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a process of its own, and once more in this one: then all blocks are there."""
    words = ["--pairs=4", "--output=out", "--profile=spanish", "--block_pairs=2"]
    command = [sys.executable, "-m", "scripts.tournament", *words]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    run = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=tmp_path, env=environment
    )
    assert run.returncode == 0, run.stderr
    assert "python_marjolet(profile=spanish): spanish rules, single deals" in run.stdout
    assert "4 duplicate pairs a pairing, 8 games, seed 1" in run.stdout
    assert "random vs greedy" in run.stdout
    monkeypatch.chdir(tmp_path)
    assert call_main(tournament, *words) == 0
    out = capsys.readouterr().out
    assert "2 of 2 blocks are there" in out
    assert out.replace(" (2 of 2 blocks are there)", "") == run.stdout


def test_printed_command_repeats_the_tournament(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    bots = ["--bots=random:seed=3 greedy", "--bots=random"]
    game = ["--target=100", "--game_params=num_suits=2; ranks=KQJ7;hand_size=3"]
    assert call(*bots, *game, "--pairs=3", "--seed=9") == 0
    first = capsys.readouterr().out
    command = shlex.split(first.rstrip().splitlines()[-1])
    assert command[:3] == [sys.executable, "-m", "scripts.tournament"]
    assert call(*command[3:]) == 0
    second = capsys.readouterr().out
    assert second == first.replace("\n\nMargin", " (3 of 3 blocks are there)\n\nMargin")
    (folder,) = (tmp_path / "results").iterdir()
    assert folder.name.startswith("tournament-")
    assert (folder / BLOCKS).read_text().count("\n") == 3


def test_ctrl_c_prints_what_there_is_and_how_to_go_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop_at_three(plan: Plan, block: Block) -> PlayedBlock:
        if block.index == 3:
            raise KeyboardInterrupt
        return play_block(plan, block)

    words = [f"--output={tmp_path}/one", "--pairs=10", "--block_pairs=2", "--move_limit=0"]
    with monkeypatch.context() as patch:
        patch.setattr(runner, "play_block", stop_at_three)
        assert call(*words) == 130
    out = capsys.readouterr().out
    assert "stopped: 3 of 5 blocks are finished" in out
    assert "random vs greedy" in out
    assert "to go on:" in out
    assert call(*shlex.split(out.rstrip().splitlines()[-1])[3:]) == 0
    assert call(f"--output={tmp_path}/two", *words[1:]) == 0
    one, two = ((tmp_path / name / BLOCKS).read_bytes() for name in ("one", "two"))
    assert one == two


def test_forfeits_do_not_stop_a_tournament(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(registry.ENTRIES, "exits", BAD_PLAYERS["exits"][0])
    words = ["--bots=random,exits,greedy", "--pairs=3", "--move_limit=0", f"--output={tmp_path}"]
    assert call(*words) == 0
    out = capsys.readouterr().out
    assert "exits against random, 6 games: choosing: SystemExit: 3" in out
    assert "exits against greedy, 6 games: choosing: SystemExit: 3" in out


WRONG = {
    "unknown bot": (["--bots=gredy,random"], "bot: 'gredy' is unknown"),
    "one bot": (["--bots=greedy"], "bots: 'greedy' alone is not enough"),
    "no bot": (["--bots= "], "bots: none is not enough"),
    "twice": (["--bots=greedy,greedy"], "bots: 'greedy' is named twice"),
    "option": (["--bots=greedy;random:sims=3"], "option 'sims' is unknown"),
    "no pairs": (["--pairs=0"], "pairs: 0 is not allowed"),
    "no number": (["--pairs=many"], "--pairs: 'many' is not allowed; it must be a whole number"),
    "seed": (["--seed=-1"], "seed: -1 is not allowed"),
    "block": (["--block_pairs=0"], "block_pairs: 0 is not allowed"),
    "profile": (["--profile=welsh"], "profile: 'welsh' is not allowed"),
    "target": (["--target=-1"], "target: -1 is not allowed"),
    "parameter": (["--game_params=foo=1"], "parameter: 'foo' is unknown"),
    "value": (["--game_params=sweep_bonus=5"], "sweep_bonus: 5 is not allowed"),
    "no value": (["--game_params=sweep_bonus"], "parameters read NAME=VALUE"),
    "both": (["--target=5", "--game_params=target=3"], "--target: is given in --game_params too"),
    "game": (["--game=foo("], "game: 'foo(' is not allowed"),
    "game and flag": (["--game=python_marjolet", "--target=3"], "--game: cannot be given togeth"),
    "argument": (["random"], "unknown argument 'random'"),
    "flag": (["--bot=random"], "--bot: there is no such flag"),
    "folder": (["--output=/dev/null/x"], "/dev/null/x: cannot be used for results"),
    "file": ([f"--output={__file__}"], "cannot be used for results"),
}


@pytest.mark.parametrize(("words", "why"), WRONG.values(), ids=WRONG.keys())
def test_bad_input_is_one_sentence_and_exit_code_2(
    words: list[str],
    why: str,
    capfd: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert_refused(call(*words), why, "tournament", capfd)
    assert list(tmp_path.iterdir()) == []


OTHERS = {
    "game": ["--target=300"],
    "bots": ["--bots=random greedy random:seed=2"],
    "pairs": ["--pairs=2"],
    "seed": ["--seed=2"],
    "block_pairs": ["--block_pairs=9"],
    "gauntlet": ["--gauntlet=random"],
    "sprt": ["--sprt=0,5"],
    "audit_pairs": ["--audit_pairs=0"],
    "move_limit": ["--move_limit=30"],
    "memory": ["--memory=3"],
}


def test_store_of_another_tournament_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["--pairs=1", f"--output={tmp_path}"]
    assert call(*words) == 0
    for name, others in OTHERS.items():
        capsys.readouterr()
        assert call(*words, *others) == 2
        error = capsys.readouterr().err
        assert error.startswith(f"tournament: --{name}: the results in {tmp_path} were made with ")
        assert error.endswith("; give it as it was, or choose another --output\n")
    monkeypatch.setattr(pairings, "PLAN_VERSION", 99)
    assert call(*words) == 2
    assert "this store belongs to plan" in capsys.readouterr().err


@pytest.mark.parametrize("profile", mostly_slow(PROFILES, quick=("english",)))
def test_greedy_beats_random_by_a_wide_margin(profile: str) -> None:
    config = make_config(f"python_marjolet(profile={profile})", ["greedy", "random"], 100, 5, 100)
    plan = Plan(config)
    result = pairing_result("greedy", "random", play_block(plan, plan.blocks[0]).record.games)
    assert result.margin.count == 100
    assert result.margin.low > 60
    assert result.tally.wins > 8 * result.tally.losses
