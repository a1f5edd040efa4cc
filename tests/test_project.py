"""The project itself: the wheel and what it says of itself."""

import os
import shutil
import subprocess
import sys
import textwrap
import zipfile
from pathlib import Path

import pytest

import marjolet_spiel
from marjolet_spiel.solvers import search
from scripts.readme.blocks import find_blocks
from tests.places import ROOT


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built without isolation so that no network is needed."""
    out = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out)]
    run = subprocess.run([*command, str(ROOT)], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    (path,) = out.glob("*.whl")
    return path


def test_wheel_is_the_game_alone(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        tops = {name.split("/")[0] for name in archive.namelist()}
        (metadata,) = (name for name in archive.namelist() if name.endswith("METADATA"))
        said = archive.read(metadata).decode()
        assert "marjolet_spiel/py.typed" in archive.namelist()
    assert {top for top in tops if not top.endswith(".dist-info")} == {"marjolet_spiel"}
    assert f"\nVersion: {marjolet_spiel.__version__}\n" in said
    assert "\n# Marjolet, the game\n" in said


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """Where the wheel is unpacked, and an environment that knows it and what it needs, no more."""
    site = tmp_path_factory.mktemp("site")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    needs = [path for path in sys.path if path.endswith("site-packages")]
    # -S keeps out the links by which an editable install of this project is found. Functions are
    # compiled alike there and here, so they need not be compiled again.
    compiled = {"NUMBA_CACHE_DIR": str(ROOT / "marjolet_spiel" / "__pycache__")}
    return site, {**os.environ, **compiled, "PYTHONPATH": os.pathsep.join([str(site), *needs])}


def test_game_loads_from_the_wheel_in_an_empty_folder(
    installed: tuple[Path, dict[str, str]], tmp_path: Path
) -> None:
    site, env = installed
    code = (
        "import marjolet_spiel, pyspiel; print(marjolet_spiel.__file__);"
        "print(pyspiel.load_game('python_marjolet(profile=dutch)').new_initial_state());"
        "pyspiel.random_sim_test(pyspiel.load_game('python_marjolet_open'), 1, True, False)"
    )
    command = [sys.executable, "-S", "-c", code]
    run = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=tmp_path, env=env
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith(str(site))
    assert "Deal 1: dealer, chance to act" in run.stdout


def test_a_bot_that_searches_is_made_of_the_wheel_alone(
    installed: tuple[Path, dict[str, str]], tmp_path: Path
) -> None:
    """The example in the docstring of the searches plays a deal against itself."""
    site, env = installed
    example = textwrap.dedent(str(search.__doc__).partition("::\n")[2])
    code = f"""
import marjolet_spiel
{example}
print(marjolet_spiel.__file__)
state = pyspiel.load_game("python_marjolet").new_initial_state()
print(sum(pyspiel.evaluate_bots(state, [SearchBot(), SearchBot()], 1)), state.is_terminal())
"""
    command = [sys.executable, "-S", "-c", code]
    run = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=tmp_path, env=env
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith(str(site))
    assert run.stdout.endswith("0.0 True\n")


@pytest.mark.parametrize(
    ("only", "keep"),
    [("TestPartial or random_sim_test", True), pytest.param("", False, marks=pytest.mark.slow)],
    ids=["some", "all, compiled anew"],
)
def test_tests_of_openspiel_pass_on_the_wheel(
    only: str, keep: bool, installed: tuple[Path, dict[str, str]], tmp_path: Path
) -> None:
    site, env = installed
    shutil.copytree(ROOT / "tests", tmp_path / "tests")
    code = (
        f"import marjolet_spiel; assert marjolet_spiel.__file__.startswith({str(site)!r});"
        "import pytest, sys;"
        f"sys.exit(pytest.main(['-q', '-p', 'no:cacheprovider', '-m', 'not slow', '-k', {only!r},"
        "'--import-mode=importlib', 'tests/openspiel/test_api.py']))"
    )
    env = {**env, "PYTHONPATH": os.pathsep.join([env["PYTHONPATH"], str(tmp_path)])}
    if not keep:
        del env["NUMBA_CACHE_DIR"]
    command = [sys.executable, "-S", "-c", code]
    run = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=tmp_path, env=env
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert " passed" in run.stdout


@pytest.mark.slow
@pytest.mark.parametrize("readme", ["marjolet_spiel/README.md", "marjolet_spiel/solvers/README.md"])
def test_examples_of_the_game_run_from_the_wheel(
    readme: str, installed: tuple[Path, dict[str, str]], tmp_path: Path
) -> None:
    site, env = installed
    blocks = find_blocks((site / readme).read_text(encoding="utf-8"), readme)
    assert {block.language for block in blocks} == {"python"}
    code = "\n".join(block.body for block in blocks)
    command = [sys.executable, "-S", "-c", code]
    run = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=tmp_path, env=env
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout == "".join(block.shown or "" for block in blocks)


def test_what_is_cited_is_this_version() -> None:
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {marjolet_spiel.__version__}\n" in text
    assert f"\n## {marjolet_spiel.__version__} " in (ROOT / "CHANGELOG.md").read_text("utf-8")
