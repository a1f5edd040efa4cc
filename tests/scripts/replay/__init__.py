"""Tests of `scripts.replay`."""
