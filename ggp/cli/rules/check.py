"""`ggp check`: says what is wrong with rulesheets."""

from __future__ import annotations

import click

from ggp.cli.common import json_option, print_json, read_source
from ggp.gdl.check import Finding, check

__all__ = ["command"]


@click.command("check")
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@json_option
def command(files: tuple[str, ...], *, as_json: bool) -> None:
    """Find what is wrong with rulesheets, without playing them.

    Each FILE is a path, the bare name of a bundled game, or - for standard input. Exit code 1
    if there is any error. docs/checks.md lists everything that is checked.
    """
    sources = [read_source(file) for file in files]
    findings = [finding for source in sources for finding in check(source)]
    if as_json:
        print_json([{"file": finding.span.file, **finding.to_json()} for finding in findings])
    else:
        for finding in findings:
            click.echo(finding)
        click.echo(_summary(findings, len(sources)))
    if any(finding.severity == "error" for finding in findings):
        raise click.exceptions.Exit(1)


def _summary(findings: list[Finding], files: int) -> str:
    errors = sum(finding.severity == "error" for finding in findings)
    warnings = len(findings) - errors
    return f"{_count(errors, 'error')}, {_count(warnings, 'warning')} in {_count(files, 'file')}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
