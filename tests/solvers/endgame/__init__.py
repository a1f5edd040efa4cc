"""Tests of `solvers.endgame`."""
