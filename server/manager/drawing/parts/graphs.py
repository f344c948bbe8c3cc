"""Boards whose cells have names instead of coordinates."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from math import dist
from typing import TypeAlias

from ggp.server.manager.drawing.axes import natural
from ggp.server.manager.drawing.layout import Board, Spot
from ggp.server.manager.drawing.looks.labels import labels
from ggp.server.manager.drawing.neighbours import (
    Key,
    are_connected,
    hex_shear,
    neighbours_of,
    place,
)

__all__ = ["graph_board", "has_cells", "pits_board", "row_board", "square_of_lines"]

_NAME = re.compile(r"([a-z]+?)_?([0-9]+)", re.IGNORECASE)
_MIN_NAMED = 6
#: The share of neighbours by the rules that must be neighbours by their names.
_MOSTLY = 0.9
_SQRT_2, _SQRT_3_HALF = 1.4143, 0.8660254
_NINE = 9
#: A thing of a graph may be at this many places that are not in it, such as a player's hand.
_MAX_ELSEWHERE = 3
_MIN_PITS, _MAX_PITS = 8, 40

_Tables: TypeAlias = Sequence[Sequence[tuple[str, ...]]]
_Points: TypeAlias = Mapping[Key, tuple[float, float]]


def graph_board(name: str, cells: Sequence[Key], tables: _Tables) -> Board | None:
    """Return a board of cells that static relations make neighbours, or None without one.

    Names such as `a1` are coordinates, of squares or of rows of hexagons, if neighbours by them are
    neighbours by the rules. If the rules tell no neighbours, they are squares.
    """
    relations = neighbours_of(cells, tables)
    axes = tuple(tuple(dict.fromkeys(cell[i] for cell in cells)) for i in range(len(cells[0])))
    rows = _rows(cells)
    if rows:
        pairs = [pair for found in relations for pair in found]
        squares = {cell: (float(i), float(j)) for cell, (i, j) in rows.items()}
        hexagons = _centred(rows)
        is_shifted = any(x % 1 for x, _ in hexagons.values())
        # Some relations may lead over a neighbour, as a jump does.
        steps = [each for each in relations if _share(hexagons, each, 1.01) >= _MOSTLY]
        is_told = len(steps) == len(relations) or are_connected(cells, steps)
        if is_shifted and is_told:
            spots = {cell: Spot(" ".join(cell), *hexagons[cell]) for cell in cells}
            near = {p for p in pairs if dist(hexagons[p[0]], hexagons[p[1]]) < _SQRT_2}
            return Board(name, "round", spots, axes, edges=tuple(sorted(near)))
        shear = hex_shear(rows, relations)
        if not shear and _share(squares, pairs, _SQRT_2) >= _MOSTLY:
            spots = {cell: Spot(" ".join(cell), *squares[cell]) for cell in cells}
            return Board(name, "square", spots, axes)
    if square := square_of_lines(cells, tables):
        spots = {cell: Spot(" ".join(cell), x, y) for cell, (x, y) in square.items()}
        return Board(name, "square", spots, axes)
    found = place(cells, relations) or _apart(cells, relations)
    if found is None:
        return None
    points, edges = found
    spots = {cell: Spot(" ".join(cell), *points[cell]) for cell in cells}
    return Board(name, "round", spots, axes, edges=tuple(sorted(edges)))


def _apart(
    cells: Sequence[Key], relations: Sequence[frozenset[tuple[Key, Key]]]
) -> tuple[dict[Key, tuple[float, float]], frozenset[tuple[Key, Key]]] | None:
    """Place the cells that have neighbours, and the few that have none below them.

    Numbers whose sums or orders make pairs are no such cells.
    """
    if any(word.isdecimal() for cell in cells for word in cell):
        return None
    for pairs in relations:
        near = {cell for pair in pairs for cell in pair}
        lonely = [cell for cell in cells if cell not in near]
        if not lonely or 4 * len(lonely) > len(cells):
            continue
        found = place([cell for cell in cells if cell in near], [pairs])
        if found is not None:
            points, edges = found
            low = min(y for _, y in points.values()) - 1
            return points | {cell: (float(n), low) for n, cell in enumerate(lonely)}, edges
    return None


def has_cells(board: Board, cells: Sequence[Key]) -> bool:
    """Return whether a board has the cells; a graph may lack a few if all of its own are named."""
    known, wanted = set(board.spots), set(cells)
    if len(board.axes) != len(cells[0]):
        return False
    is_graph = board.shape == "round"
    return wanted <= known or (
        is_graph and known < wanted and len(wanted - known) <= _MAX_ELSEWHERE
    )


def square_of_lines(cells: Sequence[Key], tables: _Tables) -> dict[Key, tuple[float, float]] | None:
    """Return the places of nine cells that the rules make the eight lines of tic-tac-toe.

    The centre has all other cells as its neighbours, a corner six of them, the middle of a side
    four.
    """
    if len(cells) != _NINE:
        return None
    for pairs in neighbours_of(cells, tables):
        near: dict[Key, set[Key]] = {cell: set() for cell in cells}
        for one, other in pairs:
            near[one].add(other)
            near[other].add(one)
        kinds = {n: [c for c in sorted(cells) if len(near[c]) == n] for n in (8, 6, 4)}
        if [len(kinds[n]) for n in (8, 6, 4)] != [1, 4, 4]:
            continue
        corners, middles = set(kinds[6]), kinds[4]
        ends = {middle: near[middle] & corners for middle in middles}
        top = middles[0]
        left, right = sorted(ends[top])
        below = {
            corner: next((m for m in middles[1:] if corner in ends[m]), top)
            for corner in (left, right)
        }
        bottom = next((m for m in middles[1:] if not ends[m] & ends[top]), top)
        lower = {corner: next(iter(ends[below[corner]] - {corner}), top) for corner in below}
        rows = (
            (left, top, right),
            (below[left], kinds[8][0], below[right]),
            (lower[left], bottom, lower[right]),
        )
        points = {c: (float(x), float(-y)) for y, row in enumerate(rows) for x, c in enumerate(row)}
        if len(points) == _NINE:
            return points
    return None


def _rows(cells: Sequence[Key]) -> dict[Key, tuple[int, int]]:
    """Return the numbers of the letter and of the number in names of one word; empty without."""
    matches = {cell: _NAME.fullmatch(cell[0]) for cell in cells if len(cell) == 1}
    names = {cell: (match[1], int(match[2])) for cell, match in matches.items() if match}
    letters = sorted({letter for letter, _ in names.values()}, key=natural)
    numbers = sorted({number for _, number in names.values()})
    if (
        len(names) < max(len(cells), _MIN_NAMED)
        or len(letters) < 2
        or len(numbers) < 2
        or any(len(letter) > 1 for letter in letters)
    ):
        return {}
    return {
        cell: (letters.index(letter), numbers.index(number))
        for cell, (letter, number) in names.items()
    }


def _centred(rows: Mapping[Key, tuple[int, int]]) -> dict[Key, tuple[float, float]]:
    """Return the places of cells in rows of hexagons, one row for each letter, from the top."""
    members: dict[int, list[int]] = {}
    for letter, number in rows.values():
        members.setdefault(letter, []).append(number)
    return {
        cell: (number - (min(members[i]) + max(members[i])) / 2, -i * _SQRT_3_HALF)
        for cell, (i, number) in rows.items()
    }


def _share(points: _Points, pairs: Collection[tuple[Key, Key]], near: float) -> float:
    """Return the share of pairs of cells that are near each other, 1 without any pair."""
    count = sum(dist(points[one], points[other]) <= near for one, other in pairs)
    return count / len(pairs) if pairs else 1.0


def row_board(name: str, values: Sequence[str]) -> Board:
    """Return a row of places."""
    short = labels(values)
    spots: dict[Key, Spot] = {(a,): Spot(a, float(i), 0.0) for i, a in enumerate(values)}
    captions = tuple(Spot(short[a], float(i), -0.75) for i, a in enumerate(values))
    return Board(name, "square", spots, (tuple(values),), captions)


def pits_board(name: str, cells: Sequence[Key], tables: _Tables) -> Board | None:
    """Return two rows of pits with a store at each end, in the order in which they are sown.

    A relation leads round through all of them. A store is one that it also passes by: its two
    neighbours are neighbours. None is returned unless there are two stores, opposite each other.
    """
    for pairs in neighbours_of(cells, tables):
        near: dict[Key, set[Key]] = {cell: set() for cell in cells}
        for one, other in pairs:
            near[one].add(other)
            near[other].add(one)
        stores = [
            cell for cell, (*ends,) in near.items() if len(ends) == 2 and ends[0] in near[ends[1]]
        ]
        if len(stores) != 2 or not _MIN_PITS <= len(cells) <= _MAX_PITS:
            continue
        for store in stores:
            one, other = near[store]
            near[one].discard(other)
            near[other].discard(one)
        way = _way(near, stores[0])
        half = len(cells) // 2
        if len(way) == len(cells) == 2 * half and way[half] == stores[1]:
            points = {pit: (float(n + 1), 0.0) for n, pit in enumerate(way[1:half])}
            points |= {pit: (float(half - 1 - n), 1.3) for n, pit in enumerate(way[half + 1 :])}
            points |= {stores[0]: (0.0, 0.65), stores[1]: (float(half), 0.65)}
            spots = {cell: Spot(cell[0], *points[cell]) for cell in cells}
            return Board(name, "round", spots, (tuple(cell[0] for cell in cells),))
    return None


def _way(near: Mapping[Key, Collection[Key]], start: Key) -> list[Key]:
    """Return the way round from a cell, as far as each cell has two neighbours."""
    way = [start]
    while len(near[way[-1]]) == 2:
        ahead = [cell for cell in sorted(near[way[-1]], key=_by_name) if cell not in way]
        if not ahead:
            break
        way.append(ahead[0])
    return way


def _by_name(cell: Key) -> list[tuple[int, str]]:
    return natural(" ".join(cell))
