"""Boards of squares and hexagons, from the grids that facts make."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import cos, pi, sin

from ggp.server.manager.drawing.grids import Grid
from ggp.server.manager.drawing.layout import Bar, Board, Placing, Shape, Spot
from ggp.server.manager.drawing.neighbours import Key, hex_shear, neighbours_of, staggered

__all__ = [
    "cycle_of",
    "divided",
    "existing_cells",
    "goes_round",
    "grid_board",
    "places_of",
    "ring_board",
    "transposed",
]

#: The gap between two layers of a board, in cells.
_GAP = 0.6
_SQRT_3_HALF = 0.8660254
#: Neighbours on a grid are nearer than this.
_FAR = 2
#: A board has at least this share of the cells that its coordinates name.
_SPARSE = 0.3
#: The fewest used cells that tell which relation names the cells.
_MIN_SEEN = 8

#: Up to this many layers stand side by side; more of them stand in rows.
_IN_A_ROW = 3
_SIDES = 4
_DIGITS = 9
_TOP = frozenset({"n", "north", "top", "up", "12"})
_Tables = Sequence[Sequence[tuple[str, ...]]]


def places_of(grid: Grid) -> dict[Key, tuple[int, int]]:
    """Return the column and row of each cell of a layer."""
    (_, x), (_, y) = grid.x, grid.y
    return {(a, b): (i, j) for i, a in enumerate(x.values) for j, b in enumerate(y.values)}


def goes_round(grid: Grid, tables: _Tables) -> bool:
    """Return whether cells at opposite ends are neighbours, which a graph shows better."""
    if grid.layers or len(grid.contents) + 2 != grid.family.width:
        return False
    places = places_of(grid)
    for pairs in neighbours_of(places, tables):
        ends = [(places[one], places[other]) for one, other in pairs]
        steps = [max(abs(u - x), abs(v - y)) for (x, y), (u, v) in ends]
        cells = {cell for pair in pairs for cell in pair}
        is_sparse = len(pairs) < 1.5 * len(places) and len(cells) == len(places)
        if is_sparse and max(steps) > _FAR and 2 * steps.count(1) > len(steps):
            return True
    return False


def ring_board(grid: Grid, tables: _Tables) -> Board | None:
    """Return a board of rings, one in the other, if one of two coordinates goes round.

    Eight places make a ring a square, with cells that have neighbours in other rings in the middle
    of its sides. Otherwise None is returned if the rings are no rings.
    """
    (_, x), (_, y) = grid.x, grid.y
    cyclic = [cycle_of(axis.values, tables) for axis in (x, y)]
    if bool(cyclic[0]) == bool(cyclic[1]):
        return None
    around = cyclic[0] or cyclic[1]
    rings = y.values if cyclic[0] else x.values
    cells: dict[Key, tuple[str, str]] = {
        ((a, r) if cyclic[0] else (r, a)): (a, r) for a in around for r in rings
    }
    pairs = max(
        (p for p in neighbours_of(cells, tables) if len(p) < 2 * len(cells)),
        key=lambda p: len({cell for pair in p for cell in pair}),
        default=frozenset[tuple[Key, Key]](),
    )
    radial = {cells[one][0] for one, other in pairs if cells[one][0] == cells[other][0]}
    start = next((n for n, a in enumerate(around) if a.lower() in _TOP), 0)
    if start == 0 and around[0] not in radial and around[1] in radial:
        start = 1
    turn = {a: (n - start) % len(around) for n, a in enumerate(around)}
    spots: dict[Key, Spot] = {}
    for key, (a, ring) in cells.items():
        angle = 2 * pi * turn[a] / len(around)
        u, v, radius = sin(angle), cos(angle), rings.index(ring) + 1
        if len(around) == 2 * _SIDES:
            u, v = (float(round(value)) for value in (u, v))
        spots[key] = Spot(" ".join(key), radius * u, radius * v)
    axes = (x.values, y.values)
    return Board(grid.family.name, "round", spots, axes, edges=tuple(sorted(pairs)))


def cycle_of(values: Sequence[str], tables: _Tables) -> tuple[str, ...]:
    """Return values in the order of a relation that leads round through all of them, or none."""
    for table in tables:
        after = {row[0]: row[1] for row in table} if len(table[0]) == 2 else {}
        if set(after) == set(values) == set(after.values()) and len(table) == len(values):
            found = [values[0]]
            while after[found[-1]] not in found:
                found.append(after[found[-1]])
            if len(found) == len(values):
                return tuple(found)
    return ()


def existing_cells(
    grid: Grid,
    declared: frozenset[tuple[str, ...]],
    *,
    named: frozenset[Key],
    marked: frozenset[Key],
    tables: _Tables,
) -> frozenset[Key]:
    """Return the cells of a layer that exist: those that a fact can name.

    Args:
        grid: the grid.
        declared: the facts of its form that the rules declare; empty if they declare none.
        named: the cells that other facts name.
        marked: the cells that the moves of the initial state name.
        tables: the static relations; one may name the cells.
    """
    every = frozenset(places_of(grid))
    x, y = grid.x[0], grid.y[0]
    seen: frozenset[Key] = frozenset(
        (row[x], row[y]) for rows in grid.family.states for row in rows
    )
    if declared and every > {(row[x], row[y]) for row in declared}:
        found = seen.union((row[x], row[y]) for row in declared)
    elif grid.by_spelling or (grid.family.is_steady((x, y)) and grid.contents):
        found = seen
    elif 2 * len(marked) > len(every):  # a game in which the players fill the board
        found = seen | marked
    else:
        areas: Iterator[frozenset[Key]] = (
            frozenset(table) for table in tables if len(table[0]) == 2
        )
        fitting = [area for area in areas if seen <= area <= every and len(seen) >= _MIN_SEEN]
        found = max(fitting or [every], key=len)
    found = found.union(named) & every
    places = places_of(grid)
    colours = {(places[key][0] + places[key][1]) % 2 for key in found}
    if len(colours) < 2 or len(found) < _SPARSE * len(every):
        return every  # a game on the dark squares of a whole board
    return found


def grid_board(grid: Grid, tables: _Tables, existing: frozenset[Key]) -> Board:
    """Return the board of a grid, with its layers side by side."""
    (_, x), (_, y) = grid.x, grid.y
    places = {key: at for key, at in places_of(grid).items() if key in existing}
    shear = 0.0
    if not grid.layers:
        near = neighbours_of(places, tables)
        if found := staggered(places, near):
            spots = {key: Spot(" ".join(key), x, y * _SQRT_3_HALF) for key, (x, y) in found.items()}
            return Board(grid.family.name, "hex", spots, tuple(axis.values for axis in grid.axes))
        shear = hex_shear(places, near) or _hexagon(places_of(grid), places)
    width, height = len(x) + _GAP, len(y) + _GAP
    rise = _SQRT_3_HALF if shear else 1.0
    spots = {}
    captions: list[Spot] = []
    for layer, (i, j) in _arranged([axis.values for _, axis in grid.layers]).items():
        if layer:
            middle = i * width + (len(x) - 1) / 2
            captions.append(Spot(" ".join(layer), middle, j * height + len(y) - 0.32))
        for (u, v), (p, q) in places.items():
            name = " ".join((*layer, u, v))
            spots[(*layer, u, v)] = Spot(name, i * width + p + shear * q, j * height + q * rise)
    if not shear and not grid.layers and (centred := _centred(places)):
        spots = {key: Spot(" ".join(key), *centred[key]) for key in places}
        return Board(grid.family.name, "hex", spots, tuple(axis.values for axis in grid.axes))
    if shear:
        captions += _hex_captions(spots, shear)
    elif not grid.layers:
        captions += [Spot(a, float(i), -0.75) for i, a in enumerate(x.values)]
        captions += [Spot(b, -0.75, float(j)) for j, b in enumerate(y.values)]
    axes = tuple(axis.values for axis in grid.axes)
    shape: Shape = "hex" if shear else "square"
    return Board(grid.family.name, shape, spots, axes, tuple(captions))


def _centred(places: Mapping[Key, tuple[int, int]]) -> dict[Key, tuple[float, float]]:
    """Return the places of a hexagon of rows that are numbered from one side, or of columns.

    They have k, k+1, ..., 2k-1, ..., k cells. Empty if the cells are no such rows.
    """
    for across, along in ((1, 0), (0, 1)):
        lines: dict[int, list[int]] = {}
        for place in places.values():
            lines.setdefault(place[across], []).append(place[along])
        lengths = [len(lines[n]) for n in sorted(lines)]
        side = lengths[0]
        wanted = [*range(side, 2 * side), *range(2 * side - 2, side - 1, -1)]
        if side > 2 and lengths == wanted and len({min(line) for line in lines.values()}) == 1:
            down = 1 if across else -1
            return {
                key: (
                    place[along] - len(lines[place[across]]) / 2,
                    down * place[across] * _SQRT_3_HALF,
                )
                for key, place in places.items()
            }
    return {}


def _hex_captions(spots: Mapping[Key, Spot], shear: float) -> Iterator[Spot]:
    """Yield a caption below the lowest cell of each column, and at one end of each row.

    That is the left one, unless a corner is cut off there, where the columns end.
    """
    columns: dict[str, Spot] = {}
    rows: dict[str, Spot] = {}
    is_cut = len(spots) < len({a for a, _ in spots}) * len({b for _, b in spots})
    side = -1 if is_cut and shear > 0 else 1
    for (a, b), spot in spots.items():
        columns[a] = min(columns.get(a, spot), spot, key=lambda each: each.y)
        rows[b] = min(rows.get(b, spot), spot, key=lambda each: side * each.x)
    for a, spot in columns.items():
        yield Spot(a, spot.x - 0.85 * shear, spot.y - 0.75)
    for b, spot in rows.items():
        yield Spot(b, spot.x - 0.8 * side, spot.y)


def _arranged(axes: Sequence[tuple[str, ...]]) -> dict[Key, tuple[int, int]]:
    """Return the column and the row of each layer: two axes make a grid, one makes a few rows."""
    if not axes:
        return {(): (0, 0)}
    if len(axes) > 1:
        return {(b, a): (i, j) for j, b in enumerate(axes[0]) for i, a in enumerate(axes[1])}
    values = axes[0]
    across = len(values)
    if across > _IN_A_ROW:
        across = next(n for n in range(1, len(values) + 1) if n * n >= len(values))
    down = -(-len(values) // across)
    return {(v,): (n % across, down - 1 - n // across) for n, v in enumerate(values)}


def _hexagon(every: Mapping[Key, tuple[int, int]], places: Mapping[Key, tuple[int, int]]) -> float:
    """Return the shift of the rows if two opposite corners are cut off; else 0."""
    missing = set(every.values()) - set(places.values())
    right, top = (max(values) for values in zip(*every.values(), strict=True))
    limit = min(right, top) // 2
    for shear in (0.5, -0.5):

        def distances(p: int, q: int, *, is_up: bool = shear > 0) -> tuple[int, int]:
            """Return the number of steps from two opposite corners."""
            return (p + q, right - p + top - q) if is_up else (p + top - q, right - p + q)

        cut = [distances(p, q) for p, q in missing]
        corners = {at for at in every.values() if min(distances(*at)) < 2}
        if (
            limit > 1
            and corners <= missing
            and 4 * sum(min(steps) < limit for steps in cut) >= 3 * len(cut)
        ):
            return shear
    return 0.0


def divided(board: Board, placings: Iterable[Placing]) -> Board:
    """Return a board of nine by nine cells for the digits 1 to 9 with the lines of a sudoku."""
    digits = {value for placing in placings for value in placing.possible if value.isdecimal()}
    if digits != set(map(str, range(1, _DIGITS + 1))) or len(board.spots) != _DIGITS**2:
        return board
    if [len(axis) for axis in board.axes] != [_DIGITS, _DIGITS] or board.shape != "square":
        return board
    left, low = (min(getattr(s, axis) for s in board.spots.values()) - 0.5 for axis in "xy")
    lines: list[Bar] = []
    for n in (3, 6):
        lines.append(((left + n, low), (left + n, low + _DIGITS)))
        lines.append(((left, low + n), (left + _DIGITS, low + n)))
    return replace(board, lines=tuple(lines))


def transposed(board: Board) -> Board:
    """Return a board whose first coordinates are rows, counted from the top."""

    def turn(spot: Spot) -> Spot:
        return replace(spot, x=spot.y, y=-spot.x)

    return replace(
        board,
        spots={key: turn(spot) for key, spot in board.spots.items()},
        captions=tuple(map(turn, board.captions)),
    )
