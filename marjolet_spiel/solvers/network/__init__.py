"""Networks that play: written for whichever library trains them, played without one.

* `layers`: how weights and compact observations make logits and values
* `inference`: the same in compiled code, for play
* `weights_file`: networks on disk
* `player`: a network as a player, which plays the endgame exactly
"""

from marjolet_spiel.first_use import say_when_compiling

with say_when_compiling():
    from marjolet_spiel.solvers.network.inference import Network, network_of
    from marjolet_spiel.solvers.network.layers import Shape
    from marjolet_spiel.solvers.network.player import NetworkPlayer
    from marjolet_spiel.solvers.network.weights_file import SHIPPED, read_network, write_network

__all__ = [
    "SHIPPED",
    "Network",
    "NetworkPlayer",
    "Shape",
    "network_of",
    "read_network",
    "write_network",
]
