"""The plot of the ratings against the matches played, as numbers for a drawing in SVG."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from ggp.tournament.standings import Rating, Standings

__all__ = ["Plot", "plot"]

#: The size in SVG units, with margins for the scales at the left and below. A phone shows it at two
#: thirds of this size, so the scales are written large.
_WIDTH, _HEIGHT, _LEFT, _BELOW, _MARGIN = 480, 260, 36, 24, 12


@dataclass(frozen=True, slots=True)
class Plot:
    """The plot of the ratings of all players."""

    #: For each player, in the order of the standings, the hue of its line in degrees.
    hues: tuple[int, ...]
    #: For each player, the points of its line, in the syntax of SVG.
    lines: tuple[str, ...]
    #: (position, number) of the marks of the scales.
    x_marks: tuple[tuple[float, int], ...]
    y_marks: tuple[tuple[float, int], ...]
    width: int = _WIDTH
    height: int = _HEIGHT
    left: int = _LEFT
    right: int = _WIDTH - _MARGIN
    bottom: int = _HEIGHT - _BELOW


def plot(standings: Standings) -> Plot:
    """Draw the ratings against the number of matches played by all."""
    last = max(1, standings.settled)
    means = [rating.mean for history in standings.ratings for _, rating in history]
    low, high = min(means) - 1, max(means) + 1

    def x(match: float) -> float:
        return round(_LEFT + (_WIDTH - _LEFT - _MARGIN) * match / last, 1)

    def y(mean: float) -> float:
        return round(_MARGIN + (_HEIGHT - _BELOW - _MARGIN) * (high - mean) / (high - low), 1)

    def corners(history: Iterable[tuple[int, Rating]]) -> str:
        return " ".join(f"{x(match)},{y(rating.mean)}" for match, rating in history)

    count = len(standings.players)
    return Plot(
        hues=tuple(round(360 * index / count) for index in range(count)),
        lines=tuple(map(corners, standings.ratings)),
        x_marks=tuple((x(mark), mark) for mark in _marks(0, last)),
        y_marks=tuple((y(mark), mark) for mark in _marks(low, high)),
    )


def _marks(low: float, high: float) -> list[int]:
    """Return some round numbers between two numbers."""
    steps = (digit * 10**power for power in range(10) for digit in (1, 2, 5))
    step = next(step for step in steps if (high - low) / step <= 6)
    return list(range(math.ceil(low / step) * step, math.floor(high) + 1, step))
