"""Draws the states of one game as SVG."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib.resources import files
from math import atan2, degrees
from textwrap import wrap
from typing import Any

from ggp.deadline import Deadline
from ggp.kif import Term
from ggp.reasoner import Reasoner
from ggp.server.manager.drawing.declared import find_drawing
from ggp.server.manager.drawing.layout import Layout
from ggp.server.manager.drawing.pieces import Looks
from ggp.server.manager.drawing.play import random_lines
from ggp.server.manager.drawing.scene import scene_of

__all__ = ["Picture", "picture_of"]

# Seconds of random play, which shows how facts behave.
_LEARNING = 2.0
# Pixels of a cell, of the margin around boards, and of a line of text.
_CELL, _MARGIN, _LINE = 40, 8, 18
# The share of a cell that a piece takes, and characters in a line of text.
_PIECE, _WIDTH = 0.8, 60
_HEXAGON = ((0.5, 0), (1, 0.25), (1, 0.75), (0.5, 1), (0, 0.75), (0, 0.25))
# Programs that take Arial for sans-serif, as resvg does, find another font where there is no Arial.
_FONT = "font-family:sans-serif,'DejaVu Sans','Liberation Sans','Noto Sans',Helvetica"


@dataclass(frozen=True)
class Picture:
    """How the states of a game are drawn: boards one below the other, then hands and other facts.

    The colours are those of the manager's pages.
    """

    layout: Layout
    looks: Looks

    def svg(self, facts: Iterable[Term]) -> str:
        """Return a state, given its facts, as one SVG element."""
        scene = scene_of(facts, self.layout, self.looks)
        parts: list[str] = []
        height, width = 0.0, 2.0 * _MARGIN
        boards = self.layout.to_json()["boards"]
        for number, board in enumerate(boards):
            if board["spots"]:
                borders = [each for each in scene["borders"] if each["board"] == number]
                drawn, across, down = _board(board, scene["cells"], borders, height)
                parts.append(drawn)
                width, height = max(width, across), height + down
        lines = [part for text in _texts(scene, boards) for part in wrap(text, _WIDTH)]
        for line in lines:
            height += _LINE
            parts.append(_text(line, _MARGIN, height, 13, anchor="start", colour="#555"))
            width = max(width, 2 * _MARGIN + 7.5 * len(line))
        height = max(height + _MARGIN * bool(lines), 2 * _MARGIN)  # also where nothing is true
        size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
        return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{"".join(parts)}</svg>'

    def texts(self, facts: Iterable[Term]) -> list[str]:
        """Return the texts below the boards of a state: hands, and what is on no board."""
        scene = scene_of(facts, self.layout, self.looks)
        return list(_texts(scene, self.layout.to_json()["boards"]))


def picture_of(reasoner: Reasoner, *, declared: str = "") -> Picture:
    """Find how a game is drawn, by its rules and some random play, which takes a second or two.

    Args:
        reasoner: the game.
        declared: the drawing that its author declares, the text of `NAME.json` (docs/drawing.md).

    Raises:
        SourceError: what is declared is no drawing of this game.
    """
    lines = random_lines(reasoner, deadline=Deadline.after(_LEARNING))
    return Picture(*find_drawing(reasoner.description, lines, declared))


def _board(
    board: dict[str, Any],
    cells: dict[str, Sequence[dict[str, Any]]],
    borders: Sequence[dict[str, Any]],
    top: float,
) -> tuple[str, float, float]:
    """Return a board below a line, its width and its height."""
    at = [*board["spots"], *board["captions"]]
    left, high = min(each["x"] for each in at) - 0.6, max(each["y"] for each in at) + 0.6
    right, low = max(each["x"] for each in at) + 0.6, min(each["y"] for each in at) - 0.6

    def place(x: float, y: float) -> tuple[float, float]:
        return _MARGIN + (x - left) * _CELL, top + _MARGIN + (high - y) * _CELL

    places = {spot["id"]: place(spot["x"], spot["y"]) for spot in board["spots"]}
    parts = [_line(places[one], places[other]) for one, other in board["edges"]]
    for caption in board["captions"]:
        x, y = place(caption["x"], caption["y"])
        parts.append(_text(caption["text"], x, y + 4, 12, colour="#555"))
    for spot in board["spots"]:
        is_odd = board["shape"] == "square" and (round(spot["x"]) + round(spot["y"])) % 2 != 0
        shown = [item for item in cells.get(spot["id"], ()) if not item["blank"]]
        if "bar" in spot:
            parts += _bar(*(place(*end) for end in spot["bar"]), is_held=bool(shown))
            continue
        tiles = [item["tone"] for item in shown if item["kind"] == "tile"]
        fill = f"tone-{tiles[0]}" if tiles else "cell-2" if is_odd else "cell"
        parts.append(_spot(board["shape"], *places[spot["id"]], fill=_colour(fill)))
        parts += _contents(shown, *places[spot["id"]])
    for border in borders:
        parts.append(_border(border, place(*border["from"]), place(*border["to"])))
    return "".join(parts), 2 * _MARGIN + (right - left) * _CELL, 2 * _MARGIN + (high - low) * _CELL


def _bar(one: tuple[float, float], other: tuple[float, float], *, is_held: bool) -> Iterator[str]:
    """Draw a cell that is a line between two dots, which is dark where something is in it."""
    yield _line(one, other, is_border=is_held)
    for x, y in (one, other):
        yield _dot(x, y)


def _dot(x: float, y: float) -> str:
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{0.1 * _CELL:.1f}" fill="#222"/>'


def _spot(shape: str, x: float, y: float, *, fill: str) -> str:
    line = f'stroke="{_colour("cell-line")}"'
    if shape == "square":
        corner = f'x="{x - _CELL / 2:.1f}" y="{y - _CELL / 2:.1f}"'
        return f'<rect {corner} width="{_CELL}" height="{_CELL}" fill="{fill}" {line}/>'
    if shape == "dot":
        return _dot(x, y)
    if shape == "round":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{0.36 * _CELL:.1f}" fill="{fill}" {line}/>'
    tall = _CELL * 2 / 3**0.5
    corners = " ".join(
        f"{x + (u - 0.5) * _CELL:.1f},{y + (v - 0.5) * tall:.1f}" for u, v in _HEXAGON
    )
    return f'<polygon points="{corners}" fill="{fill}" {line}/>'


def _contents(items: Sequence[dict[str, Any]], x: float, y: float) -> Iterator[str]:
    """Draw what is in a cell: pieces side by side, then marks and notes as text."""
    pieces = [item for item in items if item["kind"] == "piece"]
    size = _PIECE * _CELL / max(1, len(pieces))
    for number, item in enumerate(pieces):
        centre = x + (number - (len(pieces) - 1) / 2) * size
        fill, ink = _colour(f"tone-{item['tone']}"), _colour(f"on-{item['tone']}")
        if item["tone"] != "plain":
            circle = f'cx="{centre:.1f}" cy="{y:.1f}" r="{size / 2:.1f}"'
            yield f'<circle {circle} fill="{fill}" stroke="{_colour("cell-line")}"/>'
        letters = max(1, len(item["label"]))
        height = min(0.6 * size, 1.5 * size / letters)
        yield _text(item["label"], centre, y + 0.35 * height, height, colour=ink, of=item["text"])
    others = [item for item in items if item["kind"] != "piece" and item["label"]]
    if others:
        text = " ".join(item["label"] for item in others)
        height = min(0.3 * _CELL, 1.5 * _CELL / len(text))
        below = 0.42 * _CELL if pieces else 0.35 * height
        tiles = [item["tone"] for item in items if item["kind"] == "tile"]
        ink = _colour(f"on-{tiles[0]}") if tiles else "#555"
        yield _text(text, x, y + below, height, colour=ink)


def _border(border: dict[str, Any], one: tuple[float, float], other: tuple[float, float]) -> str:
    """Return what lies between two cells, whose centres are given: a wall, a line or a text."""
    middle = (one[0] + other[0]) / 2, (one[1] + other[1]) / 2
    if border["style"] == "line":
        return _line(one, other, is_border=True)
    if border["style"] in ("wall", "corner"):
        # Where cells touch at a corner, the wall passes between their columns.
        x, y = (other[1] - one[1]) / 2, (one[0] - other[0]) / 2
        x, y = (0.0, _CELL) if border["style"] == "corner" else (x, y)
        ends = (middle[0] - x, middle[1] - y), (middle[0] + x, middle[1] + y)
        return _line(*ends, is_border=True)
    text = border["label"] if border["style"] == "box" else border["style"]
    across, down = other[0] - one[0], other[1] - one[1]
    turned = degrees(atan2(down, across)) if border["style"] != "box" else 0
    shown = _text(text, middle[0], middle[1] + 5, 14, of=border["text"])
    return f'<g transform="rotate({turned:.0f} {middle[0]:.1f} {middle[1]:.1f})">{shown}</g>'


def _texts(scene: dict[str, Any], boards: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield lines of text: hands, facts that are on no board, and those that a board hides."""
    for hand in scene["hands"]:
        cards = " ".join(card["text"] for card in hand["cards"])
        yield f"{hand['name']} {hand['owner']}: {cards}"
    for facts in scene["table"]:
        rows = ", ".join(" ".join(row) for row in facts["rows"])
        more = f" and {facts['more']} more" if facts["more"] else ""
        yield f"{facts['name']} {rows}{more}".strip()
    for board in boards:
        yield from _hidden(board["spots"], scene["cells"])


def _hidden(
    spots: Sequence[dict[str, Any]], cells: dict[str, Sequence[dict[str, Any]]]
) -> Iterator[str]:
    """Yield what is true of cells that look empty, unless it is so of all such cells, or of all."""
    blank: dict[str, list[str]] = {}
    looks_empty = []
    for spot in spots:
        items = cells.get(spot["id"], ())
        if all(item["blank"] for item in items):
            looks_empty.append(spot["name"])
        for item in items:
            if item["blank"]:
                told = " ".join(dict.fromkeys((item["form"], item["text"])))
                blank.setdefault(told, []).append(spot["name"])
    for told, names in blank.items():
        if names != looks_empty and len(names) < len(spots):
            yield f"{told}: {', '.join(names)}"


def _line(one: tuple[float, float], other: tuple[float, float], *, is_border: bool = False) -> str:
    places = f'x1="{one[0]:.1f}" y1="{one[1]:.1f}" x2="{other[0]:.1f}" y2="{other[1]:.1f}"'
    look = ("#222", 4) if is_border else (_colour("cell-line"), 2)
    return f'<line {places} stroke="{look[0]}" stroke-width="{look[1]}"/>'


def _text(
    text: str,
    x: float,
    y: float,
    size: float,
    *,
    anchor: str = "middle",
    colour: str = "#222",
    of: str = "",
) -> str:
    title = f"<title>{escape(of)}</title>" if of and of != text else ""
    style = f'style="{_FONT}" font-size="{size:.1f}" text-anchor="{anchor}" fill="{colour}"'
    return f'<text x="{x:.1f}" y="{y:.1f}" {style}>{title}{escape(text)}</text>'


@cache
def _colours() -> dict[str, str]:
    """Read the colours of the manager's pages."""
    sheet = files("ggp.server.manager").joinpath("static", "board.css").read_text("utf-8")
    found = re.findall(r"--([\w-]+): (#[0-9a-f]+);", sheet)
    return dict(reversed(found))  # those of the dark theme come last in the sheet


def _colour(name: str) -> str:
    return _colours().get(name, "#222")
