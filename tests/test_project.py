"""The project itself: the wheel, the README, and that nothing is compiled twice."""

import os
import re
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from scripts import readme

ROOT = Path(__file__).resolve().parent.parent


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
    assert {top for top in tops if not top.endswith(".dist-info")} == {"marjolet_spiel"}


def test_game_loads_from_the_wheel_in_an_empty_folder(wheel: Path, tmp_path: Path) -> None:
    """The wheel is installed beside nothing of this project; its needs come from this one."""
    builder = venv.EnvBuilder(with_pip=False, system_site_packages=False)
    builder.create(tmp_path / "env")
    (site,) = (tmp_path / "env").glob("lib/python*/site-packages")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    needs = os.pathsep.join(path for path in sys.path if path.endswith("site-packages"))
    code = (
        "import marjolet_spiel, pyspiel; print(marjolet_spiel.__file__);"
        "print(pyspiel.load_game('python_marjolet(profile=dutch)').new_initial_state());"
        "pyspiel.random_sim_test(pyspiel.load_game('python_marjolet_open'), 1, True, False)"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(site), needs])}
    empty = tmp_path / "empty"
    empty.mkdir()
    run = subprocess.run(
        [str(tmp_path / "env" / "bin" / "python"), "-c", code],
        capture_output=True,
        text=True,
        check=False,
        cwd=empty,
        env=env,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith(str(site))
    assert "Deal 1: dealer, chance to act" in run.stdout


def test_generated_tables_of_the_readme_are_up_to_date() -> None:
    text = readme.README.read_text(encoding="utf-8")
    assert readme.filled(text) == text


def python_blocks() -> list[str]:
    """The Python examples of the README."""
    text = readme.README.read_text(encoding="utf-8")
    return re.findall(r"```python\n(.*?)```", text, re.DOTALL)


@pytest.mark.parametrize("block", python_blocks(), ids=lambda block: block.split("\n")[0])
def test_examples_of_the_readme_run(block: str) -> None:
    exec(compile(block, "README.md", "exec"), {})


def test_examples_are_found() -> None:
    assert len(python_blocks()) >= 2
