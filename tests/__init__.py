"""Tests of marjolet_spiel; `reference.py` is the rule book they compare it with."""
