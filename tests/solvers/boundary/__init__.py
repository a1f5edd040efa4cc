"""Tests of `solvers.boundary`."""
