"""Training of policy networks by self-play (``python -m scripts.train_net``).

* `hyperparameters`: how learning goes, in numbers
* `collecting`: games played by one policy in both seats, and how good its decisions were
* `learner`: what is learnt from them, in JAX
* `training`: both together, saved and gone on with
* `evaluation`: what a network wins against bots, on the arena's deals
* `job`, `run`: what is trained, and that in progress
* `results`, `picture`: what evaluations found, as lines and as a learning curve
"""
