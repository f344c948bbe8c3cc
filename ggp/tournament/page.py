"""Writes the standings of a tournament into its folder: a web page, and tables for programs."""

from __future__ import annotations

import csv
import io
import json
import math
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined

from ggp.tournament.plan import Plan
from ggp.tournament.standings import Rating, Standings
from ggp.tournament.store import ERRORS, Result

__all__ = ["write_pages"]

#: The size of a plot in SVG units, with margins for the scales at the left and below.
_WIDTH, _HEIGHT, _LEFT, _BELOW = 720, 280, 40, 24


@dataclass(frozen=True, slots=True)
class _Line:
    """The plot of one player's rating."""

    player: str
    hue: float
    #: The points of the line, in the syntax of SVG.
    points: str
    #: The vertical position of the player's name beside the end of the line.
    y: float


@dataclass(frozen=True, slots=True)
class _Plot:
    """The plot of the ratings of all players."""

    lines: tuple[_Line, ...]
    #: (position, number) of the marks of the scales.
    x_marks: tuple[tuple[float, int], ...]
    y_marks: tuple[tuple[float, int], ...]
    width: int = _WIDTH
    height: int = _HEIGHT
    left: int = _LEFT
    bottom: int = _HEIGHT - _BELOW


def write_pages(folder: Path, standings: Standings, results: Iterable[Result]) -> None:
    """Write index.html, standings.json, standings.csv and matches.csv. Raises `OSError`.

    Each file is replaced at once: a reader gets the whole old file or the whole new one.
    """
    # Names of games and players are escaped: they may contain anything.
    environment = Environment(
        loader=PackageLoader("ggp.tournament", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    page = environment.get_template("page.html").render(
        standings=standings, plan=standings.plan, errors=ERRORS, plot=_plot(standings)
    )
    rows = [standing.to_dict() for standing in standings.players]
    _write(folder / "index.html", page)
    _write(folder / "standings.json", json.dumps(standings.to_dict(), indent=1) + "\n")
    _write(folder / "standings.csv", _table([rows[0], *(row.values() for row in rows)]))
    _write(folder / "matches.csv", _table(_matches(standings.plan, results)))


def _matches(plan: Plan, results: Iterable[Result]) -> Iterator[tuple[object, ...]]:
    """Yield the column headings, then a row for each seat of each match."""
    yield "match", "id", "round", "game", "seat", "player", "goal", "moves", *ERRORS, "remark"
    names = plan.player_names
    for result in results:
        fixture = result.fixture
        for seat, player in enumerate(fixture.players):
            yield (
                fixture.number,
                result.match_id,
                fixture.round + 1,
                plan.games[fixture.game].name,
                seat + 1,
                names[player],
                None if result.goals is None else result.goals[seat],
                result.moves,
                *(result.errors[seat].get(error, 0) for error in ERRORS),
                result.remark,
            )


def _table(rows: Iterable[Iterable[object]]) -> str:
    text = io.StringIO(newline="")
    csv.writer(text).writerows(rows)
    return text.getvalue()


def _plot(standings: Standings) -> _Plot:
    """Draw the ratings against the number of matches played by all."""
    last = max(1, standings.settled)
    means = [rating.mean for history in standings.ratings for _, rating in history]
    low, high = min(means) - 1, max(means) + 1

    def x(match: float) -> float:
        return round(_LEFT + (_WIDTH - _LEFT) * match / last, 1)

    def y(mean: float) -> float:
        return round((_HEIGHT - _BELOW) * (high - mean) / (high - low), 1)

    def corners(history: Iterable[tuple[int, Rating]]) -> str:
        return " ".join(f"{x(match)},{y(rating.mean)}" for match, rating in history)

    count = len(standings.players)
    heights = _spread([y(history[-1][1].mean) for history in standings.ratings])
    return _Plot(
        lines=tuple(
            _Line(
                standing.player,
                hue=round(360 * index / count),
                points=corners(history),
                y=height,
            )
            for index, (standing, history, height) in enumerate(
                zip(standings.players, standings.ratings, heights, strict=True)
            )
        ),
        x_marks=tuple((x(mark), mark) for mark in _marks(0, last)),
        y_marks=tuple((y(mark), mark) for mark in _marks(low, high)),
    )


def _spread(heights: Sequence[float]) -> list[float]:
    """Move heights apart as far as lines of text need, or as there is room."""
    bottom = float(_HEIGHT - _BELOW)
    gap = min(13.0, bottom / max(1, len(heights)))
    order = sorted(range(len(heights)), key=lambda index: heights[index])
    spread = list(heights)
    lowest = -gap
    for index in order:
        lowest = spread[index] = max(spread[index], lowest + gap)
    highest = bottom + gap
    for index in reversed(order):
        highest = spread[index] = min(spread[index], highest - gap)
    return [round(height, 1) for height in spread]


def _marks(low: float, high: float) -> list[int]:
    """Return some round numbers between two numbers."""
    steps = (digit * 10**power for power in range(10) for digit in (1, 2, 5))
    step = next(step for step in steps if (high - low) / step <= 6)
    return list(range(math.ceil(low / step) * step, math.floor(high) + 1, step))


def _write(path: Path, text: str) -> None:
    """Replace a file atomically."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.write_text(text, encoding="utf-8", newline="")
    draft.replace(path)
