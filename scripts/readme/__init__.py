"""The READMEs: tables made from the code, and examples that are run.

* `tables`: every generated table and the README that it stands in
* `blocks`: the examples of a README, and when each is run
* `session`: runs the examples of one README, in order, in a folder of their own

``python -m scripts.readme`` goes this way and says what is out of date, or writes it anew.
"""

from scripts.readme.blocks import Block, Level, find_blocks
from scripts.readme.session import Session, refreshed
from scripts.readme.tables import READMES, ROOT, fill, filled, table

__all__ = [
    "READMES",
    "ROOT",
    "Block",
    "Level",
    "Session",
    "fill",
    "filled",
    "find_blocks",
    "refreshed",
    "table",
]
