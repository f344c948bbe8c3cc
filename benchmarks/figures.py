"""Figures in a page of the documentation, which a program replaces."""

from __future__ import annotations

import platform
import shlex
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import click

__all__ = [
    "BEGIN",
    "END",
    "check_page",
    "command_line",
    "machine",
    "markdown",
    "marks",
    "write_page",
]


def marks(name: str = "") -> tuple[str, str]:
    """Return the lines of a page between which figures stand.

    Args:
        name: of these figures, where a page has several; "" for those that have none.
    """
    what = f"figures of {name}" if name else "figures"
    return f"<!-- {what}: begin -->", f"<!-- {what}: end -->"


#: The figures without a name stand between these lines of a page.
BEGIN, END = marks()


def check_page(page: Path, *, name: str = "") -> None:
    """Raise `click.UsageError` unless the page has a place for figures of this name."""
    begin, end = marks(name)
    if not {begin, end} <= set(page.read_text(encoding="utf-8").splitlines()):
        raise click.UsageError(f"{page} has no lines {begin} and {end}")


def write_page(page: Path, lines: Iterable[str], *, name: str = "") -> None:
    """Replace what stands between the two marks of this name."""
    begin, end = marks(name)
    before, _, rest = page.read_text(encoding="utf-8").partition(f"{begin}\n")
    after = rest.partition(end)[2]
    text = "\n".join(lines)
    page.write_text(f"{before}{begin}\n{text}\n{end}{after}", encoding="utf-8")


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return the lines of a table whose first column is text."""
    cells = [f"| {' | '.join(row)} |" for row in rows]
    return [f"| {' | '.join(head)} |", f"|---{'|--:' * (len(head) - 1)}|", *cells]


def command_line(module: str) -> str:
    """Return the command that runs, as one types it."""
    return shlex.join(["python", "-m", module, *sys.argv[1:]])


def machine() -> str:
    """Return the CPU, the system, and the version of Python."""
    model = platform.processor() or platform.machine()
    about = Path("/proc/cpuinfo")
    if about.is_file():
        lines = about.read_text().splitlines()
        names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
        model = f"{names[0]}, {len(names)} cores" if names else model
    return f"{model}; {platform.system()}, Python {platform.python_version()}"
