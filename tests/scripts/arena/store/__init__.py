"""Tests of `arena.store`."""
