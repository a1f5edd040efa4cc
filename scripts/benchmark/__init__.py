"""Speed beside peers: ``python -m scripts.benchmark`` measures all rows and prints a table.

* `timing`: things measured in turn, and their ratios
* `peers`, `batches`, `search`, `solving`, `arena`: what is measured
"""
