"""Runs any OpenSpiel example or module on Marjolet: ``python -m marjolet_spiel.run MODULE ARGS``.

OpenSpiel has no plug-ins: a game is known once its module is imported. This imports ours and then
runs the other module as its own ``python -m`` would, for instance::

    python -m marjolet_spiel.run open_spiel.python.examples.mcts --game=python_marjolet_open ...
"""

import runpy
import sys


def main() -> None:
    """Runs the module named first on the command line with the rest as its arguments."""
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(f"usage: python -m marjolet_spiel.run MODULE [ARGS]\n\n{__doc__}")
    module = sys.argv[1]
    del sys.argv[0]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
