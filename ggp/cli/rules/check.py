"""`ggp check`: says what is wrong with rulesheets."""

from __future__ import annotations

import click

from ggp.cli.common import json_option, print_json, read_source, show_progress
from ggp.gdl.check import Finding, check
from ggp.printable import printable

__all__ = ["command"]


@click.command("check")
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@json_option
def command(files: tuple[str, ...], *, as_json: bool) -> None:
    """Find what is wrong with rulesheets, without playing them.

    Each FILE is a path, the bare name of a bundled game, or - for standard input. Exit code 1
    if there is any error. docs/checks.md lists everything that is checked. A FILE that
    cannot be read is reported at the end, with exit code 2.
    """
    findings: list[Finding] = []
    unread: list[str] = []
    for file in files:
        show_progress(f"checking {printable(file)}")
        try:
            found = check(read_source(file))
        except click.UsageError as error:
            unread.append(error.message)
            continue
        finally:
            show_progress("")
        findings += found
        if not as_json:
            for finding in found:
                click.echo(finding)
    if as_json and len(unread) < len(files):
        print_json([{"file": finding.span.file, **finding.to_json()} for finding in findings])
    elif len(unread) < len(files):
        click.echo(_summary(findings, len(files) - len(unread)))
    if unread:
        raise click.UsageError("; ".join(unread))
    if any(finding.severity == "error" for finding in findings):
        raise click.exceptions.Exit(1)


def _summary(findings: list[Finding], files: int) -> str:
    errors = sum(finding.severity == "error" for finding in findings)
    warnings = len(findings) - errors
    return f"{_count(errors, 'error')}, {_count(warnings, 'warning')} in {_count(files, 'file')}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
