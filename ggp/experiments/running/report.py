"""The report of an experiment: tables for people, and the same cells as JSON for programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import nan
from typing import Any, TypeAlias

from rich import box
from rich.console import Console
from rich.table import Table as RichTable

__all__ = ["Cell", "Report", "Table", "cell_text"]

#: None is shown as a dash: not measured, or not known.
Cell: TypeAlias = str | int | float | bool | None

_DASH = "\N{EN DASH}"


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under the names of their columns."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"{self.title}: {len(self.columns)} columns, but a row of {row}")

    def column(self, name: str) -> list[Cell]:
        """Return the cells of a column. Raises `ValueError` if there is no such column."""
        number = self.columns.index(name)
        return [row[number] for row in self.rows]

    def numbers(self, name: str) -> list[float]:
        """Return the cells of a column as a plot takes them, with nan for None.

        Raises:
            ValueError: there is no such column, or there is text in it.
        """
        return [nan if cell is None else float(cell) for cell in self.column(name)]

    def to_json(self) -> dict[str, Any]:
        """Return the table as JSON values, each row by the names of its columns."""
        rows = [dict(zip(self.columns, row, strict=True)) for row in self.rows]
        return {"title": self.title, "columns": list(self.columns), "rows": rows}


@dataclass(frozen=True, slots=True)
class Report:
    """The report of an experiment about all that was measured so far."""

    title: str
    tables: tuple[Table, ...]
    #: Sentences below the tables.
    notes: tuple[str, ...] = ()
    #: Texts to write beside the report, by the names of their files.
    files: Mapping[str, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return title, tables and notes as JSON values."""
        tables = [table.to_json() for table in self.tables]
        return {"title": self.title, "tables": tables, "notes": list(self.notes)}

    def print(self, console: Console) -> None:
        """Print the report for people."""
        console.print(self.title, style="bold")
        for table in self.tables:
            console.print(_laid_out(table))
        for note in self.notes:
            console.print(f"- {note}")


def _laid_out(table: Table) -> RichTable:
    made = RichTable(title=table.title, title_justify="left", box=box.SIMPLE)
    for name, cells in zip(table.columns, _columns(table), strict=True):
        is_text = any(isinstance(cell, str) for cell in cells)
        made.add_column(name, justify="left" if is_text else "right", overflow="fold")
    for row in table.rows:
        made.add_row(*map(cell_text, row))
    return made


def _columns(table: Table) -> Iterator[Sequence[Cell]]:
    return ([row[i] for row in table.rows] for i in range(len(table.columns)))


def cell_text(cell: Cell) -> str:
    """Return the text of a cell: 12,345 and 1.234, with all digits before the point.

    >>> [cell_text(cell) for cell in (12345, 12345.6, 1.2345678, 0.00012, True)]
    ['12,345', '12,346', '1.235', '0.00012', 'yes']
    """
    match cell:
        case None:
            return _DASH
        case bool():
            return "yes" if cell else "no"
        case float() if abs(cell) >= 1000:
            return f"{cell:,.0f}"
        case float():
            return f"{cell:.4g}"
        case int():
            return f"{cell:,}"
    return cell
