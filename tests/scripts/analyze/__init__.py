"""Tests of `scripts.analyze`."""
