"""What people are shown of it.

* `layout`, `tables`: rows of cells, and results as such rows
* `findings`: all that a tournament found, computed once
* `comparison`: what there is to say about three bots or more
* `console`, `markdown`: on the screen, in a file
* `plots`: pictures, drawn by `pictures` and `convergence` on `canvas`
* `forecast`: how long a plan will take
"""
