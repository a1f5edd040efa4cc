"""Tests of `arena.play`."""
