"""Tests of `marjolet_spiel.solvers`."""
