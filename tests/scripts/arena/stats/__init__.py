"""Tests of `arena.stats`."""
