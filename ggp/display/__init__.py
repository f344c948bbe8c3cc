"""Pictures of states, as SVG: the boards, hands and pieces that the manager's pages show.

    >>> from ggp import Game
    >>> from ggp.display import svg
    >>> svg(Game.load("tictactoe").init())[:4]
    '<svg'

In a notebook, states show themselves so. `show` puts the states of a record side by side, `scrub`
shows one at a time. `planes` returns boards as arrays, `pixels` a picture as one.
"""

from ggp.display.picture import Picture, picture_of
from ggp.display.planes import Planes, planes
from ggp.display.raster import pixels
from ggp.display.show import scrub, show, svg

__all__ = ["Picture", "Planes", "picture_of", "pixels", "planes", "scrub", "show", "svg"]
