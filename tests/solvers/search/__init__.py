"""Tests of `solvers.search`."""
