"""Tests of `scripts.solve`."""
