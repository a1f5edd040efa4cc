"""Tests against OpenSpiel: its API, its checks and its algorithms on both games."""
