"""The table of reference values, and the facts in it."""

import json
from pathlib import Path

import pytest

from marjolet_spiel.rules import ladder
from marjolet_spiel.solvers.tabular.size import tree_size
from scripts.readme.tables import ROOT
from scripts.reference import __main__ as front
from tests.scripts.front_ends import assert_refused, call_main


def rows_of(text: str) -> dict[str, list[str]]:
    """The rows of a Markdown table by the name of the pack."""
    cells = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in text.splitlines()]
    return {row[0].strip("`"): row for row in cells if row[0].startswith("`")}


def test_the_smallest_pack_is_worth_35_ninths_to_the_dealer(tmp_path: Path) -> None:
    """As the sequence form has it (`tests/solvers/tabular/test_solvers.py`)."""
    path = tmp_path / "deep" / "reference.json"
    entries = front.reference(["qj7"], 1e-6, path, counts=["qj7"])
    found = entries["qj7"]["solution"]
    assert found["reached"] <= 1e-6
    assert found["value"] == pytest.approx(-35 / 9, abs=1e-6)
    row = rows_of(front.reference_table(entries))["qj7"]
    assert row[1] == "`num_suits=2,ranks=QJ7,hand_size=2`"
    assert row[2:6] == ["180", "2,196", "10,548", "1,404"]
    assert float(row[6]) == pytest.approx(-35 / 9, abs=1e-6)
    assert float(row[7]) <= 1e-6
    assert row[8] == "-"  # no melds
    assert row[9].endswith("%")


def test_results_are_kept_and_used_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "reference.json"
    first = front.reference(["qj7"], 0.1, path, counts=["qj7"])
    assert json.loads(path.read_text()) == first
    with monkeypatch.context() as patch:
        patch.setattr(front, "solved", None)
        patch.setattr(front, "counted", None)
        assert front.reference(["qj7"], 0.5, path, counts=["qj7"]) == first
        with pytest.raises(TypeError):  # a better one is asked for
            front.reference(["qj7"], 1e-5, path, counts=["qj7"])
    better = front.reference(["qj7"], 1e-5, path, counts=["qj7"])
    assert better["qj7"]["solution"]["iterations"] > first["qj7"]["solution"]["iterations"]


def test_table_of_the_readme_has_the_ladder_as_it_is() -> None:
    text = (ROOT / front.README).read_text(encoding="utf-8")
    rows = rows_of(text.partition("<!-- begin ladder -->")[2].partition("<!-- end ladder -->")[0])
    assert list(rows) == list(ladder())
    for name, pack in ladder().items():
        if name.startswith("akqj7"):
            continue  # these take long
        size = tree_size(pack.rules)
        counts = (size.deals, size.terminals, size.histories, sum(size.information_sets))
        assert rows[name][2:6] == [f"{count:,}" for count in counts]
        assert float(rows[name][7]) <= 0.001


WRONG = {
    "pack": (["--packs=qj8"], "packs: 'qj8' is not allowed; they are qj7, "),
    "gain": (["--nash_conv=0"], "nash_conv: 0.0 is not allowed"),
    "argument": (["qj7"], "unknown argument 'qj7'"),
}


@pytest.mark.parametrize(("words", "why"), WRONG.values(), ids=WRONG.keys())
def test_bad_flags(
    words: list[str], why: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    code = call_main(front, f"--output={tmp_path}", *words)
    assert_refused(code, why, "reference", capsys)


@pytest.mark.parametrize("text", ["", "[]", '{"qj7": 3}'])
def test_other_files_are_refused(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / front.LADDER).write_text(text)
    code = call_main(front, f"--output={tmp_path}")
    assert_refused(code, "holds no reference values", "reference", capsys)
