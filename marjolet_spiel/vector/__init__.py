"""Batches of games for learning, stepped in compiled code.

* `games`: the arrays of a batch, and what moves a game on to its next decision
* `stepping`: steps of whole batches: actions checked, games moved on, observations written
* `buffers`: the arrays, made
* `arguments`: what users may give, and how anything else is refused
* `in_play`: games that are looked at; `Batch`, what is to be known of them
* `successors`: what each legal action leads to
* `environment`: `VectorEnv`, what users call
* `opponents`: who plays the other seat
* `seat`: `SeatEnv`, one seat of a batch for agents that learn alone
* `openspiel`: `OpenSpielVectorEnv`, the same for agents of OpenSpiel
"""

from marjolet_spiel.first_use import say_when_compiling

with say_when_compiling():
    from marjolet_spiel.vector.arguments import rules_of
    from marjolet_spiel.vector.environment import VectorEnv
    from marjolet_spiel.vector.in_play import Batch
    from marjolet_spiel.vector.openspiel import OpenSpielVectorEnv
    from marjolet_spiel.vector.opponents import Bots, Policy
    from marjolet_spiel.vector.seat import SeatBatch, SeatEnv
    from marjolet_spiel.vector.successors import Successors

__all__ = [
    "Batch",
    "Bots",
    "OpenSpielVectorEnv",
    "Policy",
    "SeatBatch",
    "SeatEnv",
    "Successors",
    "VectorEnv",
    "rules_of",
]
