"""What all commands have in common: their help, and how they end when a flag is wrong."""

import importlib
import runpy
import subprocess
import sys
from types import ModuleType
from typing import Any

import pytest
from absl import flags

from scripts.command_line import WIDTH, help_text
from tests.places import ROOT
from tests.scripts.front_ends import assert_refused, call_main

COMMANDS = {  # in parts, how many words they take, and the flag that its help names first
    "tournament": (False, 0, "bots"),
    "merge": (False, 99, "output"),
    "report": (False, 1, "anchor"),
    "check_bot": (False, 0, "bot"),
    "train_cfr": (False, 0, "iterations"),
    "train_net": (True, 0, "lessons"),
    "readme": (True, 0, "write"),
    "replay": (True, 1, "number"),
    "analyze": (True, 1, "bots"),
    "local_exploitability": (True, 0, "bots"),
    "solve": (True, 0, "pack"),
    "reference": (True, 0, "packs"),
    "benchmark": (True, 0, "rounds"),
}

SHARED = (
    *("bots", "seed", "game", "profile", "target", "game_params", "n_jobs", "backend"),
    *("output", "memory", "move_limit", "anchor", "report"),
)
"""Flags that mean the same wherever they are."""


SEVERAL = ("check_bot", "train_net")
"""Those that take several games."""


def module_of(name: str) -> ModuleType:
    """The module that ``python -m scripts.NAME`` runs."""
    return importlib.import_module(f"scripts.{name}" + ".__main__" * COMMANDS[name][0])


def kind_of(flag: Any) -> str:
    """What values a flag takes."""
    return str(flag.flag_type().removeprefix("multi "))


every_command = pytest.mark.parametrize("name", COMMANDS)


@pytest.fixture
def module(name: str, capsys: pytest.CaptureFixture[str]) -> ModuleType:
    """The module of a command; what is said while it is compiled is not looked at."""
    found = module_of(name)
    capsys.readouterr()
    return found


def test_there_are_no_other_commands() -> None:
    front_ends = {
        path.parent.name if path.name == "__main__.py" else path.stem
        for path in (ROOT / "scripts").glob("**/*.py")
        if 'if __name__ == "__main__"' in path.read_text(encoding="utf-8")
        and "arena" not in path.parts
    }
    assert front_ends == set(COMMANDS)


@every_command
@pytest.mark.parametrize("word", ["--help", "-h", "--helpfull"])
def test_help_is_plain_text_of_its_own_flags(
    module: ModuleType, name: str, word: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call_main(module, word, "--nonsense") == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out.isascii()
    assert f"python -m scripts.{name}" in out.splitlines()[0]
    assert not any(mark in out for mark in ("``", "::", "absl", "logging", "None"))
    named = [line.split("=")[0].split()[0] for line in out.splitlines() if line[:4] == "  --"]
    flags_named = [text.removeprefix("--").removeprefix("[no]") for text in named]
    assert flags_named[0] == COMMANDS[name][2]
    assert sorted(flags_named) == sorted(module.FLAGS)
    assert max(map(len, out.splitlines())) <= WIDTH


def test_help_says_what_is_taken_and_what_is_there_without_a_flag() -> None:
    values = flags.FlagValues()
    flags.DEFINE_integer("last", 3, "Means this.", flag_values=values)
    flags.DEFINE_bool("first", True, "Means that.", flag_values=values)
    flags.DEFINE_multi_string("bots", ["a", "b c"], "Who. " * 30, flag_values=values)
    flags.DEFINE_float("none", None, "Free.", flag_values=values)
    text = help_text(values, "Does ``it``::\n\n    so\n")
    head, said = text.split("Flags, the important ones first:\n\n")
    assert head == "Does it:\n\n    so\n\n"
    lines = said.splitlines()
    assert lines[:4] == [
        "  --last=NUMBER  (default: 3)",
        "      Means this.",
        "  --[no]first  (default: yes)",
        "      Means that.",
    ]
    assert lines[4] == "  --bots=TEXT  (default: a b c)"
    assert len(lines[5]) > 90
    assert "repeat" not in text
    assert lines[-2:] == ["  --none=NUMBER", "      Free."]


BAD_FLAGS = {
    "unknown": (["--nonsense=3"], "--nonsense: there is no such flag; see --help"),
    "missing file of flags": (
        ["--flagfile=/dev/null/no"],
        "--flagfile: '/dev/null/no' cannot be read (Not a directory)",
    ),
}


@every_command
@pytest.mark.parametrize(("words", "why"), BAD_FLAGS.values(), ids=BAD_FLAGS.keys())
def test_wrong_flags_are_one_sentence_and_exit_code_2(
    module: ModuleType, name: str, words: list[str], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert_refused(call_main(module, *words), why, name, capsys)


@every_command
def test_nearly_right_flags_get_a_hint(
    module: ModuleType, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    flag = COMMANDS[name][2]
    code = call_main(module, f"--{flag}{flag[-1]}=3")
    assert_refused(code, f"there is no such flag; did you mean --{flag}? see --help", name, capsys)


@every_command
def test_values_that_are_missing_or_of_another_kind(
    module: ModuleType, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    kinds = {"int": "a whole number", "float": "a number", "bool": "true or false"}
    for flag in map(module.FLAGS.__getitem__, list(module.FLAGS)):
        if not flag.boolean:
            why = f"--{flag.name}: its value is missing; it reads --{flag.name}=VALUE"
            assert_refused(call_main(module, f"--{flag.name}"), why, name, capsys)
        if kind_of(flag) in kinds:
            for value in ("abc", "1,5", "x: y"):
                why = f"--{flag.name}: {value!r} is not allowed; it must be {kinds[kind_of(flag)]}"
                assert_refused(call_main(module, f"--{flag.name}={value}"), why, name, capsys)
        if flag.boolean:
            code = call_main(module, f"--no{flag.name}=1")
            assert_refused(code, f"--no{flag.name}=1 does not take an argument", name, capsys)


@every_command
def test_stray_words_are_refused(
    module: ModuleType, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    allowed = COMMANDS[name][1]
    if allowed == 99:  # it takes as many as there are
        code, why = call_main(module, "--output=/dev/null/out", "nowhere"), "nowhere: is no store"
    else:
        code, why = call_main(module, *["nowhere", "else", "now"][: allowed + 1]), ""
    assert_refused(code, why, name, capsys)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--rounds=0"], "rounds: 0 is not allowed; it must be a whole number from 1"),
        (["--seconds=0"], "seconds: 0.0 is not allowed; it must be above 0"),
        (["--seconds=nan"], "seconds: nan is not allowed"),
    ],
)
def test_benchmarks_refuse_what_cannot_be_measured(
    words: list[str], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    module = module_of("benchmark")
    capsys.readouterr()
    assert_refused(call_main(module, *words), why, "benchmark", capsys)


@every_command
def test_whole_programs_end_with_exit_code_2(
    module: ModuleType,
    name: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = module.__file__
    assert file is not None
    monkeypatch.setattr(sys, "argv", [file, "--nonsense"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(file, run_name="__main__")
    assert isinstance(ended.value.code, int)
    assert_refused(ended.value.code, "--nonsense", name, capsys)


def test_a_process_says_it_on_stderr() -> None:
    command = [sys.executable, "-m", "scripts.replay", "--number=abc"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    last = done.stderr.splitlines()[-1]  # something may have been compiled before
    assert last == "replay: --number: 'abc' is not allowed; it must be a whole number"


@pytest.mark.parametrize("flag", SHARED)
def test_shared_flags_are_the_same_everywhere(flag: str) -> None:
    found = {
        name: module_of(name).FLAGS[flag] for name in COMMANDS if flag in module_of(name).FLAGS
    }
    assert found
    assert len({kind_of(one) for one in found.values()}) == 1, found.keys()
    alike = {one.help.split("; ")[-1] for name, one in found.items() if name not in SEVERAL}
    if flag not in ("output", "memory"):
        assert len(alike) == 1


def test_flags_that_name_the_same_thing_have_one_name() -> None:
    """No flag of another name for memory, games, folders or going on."""
    for name in COMMANDS:
        every = set(module_of(name).FLAGS)
        assert not every & {"resume", "memory_limit", "gigabytes", "out", "folder", "jobs", "games"}
        for flag in ("output", "memory"):
            if flag in every:
                text = module_of(name).FLAGS[flag].help
                assert text.startswith({"output": "folder for", "memory": "gigabytes that"}[flag])


MIXED = (
    ["--seed=-1"],
    ["--game=foo("],
    ["--game=python_marjolet", "--profile=dutch"],
    ["--profile=dutch", "--game_params=profile=swedish"],
    ["--profile=french"],
    [f"--output={__file__}"],
    ["--n_jobs=0"],
    ["--memory=-1"],
    ["--memory=nan"],
)
NEEDED = {  # what else a command needs before it looks at these flags
    "analyze": ["--example"],
    "check_bot": ["--bot=greedy"],
    "merge": ["nowhere"],
}


@every_command
def test_values_of_shared_flags_that_are_not_allowed(
    module: ModuleType, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for words in MIXED:
        names = [word.removeprefix("--").partition("=")[0] for word in words]
        if all(flag in module.FLAGS for flag in names):
            code = call_main(module, *words, *NEEDED.get(name, []))
            assert_refused(code, names[0], name, capsys)
