"""The table of contests."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.arena.contest import Standing
from benchmarks.arena.measuring import A, B
from ggp.experiments.running.report import Cell, Report, Table

__all__ = ["tabulate"]

_COLUMNS = (
    "game", "A", "B", "games", "score %", "error", "95 %", "+ = -",
    "A, s a move", "B, s a move", "test",
)  # fmt: skip


def tabulate(standings: Sequence[Standing]) -> Report:
    """Return the table of some contests."""
    return Report("Scores of A", (Table("contests", _COLUMNS, tuple(map(_row, standings))),))


def _row(standing: Standing) -> tuple[Cell, ...]:
    pairing, tally, spent = standing.contest.pairing, standing.tally, standing.thinking
    found = tally.to_json()
    interval = tally.interval
    return (
        pairing.game,
        pairing.a,
        pairing.b,
        tally.games,
        None if tally.score is None else 100 * tally.score,
        None if tally.error is None else 100 * tally.error,
        None if interval is None else "{:.0f} to {:.0f}".format(*(100 * end for end in interval)),
        "{wins} {draws} {losses}".format(**found),
        *(spent[side].per_move if side in spent else None for side in (A, B)),
        standing.decision,
    )
