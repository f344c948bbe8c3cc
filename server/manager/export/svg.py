"""A picture as SVG."""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

from ggp.server.manager.export.palette import colour
from ggp.server.manager.export.picture import Circle, Line, Picture, Polygon, Shape

__all__ = ["to_svg"]

#: Pixels for the width of a cell.
_CELL = 56


def to_svg(picture: Picture, *, title: str) -> str:
    """Return the text of an SVG file; `title` is read by screen readers."""
    width, height = picture.width * _CELL, picture.height * _CELL
    shapes = "\n".join(map(_element, picture.shapes))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {picture.width:.3f} {picture.height:.3f}" role="img" '
        f'aria-label={quoteattr(title)} font-family="DejaVu Sans, Segoe UI Symbol, sans-serif">\n'
        f"<title>{escape(title)}</title>\n"
        f'<rect width="100%" height="100%" fill="{colour("page")}"/>\n{shapes}\n</svg>\n'
    )


def _element(shape: Shape) -> str:
    match shape:
        case Polygon():
            points = " ".join(f"{x:.3f},{y:.3f}" for x, y in shape.points)
            return f'<polygon points="{points}" {_paint(shape.fill, shape.edge)}/>'
        case Circle():
            at = f'cx="{shape.x:.3f}" cy="{shape.y:.3f}" r="{shape.radius:.3f}"'
            return f"<circle {at} {_paint(shape.fill, shape.edge)}/>"
        case Line():
            (x, y), (u, v) = shape.start, shape.end
            ends = f'x1="{x:.3f}" y1="{y:.3f}" x2="{u:.3f}" y2="{v:.3f}"'
            return f"<line {ends} {_paint('none', shape.edge)}/>"
    anchor = "start" if shape.is_left else "middle"
    return (
        f'<text x="{shape.x:.3f}" y="{shape.y:.3f}" font-size="{shape.size:.3f}" '
        f'fill="{shape.fill}" text-anchor="{anchor}" dominant-baseline="central">'
        f"{escape(shape.text)}</text>"
    )


def _paint(fill: str, edge: str) -> str:
    return f'fill="{fill}" stroke="{edge}" stroke-width="0.025"'
