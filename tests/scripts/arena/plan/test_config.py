"""Configurations that are refused."""

import pytest

from tests.scripts.arena.plan.test_pairings import plan

WRONG = {
    "no bots": ({"bots": []}, "bots: none is not enough"),
    "one bot": ({"bots": ["greedy"]}, "bots: 'greedy' alone is not enough"),
    "twice": ({"bots": ["random:seed=1"] * 2}, "'random:seed=1' is named twice"),
    "unknown bot": ({"bots": ["random", "x"]}, "bot: 'x' is unknown"),
    "pairs": ({"pairs": 0}, "pairs: 0 is not allowed"),
    "half a pair": ({"pairs": 1.5}, "pairs: 1.5 is not allowed"),
    "seed": ({"seed": -1}, "seed: -1 is not allowed"),
    "large seed": ({"seed": 2**63}, "seed: .* is not allowed"),
    "blocks": ({"block_pairs": 0}, "block_pairs: 0 is not allowed"),
    "other game": ({"game": "euchre"}, "game: 'euchre' is not allowed"),
    "open game": ({"game": "python_marjolet_open"}, "game: .* is not allowed"),
    "open bracket": ({"game": "python_marjolet(target=3"}, "game: .* is not allowed"),
    "no value": ({"game": "python_marjolet(target)"}, "'target' is not allowed; parameters read"),
    "twice given": ({"game": "python_marjolet(target=3,target=4)"}, "target is given twice"),
    "no number": ({"game": "python_marjolet(target=x)"}, "target: 'x' is not allowed"),
    "parameter": ({"game": "python_marjolet(x=1)"}, "parameter: 'x' is unknown"),
    "profile": ({"game": "python_marjolet(profile=x)"}, "profile: 'x' is not allowed"),
}


@pytest.mark.parametrize(("changes", "why"), WRONG.values(), ids=WRONG.keys())
def test_wrong_configurations_are_refused(changes: dict[str, object], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        plan(**changes)


@pytest.mark.parametrize("bot", ["ismcts:sims=5,time=1", "policy"])
def test_bots_that_cannot_be_made_are_refused(bot: str) -> None:
    """All their games would be forfeits."""
    with pytest.raises(ValueError, match=r"sims and time|needs a file"):
        plan(bots=["random", bot])
