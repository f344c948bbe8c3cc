"""`ggp doctor`: what is installed, what is missing, and how to get it."""

from __future__ import annotations

from dataclasses import asdict

import click

from ggp.cli.common import json_option, print_json
from ggp.doctor import examine

__all__ = ["command"]


@click.command("doctor")
@json_option
def command(as_json: bool) -> None:
    """Report what is installed, what is missing, and how to install it."""
    findings = list(examine())
    if as_json:
        print_json([asdict(finding) for finding in findings])
    else:
        for finding in findings:
            click.echo(f"{'ok     ' if finding.ok else 'MISSING'} {finding.name}: {finding.detail}")
            if not finding.ok:
                click.echo(f"        to fix it: {finding.fix}")
    if not all(finding.ok for finding in findings):
        raise click.exceptions.Exit(1)
