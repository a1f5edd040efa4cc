"""What players think of a position; `scripts/analyze.py` is the front end."""
