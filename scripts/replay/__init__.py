"""Recorded games, told: ``python -m scripts.replay``.

* `steps`: a record becomes the positions that it went through
* `exact`: what the endgame was worth
* `words`: how a game is told
"""
