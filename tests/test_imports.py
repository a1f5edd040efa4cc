"""Who imports whom: one way between floors and rooms, in no circle, under names that last."""

import ast
import importlib
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.places import ROOT

FLOORS = ("marjolet_spiel", "bots", "scripts")
ROOMS = ("plan", "store", "stats", "play", "report")
"""Of the arena; a room imports from those before it."""

FRONT_ENDS = (
    *("analyze", "benchmark", "check_bot", "local_exploitability", "merge", "readme"),
    *("reference", "replay", "report", "solve", "tournament", "train_cfr", "train_net"),
)
PUBLIC = {
    "bots.registry": "BotSpec ENTRIES Entry Option make_bot parse_spec sees_all split_specs",
    "marjolet_spiel.solvers.boundary": "Boundary solve_boundary",
    "marjolet_spiel.solvers.endgame": "EndgameTable build_values check_sweep_bonus endgame_table",
    "marjolet_spiel.solvers.policy_file": "TOLERANCE Row Table game_identity load_policy "
    "load_table save_policy table_of",
    "marjolet_spiel.solvers.solve": "MAX_SOLVED_CARDS Solution Solver solve",
    "marjolet_spiel.solvers.tabular": "ALGORITHMS Cfr CfrPlus DiscountedCfr ExternalSampling "
    "LinearCfr OutcomeSampling Solver build_tree load_solver make_solver",
}
"""Names that users rely on, wherever they are defined."""


@cache
def sources() -> dict[str, Path]:
    """The file of each module of ours by its dotted name."""
    found = {}
    for floor in FLOORS:
        for path in sorted((ROOT / floor).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found[".".join(parts).removesuffix(".__init__")] = path
    return found


def imports_of(module: str) -> Iterator[str]:
    """Modules of ours that a module names in imports, those within its functions included."""
    for node in ast.walk(ast.parse(sources()[module].read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in sources())
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: a relative import"
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                name = inner if inner in sources() else str(node.module)
                if name in sources():
                    yield name


@cache
def graph() -> dict[str, frozenset[str]]:
    """What each module imports."""
    return {module: frozenset(imports_of(module)) for module in sources()}


def circles(edges: dict[str, frozenset[str]]) -> list[str]:
    """What is left when whatever imports nothing that is left is taken away, again and again."""
    left = dict(edges)
    while free := [module for module, needs in left.items() if not needs & left.keys()]:
        for module in free:
            del left[module]
    return sorted(left)


def test_modules_are_found() -> None:
    assert {"bots.registry.specs", "marjolet_spiel.kernel", "scripts.solve"} <= sources().keys()
    assert "marjolet_spiel.kernel" in graph()["marjolet_spiel.simulate"]
    assert sum(map(len, graph().values())) > len(graph())


def test_no_module_imports_itself_by_way_of_others() -> None:
    assert circles(graph()) == []


def test_circles_are_seen() -> None:
    edges = {"a": frozenset({"b"}), "b": frozenset({"c"}), "c": frozenset({"b", "d"})}
    assert circles({**edges, "d": frozenset()}) == ["a", "b", "c"]


def test_floors_import_from_those_below() -> None:
    for module, needs in graph().items():
        floor = FLOORS.index(module.partition(".")[0])
        wrong = [need for need in needs if FLOORS.index(need.partition(".")[0]) > floor]
        assert wrong == [], module
        text = sources()[module].read_text(encoding="utf-8")
        assert re.search(r"^\s*(from|import) tests\b", text, re.MULTILINE) is None, module


SHARED = {"scripts.arena"} | {
    f"scripts.{name}" for name in ("drawing", "phrases", "streams", "whole_files")
}
"""What every room may use."""


def room_of(module: str) -> int:
    """The place of an arena module among `ROOMS`; -1 if it is in none."""
    found = re.match(r"scripts\.arena\.(\w+)", module)
    return ROOMS.index(found[1]) if found else -1


def test_rooms_of_the_arena_import_from_those_before() -> None:
    assert Counter(map(room_of, graph())).keys() == {-1, *range(len(ROOMS))}
    for module, needs in graph().items():
        if (room := room_of(module)) >= 0:
            wrong = [need for need in needs if room_of(need) > room]
            wrong += [need for need in needs if need.startswith("scripts.") and room_of(need) < 0]
            assert [need for need in wrong if need not in SHARED] == [], module


def stem(name: str) -> str:
    """A name without its ending: solve and solving have one stem, replay and replays too."""
    return re.sub(r"(ing|e|es|s)$", "", name)


@pytest.mark.parametrize("folder", [f"{floor}/**" for floor in FLOORS])
def test_no_two_modules_beside_each_other_are_twins(folder: str) -> None:
    for place in [path for path in ROOT.glob(folder) if path.is_dir()]:
        names = {path.stem for path in place.glob("[a-z]*.py")}
        names |= {path.parent.name for path in place.glob("[a-z]*/__init__.py")}
        files = [*place.glob("[a-z]*.py"), *place.glob("[a-z]*/__init__.py")]
        assert len(names) == len(files), place
        assert max(Counter(map(stem, names)).values(), default=0) <= 1, place


def test_twins_are_seen() -> None:
    assert stem("solve") == stem("solving") == stem("solves")
    assert stem("search") != stem("simulate")


def test_no_module_is_named_like_a_standard_one() -> None:
    names = {module.rpartition(".")[2] for module in sources()} - {"__main__"}
    assert names & sys.stdlib_module_names == set()


@pytest.mark.parametrize("module", PUBLIC)
def test_names_that_users_rely_on(module: str) -> None:
    found = importlib.import_module(module)
    assert [name for name in PUBLIC[module].split() if not hasattr(found, name)] == []


@pytest.mark.parametrize("name", FRONT_ENDS)
def test_front_ends_are_programs(name: str) -> None:
    """``python -m scripts.NAME`` finds a file that ends by running `main`."""
    main = f"scripts.{name}.__main__"
    path = sources()[main if main in sources() else f"scripts.{name}"]
    last = ast.parse(path.read_text(encoding="utf-8")).body[-1]
    assert isinstance(last, ast.If)
    assert ast.unparse(last.test) == "__name__ == '__main__'"


@pytest.mark.slow
@pytest.mark.parametrize("name", FRONT_ENDS)
def test_front_ends_say_what_they_are_for(name: str) -> None:
    command = [sys.executable, "-m", f"scripts.{name}", "--help"]
    run = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert run.returncode in (0, 1), run.stderr
    assert "--" in run.stdout


def functions_of(module: str) -> Iterator[ast.FunctionDef]:
    """The functions and methods of a module."""
    for node in ast.walk(ast.parse(sources()[module].read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef):
            yield node


def test_no_function_takes_more_than_eight_arguments() -> None:
    for module in sources():
        for function in functions_of(module):
            given = function.args
            names = [arg.arg for arg in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
            assert len([name for name in names if name not in ("self", "cls")]) <= 8, (
                f"{module}.{function.name}"
            )


def test_everything_compiled_is_in_the_wheel() -> None:
    marks = [
        (module, ast.unparse(mark))
        for module in sources()
        for function in functions_of(module)
        for mark in function.decorator_list
        if "compiled" in ast.unparse(mark) or "njit" in ast.unparse(mark)
    ]
    assert len(marks) > 200
    assert {module.partition(".")[0] for module, _ in marks} == {"marjolet_spiel"}
