"""Tournaments on duplicate deals, as a library; `scripts.tournament` is its front end.

Five rooms, in the order in which a tournament goes through them, each importing only from those
before it: `plan` what is to be played, `store` results on disk, `stats` what results say, `play`
the games themselves, `report` what people are shown.

Example::

    from scripts.arena.plan import Plan, make_config
    from scripts.arena.play.games import play_block

    plan = Plan(make_config("python_marjolet", ["random", "greedy"], pairs=20, seed=1))
    records = [play_block(plan, block).record for block in plan.blocks]
"""
