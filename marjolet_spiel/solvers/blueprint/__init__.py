"""A strategy for the full pack, learnt by MCCFR over an abstraction of information states.

* `abstraction`: which decisions are taken alike, and the candidates among which they choose
* `buckets`: the table that learns; `play`: deals played by it, in compiled code
* `sampling`: the sampled deals that it learns from; `training`: the loop around them
* `last_stock_trick`: that trick over all worlds
* `file`: checkpoints and policies on disk
"""
