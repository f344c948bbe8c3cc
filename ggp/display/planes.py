"""A game's board as planes: what learning programs with convolutions read.

A channel is what a fact says beside its place, such as ``(mark ? ? x)``: 1 where that is so. A fact
that lies on no board, such as ``(control x)``, fills a channel of its own. Rows go down the picture
and columns go right; where rows are shifted, as on hexagons, every other column of a row is empty
("double width"). The cells of a board without rows, such as a graph, stand in one row.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import zip_longest
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ggp.batch import Game, States
from ggp.display.picture import picture_of
from ggp.kif import Term
from ggp.server.manager.drawing.forms import take_apart
from ggp.server.manager.drawing.layout import Board, Layout
from ggp.server.manager.drawing.neighbours import Key

__all__ = ["Planes", "planes"]

# Games of which is remembered where their facts lie.
_REMEMBERED = 32

# A grid with more places for each cell than this is none: hexagons have two.
_SPARSE = 4
# What stands in a form for a value.
_VALUE = re.compile(r"(?<=[ (])\?(?=[ )])")

#: The rows and columns of a board's cells.
_Grid: TypeAlias = dict[Key, tuple[int, int]]
#: The number of a board and what a fact says there, or None and the fact.
_Channel: TypeAlias = tuple[int | None, str]


@dataclass(frozen=True, slots=True, eq=False)
class Planes:
    """How the facts of one game become planes. No two facts share a place."""

    #: The names of the channels.
    channels: tuple[str, ...]
    height: int
    width: int
    #: intp[k] each: fact ``facts[i]`` fills place ``places[i]`` of a state's planes in one row.
    facts: NDArray[np.intp]
    places: NDArray[np.intp]

    @classmethod
    def of(cls, game: Game) -> Planes:
        """Find where a game's facts lie, by its rules and some random play (a second or two)."""
        layout = picture_of(game.reasoner).layout
        grids = [_grid(board) for board in layout.boards]
        height, width = (
            1 + max((cell[axis] for grid in grids for cell in grid.values()), default=0)
            for axis in (0, 1)
        )
        everywhere = [(row, column) for row in range(height) for column in range(width)]
        channels: dict[_Channel, int] = {}
        facts, places = [], []
        for number, fact in enumerate(game.facts):
            name, cells = _place(fact, layout, grids)
            channel = channels.setdefault(name, len(channels))
            for row, column in everywhere if cells is None else cells:
                facts.append(number)
                places.append((channel * height + row) * width + column)
        names = tuple(name for _, name in channels)
        return cls(names, height, width, np.array(facts, np.intp), np.array(places, np.intp))

    @property
    def shape(self) -> tuple[int, int, int]:
        """Channels, height and width."""
        return len(self.channels), self.height, self.width

    def observe(self, observation: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return facts as planes.

        Args:
            observation: uint8[n, facts], as `States.observation`.

        Returns:
            uint8[n, channels, height, width].
        """
        made = np.zeros((len(observation), math.prod(self.shape)), np.uint8)
        made[:, self.places] = observation[:, self.facts]
        return made.reshape(-1, *self.shape)


@lru_cache(_REMEMBERED)
def _planes(game: Game) -> Planes:
    return Planes.of(game)


def planes(states: States) -> NDArray[np.uint8]:
    """Return what is true in states as planes of the board: uint8[n, channels, height, width].

    A game without a board has planes of one cell. `Planes.of` has the names of the channels.
    """
    return _planes(states.game).observe(states.observation)


def _grid(board: Board) -> _Grid:
    """Return the row and the column of each spot."""
    spots = board.spots.values()
    rows = {y: row for row, y in enumerate(sorted({spot.y for spot in spots}, reverse=True))}
    columns = {x: column for column, x in enumerate(sorted({spot.x for spot in spots}))}
    if len(rows) * len(columns) > _SPARSE * len(board.spots):
        return {key: (0, column) for column, key in enumerate(board.spots)}
    return {key: (rows[spot.y], columns[spot.x]) for key, spot in board.spots.items()}


def _place(
    fact: Term, layout: Layout, grids: list[_Grid]
) -> tuple[_Channel, list[tuple[int, int]] | None]:
    """Return the channel of a fact and its cells; None for all."""
    form, values = take_apart(fact)
    for placing in layout.placings:
        if placing.form != form:
            continue
        keys = layout.boards[placing.board].at(placing.key_of(values))
        if keys:
            left = ["?" if n in placing.key else value for n, value in enumerate(values)]
            name = "".join(map("".join, zip_longest(_VALUE.split(form), left, fillvalue="")))
            return (placing.board, name), [grids[placing.board][key] for key in keys]
    return (None, str(fact)), None
