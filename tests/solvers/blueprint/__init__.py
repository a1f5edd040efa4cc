"""Tests of `solvers.blueprint`."""
