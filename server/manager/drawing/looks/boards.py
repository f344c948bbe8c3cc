"""The look of a board as a whole, by the form of its rules: a frame, felt, dark cells, strokes.

- A **frame** has columns into which pieces fall: a move names a column, and a piece comes onto the
  lowest free cell of it.
- **Felt** has stones that change their owner where they lie, and never go.
- **Dark** is a board on which pieces lie on every other cell only, as the same colour of a chess
  board.
- **Strokes** are the marks x and o, which stay where they are written.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TypeAlias

from ggp.kif import Term
from ggp.server.manager.drawing.forms import take_apart
from ggp.server.manager.drawing.layout import Board, Layout, What
from ggp.server.manager.drawing.neighbours import Key
from ggp.server.manager.drawing.pieces import Looks
from ggp.server.manager.drawing.play import Line

__all__ = ["board_looks"]

#: The pieces on the cells of a board in one state.
_State: TypeAlias = Mapping[Key, frozenset[What]]

#: How many pieces must have come, and how many have changed their owner, to be no chance.
_ENOUGH, _FEW = 6, 3
#: The sides of the smallest board with dark cells.
_WIDE = 6


def board_looks(layout: Layout, looks: Looks, lines: Sequence[Line]) -> list[str]:
    """Return for each board the name of its look; empty for a plain one."""
    return [_look(number, layout, looks, lines) for number in range(len(layout.boards))]


def _look(number: int, layout: Layout, looks: Looks, lines: Sequence[Line]) -> str:
    board = layout.boards[number]
    if board.shape != "square" or len(board.axes) != 2 or board.bars:
        return ""
    played = [[_pieces(number, layout, looks, facts) for facts in line.states] for line in lines]
    steps = [pair for states in played for pair in pairwise(states)]
    if any(before[key] and not after.get(key) for before, after in steps for key in before):
        return _dark(board, [state for states in played for state in states])
    come = [(key, before) for before, after in steps for key in after if not before.get(key)]
    if len(come) >= _ENOUGH and all(_falls(board, *each) for each in come):
        return "frame"
    kinds = {what for _, state in steps for held in state.values() for what in held}
    turned = [
        key
        for before, after in steps
        for key in before
        if before[key] and before[key] != after.get(key)
    ]
    if len(turned) >= _FEW and len(kinds) == 2:
        return "felt"
    words = {word.lower() for _, contents in kinds for word in contents}
    return "strokes" if words and words <= {"x", "o"} else ""


def _dark(board: Board, states: Sequence[_State]) -> str:
    """Return the look of a board whose pieces lie on cells of one colour; empty for another."""
    used = {
        (round(board.spots[key].x) + round(board.spots[key].y)) % 2
        for state in states
        for key in state
        if state[key]
    }
    is_dark = len(used) == 1 and min(map(len, board.axes)) >= _WIDE
    return f"dark-{used.pop()}" if is_dark else ""


def _pieces(number: int, layout: Layout, looks: Looks, facts: Sequence[Term]) -> _State:
    placings = {p.form: p for p in layout.placings if p.board == number and p.kind == "piece"}
    cells: defaultdict[Key, set[What]] = defaultdict(set)
    for form, values in map(take_apart, facts):
        placing = placings.get(form)
        if placing is not None:
            what = form, placing.contents_of(values)
            if what not in looks.blank:
                cells[placing.key_of(values)].add(what)
    return {
        key: frozenset(held) for key, held in cells.items() if key in layout.boards[number].spots
    }


def _falls(board: Board, key: Key, before: _State) -> bool:
    """Return whether a piece came onto the lowest free cell of its column."""
    spot = board.spots[key]
    below = [k for k, other in board.spots.items() if other.x == spot.x and other.y < spot.y]
    return all(before.get(k) for k in below)
