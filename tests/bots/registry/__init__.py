"""Tests of `bots.registry`."""
