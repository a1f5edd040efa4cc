"""Tests of `arena.report`."""
