"""Finds facts that are the cells of a grid, by their behaviour.

Two columns are coordinates if both have an order and there is evidence that together they name
places. The evidence is that of Kuhlmann, Dresner and Stone ("Automatic Heuristic Construction in a
Complete General Game Player", AAAI 2006) and of Schiffel and Thielscher ("Fluxplayer", AAAI 2007):
ordered arguments, contents that depend on them, moves over the same values.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise, product
from os.path import commonprefix

from ggp.server.manager.drawing.axes import MAX_LENGTH, Axis, axis_of
from ggp.server.manager.drawing.families import Family, Row
from ggp.server.manager.drawing.links import NO_STEPS, Steps

__all__ = ["Grid", "best_grid", "fits", "height_of", "widest"]

#: More evidence than this makes a grid.
_ENOUGH = 2
#: This many facts in a state are hardly amounts.
_MANY = 4
#: What stands on a board is there in at least this share of the states.
_ALWAYS = 0.75
#: Families are alike if their names share this many letters.
_STEM = 3
#: The share of cells with one content in layers that are full.
_MOSTLY = 0.9
_MAX_CELLS = 1600
_MAX_LAYERS = 36


@dataclass(frozen=True, slots=True)
class Grid:
    """The facts of one family on a grid, or on several grids of the same size, the layers."""

    family: Family
    #: The columns that name the layer, with their values; none if there is only one layer.
    layers: tuple[tuple[int, Axis], ...]
    x: tuple[int, Axis]
    y: tuple[int, Axis]
    evidence: int
    #: Whether some state has a fact for every cell.
    is_full: bool
    #: Whether only their spelling orders the coordinates.
    by_spelling: bool = False

    @property
    def is_always_full(self) -> bool:
        """Whether every state that has such facts has one for every cell."""
        counts = {len(rows) for rows in self.family.states if rows}
        return self.is_full and counts == {self.family.most}

    @property
    def rank(self) -> tuple[bool, bool, bool, int]:
        """The highest comes first: contents, all cells, those initially, and then evidence."""
        begins = self.is_full and bool(self.family.states[0])
        return bool(self.contents), self.is_full, begins, self.evidence

    @property
    def key(self) -> tuple[int, ...]:
        """The columns that name a cell: the layers, then x and y."""
        return (*(column for column, _ in self.layers), self.x[0], self.y[0])

    @property
    def axes(self) -> tuple[Axis, ...]:
        """The values of the key's columns."""
        return (*(axis for _, axis in self.layers), self.x[1], self.y[1])

    @property
    def contents(self) -> tuple[int, ...]:
        """The columns that tell the contents of a cell."""
        return tuple(i for i in range(self.family.width) if i not in self.key)


def best_grid(
    family: Family,
    *,
    roles: frozenset[str],
    chains: Sequence[Sequence[str]],
    moves: Mapping[str, tuple[frozenset[str], ...]],
    others: Sequence[Family],
    by_spelling: bool = False,
    sizes: Sequence[tuple[Axis, Axis]] = (),
    steps: Steps = NO_STEPS,
) -> Grid | None:
    """Return the most likely grid of a family, or None without enough evidence for one.

    Args:
        family: facts of one form.
        roles: the names of the roles, which are never coordinates.
        chains: the orders of words that the rules define.
        moves: the values in the columns of each form of move.
        others: the other families of the game.
        by_spelling: whether coordinates may be ordered by spelling; then most cells must have had
            facts, with one content each.
        sizes: pairs of axes that other facts, such as walls, name together.
        steps: what the rules say of the columns.
    """
    if not any(family.states):
        return None
    axes = {i: _axis(family, i, chains, steps) for i in range(family.width)}
    columns = [
        i
        for i, axis in axes.items()
        if (axis.is_ordered or by_spelling)
        and 1 < len(axis) <= MAX_LENGTH
        and not family.values(i) <= roles
    ]
    found: list[Grid] = []
    for x, y in combinations(columns, 2):
        if len(axes[x]) * len(axes[y]) > _MAX_CELLS or _is_count(family, x, y):
            continue
        for wide, high in sizes:
            if family.seen[x] <= set(wide.values) and family.seen[y] <= set(high.values):
                axes |= {x: wide, y: high}
        goes = {x, y} <= steps.stepped
        layers = _layers(family, x, y, steps.kept if goes else frozenset())
        cells = family.distinct((*layers, x, y))
        known = [axes[i].values if goes else family.seen[i] for i in (x, y)]
        size = len(known[0]) * len(known[1])
        if family.width == 2 and family.most == 1 and family.presence < _ALWAYS:
            continue  # an offer or an answer, which is there for a step
        if by_spelling and not (cells >= max(9, 0.6 * size) and _has_contents(family, (x, y))):
            continue
        is_full = cells >= 4 and cells >= 0.9 * size * _product(family, layers)
        if is_full:
            axes |= {i: axis_of(family.seen[i], chains) for i in (x, y)}
        height = height_of(family, (*layers, x, y), chains)
        is_sized = (axes[x], axes[y]) in sizes
        evidence = (
            3 * (is_full or is_sized)
            + 2 * any(_names(columns, axes[x], axes[y]) for columns in moves.values())
            + any(_names(other.seen, axes[x], axes[y]) for other in others)
            + (set(axes[x].values) == set(axes[y].values))
            + (axes[x].by_rules and axes[y].by_rules)
            + (family.distinct((x,)) > 1 and family.distinct((y,)) > 1)
            + (y == x + 1)
            + 4 * goes
            + (family.most >= _MANY and _has_contents(family, (*layers, x, y)))
            + (height is not None)
            + bool(layers)
            - 2 * _has_several(family, (*layers, x, y))
            - _is_dictionary(family, x, y)
            - 3 * (not is_full and _is_one_of_many(x, y, (*layers, height), axes))
        )
        if evidence > _ENOUGH:
            named = tuple((i, axes[i]) for i in layers)
            found.append(
                Grid(family, named, (x, axes[x]), (y, axes[y]), evidence, is_full, by_spelling)
            )
    # Of equals the last: the first columns more often name the layer.
    return max(reversed(found), key=lambda grid: grid.evidence, default=None)


def _axis(family: Family, column: int, chains: Sequence[Sequence[str]], steps: Steps) -> Axis:
    axis = axis_of(family.values(column), chains)
    is_close = axis.is_ordered and len(axis) <= 2.5 * len(family.seen[column])
    if is_close or not family.seen[column]:
        return axis
    # The values that flow through the rules may be far too many, such as all numbers of the game.
    named = axis_of(family.seen[column] | steps.named.get(column, frozenset()), chains)
    is_small = column in steps.stepped and len(named) <= 2.5 * len(family.seen[column])
    return named if named.is_ordered and is_small else axis_of(family.seen[column], chains)


def _names(columns: Sequence[frozenset[str]], x: Axis, y: Axis) -> bool:
    """Return whether two adjacent columns hold values of the two coordinates."""
    return any(
        len(first) > 1 and len(second) > 1 and first <= set(x.values) and second <= set(y.values)
        for first, second in pairwise(columns)
    )


def _has_contents(family: Family, key: Sequence[int]) -> bool:
    others = [i for i in range(family.width) if i not in key]
    return bool(others) and family.decides(key, others)


def _has_several(family: Family, key: Sequence[int]) -> bool:
    """Return whether facts with several contents share a cell."""
    others = [i for i in range(family.width) if i not in key]
    return len(others) > 1 and not family.decides(key, others)


def height_of(family: Family, key: Sequence[int], chains: Sequence[Sequence[str]]) -> int | None:
    """Return the column that tells how high in the pile of its cell a fact lies, if there is one.

    Its values have an order, each height of a cell has one fact, and no height below it is free.
    """
    others = [i for i in range(family.width) if i not in key]
    if len(others) < 2 or family.decides(key, others):
        return None
    for column in others:
        axis = axis_of(family.values(column), chains)
        if axis.is_ordered and _is_piled(family, key, column, axis.values):
            return column
    return None


def _is_piled(family: Family, key: Sequence[int], column: int, order: Sequence[str]) -> bool:
    for rows in family.states:
        piles: dict[tuple[str, ...], list[int]] = {}
        for row in rows:
            piles.setdefault(tuple(row[i] for i in key), []).append(order.index(row[column]))
        if any(sorted(pile) != list(range(len(pile))) for pile in piles.values()):
            return False
    return True


def _is_count(family: Family, x: int, y: int) -> bool:
    """Return whether the facts are amounts: every state has one for each value of x."""
    if family.width != 2:
        return False
    always = min((len(rows) for rows in family.states), default=0)
    return family.decides((x,), (y,)) and always == len(family.seen[x])


def _is_dictionary(family: Family, x: int, y: int) -> bool:
    return family.width == 2 and family.most > 1 and family.decides((x,), (y,))


def _is_one_of_many(x: int, y: int, used: Sequence[int | None], axes: Mapping[int, Axis]) -> bool:
    """Return whether another column could be a coordinate just as well."""
    others = (axis for i, axis in axes.items() if i not in (x, y, *used))
    return any(axis.values in (axes[x].values, axes[y].values) for axis in others)


def _layers(family: Family, x: int, y: int, apart: frozenset[int]) -> tuple[int, ...]:
    """Return the columns that tell layers apart, if one grid is not enough.

    Each cell of a layer has one content. There must be contents, because otherwise any piece with a
    place would be a layer.

    Args:
        family: the facts.
        x: the column of one coordinate.
        y: that of the other.
        apart: the columns that tell things apart which go from cell to cell.
    """
    others = [i for i in range(family.width) if i not in (x, y)]
    if family.decides((x, y), others):
        return ()
    for count in (1, 2):
        for chosen in combinations(others, count):
            rest = [i for i in others if i not in chosen]
            layers = _product(family, chosen)
            if not rest or not 1 < layers <= _MAX_LAYERS:
                continue
            is_regular = all(i in apart or _is_layered(family, x, y, i) for i in chosen)
            key = (*chosen, x, y)
            is_whole = family.distinct(key) == family.reach(key) == layers * family.reach((x, y))
            share = _MOSTLY if is_whole or apart.issuperset(chosen) else 1  # a crash ends a line
            if is_regular and family.share_decided(key, rest) >= share:
                return chosen
    return ()


def _is_layered(family: Family, x: int, y: int, layer: int) -> bool:
    """Return whether each layer has had facts on most of the cells."""
    rows = [row for rows in family.states for row in rows]
    cells: dict[str, set[tuple[str, str]]] = {}
    for row in rows:
        cells.setdefault(row[layer], set()).add((row[x], row[y]))
    size = len(set().union(*cells.values()))
    return all(2 * len(found) > size for found in cells.values())


def _product(family: Family, columns: Sequence[int]) -> int:
    return len(list(product(*(family.seen[i] for i in columns))))


def fits(grid: Grid, other: Grid) -> bool:
    """Return whether the facts of one grid fit the board of another."""
    if grid is not other and grid.is_always_full and other.is_always_full:
        return False  # two boards: one cell would have two contents, or they come after each other
    if grid is not other and _are_twins(grid, other):
        return False
    return len(grid.axes) == len(other.axes) and all(
        set(mine.values) <= set(theirs.values)
        for mine, theirs in zip(grid.axes, other.axes, strict=True)
    )


def _are_twins(grid: Grid, other: Grid) -> bool:
    """Return whether two families with alike names have different contents in one cell."""
    names = grid.family.name, other.family.name
    shared = max(len(commonprefix(names)), len(commonprefix([name[::-1] for name in names])))  # noqa: RUF071
    if shared < _STEM or grid.contents != other.contents or grid.key != other.key:
        return False
    mine, theirs = grid.family, other.family
    if not any(mine.values(i) & theirs.values(i) for i in grid.contents):
        return False

    def cells(rows: Iterable[Row]) -> set[Row]:
        return {tuple(row[i] for i in grid.key) for row in rows}

    return any(
        cells(a) & cells(b) for a, b in zip(mine.states, theirs.states, strict=True) if a and b
    )


def widest(grid: Grid, grids: Sequence[Grid]) -> Grid:
    """Return the grid that has room for all that fit with this one."""
    return max(
        (other for other in grids if fits(grid, other) or other is grid),
        key=lambda other: (len(other.x[1]) * len(other.y[1]), other is grid),
    )
