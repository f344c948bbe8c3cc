"""A state as shapes: polygons, circles, lines and texts, which SVG and GIF are drawn from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import cos, pi, sin
from typing import Any, TypeAlias

from ggp.server.manager.export.palette import colour

__all__ = ["Circle", "Line", "Picture", "Polygon", "Shape", "Text", "picture_of"]

_GAP = 0.6
_ROW = 0.5
#: The contents of a cell that are named in a corner, and the cards in a row.
_MAX_NOTES = 2


@dataclass(frozen=True, slots=True)
class Polygon:
    """A filled polygon."""

    points: tuple[tuple[float, float], ...]
    fill: str
    edge: str


@dataclass(frozen=True, slots=True)
class Circle:
    """A filled circle."""

    x: float
    y: float
    radius: float
    fill: str
    edge: str


@dataclass(frozen=True, slots=True)
class Line:
    """A line between two points."""

    start: tuple[float, float]
    end: tuple[float, float]
    edge: str


@dataclass(frozen=True, slots=True)
class Text:
    """A text; x and y are its middle, or its left end."""

    x: float
    y: float
    text: str
    size: float
    fill: str
    is_left: bool = False


Shape: TypeAlias = Polygon | Circle | Line | Text


@dataclass(frozen=True)
class Picture:
    """Shapes; lengths are in widths of a cell, x points to the right and y down, from 0, 0."""

    width: float
    height: float
    shapes: tuple[Shape, ...]


def picture_of(layout: Mapping[str, Any], scene: Mapping[str, Any], *, title: str = "") -> Picture:
    """Draw a state.

    Args:
        layout: as `Layout.to_json` returns it.
        scene: as `scene_of` returns it.
        title: a line above the board.
    """
    shapes: list[Shape] = []
    width, top = 1.0, 0.3
    if title:
        shapes.append(Text(0.3, top + 0.15, title, 0.34, colour("text"), is_left=True))
        top += 0.6
        width = max(width, 0.2 * len(title))
    for board in layout["boards"]:
        across, down = _extent(board)
        left = 0.3 - across[0]
        base = top + down[1]
        shapes += [_moved(shape, left, base) for shape in _board(board, scene["cells"])]
        width = max(width, across[1] - across[0] + 0.6)
        top += down[1] - down[0] + _GAP
    for line, tone in _lines(scene):
        shapes.append(Text(0.3, top, line, 0.3, colour(tone), is_left=True))
        width = max(width, 0.18 * len(line) + 0.6)
        top += _ROW
    return Picture(width, top, tuple(shapes))


def _extent(board: Mapping[str, Any]) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return the ranges of x and y; y points up."""
    xs = [spot["x"] for spot in board["spots"]]
    ys = [spot["y"] for spot in board["spots"]]
    captions = board["captions"]
    left = min([x - 0.6 for x in xs] + [caption["x"] - 0.3 for caption in captions])
    right = max([x + 0.6 for x in xs] + [caption["x"] + 0.3 for caption in captions])
    low = min([y - 0.6 for y in ys] + [caption["y"] - 0.3 for caption in captions])
    high = max([y + 0.6 for y in ys] + [caption["y"] + 0.3 for caption in captions])
    return (left, right), (low, high)


def _board(board: Mapping[str, Any], cells: Mapping[str, Any]) -> Iterator[Shape]:
    """Yield the shapes of a board, whose y still points up."""
    places = {spot["id"]: (spot["x"], spot["y"]) for spot in board["spots"]}
    for one, other in board["edges"]:
        yield Line(places[one], places[other], colour("cell-line"))
    for caption in board["captions"]:
        yield Text(caption["x"], caption["y"], caption["text"], 0.28, colour("muted"))
    for spot in board["spots"]:
        yield _cell(board["shape"], spot["x"], spot["y"])
        yield from _contents(spot, cells.get(spot["id"], ()))


def _cell(shape: str, x: float, y: float) -> Shape:
    edge = colour("cell-line")
    if shape == "round":
        return Circle(x, y, 0.36, colour("cell"), edge)
    if shape == "hex":
        corners = [(pi / 6 + pi / 3 * corner) for corner in range(6)]
        points = tuple((x + 0.577 * cos(angle), y + 0.577 * sin(angle)) for angle in corners)
        return Polygon(points, colour("cell"), edge)
    is_odd = (round(x) + round(y)) % 2 != 0
    points = ((x - 0.5, y - 0.5), (x + 0.5, y - 0.5), (x + 0.5, y + 0.5), (x - 0.5, y + 0.5))
    return Polygon(points, colour("cell-2" if is_odd else "cell"), edge)


def _contents(spot: Mapping[str, Any], items: Any) -> Iterator[Shape]:
    x, y = spot["x"], spot["y"]
    shown = [item for item in items if not item["blank"]]
    pieces = [item for item in shown if item["kind"] == "piece"]
    notes = [item["label"] for item in shown if item["kind"] != "piece"]
    for number, item in enumerate(pieces):
        at, radius = ((x, y), 0.38) if not number else ((x + 0.26, y - 0.26), 0.2)
        tone = item["tone"]
        if tone != "plain":
            yield Circle(*at, radius, colour(f"tone-{tone}"), colour("muted"))
        ink = colour("text" if tone == "plain" else f"on-{tone}")
        label = item["label"]
        size = 1.1 * radius / max(1.0, 0.62 * len(label))
        yield Text(*at, label, size, ink)
    if notes:
        yield Text(x, y + 0.36, " ".join(notes[:_MAX_NOTES]), 0.2, colour("muted"))


def _lines(scene: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for hand in scene["hands"]:
        owner = f"{hand['owner']}: " if hand["owner"] else ""
        cards = " ".join(card["text"] for card in hand["cards"])
        yield f"{owner}{cards or hand['name']}", "text"
    if not scene["cells"] and not scene["hands"]:
        for facts in scene["table"]:
            rows = ", ".join(" ".join(row) for row in facts["rows"])
            yield f"{facts['name']}: {rows}"[:90], "text"


def _moved(shape: Shape, left: float, base: float) -> Shape:
    """Return a shape in the picture's coordinates, whose y points down."""
    match shape:
        case Polygon():
            points = tuple((x + left, base - y) for x, y in shape.points)
            return Polygon(points, shape.fill, shape.edge)
        case Circle():
            return Circle(shape.x + left, base - shape.y, shape.radius, shape.fill, shape.edge)
        case Line():
            (x, y), (u, v) = shape.start, shape.end
            return Line((x + left, base - y), (u + left, base - v), shape.edge)
        case Text():
            return Text(shape.x + left, base - shape.y, shape.text, shape.size, shape.fill)
