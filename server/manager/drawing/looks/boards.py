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
from ggp.server.manager.drawing.parts.joins import joined
from ggp.server.manager.drawing.pieces import Looks
from ggp.server.manager.drawing.play import Line

__all__ = ["board_looks"]

#: The pieces on the cells of a board in one state.
_State: TypeAlias = Mapping[Key, frozenset[What]]
#: A state and the next one.
_Step: TypeAlias = tuple[_State, _State]

#: How many pieces must have come at least, and how many must have changed their owner.
_ENOUGH, _FEW = 6, 3
#: The sides of the smallest board with dark cells.
_WIDE = 6


def board_looks(layout: Layout, looks: Looks, lines: Sequence[Line]) -> list[str]:
    """Return for each board the name of its look; empty for a plain one."""
    played = [[_pieces(layout, looks, facts) for facts in line.states] for line in lines]
    return [
        _look(board, [[state[number] for state in states] for states in played])
        for number, board in enumerate(layout.boards)
    ]


def _look(board: Board, played: Sequence[Sequence[_State]]) -> str:
    if board.shape != "square" or board.bars:
        return ""
    states = [state for line in played for state in line]
    steps = [pair for line in played for pair in pairwise(line)]
    if len(board.axes) > 2:  # several layers, where only marks look like something
        return "" if _gone(steps) else _marks(states)
    if _gone(steps):
        return _dark(board, states)
    if _is_filled_from_below(board, steps):
        return "frame"
    return "felt" if _are_turned(steps) else _marks(states)


def _gone(steps: Sequence[_Step]) -> bool:
    """Return whether pieces leave their cells."""
    return any(before[key] and not after.get(key) for before, after in steps for key in before)


def _is_filled_from_below(board: Board, steps: Sequence[_Step]) -> bool:
    """Return whether each piece came onto the lowest free cell of its column."""
    come = [(key, before) for before, after in steps for key in after if not before.get(key)]
    below = _below(board)
    return len(come) >= _ENOUGH and all(all(map(before.get, below[key])) for key, before in come)


def _are_turned(steps: Sequence[_Step]) -> bool:
    """Return whether stones change their owner, from either to the other.

    What only goes from one kind to the other is a trail.
    """
    turned = [
        after.get(key)
        for before, after in steps
        for key in before
        if before[key] and before[key] != after.get(key)
    ]
    kinds = {what for _, state in steps for held in state.values() for what in held}
    return len(turned) >= _FEW and len(kinds) == len(set(turned)) == 2


def _marks(states: Sequence[_State]) -> str:
    """Return the look of a board with the marks x and o; empty for another."""
    words = {
        word.lower()
        for state in states
        for held in state.values()
        for _, contents in held
        for word in contents
    }
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


def _pieces(layout: Layout, looks: Looks, facts: Sequence[Term]) -> list[_State]:
    """Return the pieces of each board in a state."""
    placings = {placing.form: placing for placing in layout.placings if placing.kind == "piece"}
    cells: list[defaultdict[Key, set[What]]] = [defaultdict(set) for _ in layout.boards]
    for form, values in map(take_apart, joined(facts, layout.joins)):
        placing = placings.get(form)
        if placing is None:
            continue
        key, what = placing.key_of(values), (form, placing.contents_of(values))
        if what not in looks.blank and key in layout.boards[placing.board].spots:
            cells[placing.board][key].add(what)
    return [{key: frozenset(held) for key, held in board.items()} for board in cells]


def _below(board: Board) -> Mapping[Key, Sequence[Key]]:
    """Return the cells below each cell in its column."""
    columns: defaultdict[float, list[Key]] = defaultdict(list)
    for key, spot in sorted(board.spots.items(), key=lambda each: each[1].y):
        columns[spot.x].append(key)
    return {key: column[:place] for column in columns.values() for place, key in enumerate(column)}
