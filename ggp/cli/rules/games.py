"""`ggp games`: the games that come with the program."""

from __future__ import annotations

import sys
from pathlib import Path
from shutil import get_terminal_size
from typing import Any

import click

from ggp.cli.common import json_option, print_json
from ggp.gdl import Description
from ggp.gdl.bundled import bundled_games, introduction
from ggp.kif import Source

__all__ = ["command"]


@click.command("games")
@json_option
def command(as_json: bool) -> None:
    """List the games that come with the program: name, roles, number of rules, and what it is.

    Every command that takes a FILE also takes the name of one of them.
    """
    games = [_describe(path) for path in bundled_games()]
    if as_json:
        print_json(games)
        return
    rows = [(game["name"], ", ".join(game["roles"]), str(game["rules"])) for game in games]
    names, roles, rules = (max(map(len, column)) for column in zip(*rows, strict=True))
    for game, (name, role, rule) in zip(games, rows, strict=True):
        line = f"{name:{names}}  {role:{roles}}  {rule:>{rules}} rules  {game['title']}"
        click.echo(_fitting(f"{line}: {game['description']}"))


def _describe(path: Path) -> dict[str, Any]:
    source = Source.read(path)
    description = Description.from_text(source)
    title, words = introduction(source.text)
    return {
        "name": path.stem,
        "title": title,
        "description": words,
        "roles": [str(role) for role in description.roles],
        "rules": len(description.terms),
        "file": str(path),
    }


def _fitting(line: str) -> str:
    """Shorten a line to the width of the terminal, where there is one."""
    width = get_terminal_size().columns
    return line if len(line) <= width or not sys.stdout.isatty() else f"{line[: width - 1]}…"
