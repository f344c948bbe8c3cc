"""A picture of which bounds let a branch be skipped: Figure 8 of Sturtevant (2005), for any game.

The axes are the ranks of two roles. A hollow point is a combination that some row has. Where both
roles already hold something, at the lower left corner of a square, something better for both can
follow if a point is in the square's upper right: then the square is grey, and the branch is
searched. On and above the border of the grey region the leaf-value table prunes. The linear test
prunes on and above the bold line, where the ranks add up to maxsum.

If further roles hold something, the picture is a slice: only rows that give them more have points.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import reduce
from html import escape
from operator import and_

from ggp.search.leaf_values.table import LeafValueTable

__all__ = ["region_svg"]

# Pixels of a side of the drawing, without its margins.
_SIDE = 440
_MARGIN, _TOP, _LEGEND = 60, 50, 120
_GREY = "#d8d8d8"
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
        right, top = self._unit * (self._columns - 1), self._unit * (self._rows - 1)
        width = 2 * _MARGIN + max(right, 5 * _MARGIN)
        height = _TOP + top + _MARGIN + _LEGEND
        yield (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}"'
            ' font-family="sans-serif" font-size="12" text-anchor="middle">'
        )
        yield f"<title>{self._title()}</title>"
        yield '<rect width="100%" height="100%" fill="white"/>'
        yield (
            f'<text x="{width / 2:g}" y="24" font-size="14">Pruning decision space: '
            f"{self._title()}</text>"
        )
        yield f'<g transform="translate({_MARGIN},{_TOP + top:g}) scale(1,-1)">'
        yield from self._squares()
        yield from self._line(right, top)
        yield from self._dots()
        yield "</g>"
        yield f'<g transform="translate({_MARGIN},{_TOP + top:g})">'
        yield from self._labels()
        yield "</g>"
        yield f'<g transform="translate({_MARGIN},{_TOP + top + _MARGIN:g})" text-anchor="start">'
        yield from self._legend()
        yield "</g>"
        yield "</svg>"

    def _title(self) -> str:
        across, up = self._name(self._across), self._name(self._up)
        held = (f", {self._name(role)} holds {rank}" for role, rank in self._held.items())
        return f"ranks of {across} and {up}, maxsum {self._table.maxsum}{''.join(held)}"

    @property
    def _sum(self) -> int:
        """What the ranks of the two roles add up to on the line of the linear test."""
        return self._table.maxsum - sum(self._held.values())

    def _name(self, role: int) -> str:
        return escape(str(self._table.roles[role]))

    def _squares(self) -> Iterator[str]:
        unit = self._unit
        for x in range(self._columns - 1):
            for y in range(self._rows - 1):
                if self._above(x, y):
                    yield (
                        f'<rect x="{x * unit:g}" y="{y * unit:g}" width="{unit:g}"'
                        f' height="{unit:g}" fill="{_GREY}"/>'
                    )

    def _line(self, right: float, top: float) -> Iterator[str]:
        """Yield the line x + y = maxsum, as far as it is in the picture."""
        total = self._sum * self._unit
        x1, x2 = max(0, total - top), min(right, total)
        if x1 <= x2:
            yield (
                f'<path class="linear" d="M{x1:g},{total - x1:g} L{x2:g},{total - x2:g}"'
                ' stroke="black" stroke-width="3"/>'
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
            yield (
                f'<circle cx="{x * self._unit:g}" cy="{y * self._unit:g}" r="{radius:g}"'
                ' fill="white" stroke="black"/>'
            )

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

    def _legend(self) -> Iterator[str]:
        """Yield the meaning of the marks. None is of a kind that the picture itself has."""
        sign = f"x + y = {self._sum}"
        if not self._held:
            sign += " (maxsum)"
        entries = (
            ('<ellipse cx="10" cy="-4" rx="4" ry="4" fill="white" stroke="black"/>',
             "ranks that a leaf can have together"),
            (f'<path d="M2,-10 H18 V2 H2 Z" fill="{_GREY}"/>',
             "bounds above which there are such ranks: the branch is searched"),
            ('<path d="M2,2 L18,-10" stroke="black" stroke-width="3"/>',
             f"{sign}: the linear test prunes bounds on and above it"),
            ("", "The table prunes all bounds that are not in the grey region."),
        )  # fmt: skip
        for number, (mark, words) in enumerate(entries):
            yield f'<g transform="translate(0,{18 + 22 * number})">{mark}'
            yield f'<text x="{28 if mark else 0}" y="0">{words}</text></g>'
