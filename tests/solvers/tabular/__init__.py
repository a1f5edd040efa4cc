"""Tests of `solvers.tabular`."""
