"""Drawings of searched trees: root at the left, values in the nodes, pruned branches dashed.

Below a node stands who chooses there, with the bounds of its value as the search found them, as in
the figures of the literature: P2 (<=4, >=6, <=4).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import inf
from xml.etree import ElementTree as ET

from ggp.kif import Symbol
from ggp.search.classifiers import PrunedValue
from ggp.search.tree.observer import Cut
from ggp.search.tree.reasons import SIGNS, Reasons, written
from ggp.search.tree.recorder import Branch, Recorder, Visit

__all__ = ["draw"]

#: Pixels: heights of a row and of a node's box, the distance of plies, a letter's width, a margin.
_ROW, _HEIGHT, _PLY, _LETTER, _MARGIN = 40.0, 22.0, 250.0, 6.8, 20.0
_LONGEST, _LONGEST_NOTE = 20, 36

# What XML cannot hold.
_UNPRINTABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

_STYLE = """
svg { background: #ffffff; color: #1f2933; font: 12px sans-serif }
text { fill: currentColor } .note { fill: #5f6b78; font-size: 11px } .rule { fill: #b7561c }
rect { fill: #eef2f6; stroke: #5f6b78 } .leaf { fill: #ffffff } .out { stroke: #b7561c }
path { fill: none; stroke: #5f6b78 } .cut { stroke: #b7561c; stroke-dasharray: 5 4 }
@media (prefers-color-scheme: dark) {
  svg { background: #14181d; color: #e3e8ee } .note { fill: #98a4b1 } .rule { fill: #f0a36b }
  rect { fill: #262d35; stroke: #98a4b1 } .leaf { fill: #14181d } .out { stroke: #f0a36b }
  path { stroke: #98a4b1 } .cut { stroke: #f0a36b }
}
"""


def draw(
    recorder: Recorder, title: str, *, reasons: Reasons | None = None, styled: bool = True
) -> str:
    """Return a drawing of a recorded search as SVG, for light and dark paper.

    A node shows what was found of it: its value, a bound of it, or that it is pruned, with the
    bounds that it would have to be above. A dashed branch was not visited, and names the rule. The
    groups of nodes and branches have the number of the node in `data-node`, in the order of visits,
    and for a branch that was skipped its place among those of its node in `data-branch`.

    Args:
        recorder: what was recorded.
        title: stands above the tree.
        reasons: describes the bounds of nodes and why branches were skipped; None for neither.
        styled: whether the drawing has colours of its own, and not those of a page.

    Raises:
        ValueError: nothing was recorded.
    """
    if recorder.root is None:
        raise ValueError("there is nothing to draw: no node was visited")
    return _Drawing(recorder.roles, reasons, styled=styled).draw(recorder.root, title)


class _Drawing:
    """One drawing. Rows are handed out from the top; an inner node stands amid its branches."""

    def __init__(self, roles: tuple[Symbol, ...], reasons: Reasons | None, *, styled: bool) -> None:
        self._roles, self._reasons, self._styled = roles, reasons, styled
        self._rows = 0
        self._plies = 0
        self._lines = ET.Element("g")
        self._nodes = ET.Element("g")

    def draw(self, root: Visit, title: str) -> str:
        self._place(root, 0)
        width = (self._plies + 1) * _PLY + 2 * _MARGIN
        height = self._rows * _ROW + 3 * _MARGIN
        size = {"width": f"{width:.0f}", "height": f"{height:.0f}"}
        box = {"viewBox": f"0 0 {width:.0f} {height:.0f}", **size}
        svg = ET.Element("svg", {"xmlns": "http://www.w3.org/2000/svg", "role": "img", **box})
        ET.SubElement(svg, "title").text = _printable(title)
        if self._styled:
            ET.SubElement(svg, "style").text = _STYLE
        _text(svg, _MARGIN, _MARGIN, title)
        svg.extend((self._lines, self._nodes))
        return ET.tostring(svg, encoding="unicode") + "\n"

    def _place(self, visit: Visit, ply: int) -> float:
        """Draw a node and all below it, and return its height."""
        self._plies = max(self._plies, ply)
        ends = [(branch, self._end(branch, ply)) for branch in visit.branches]
        note = self._note(visit)
        y = (ends[0][1] + ends[-1][1]) / 2 if ends else self._next_row()
        left = _MARGIN + ply * _PLY
        label = self._label(visit)
        width = min(len(label), _LONGEST) * _LETTER + 14
        for place, (branch, end) in enumerate(ends):
            group = self._branch(branch, (left + width, y), (_MARGIN + (ply + 1) * _PLY, end))
            if branch.child is not None:
                group.set("data-node", str(branch.child.number))
            else:
                group.set("data-branch", f"{visit.number} {place}")
        node = ET.SubElement(self._nodes, "g", {"data-node": str(visit.number)})
        ET.SubElement(node, "title").text = _printable("; ".join(self._details(visit)))
        kind = "out" if isinstance(_value(visit), PrunedValue) else "inner" if ends else "leaf"
        at = {"x": f"{left:.1f}", "y": f"{y - _HEIGHT / 2:.1f}", "rx": "5", "class": kind}
        ET.SubElement(node, "rect", {**at, "width": f"{width:.1f}", "height": f"{_HEIGHT:.0f}"})
        _text(node, left + 7, y + 4, _short(label))
        kind = "note rule" if visit.rule else "note"
        _text(node, left, y + _HEIGHT / 2 + 11, _short(note, _LONGEST_NOTE), kind)
        return y

    def _note(self, visit: Visit) -> str:
        """Return what stands below a node: the rule that cut it, or who chooses, with bounds."""
        if visit.rule or visit.note:
            return visit.rule or visit.note
        movers = " ".join(map(str, visit.movers))
        # a pruned node has its bounds in place of a value
        bounds = "" if isinstance(_value(visit), PrunedValue) else self._bounds(visit)
        return f"{movers} {bounds}".strip()

    def _bounds(self, visit: Visit) -> str:
        if self._reasons is None or visit.held is None:
            return ""
        of_all = isinstance(_value(visit), tuple)  # a pruned value is one, too
        return self._reasons.bounds(visit.held, of_all=of_all)

    def _why(self, cut: Cut) -> str:
        return cut.rule if self._reasons is None else f"{cut.rule}: {self._reasons.why(cut)}"

    def _end(self, branch: Branch, ply: int) -> float:
        if branch.child is not None:
            return self._place(branch.child, ply + 1)
        self._plies = max(self._plies, ply + 1)
        return self._next_row()

    def _next_row(self) -> float:
        self._rows += 1
        return self._rows * _ROW + _MARGIN

    def _branch(
        self, branch: Branch, start: tuple[float, float], end: tuple[float, float]
    ) -> ET.Element:
        (left, top), (right, bottom) = start, end
        bend = right - 0.6 * (_PLY - 110)
        line = f"M{left:.1f} {top:.1f} L{bend:.1f} {bottom:.1f} L{right:.1f} {bottom:.1f}"
        kind = "line" if branch.child is not None else "cut"
        group = ET.SubElement(self._lines, "g")
        words = ", ".join(branch.moves)
        if branch.cut is not None and self._reasons is not None:
            words += f"; {self._why(branch.cut)}"
        ET.SubElement(group, "title").text = _printable(words)
        ET.SubElement(group, "path", {"d": line, "class": kind})
        moves = branch.moves[0] if len(branch.moves) == 1 else f"{len(branch.moves)} moves"
        again = ", again" if branch.again else ""
        _text(group, bend + 2, bottom - 4, _short(moves, 13) + again, "note")
        if branch.rule is not None:
            _text(group, right + 4, bottom + 4, branch.rule, "rule")
        return group

    def _label(self, visit: Visit) -> str:
        value = _value(visit)
        if value is None:
            return "" if visit.note else "not finished"
        if isinstance(value, PrunedValue):
            return self._bounds(visit) or "pruned"
        return SIGNS[visit.bound] + written(value)

    def _details(self, visit: Visit) -> Iterator[str]:
        """Yield the lines of text that describe a node."""
        value = _value(visit)
        if isinstance(value, PrunedValue):
            floors = zip(self._roles, value.bounds, strict=True)
            bounds = [f"{role} more than {floor:.4g}" for role, floor in floors if floor > -inf]
            yield f"pruned: not {' and '.join(bounds)}"
        else:
            yield self._label(visit)
        if visit.movers:
            yield f"choice of {', '.join(map(str, visit.movers))}"
        if visit.source in ("estimate", "table"):
            yield {"estimate": "an estimate", "table": "from the table"}[visit.source]
        if held := self._bounds(visit):
            yield f"its moves so far: {held}"
        if visit.cut is not None:
            yield f"cut before any child: {self._why(visit.cut)}"


def _value(visit: Visit) -> object:
    return None if visit.found is None else visit.found.value


def _short(text: str, longest: int = _LONGEST) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "\u2026"


def _text(parent: ET.Element, x: float, y: float, text: str, kind: str = "") -> None:
    place = {"x": f"{x:.1f}", "y": f"{y:.1f}"} | ({"class": kind} if kind else {})
    ET.SubElement(parent, "text", place).text = _printable(text)


def _printable(text: str) -> str:
    return _UNPRINTABLE.sub("\ufffd", text)
