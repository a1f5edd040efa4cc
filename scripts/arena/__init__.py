"""Tournaments on duplicate deals, as a library; `scripts.tournament` is its front end.

* `plan`: what is to be played, as a pure function of the configuration
* `forecast`: how long that takes
* `deals`, `games`: the cards and the seeds of each pair of games, and how they are played
* `referee`: plays one game and lets no bot see what its seat may not; `audit`: whether it tries to
* `clock`, `player`, `guard`: a process in which bots play, and one that watches it
* `compliance`: whether a bot does what it should
* `runner`, `workers`: play the blocks of a plan that a store does not hold yet
* `records`, `recorded`, `move_times`: results, whole games and times
* `store`, `journal`, `lock`: all that on disk
* `stats`, `table`: what they say; `layout` makes text or Markdown of rows of cells
* `sequential`, `stopping`: whether they suffice to stop a pairing
* `bootstrap`, `ratings`, `metagame`, `comparison`: what they say about three bots or more
* `report`: all that a front end prints of them
* `findings`, `report_file`, `plots`: the report in a file, with pictures

Example::

    from scripts.arena.games import play_block
    from scripts.arena.plan import Plan, make_config

    plan = Plan(make_config("python_marjolet", ["random", "greedy"], pairs=20, seed=1))
    records = [play_block(plan, block).record for block in plan.blocks]
"""
