"""Tests of `scripts.arena`."""
