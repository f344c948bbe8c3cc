"""Perft: counting states and paths by depth, the correctness oracle of a reasoner.

A layer holds the distinct states that exactly d joint moves lead to; a state that can be reached
by several numbers of moves stands in several layers. Terminal states are not expanded.
`perft` counts in this process, `perft_in_parts` in many processes or on a cluster.
"""

from ggp.perft.counts import Layer, Perft, fingerprint
from ggp.perft.in_parts import perft_in_parts
from ggp.perft.local import perft

__all__ = ["Layer", "Perft", "fingerprint", "perft", "perft_in_parts"]
