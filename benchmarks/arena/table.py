"""The tables of contests, for terminals and for the documentation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from benchmarks.arena.contest import Standing
from benchmarks.arena.measuring import A, B
from benchmarks.arena.scores import Overall, Tally
from benchmarks.figures import markdown
from ggp.experiments.running.report import Cell, Report, Table, cell_text

__all__ = ["Line", "Tables", "Together", "report", "to_markdown"]

_COLUMNS = (
    "game", "matches", "score %", "error", "95 %", "+", "=", "-", "aim %", "A: s",
    "B: s", "",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a table: how a contest stands, or why it was not played."""

    game: str
    standing: Standing | None
    aim: float | None = None
    note: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the line as JSON values."""
        standing = self.standing.to_json() if self.standing else {}  # names the file of the game
        return {**standing, "game": self.game, "aim": self.aim, "note": self.note}

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The cells of the line."""
        if self.standing is None or not self.standing.measured:
            return (self.game, 0, *[None] * 9, self.note)
        spent = self.standing.thinking
        return (
            self.game,
            *_score(self.standing.tally),
            _percent(self.aim),
            *(_rounded(spent[side].per_move) if side in spent else None for side in (A, B)),
            self.note or _decision(self.standing),
        )


@dataclass(frozen=True, slots=True)
class Together:
    """The last line of a table of two players in several games."""

    tallies: Sequence[Tally]

    def to_json(self) -> dict[str, Any]:
        """Return the line as JSON values."""
        return {"game": None, **Overall(self.tallies).to_json()}

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The cells of the line."""
        played = f"{len(self.tallies)} games"
        return ("together", *_score(Overall(self.tallies)), None, None, None, played)


#: The lines of each table, by its title.
Tables: TypeAlias = Mapping[str, Sequence[Line | Together]]


def report(tables: Tables) -> Report:
    """Return the report of some tables, each with its title."""
    notes = ("the score is that of A, the first player; A: s and B: s are the seconds for a move",)
    made = (
        Table(title, _COLUMNS, tuple(line.cells for line in lines))
        for title, lines in tables.items()
    )
    return Report("Arena", tuple(made), notes)


def to_markdown(tables: Tables) -> Iterator[str]:
    """Yield the lines of the tables in Markdown."""
    for title, lines in tables.items():
        yield from ("", f"### {title}", "")
        yield from markdown(_COLUMNS, [[*map(cell_text, line.cells)] for line in lines])


def _score(tally: Tally | Overall) -> tuple[Cell, ...]:
    """Return the cells from the number of matches to that of losses."""
    interval, found = tally.interval, tally.to_json()
    return (
        tally.games,
        _percent(tally.score),
        _percent(tally.error),
        interval and "{:.0f} to {:.0f}".format(*(100 * end for end in interval)),
        *(found[name] for name in ("wins", "draws", "losses")),
    )


def _percent(share: float | None) -> Cell:
    return None if share is None else round(100 * share, 1)


def _rounded(seconds: float | None) -> Cell:
    return None if seconds is None else float(f"{seconds:.3g}")


def _decision(standing: Standing) -> str:
    """Return what the test has decided, if there is one."""
    test, decision = standing.contest.test, standing.decision
    if test is None or decision is None:
        return ""
    low, high = (f"{100 * bound:.1f} %" for bound in (test.low, test.high))
    return {"high": f"{high} or more", "low": f"{low} or less", "open": "open"}[decision]
