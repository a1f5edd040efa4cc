"""Exact values and equilibria: the endgame, small packs, the end of the stock."""
