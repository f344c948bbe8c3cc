"""Figures in a page of the documentation, which a program replaces."""

from __future__ import annotations

import platform
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

import click

from ggp.errors import GgpError
from ggp.files import replace_file

__all__ = [
    "BEGIN",
    "END",
    "check_page",
    "command_line",
    "end",
    "machine",
    "markdown",
    "marks",
    "measured",
    "of_files",
    "write_page",
]


T = TypeVar("T")


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
    replace_file(page, f"{before}{begin}\n{text}\n{end}{after}")


def measured(work: Iterable[T]) -> tuple[list[T], bool]:
    """Take what is measured one after the other until Ctrl-C; return it, and whether that came.

    A program prints what it has measured by then. Figures that are not complete go into no page.
    """
    found = list[T]()
    try:
        for each in work:
            found.append(each)
    except KeyboardInterrupt:
        return found, True
    return found, False


def of_files(files: Iterable[str], measure: Callable[[str], T]) -> Iterator[T]:
    """Yield what is measured of each file that can be; say of the others why it cannot."""
    for file in files:
        try:
            yield measure(file)
        except click.UsageError as error:
            click.echo(error.message, err=True)
        except GgpError as error:
            click.echo(f"{file}: {error.one_line()}", err=True)


def end(*, interrupted: bool, is_whole: bool) -> None:
    """End a program: after Ctrl-C with code 130, and with 2 if a file could not be measured."""
    if interrupted:
        click.echo("interrupted", err=True)
        raise click.exceptions.Exit(130)
    if not is_whole:
        raise click.exceptions.Exit(2)


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
