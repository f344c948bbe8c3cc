"""Facts of several forms that name the same places: the form is what a place holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ggp.server.manager.drawing.axes import axis_of
from ggp.server.manager.drawing.families import Family
from ggp.server.manager.drawing.layout import Board, Spot
from ggp.server.manager.drawing.neighbours import Key
from ggp.server.manager.drawing.parts.graphs import graph_board, square_of_lines

__all__ = ["board_of_sets", "sets"]

_FEW, _MANY = 3, 60


def sets(families: Sequence[Family], roles: frozenset[str]) -> Iterator[list[Family]]:
    """Yield families over the same places, no two of which hold for a place at the same time."""
    groups: dict[tuple[frozenset[str], ...], list[Family]] = {}
    for family in families:
        columns = tuple(family.values(i) for i in range(family.width))
        size = 1
        for column in columns:
            size *= len(column)
        is_named = columns and not any(any(map(str.isdigit, word)) for word in columns[0])
        is_sized = len(columns) <= 2 and _FEW <= size <= _MANY
        if is_named and is_sized and not any(column <= roles for column in columns):
            groups.setdefault(columns, []).append(family)
    for group in groups.values():
        if len(group) > 1 and all(
            sum(map(len, rows)) == len(set().union(*rows))
            for rows in zip(*(family.states for family in group), strict=True)
        ):
            yield group


def board_of_sets(group: Sequence[Family], tables: Sequence[Sequence[tuple[str, ...]]]) -> Board:
    """Return the board of such families: a graph, or a row of places for each second value."""
    first, *others = (axis_of(group[0].values(i), ()).values for i in range(group[0].width))
    if not others:
        cells: list[Key] = [(value,) for value in first]
        if board := graph_board(group[0].name, cells, tables):
            return board
    spots: dict[Key, Spot] = {}
    if others and (square := square_of_lines([(value,) for value in first], tables)):
        for j, b in enumerate(others[0]):
            for (a,), (x, y) in square.items():
                spots[a, b] = Spot(f"{a} {b}", x + 4 * j, y)
        names = tuple(Spot(b, 4.0 * j + 1, 0.75) for j, b in enumerate(others[0]))
        return Board(group[0].name, "square", spots, (first, *others), names)
    captions = [Spot(a, float(i), -0.75) for i, a in enumerate(first)]
    for j, b in enumerate(others[0] if others else ("",)):
        if b:
            captions.append(Spot(b, -0.5 - len(b) * 0.13, float(j)))
        for i, a in enumerate(first):
            spots[(a, b) if b else (a,)] = Spot(f"{a} {b}".strip(), float(i), float(j))
    return Board(group[0].name, "square", spots, (first, *others), tuple(captions))
