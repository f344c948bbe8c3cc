"""General game playing: rules in, legal and good moves out, within a clock.

    >>> from ggp import Description, open_reasoner
    >>> with open_reasoner(Description.load("games/nim.kif")) as reasoner:
    ...     state = reasoner.initial_state()
    ...     [str(move) for move in reasoner.legal_moves(state, reasoner.roles[0])]
    ['(take 1)', '(take 2)', '(take 3)']

The layers, each knowing only those before it: `ggp.kif` (text to terms), `ggp.gdl` (terms to a
game's description), `ggp.reasoner` (its states and moves), `ggp.graph` (the states, cached),
`ggp.search` (their values), `ggp.match` (players, clocks, records).
"""

from ggp.deadline import Deadline
from ggp.errors import GgpError
from ggp.gdl import Description
from ggp.graph import GameGraph
from ggp.reasoner import Reasoner, open_reasoner

__all__ = ["Deadline", "Description", "GameGraph", "GgpError", "Reasoner", "open_reasoner"]
