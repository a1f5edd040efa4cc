"""Players of Marjolet as `pyspiel.Bot` classes; `registry.make_bot` makes one from text."""
