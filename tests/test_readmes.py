"""The READMEs: what is generated is up to date, and every example does what it says."""

import importlib
import importlib.util
import re
from pathlib import Path

import pytest
from absl import flags

from marjolet_spiel import kernel
from scripts.readme.blocks import Block, Level, find_blocks
from scripts.readme.session import Session, alike, same
from scripts.readme.tables import READMES, ROOT, filled

INDEX_PAGE = "marjolet_spiel/README.md"
"""What a package index shows: it stands alone."""

COMMANDS = (
    *("analyze", "benchmark", "check_bot", "local_exploitability", "merge", "readme"),
    *("reference", "replay", "report", "solve", "tournament", "train_cfr", "train_net"),
)
"""The scripts that have flags."""

TOPS = ("marjolet_spiel", "bots", "scripts", "tests")

each_readme = pytest.mark.parametrize("readme", READMES)


def text_of(readme: str) -> str:
    """A README as it is."""
    return (ROOT / readme).read_text(encoding="utf-8")


def test_every_readme_is_checked() -> None:
    found = {
        str(path.relative_to(ROOT))
        for path in ROOT.rglob("README.md")
        if not any(part.startswith(".") or part == "results" for part in path.parts)
    }
    assert found == set(READMES)


def test_first_readme_is_short() -> None:
    assert len(text_of("README.md").splitlines()) <= 150


@each_readme
def test_generated_tables_are_up_to_date(readme: str) -> None:
    assert filled(text_of(readme), readme) == text_of(readme)


# --- examples -----------------------------------------------------------------------------------


def check(session: Session, block: Block) -> None:
    """Runs an example; those that take long in a small way."""
    small = block.level is Level.LONG
    now = session.run(block, small)
    if block.shown is not None and now is not None:
        judge = alike if small else same
        assert judge(now, block.shown), f"{block.name} prints something else: make readme\n{now}"


@each_readme
def test_quick_examples(readme: str, tmp_path: Path) -> None:
    session = Session(tmp_path)
    for block in find_blocks(text_of(readme), readme):
        if block.level is Level.QUICK:
            check(session, block)


@pytest.mark.slow
@each_readme
def test_all_examples(readme: str, tmp_path: Path) -> None:
    session = Session(tmp_path)
    for block in find_blocks(text_of(readme), readme):
        if block.level is not Level.CI:
            check(session, block)


@each_readme
def test_other_examples_are_what_the_checks_run(readme: str) -> None:
    checks = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    for block in find_blocks(text_of(readme), readme):
        if block.level is Level.CI:
            for line in block.body.splitlines():
                assert line.partition("#")[0].strip() in checks, f"{block.name}: {line}"


def test_game_needs_no_bots_in_its_examples() -> None:
    blocks = [block for name in READMES if "marjolet_spiel" in name for block in blocks_of(name)]
    code = [block.body for block in blocks if block.language == "python"]
    assert code
    assert not any(re.search(r"\b(bots|scripts|tests)\b", body) for body in code)


def blocks_of(readme: str) -> list[Block]:
    """The examples of a README."""
    return find_blocks(text_of(readme), readme)


# --- what stands between the lines --------------------------------------------------------------


@each_readme
def test_links_lead_somewhere(readme: str) -> None:
    for target in re.findall(r"\]\(([^)]+)\)", text_of(readme)):
        if target.startswith("https://"):
            continue
        path, _, anchor = target.partition("#")
        found = ((ROOT / readme).parent / path).resolve() if path else ROOT / readme
        assert found.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.+)$", found.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in [anchor_of(heading) for heading in headings], target


def anchor_of(heading: str) -> str:
    """What a heading is called in links."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def test_page_of_a_package_index_stands_alone() -> None:
    targets = re.findall(r"\]\(([^)]+)\)", text_of(INDEX_PAGE))
    assert all(target.startswith(("https://", "#")) for target in targets)
    settings = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert f'readme = "{INDEX_PAGE}"' in settings


def flags_of(script: str) -> set[str]:
    """The flags of ``python -m scripts.NAME``, those of switches with their opposites."""
    spec = importlib.util.find_spec(f"scripts.{script}")
    assert spec is not None, script
    folder = ".__main__" if spec.submodule_search_locations else ""
    module = importlib.import_module(f"scripts.{script}{folder}")
    values = getattr(module, "FLAGS", flags.FLAGS)
    return {
        name for flag in values for name in (flag, f"no{flag}" if values[flag].boolean else flag)
    }


def quoted(readme: str) -> list[str]:
    """What stands between backticks outside of examples."""
    prose = re.sub(r"^```.*?^```$", "", text_of(readme), flags=re.MULTILINE | re.DOTALL)
    return re.findall(r"`([^`\n]+)`", prose)


@each_readme
def test_files_in_sentences_exist(readme: str) -> None:
    examples = {block.note.removeprefix("file: ") for block in blocks_of(readme)}
    for words in quoted(readme):
        if re.fullmatch(r"[\w/]+\.py|data/\w+\.json", words) and words not in examples:
            ends = [path for top in TOPS for path in (ROOT / top).rglob(words.rpartition("/")[2])]
            assert any(f"/{path}".endswith(f"/{words}") for path in ends), words


@each_readme
def test_functions_of_the_kernel_in_sentences_exist(readme: str) -> None:
    for words in quoted(readme):
        if match := re.fullmatch(r"kernel\.(?!py$)(\w+)", words):
            assert callable(getattr(kernel, match[1])), words


@each_readme
def test_commands_in_sentences_exist(readme: str) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    every = set().union(*map(flags_of, COMMANDS), {"flagfile", "help"})
    for words in quoted(readme):
        given = set(re.findall(r"(?<!\w)--(\w+)", words))
        if match := re.match(r"make ([a-z]+)$", words):
            assert f"\n{match[1]}:" in makefile, words
        elif match := re.match(r"python -m scripts\.([a-z_]+)", words):
            assert given <= flags_of(match[1]), words
        elif words.startswith("--"):
            assert given <= every, words
