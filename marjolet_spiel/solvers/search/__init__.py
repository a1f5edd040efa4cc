"""Search of the stock tricks, where cards are hidden.

* `evaluation`: what cards and positions are worth by rule of thumb, the heuristic policy
* `rollouts`: how games go on beyond a tree; `leaves`, `exact`: the endgame, exactly
* `tree`: nodes and how actions are selected; `simulation`: ISMCTS in compiled code
* `world_search`: alpha-beta in sampled worlds, for PIMC
"""
