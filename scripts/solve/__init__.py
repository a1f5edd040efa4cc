"""Solving small packs and measuring how fast: ``python -m scripts.solve``.

* `runners`: algorithms, ours and OpenSpiel's, on one footing
* `curve`: exploitability against iterations and seconds, as a file and as a picture
"""
