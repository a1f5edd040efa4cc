"""Solving small packs and measuring how fast: what is under `scripts/solve.py`."""
