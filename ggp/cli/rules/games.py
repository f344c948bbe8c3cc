"""`ggp games`: the games that come with the program."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ggp.cli.common import json_option, print_json
from ggp.gdl import Description
from ggp.gdl.bundled import bundled_games
from ggp.kif import Source

__all__ = ["command"]


@click.command("games")
@json_option
def command(as_json: bool) -> None:
    """List the games that come with the program.

    Every command that takes a FILE also takes the name of one of them.
    """
    games = [_describe(path) for path in bundled_games()]
    if as_json:
        print_json(games)
        return
    width = max(len(game["name"]) for game in games)
    for game in games:
        click.echo(f"{game['name']:{width}}  {game['title']}; {', '.join(game['roles'])}")


def _describe(path: Path) -> dict[str, Any]:
    source = Source.read(path)
    first = source.text.split("\n", 1)[0]
    return {
        "name": path.stem,
        # Each bundled rulesheet begins with a comment, whose first line is the title.
        "title": first.lstrip("; "),
        "roles": [str(role) for role in Description.from_text(source).roles],
        "file": str(path),
    }
