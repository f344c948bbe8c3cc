"""A picture of which bounds let a branch be skipped: Figure 8 of Sturtevant (2005), for any game.

The axes are the ranks of two roles. A dot is a combination that some row has. Where both roles
already hold something, at the lower left corner of a square, nothing in the square's upper right
can follow if no dot is there: the branch is pruned. Dark squares are pruned by the linear test
alone, light ones by the table too.

If further roles hold something, the picture is a slice: only rows that give them more have dots.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import reduce
from html import escape
from operator import and_

from ggp.search.leaf_values.table import LeafValueTable

__all__ = ["region_svg"]

_SIDE = 440
_MARGIN = 60
# With more ranks than this, not every one is labelled.
_LABELS = 12


def region_svg(
    table: LeafValueTable, across: int, up: int, *, held: Mapping[int, int] | None = None
) -> str:
    """Return the picture as SVG.

    Args:
        table: it must be enumerated.
        across: the number of one role.
        up: the number of another.
        held: ranks that others hold, by their numbers.
    """
    highest = max(len(table.goals[across]), len(table.goals[up])) - 1
    unit = _SIDE / max(1, highest)
    return "\n".join(_Region(table, across, up, held or {}, unit).lines()) + "\n"


class _Region:
    def __init__(
        self, table: LeafValueTable, across: int, up: int, held: Mapping[int, int], unit: float
    ) -> None:
        self._table = table
        self._across, self._up = across, up
        self._held = held
        self._unit = unit
        self._columns = len(table.goals[across])
        self._rows = len(table.goals[up])

    def lines(self) -> Iterator[str]:
        width = 2 * _MARGIN + self._unit * (self._columns - 1)
        height = 2 * _MARGIN + self._unit * (self._rows - 1)
        yield (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}"'
            ' font-family="sans-serif" font-size="12" text-anchor="middle">'
        )
        yield f"<title>{self._title()}</title>"
        yield '<rect width="100%" height="100%" fill="white"/>'
        yield f'<g transform="translate({_MARGIN},{height - _MARGIN:g}) scale(1,-1)">'
        yield from self._squares()
        yield from self._dots()
        yield "</g>"
        yield f'<g transform="translate({_MARGIN},{height - _MARGIN:g})">'
        yield from self._labels()
        yield "</g>"
        yield "</svg>"

    def _title(self) -> str:
        across, up = self._name(self._across), self._name(self._up)
        held = (f", {self._name(role)} holds {rank}" for role, rank in self._held.items())
        return f"ranks of {across} and {up}, maxsum {self._table.maxsum}{''.join(held)}"

    def _name(self, role: int) -> str:
        return escape(str(self._table.roles[role]))

    def _squares(self) -> Iterator[str]:
        unit = self._unit
        for x in range(self._columns - 1):
            for y in range(self._rows - 1):
                if x + y + sum(self._held.values()) >= self._table.maxsum:
                    fill = "#8a8a8a"
                elif not self._above(x, y):
                    fill = "#d8d8d8"
                else:
                    continue
                yield (
                    f'<rect x="{x * unit:g}" y="{y * unit:g}" width="{unit:g}" height="{unit:g}"'
                    f' fill="{fill}"/>'
                )

    def _above(self, x: int, y: int) -> int:
        """Return the rows that give every role more than it holds."""
        bounds = {**self._held, self._across: x, self._up: y}
        return reduce(and_, (self._table.above(role, rank) for role, rank in bounds.items()))

    def _dots(self) -> Iterator[str]:
        radius = min(5.0, max(1.0, self._unit / 6))
        pairs = {
            (ranks[self._across], ranks[self._up])
            for ranks in self._table.vectors
            if all(ranks[role] > rank for role, rank in self._held.items())
        }
        for x, y in sorted(pairs):
            yield f'<circle cx="{x * self._unit:g}" cy="{y * self._unit:g}" r="{radius:g}"/>'

    def _labels(self) -> Iterator[str]:
        unit = self._unit
        right, top = unit * (self._columns - 1), unit * (self._rows - 1)
        yield f'<path d="M0,{-top:g} V0 H{right:g}" fill="none" stroke="black"/>'
        for rank in range(0, self._columns, 1 + self._columns // _LABELS):
            yield f'<text x="{rank * unit:g}" y="18">{rank}</text>'
        for rank in range(0, self._rows, 1 + self._rows // _LABELS):
            yield f'<text x="-14" y="{4 - rank * unit:g}">{rank}</text>'
        yield f'<text x="{right / 2:g}" y="42">{self._name(self._across)}</text>'
        up = self._name(self._up)
        yield f'<text transform="translate(-38,{-top / 2:g}) rotate(-90)">{up}</text>'
