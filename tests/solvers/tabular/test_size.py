"""How large trees are, and which are refused as too large."""

from typing import Any

import pytest

from marjolet_spiel.rules import Rules, ladder
from marjolet_spiel.solvers import memory
from marjolet_spiel.solvers.memory import TooLargeError, check_memory
from marjolet_spiel.solvers.tabular import size as tree_sizes
from marjolet_spiel.solvers.tabular import tree as trees
from marjolet_spiel.solvers.tabular.tree import build_tree
from tests.solvers.tabular.small_trees import tree


def test_full_pack_is_refused_by_an_estimate() -> None:
    with pytest.raises(TooLargeError, match=r"about 1e\+\d\d histories end \(an estimate"):
        build_tree(Rules.of(), memory=1 << 30)


def test_what_is_a_little_too_large_is_refused_by_counting(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = ladder()["kqj7-english"].rules
    monkeypatch.setattr(trees, "GameTree", None)  # nothing is built
    with pytest.raises(TooLargeError, match="histories that end were counted"):
        build_tree(rules, memory=1_000_000)
    needed = tree_sizes.tree_size(rules).build_bytes
    with pytest.raises(TooLargeError, match=f"the tree takes {needed:,} bytes, but only"):
        build_tree(rules, memory=needed - 1)
    with pytest.raises(TypeError):  # it would be built now
        build_tree(rules, memory=needed)


@pytest.mark.parametrize("memory", [0, 1.5, True, "1"])
def test_wrong_memory_is_refused(memory: Any) -> None:
    with pytest.raises(ValueError, match="^memory: .* is not allowed"):
        build_tree(tree("lot").rules, memory=memory)


def test_half_of_the_free_memory_may_be_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "free_memory", lambda: 1000)
    check_memory("it", 500, None)
    with pytest.raises(TooLargeError, match="it takes 501 bytes, but only 500 are allowed"):
        check_memory("it", 501, None)


def test_free_memory_is_known() -> None:
    assert 1 << 20 < memory.free_memory() < 1 << 50


def test_estimates_are_near() -> None:
    rules = ladder()["kqj7-english"].rules
    assert tree_sizes.estimate_terminals(rules) == pytest.approx(189_744, rel=0.1)
    assert tree_sizes.estimate_terminals(rules) == tree_sizes.estimate_terminals(rules, seed=1)
