"""Plots as SVG, drawn by matplotlib (extra `ggp[plots]`)."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["figure_svg"]


def figure_svg(draw: Callable[[Figure], None], *, size: tuple[float, float], name: str) -> bytes:
    """Return a figure as SVG; the same numbers produce the same file.

    Args:
        draw: draws the figure.
        size: width and height in inches.
        name: tells the parts of this figure from those of others on one page.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context({"svg.hashsalt": name}):
        figure = Figure(figsize=size, layout="constrained")
        draw(figure)
        file = io.BytesIO()
        figure.savefig(file, format="svg", metadata={"Date": None})
    return file.getvalue()
