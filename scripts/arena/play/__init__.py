"""How it is played: no bot sees what its seat may not, and none can cost the others a result.

* `referee`: plays one game; `audit`: whether a bot looks at what is hidden
* `games`: the games of a block, one after the other
* `clock`, `player`, `guard`: a process in which bots play, and one that watches it
* `workers`, `runner`: play the blocks of a plan that a store does not hold yet
* `compliance`: whether a bot does what it should
"""
