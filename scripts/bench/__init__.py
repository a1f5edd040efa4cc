"""Speed of the game beside its peers: the measurements under `scripts/benchmark.py`."""
