"""The table of solved small packs: ``python -m scripts.reference`` counts, solves and writes it.

* `facts`: what is said of an equilibrium: melds and swaps held back, trumps led
"""
