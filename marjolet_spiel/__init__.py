"""Marjolet, a French card game for two, as a game of OpenSpiel.

Importing this package registers `python_marjolet` and `python_marjolet_open`::

    import pyspiel
    import marjolet_spiel

    game = pyspiel.load_game("python_marjolet(profile=dutch)")
"""

from marjolet_spiel.first_use import say_when_compiling

with say_when_compiling():
    from marjolet_spiel.game import MarjoletGame
    from marjolet_spiel.open_game import MarjoletOpenGame, MarjoletOpenState
    from marjolet_spiel.rules import DEFAULT_PARAMETERS, PROFILES, RULES_VERSION, Rules
    from marjolet_spiel.state import MarjoletState

__version__ = "0.1.0"

__all__ = [
    "DEFAULT_PARAMETERS",
    "PROFILES",
    "RULES_VERSION",
    "MarjoletGame",
    "MarjoletOpenGame",
    "MarjoletOpenState",
    "MarjoletState",
    "Rules",
    "__version__",
]
