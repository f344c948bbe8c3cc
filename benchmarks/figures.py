"""Figures in a page of the documentation, which a program replaces."""

from __future__ import annotations

import platform
import shlex
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import click

__all__ = ["BEGIN", "END", "check_page", "command_line", "machine", "markdown", "write_page"]

#: The figures stand between these lines of a page.
BEGIN, END = "<!-- figures: begin -->", "<!-- figures: end -->"


def check_page(page: Path) -> None:
    """Raise `click.UsageError` unless the page has a place for figures."""
    if not {BEGIN, END} <= set(page.read_text(encoding="utf-8").splitlines()):
        raise click.UsageError(f"{page} has no lines {BEGIN} and {END}")


def write_page(page: Path, lines: Iterable[str]) -> None:
    """Replace what stands between the two marks."""
    before, _, rest = page.read_text(encoding="utf-8").partition(f"{BEGIN}\n")
    after = rest.partition(END)[2]
    text = "\n".join(lines)
    page.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", encoding="utf-8")


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
