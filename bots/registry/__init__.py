"""Bots by name: text such as "greedy" or "ismcts:sims=400" becomes a bot.

* `options`: what a bot that can be named is made of
* `catalogue`: the bots of this package with their options
* `imported`: bots of others, named by where their maker is imported from
* `specs`: text becomes a `BotSpec` by them, and that a bot
"""

from bots.registry.catalogue import ENTRIES
from bots.registry.options import Entry, Option
from bots.registry.specs import BotSpec, make_bot, parse_spec, sees_all, split_specs

__all__ = [
    "ENTRIES",
    "BotSpec",
    "Entry",
    "Option",
    "make_bot",
    "parse_spec",
    "sees_all",
    "split_specs",
]
