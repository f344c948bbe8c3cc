"""Pictures of states, as SVG: the boards, hands and pieces that the manager's pages show.

    >>> from ggp import Game
    >>> from ggp.display import svg
    >>> svg(Game.load("tictactoe").init())[:4]
    '<svg'

In a notebook, states show themselves so. `show` gives a record the pictures of its states.
"""

from ggp.display.picture import Picture, picture_of
from ggp.display.show import show, svg

__all__ = ["Picture", "picture_of", "show", "svg"]
