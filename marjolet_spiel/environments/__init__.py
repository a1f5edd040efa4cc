"""The game in the interfaces of Farama: PettingZoo for both seats, Gymnasium for one.

* `spaces`: observations beside the mask of legal actions, as both have them
* `pettingzoo`: `env()`, agents take turns; `parallel_env()`, where both are asked each time
* `gym`: ``marjolet_spiel/Marjolet-v0``, one seat against an opponent
* `gym_batches`: the same for many games at once, what ``gymnasium.make_vec`` makes

Below all of them is `marjolet_spiel.vector`, whose options they take; each needs the extra `rl`
(``pip install marjolet-spiel[rl]``) and is imported by itself.
"""

from typing import Any

INSTALL = "pip install marjolet-spiel[rl]"


def missing(package: str) -> ImportError:
    """The error of a module that needs a package which is not installed."""
    return ImportError(f"{package} is not installed; {INSTALL} installs it")


def check_render_mode(mode: Any) -> None:
    """Raises ValueError unless a mode of rendering is there: text or nothing."""
    if mode not in (None, "ansi"):
        raise ValueError(f"render_mode: {mode!r} is not allowed; it must be 'ansi' or None")
