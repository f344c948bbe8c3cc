"""`ggp format`: gives rulesheets one layout."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from ggp.authoring import format_rules
from ggp.cli.common import complete_games, json_option, print_json, read_source
from ggp.errors import SourceError
from ggp.files import replace_file
from ggp.kif import Source
from ggp.printable import printable

__all__ = ["command"]


@click.command("format")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, shell_complete=complete_games)
@click.option("--check", is_flag=True, help="Write nothing; exit code 1 if a FILE would change.")
@click.option("--diff", is_flag=True, help="Write nothing; print what would change.")
@click.option("--stdout", is_flag=True, help="Write nothing; print the rulesheets in the layout.")
@json_option
def command(
    files: tuple[str, ...], *, check: bool, diff: bool, stdout: bool, as_json: bool
) -> None:
    """Give rulesheets one layout. Their meaning and their comments stay.

    Each FILE is replaced, unless it has the layout already; with - the rules are read from
    standard input and printed. The bare name of a bundled game works with --check, --diff and
    --stdout. A FILE that cannot be read or is no KIF stays as it is: the others are formatted
    all the same, and the exit code is 2. docs/authoring.md describes the layout.
    """
    if stdout and (check or diff):
        raise click.UsageError("--stdout prints whole rulesheets; leave out --check and --diff")
    prints = stdout or (files == ("-",) and not (check or diff))
    writes = not (check or diff or prints)
    if writes and "-" in files:
        raise click.UsageError("- stands alone, or with --check, --diff or --stdout")
    results = []
    for file in files:
        result = _format(file, writes=writes)
        results.append(result)
        if result.error:
            click.echo(f"ggp: {printable(result.error)}", err=True)
        elif not as_json:
            _show(result, prints=prints, diff=diff, writes=writes)
    if as_json:
        print_json({"files": [_to_json(result, prints=prints, diff=diff) for result in results]})
    elif not prints and not diff:
        changed = sum(result.is_changed for result in results)
        click.echo(f"{changed} of {len(results)} {'changed' if writes else 'would change'}")
    if any(result.error for result in results):
        raise click.exceptions.Exit(2)
    if check and any(result.is_changed for result in results):
        raise click.exceptions.Exit(1)


@dataclass(frozen=True, slots=True)
class _Result:
    """A rulesheet before and after, or the error that kept it as it is."""

    before: Source
    after: str
    error: str = ""

    @property
    def is_changed(self) -> bool:
        return self.before.text != self.after

    def diff(self) -> str:
        """Return what changes, as a unified diff."""
        return "".join(_diff(self.before.text, self.after, self.before.name))


def _format(file: str, *, writes: bool) -> _Result:
    """Format one FILE, and replace it if that is wanted and necessary."""
    try:
        source = read_source(file)
    except click.UsageError as error:
        return _Result(Source("", file), "", error.message)
    try:
        result = _Result(source, format_rules(source))
        if writes and not Path(file).is_file():
            what = "is no regular file" if Path(file).exists() else "comes with the program"
            problem = f"{file}: {what}; print it with --stdout, or give the name of a copy"
            return _Result(source, source.text, problem)
        if writes and result.is_changed:
            replace_file(Path(file), result.after.encode(source.encoding))
    except SourceError as error:
        return _Result(source, source.text, error.one_line())
    except OSError as error:
        return _Result(source, source.text, f"{file}: {error.strerror}")
    return result


def _show(result: _Result, *, prints: bool, diff: bool, writes: bool) -> None:
    if prints:
        # The bytes of the file's own encoding, whatever the terminal's is.
        click.echo(result.after.encode(result.before.encoding), nl=False)
    elif diff and result.is_changed:
        click.echo(result.diff(), nl=False)
    elif result.is_changed:
        name = printable(result.before.name)
        click.echo(f"{'formatted' if writes else 'would format'} {name}")


def _to_json(result: _Result, *, prints: bool, diff: bool) -> dict[str, Any]:
    if result.error:
        return {"file": result.before.name, "error": result.error}
    return {
        "file": result.before.name,
        "changed": result.is_changed,
        **({"text": result.after} if prints else {}),
        **({"diff": result.diff()} if diff else {}),
    }


def _diff(before: str, after: str, name: str) -> Iterator[str]:
    """Yield the lines of a unified diff, in the form that `patch` and `git apply` take."""
    texts = [text.split("\n") for text in (before, after)]
    texts = [[*(f"{line}\n" for line in lines[:-1]), *filter(None, lines[-1:])] for lines in texts]
    path = name.lstrip("/")
    for line in difflib.unified_diff(texts[0], texts[1], f"a/{path}", f"b/{path}"):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
