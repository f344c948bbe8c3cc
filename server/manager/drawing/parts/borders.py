"""Facts about two neighbouring cells, or about a side of one: walls, drawn lines, signs.

Such a fact names both cells, or one cell and a direction, which is a value or a word in the name of
the fact.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ggp.server.manager.drawing.axes import Axis, axis_of
from ggp.server.manager.drawing.families import Family, Row
from ggp.server.manager.drawing.forms import name_of
from ggp.server.manager.drawing.layout import Board, Border, Spot, Style
from ggp.server.manager.drawing.looks.words import SIDES, split
from ggp.server.manager.drawing.neighbours import Key

__all__ = ["Pairing", "Point", "candidates", "dotted", "ends_of", "lies_on", "matches", "style_of"]

_LESS = frozenset({"lt", "less", "smaller"})
_MORE = frozenset({"gt", "greater", "larger", "bigger"})
_FEW = 3


@dataclass(frozen=True, slots=True)
class Pairing:
    """The columns of a family that may tell a border of cells with two coordinates."""

    family: Family
    #: The columns of a cell.
    first: tuple[int, int]
    #: The columns of the other cell; None if a direction tells it.
    second: tuple[int, int] | None
    #: The column of the direction; None if it is in the name.
    side: int | None = None
    #: Whether the columns are those of a square of four cells: two of x, two of y.
    is_corner: bool = False

    @property
    def form(self) -> str:
        """The form of the facts."""
        return self.family.form

    @property
    def contents(self) -> tuple[int, ...]:
        """The columns that tell the contents."""
        used = {*self.first, *(self.second or ()), self.side}
        return tuple(i for i in range(self.family.width) if i not in used)

    def axes(self, chains: Sequence[Sequence[str]]) -> tuple[Axis, Axis]:
        """Return the axes of the cells; for a direction without those beyond the edge."""
        x, y = self.first
        u, v = self.second or self.first
        columns = (
            self.family.seen[x] | self.family.seen[u],
            self.family.seen[y] | self.family.seen[v],
        )
        wide, high = (axis_of(values, chains) for values in columns)
        if self.side is None:
            return wide, high
        kept = []
        for axis, column, sideways in ((wide, x, (1, 0)), (high, y, (0, 1))):
            sides = {_side_of(row[self.side]) for row in self.rows if row[column] == axis.values[0]}
            is_beyond = sides == {sideways}
            kept.append(Axis(axis.values[1:], True, axis.by_rules) if is_beyond else axis)
        return kept[0], kept[1]

    def on(self, board: int, style: Style) -> Border:
        """Return how the facts lie on a board."""
        return Border(
            self.form,
            board,
            self.first,
            self.second,
            self.side,
            self.contents,
            style,
            self.is_corner,
        )

    @property
    def rows(self) -> set[Row]:
        """All observed facts."""
        return {row for rows in self.family.states for row in rows}


#: A place on a board.
Point: TypeAlias = tuple[float, float]


def _side_of(word: str) -> tuple[int, int] | None:
    """Return the step to the neighbour in a direction; None if the word is no direction."""
    return SIDES.get(word.lower())


def style_of(form: str) -> Style:
    """Return the sign that the name of a form tells, or else that it is a wall."""
    words = set(split(name_of(form)))
    return "<" if words & _LESS else ">" if words & _MORE else "wall"


def candidates(
    families: Sequence[Family], chains: Sequence[Sequence[str]], roles: frozenset[str]
) -> Iterator[Pairing]:
    """Yield the families that may be borders, with their columns."""
    for family in families:
        pairing = _named(family) or _paired(family, chains, roles)
        if pairing is not None:
            yield pairing


def _named(family: Family) -> Pairing | None:
    """Return the pairing of facts with one cell and a direction."""
    sides = [i for i in range(family.width) if all(map(_side_of, family.seen[i] or [""]))]
    words = split(name_of(family.form))
    if family.width == 3 and sides == [2] and family.most >= _FEW:
        return Pairing(family, (0, 1), None, 2)
    if family.width == 2 and not sides and len(words) > 1 and _side_of(words[-1]):
        return Pairing(family, (0, 1), None)
    return None


def _paired(
    family: Family, chains: Sequence[Sequence[str]], roles: frozenset[str]
) -> Pairing | None:
    """Return the pairing of facts with two neighbouring cells."""
    rows = {row for rows in family.states for row in rows}
    if family.width < 4 or len(rows) < _FEW or family.most < _FEW:
        return None
    for start in range(family.width - 3):
        a, b, c, d = range(start, start + 4)
        if any(family.seen[i] <= roles for i in (a, b, c, d)):
            continue
        for first, second in (((a, b), (c, d)), ((a, c), (b, d))):
            x = _axis(family, first[0], second[0], chains)
            y = _axis(family, first[1], second[1], chains)
            if x is None or y is None:
                continue
            steps = {
                (
                    abs(x[row[second[0]]] - x[row[first[0]]]),
                    abs(y[row[second[1]]] - y[row[first[1]]]),
                )
                for row in rows
            }
            if first == (a, c) and steps == {(1, 1)}:
                return Pairing(family, first, second, is_corner=True)
            if first == (a, b) and steps <= {(0, 1), (1, 0), (1, 1)} and len(steps) > 1:
                return Pairing(family, first, second)
    return None


def _axis(
    family: Family, one: int, other: int, chains: Sequence[Sequence[str]]
) -> Mapping[str, int] | None:
    axis: Axis = axis_of(family.seen[one] | family.seen[other], chains)
    if not axis.is_ordered and not all(len(value) == 1 for value in axis.values):
        return None
    return {value: place for place, value in enumerate(axis.values)}


def ends_of(border: Border, values: Sequence[str], board: Board) -> tuple[Point, Point] | None:
    """Return the places of the two cells of a border; None if neither is on the board.

    One of them may be beyond the edge of the board.
    """
    first = tuple(values[i] for i in border.first)
    if border.style == "box":
        corner = board.spots.get(first)
        return None if corner is None else ((corner.x, corner.y), (corner.x + 1, corner.y + 1))
    if border.second is not None:
        second = tuple(values[i] for i in border.second)
        one, other = board.spots.get(first), board.spots.get(second)
        if one is None or other is None:
            return None
        return (one.x, one.y), (other.x, other.y)
    step = (1, 1) if border.is_corner else _step(border, values)
    start = board.spots.get(first)
    if start is not None:
        return (start.x, start.y), (start.x + step[0], start.y + step[1])
    ahead = _shifted(first, step, board)
    if ahead is None:
        return None
    return (ahead.x - step[0], ahead.y - step[1]), (ahead.x, ahead.y)


def _step(border: Border, values: Sequence[str]) -> tuple[int, int]:
    word = split(name_of(border.form))[-1] if border.side is None else values[border.side]
    return _side_of(word) or (0, 0)


def _shifted(key: tuple[str, ...], step: tuple[int, int], board: Board) -> Spot | None:
    """Return the spot one step from a numbered cell that may be beyond the edge."""
    if not all(value.isdecimal() for value in key):
        return None
    return board.spots.get(tuple(str(int(v) + d) for v, d in zip(key, step, strict=True)))


def lies_on(pairing: Pairing, board: Board) -> bool:
    """Return whether most of the facts lie between cells of a board."""
    if len(board.axes) != len(pairing.first) or board.shape == "round":
        return False
    border, rows = pairing.on(0, "wall"), pairing.rows
    return 5 * sum(ends_of(border, row, board) is not None for row in rows) >= 4 * len(rows)


def matches(pairing: Pairing, board: Board) -> int:
    """Return how many of the facts lie between two cells that the board has."""
    places = {(spot.x, spot.y) for spot in board.spots.values()}
    ends = [ends_of(pairing.on(0, "wall"), row, board) for row in pairing.rows]
    return sum(each is not None and places.issuperset(each) for each in ends)


def dotted(pairing: Pairing, chains: Sequence[Sequence[str]]) -> Board:
    """Return a board of dots, which the facts of a pairing join by lines."""
    x, y = (axis.values for axis in pairing.axes(chains))
    spots: dict[Key, Spot] = {
        (a, b): Spot(f"{a} {b}", float(i), float(j))
        for i, a in enumerate(x)
        for j, b in enumerate(y)
    }
    captions = [Spot(a, float(i), -0.75) for i, a in enumerate(x)]
    captions += [Spot(b, -0.75, float(j)) for j, b in enumerate(y)]
    return Board(pairing.family.name, "dot", spots, (x, y), tuple(captions))
