"""Exact values and equilibria: the last tricks, small packs, the end of the stock."""
