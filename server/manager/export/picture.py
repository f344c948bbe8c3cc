"""A state as shapes: polygons, circles, lines and texts, which SVG and GIF are drawn from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import cos, pi, sin
from typing import Any, TypeAlias

from ggp.server.manager.export.palette import colour

__all__ = ["Circle", "Line", "Picture", "Polygon", "Shape", "Text", "picture_of"]

_GAP = 0.6
_ROW = 0.5
#: The contents of a cell that are named in a corner, and the cards in a row.
_MAX_NOTES = 2
#: How < and > lie between cells whose second is to the right, above, to the left or below.
_SIGNS = {"<": "<\u2228>\u2227", ">": ">\u2227<\u2228"}
#: The fill and the edge of cells by the look of their board; the holes of a frame, and what light
#: and dark cells are where pieces lie on dark ones only. The stylesheet has the same.
_FILLS = {"frame": ("#2456a8", "#2456a8"), "felt": ("#2e7d4f", "#1f5a38")}
_HOLE, _DARK = "#f3f1ea", {False: ("#ecdcc0", "#6d4a30"), True: ("#8f6343", "#6d4a30")}


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
    for number, board in enumerate(layout["boards"]):
        across, down = _extent(board)
        left = 0.3 - across[0]
        base = top + down[1]
        borders = [each for each in scene.get("borders", ()) if each["board"] == number]
        drawn = (*_board(board, scene["cells"]), *_borders(borders))
        shapes += [_moved(shape, left, base) for shape in drawn]
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
        look = board.get("look", "")
        if "bar" in spot:
            yield from _bar(spot, cells.get(spot["id"], ()))
            continue
        yield from _cell(board["shape"], spot["x"], spot["y"], look)
        yield from _contents(spot, cells.get(spot["id"], ()), look)


def _borders(borders: Sequence[Mapping[str, Any]]) -> Iterator[Shape]:
    """Yield the walls, lines and signs between cells, and what boxes of lines hold."""
    for border in borders:
        (x, y), (u, v) = border["from"], border["to"]
        middle = (x + u) / 2, (y + v) / 2
        tone = colour("text" if border["tone"] == "plain" else f"tone-{border['tone']}")
        match border["style"]:
            case "line":
                yield Line((x, y), (u, v), tone)
            case "wall" | "corner":
                # Across the way from one cell to the other; between columns at a corner.
                a, b = (0.0, 1.0) if border["style"] == "corner" else ((y - v) / 2, (u - x) / 2)
                yield Line((middle[0] - a, middle[1] - b), (middle[0] + a, middle[1] + b), tone)
            case "box":
                yield Text(*middle, border["label"], 0.34, tone)
            case sign:
                yield Text(*middle, _SIGNS[sign][_way(u - x, v - y)], 0.3, colour("text"))


def _way(x: float, y: float) -> int:
    """Return 0 for a step to the right, 1 for up, 2 for left, 3 for down."""
    return (0 if x > 0 else 2) if abs(x) > abs(y) else (1 if y > 0 else 3)


def _bar(spot: Mapping[str, Any], items: Sequence[Mapping[str, Any]]) -> Iterator[Shape]:
    """Yield a cell that is a line between two points."""
    start, end = map(tuple, spot["bar"])
    is_held = any(not item["blank"] for item in items)
    yield Line(start, end, colour("text" if is_held else "cell-line"))
    for x, y in (start, end):
        yield Circle(x, y, 0.08, colour("text"), colour("text"))


def _cell(shape: str, x: float, y: float, look: str) -> Iterator[Shape]:
    """Yield a cell as the stylesheet draws it."""
    edge = colour("cell-line")
    if shape == "dot":
        yield Circle(x, y, 0.12, colour("text"), colour("text"))
        return
    if shape == "round":
        yield Circle(x, y, 0.36, colour("cell"), edge)
        return
    if shape == "hex":
        corners = [(pi / 6 + pi / 3 * corner) for corner in range(6)]
        points = tuple((x + 0.577 * cos(angle), y + 0.577 * sin(angle)) for angle in corners)
        yield Polygon(points, colour("cell"), edge)
        return
    is_odd = (round(x) + round(y)) % 2 != 0
    points = ((x - 0.5, y - 0.5), (x + 0.5, y - 0.5), (x + 0.5, y + 0.5), (x - 0.5, y + 0.5))
    fill = colour("cell-2" if is_odd else "cell")
    if look in _FILLS:
        fill, edge = _FILLS[look]
    elif look.startswith("dark-"):
        fill, edge = _DARK[is_odd == (look == "dark-1")]
    yield Polygon(points, fill, edge)
    if look == "frame":
        yield Circle(x, y, 0.4, _HOLE, fill)


def _contents(spot: Mapping[str, Any], items: Any, look: str) -> Iterator[Shape]:
    x, y = spot["x"], spot["y"]
    shown = [item for item in items if not item["blank"]]
    pieces = [item for item in shown if item["kind"] == "piece"]
    notes = [item["label"] for item in shown if item["kind"] != "piece"]
    for number, item in enumerate(pieces):
        at, radius = ((x, y), 0.38) if not number else ((x + 0.26, y - 0.26), 0.2)
        tone = item["tone"]
        is_stroke = look == "strokes" and tone != "plain"
        if tone != "plain" and not is_stroke:
            yield Circle(*at, radius, colour(f"tone-{tone}"), colour("muted"))
        ink = colour("text" if tone == "plain" else f"{'tone' if is_stroke else 'on'}-{tone}")
        label = item["label"]
        size = (1.9 if is_stroke else 1.1) * radius / max(1.0, 0.62 * len(label))
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
