"""Recorded games, told: ``python -m scripts.replay``.

* `steps`: a record becomes the positions that it went through
* `exact`: what the endgame was worth
* `teller`, `endings`: how a step is told, and how a deal or a game ended
* `words`: how a game is told
"""
