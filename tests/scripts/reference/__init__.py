"""Tests of `scripts.reference`."""
