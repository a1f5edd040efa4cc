"""Tournaments on duplicate deals, as a library; `scripts.tournament` is its front end.

* `plan`: what is to be played, as a pure function of the configuration
* `deals`: the cards and the seeds of each pair of games
* `referee`: plays one game and lets no bot see what its seat may not
* `runner`, `workers`: play the blocks of a plan that a store does not hold yet
* `records`, `store`, `lock`: results in memory and on disk
* `stats`, `table`: what they say; `layout` makes text or Markdown of rows of cells
* `sequential`, `stopping`: whether they suffice to stop a pairing
* `bootstrap`, `ratings`, `metagame`, `comparison`: what they say about three bots or more
* `report`: all that a front end prints of them
* `findings`, `report_file`, `plots`: the report in Markdown, with pictures

Example::

    from scripts.arena.plan import Plan, make_config
    from scripts.arena.runner import play_block

    plan = Plan(make_config("python_marjolet", ["random", "greedy"], pairs=20, seed=1))
    records = [play_block(plan, block) for block in plan.blocks]
"""
