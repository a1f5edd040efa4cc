"""Games played through by OpenSpiel's generator, compared with the files they left.

A playthrough shows everything that OpenSpiel can ask of a game: its type and bounds, and at chosen
states all strings, tensors and legal actions. A difference is either a mistake or a change that
users will notice and that belongs into the changelog. To accept it, write the files anew::

    python -m tests.openspiel.test_playthrough

and look at the difference before committing it. The actions are those of the old file as long as
they are legal; to play others delete the file first.
"""

from pathlib import Path

import pytest
from absl import flags
from open_spiel.python.algorithms import generate_playthrough

import marjolet_spiel  # noqa: F401  (registers the games)
from tests.places import DATA

GAMES = {
    "python_marjolet": "python_marjolet",
    "python_marjolet_open": (
        "python_marjolet_open(num_suits=2,ranks=ATKQJ7,hand_size=4,deal_seed=1)"
    ),
}
SEEDS = {"python_marjolet": 1, "python_marjolet_open": 15}
"""Of the games to be played when there is no file yet: melds and a swap occur in them."""

if not flags.FLAGS.is_parsed():  # the generator reads a flag
    flags.FLAGS(["pytest"])


def path_of(name: str) -> Path:
    """Where the playthrough of a game is kept."""
    return DATA / f"playthrough_{name}.txt"


@pytest.mark.parametrize("name", GAMES)
def test_playthrough_is_as_it_was(name: str) -> None:
    kept, played = generate_playthrough.replay(str(path_of(name)))
    assert played.splitlines() == kept.splitlines()


@pytest.mark.parametrize("name", GAMES)
def test_playthrough_shows_every_kind_of_action(name: str) -> None:
    lines = path_of(name).read_text(encoding="utf-8").splitlines()
    assert lines[0] == f"game: {GAMES[name]}"
    verbs = {line.split('"')[1].split()[0] for line in lines if line.startswith("# Apply action")}
    chance = {"dealer", "deal", "turn", "draw"} if name == "python_marjolet" else set()
    assert verbs == {"play", "meld", "swap", "done"} | chance
    assert lines[-1].startswith("Returns() = ")


def write() -> None:
    """Writes all playthroughs anew."""
    for name, game in GAMES.items():
        path = path_of(name)
        if path.exists():
            text = generate_playthrough.replay(str(path))[1]
        else:
            text = generate_playthrough.playthrough(game, None, seed=SEEDS[name])
        path.write_text(text, encoding="utf-8")
        print(f"wrote {path}")


if __name__ == "__main__":
    write()
