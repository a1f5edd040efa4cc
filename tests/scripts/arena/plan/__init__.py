"""Tests of `arena.plan`."""
