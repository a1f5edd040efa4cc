"""What is to be played: a pure function of the configuration, so that it can go on anywhere.

* `config`: what may be asked for; `game_text`: games as text; `hypotheses`: of a sequential test
* `pairings`: the plan, its pairings and blocks
* `deals`: the cards and the seeds of each pair of games
"""

from scripts.arena.plan.config import Config, make_config
from scripts.arena.plan.pairings import Block, Plan

__all__ = ["Block", "Config", "Plan", "make_config"]
