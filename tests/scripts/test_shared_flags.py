"""Flags that several commands have: what their values become."""

from pathlib import Path

import pytest
from absl import flags

from scripts.arena.plan.config import flags_of, gigabytes_text, make_config
from scripts.arena.play.workers import Crew
from scripts.arena.store.settings import check_settings
from scripts.shared_flags import (
    GIGABYTE,
    BotsFlag,
    GameFlags,
    JobFlags,
    LimitFlags,
    MemoryFlag,
    OutputFlag,
    SeedFlag,
)


@pytest.fixture
def values() -> flags.FlagValues:
    return flags.FlagValues()


def parse(values: flags.FlagValues, *words: str) -> None:
    """Reads a command line; it may follow another one."""
    values.unparse_flags()
    for name in values:
        values[name].unparse()
    values(["program", *words])


def test_bots(values: flags.FlagValues) -> None:
    bots = BotsFlag(values, ["greedy random"], "the bots")
    parse(values)
    assert (bots.texts(), bots.is_given) == (["greedy", "random"], False)
    parse(values, "--bots=greedy;ismcts:sims=3,uct=0.5", "--bots=random")
    assert (bots.texts(), bots.is_given) == (["greedy", "ismcts:sims=3,uct=0.5", "random"], True)


def test_games(values: flags.FlagValues) -> None:
    game = GameFlags(values)
    parse(values)
    assert (game.text(), game.given()) == ("python_marjolet", [])
    parse(values, "--profile=dutch", "--target=300", "--game_params=sweep_bonus=40;ranks=ATKQJ987")
    assert game.text() == "python_marjolet(profile=dutch,target=300,sweep_bonus=40)"
    assert game.given() == ["--profile", "--target", "--game_params"]
    parse(values, "--game=python_marjolet(target=300,profile=dutch)")
    assert game.text() == "python_marjolet(profile=dutch,target=300)"
    parse(values, "--game_params=profile=dutch")
    assert game.text() == "python_marjolet(profile=dutch)"


def test_several_games(values: flags.FlagValues) -> None:
    game = GameFlags(values, several=True)
    parse(values)
    assert game.texts() == ["python_marjolet"]
    parse(values, "--game=python_marjolet", "--game=python_marjolet(profile=dutch)")
    assert game.texts() == ["python_marjolet", "python_marjolet(profile=dutch)"]
    parse(values, "--profile=dutch")
    assert game.texts() == ["python_marjolet(profile=dutch)"]


def test_seeds(values: flags.FlagValues) -> None:
    seed = SeedFlag(values, most=7)
    parse(values, "--seed=7")
    assert seed.number() == 7
    parse(values, "--seed=8")
    with pytest.raises(ValueError, match="seed: 8 is not allowed; it must be .* from 0 to 7"):
        seed.number()


def test_folders(values: flags.FlagValues, tmp_path: Path) -> None:
    output = OutputFlag(values, "results/x")
    parse(values)
    assert output.folder("results/x") == Path("results/x")
    with pytest.raises(ValueError, match="--output: is missing"):
        output.folder()
    parse(values, f"--output={tmp_path}")
    assert output.folder() == tmp_path
    (tmp_path / "file").touch()
    parse(values, f"--output={tmp_path}/file")
    with pytest.raises(ValueError, match="it is no folder"):
        output.folder("results/x")


def test_workers(values: flags.FlagValues) -> None:
    jobs = JobFlags(values)
    parse(values)
    assert (jobs.crew(), jobs.given()) == (Crew(), [])
    parse(values, "--n_jobs=2", "--backend=loky")
    assert (jobs.crew(), jobs.given()) == (Crew(2, "loky"), ["--n_jobs=2", "--backend=loky"])


@pytest.mark.parametrize(
    ("text", "megabytes"), [("4", 4096), ("0", 0), ("0.5", 512), ("0.001", 1), ("1024", 1 << 20)]
)
def test_gigabytes(text: str, megabytes: int, values: flags.FlagValues) -> None:
    memory = MemoryFlag(values, None, "")
    parse(values, f"--memory={text}")
    assert memory.megabytes() == megabytes
    if megabytes:
        assert memory.bytes() == int(float(text) * GIGABYTE)
    parse(values, f"--memory={gigabytes_text(megabytes)}")
    assert memory.megabytes() == megabytes


@pytest.mark.parametrize("text", ["-1", "nan", "inf", "0.0009", "1025"])
def test_memory_that_is_not_allowed(text: str, values: flags.FlagValues) -> None:
    memory = MemoryFlag(values, 4.0, "")
    parse(values, f"--memory={text}")
    with pytest.raises(ValueError, match="--memory: .* is not allowed; it must be a number of gig"):
        memory.megabytes()


@pytest.mark.parametrize("megabytes", [1, 3, 100, 307, 4095, 4096, 4097])
def test_every_limit_has_a_text(megabytes: int, values: flags.FlagValues) -> None:
    memory = MemoryFlag(values, None, "")
    parse(values, f"--memory={gigabytes_text(megabytes)}")
    assert memory.megabytes() == megabytes


def test_limits_of_bots(values: flags.FlagValues) -> None:
    limits = LimitFlags(values)
    parse(values)
    assert (limits.seconds(), limits.megabytes()) == (60.0, 4096)
    parse(values, "--move_limit=0")
    assert (limits.seconds(), limits.megabytes()) == (0.0, 0)
    parse(values, "--move_limit=0", "--memory=0")
    assert limits.megabytes() == 0
    parse(values, "--move_limit=0", "--memory=0.5")
    with pytest.raises(ValueError, match=r"--memory: 0.5 cannot be kept with --move_limit=0"):
        limits.megabytes()


# Which flag differs.


def test_every_part_of_a_configuration_is_a_flag() -> None:
    words = flags_of(make_config("python_marjolet", ["random", "greedy"], 3))
    from scripts import tournament

    assert set(words) <= set(tournament.FLAGS)
    assert words["memory"] == "0"


def test_the_first_difference_is_named() -> None:
    there = {"game": "a", "bots": ["b", "c"], "yes": False, "none": ""}
    check_settings(Path("x"), there, dict(there))
    for name, other, shown in (
        ("game", "b", "a, not with b"),
        ("bots", ["b"], "b c, not with b"),
        ("yes", True, "no, not with yes"),
        ("none", "d", "nothing, not with d"),
    ):
        with pytest.raises(ValueError, match=f"--{name}: the results in x .* with {shown}; give"):
            check_settings(Path("x"), there, {**there, name: other})
