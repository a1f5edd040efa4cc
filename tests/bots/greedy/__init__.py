"""Tests of `bots.greedy`."""
