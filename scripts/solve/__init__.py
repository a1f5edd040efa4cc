"""Solving small packs and measuring how fast: ``python -m scripts.solve``.

* `runners`: algorithms, ours and OpenSpiel's, on one footing
* `curve`: exploitability against iterations and seconds, as a file and as a picture
* `run`: a run and its folder, from which it goes on
* `progress`: running and measuring
"""
