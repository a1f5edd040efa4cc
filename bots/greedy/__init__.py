"""The greedy bot, which plays by rules of thumb.

* `melds`: what may be declared now and later
* `endgame`: one trick looked ahead once both hands are known
* `bot`: the bot, which asks both
"""

from bots.greedy.bot import GreedyBot

__all__ = ["GreedyBot"]
