"""`ggp check`: says what is wrong with rulesheets."""

from __future__ import annotations

from pathlib import Path

import click

from ggp.cli.common import (
    Seconds,
    complete_games,
    interruptible,
    json_option,
    print_json,
    read_source,
    show_progress,
)
from ggp.cli.rules.sarif import to_sarif
from ggp.errors import GgpError
from ggp.gdl import Description
from ggp.gdl.check import CODES, Finding, check, closest
from ggp.kif import Source
from ggp.printable import printable

__all__ = ["command"]


def _known_warnings(
    _context: click.Context, _parameter: click.Parameter, codes: tuple[str, ...]
) -> tuple[str, ...]:
    for code in codes:
        if code not in CODES:
            close = closest(code, CODES)
            hint = f"did you mean {close}?" if close else "docs/checks.md lists all findings"
            raise click.BadParameter(f"there is no finding {code!r}; {hint}")
        if CODES[code].severity == "error":
            raise click.BadParameter(f"{code} is an error; only warnings can be ignored")
    return codes


@click.command("check")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, shell_complete=complete_games)
@click.option("--strict", is_flag=True, help="Exit with code 1 for warnings, too.")
@click.option(
    "--ignore",
    metavar="CODE",
    multiple=True,
    callback=_known_warnings,
    help="Leave out the warnings of this code (repeatable).",
)
@click.option(
    "--prove",
    "proof_seconds",
    type=Seconds(or_none=True),
    default=0.0,
    metavar="SECONDS",
    help="Look for proofs, too, with this time for each question.",
)
@json_option
@click.option("--sarif", "as_sarif", is_flag=True, help="Print SARIF 2.1.0.")
def command(
    files: tuple[str, ...],
    *,
    strict: bool,
    ignore: tuple[str, ...],
    proof_seconds: float,
    as_json: bool,
    as_sarif: bool,
) -> None:
    """Find what is wrong with rulesheets, without playing them.

    Each FILE is a path, the bare name of a bundled game, or - for standard input. Exit code 1
    if there is any error. docs/checks.md lists everything that is checked. A FILE that
    cannot be read is reported at the end, with exit code 2. With --prove, a rulesheet without an
    error is examined as `ggp prove` does it, and what is refuted is a finding.
    """
    if as_json and as_sarif:
        raise click.UsageError("--json and --sarif exclude each other")
    findings: list[Finding] = []
    unread: list[str] = []
    for file in files:
        show_progress(f"checking {printable(file)}")
        try:
            source = read_source(file)
            found = _found(source, proof_seconds)
            found = [finding for finding in found if finding.code not in ignore]
        except (click.UsageError, GgpError) as error:
            unread.append(_explained(file, error))
            continue
        finally:
            show_progress("")
        findings += found
        if not (as_json or as_sarif):
            for finding in found:
                click.echo(finding)
    if len(unread) < len(files):
        if as_sarif:
            print_json(to_sarif(findings, root=Path.cwd()))
        elif as_json:
            print_json([{"file": finding.span.file, **finding.to_json()} for finding in findings])
        else:
            click.echo(_summary(findings, len(files) - len(unread)))
    if unread:
        raise click.UsageError("; ".join(unread))
    if any(finding.severity == "error" or strict for finding in findings):
        raise click.exceptions.Exit(1)


def _explained(file: str, error: click.UsageError | GgpError) -> str:
    """Return why there are no findings of a file."""
    if isinstance(error, click.UsageError):
        return error.message
    return f"{file}: {error.one_line()}"


def _found(source: Source, proof_seconds: float) -> list[Finding]:
    """Return what is wrong with a rulesheet, with what proofs refute if they have time."""
    found = check(source)
    if proof_seconds == 0 or any(finding.severity == "error" for finding in found):
        return found
    from ggp.prove import faults, prove

    description = Description.from_text(source)
    with interruptible() as deadline:
        verdicts = list(prove(description, seconds=proof_seconds, deadline=deadline))
    found += faults(description, verdicts)
    return sorted(found, key=lambda finding: (finding.span.line, finding.span.column))


def _summary(findings: list[Finding], files: int) -> str:
    errors = sum(finding.severity == "error" for finding in findings)
    warnings = len(findings) - errors
    return f"{_count(errors, 'error')}, {_count(warnings, 'warning')} in {_count(files, 'file')}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
