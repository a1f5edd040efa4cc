"""Batches of games for learning, stepped in compiled code.

* `games`: the arrays of a batch, and what moves a game on to its next decision
* `stepping`: steps of whole batches: actions checked, games moved on, observations written
* `environment`: `VectorEnv`, what users call, and `Batch`, what it returns
"""

from marjolet_spiel.first_use import say_when_compiling

with say_when_compiling():
    from marjolet_spiel.vector.environment import Batch, VectorEnv, rules_of

__all__ = ["Batch", "VectorEnv", "rules_of"]
