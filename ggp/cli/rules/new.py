"""`ggp new`: writes a game to begin from."""

from __future__ import annotations

from pathlib import Path

import click

from ggp.cli.common import json_option, print_json
from ggp.printable import printable

__all__ = ["command"]


@click.command("new")
@click.argument("name")
@click.option(
    "--roles",
    metavar="ROLE,ROLE...",
    default="white,black",
    show_default=True,
    help="The names of the players.",
)
@json_option
def command(name: str, roles: str, *, as_json: bool) -> None:
    """Write a small complete game to begin from, with comments that teach the language.

    NAME.kif has the rules. NAME.playthrough.json, a golden playthrough, and NAME.perft.json are
    what `ggp test NAME.kif` compares it with; after a change of the rules,
    `ggp test --update NAME.kif` records them anew. No file is overwritten.
    """
    from ggp.authoring.new import new_game

    path = Path(name.removesuffix(".kif") + ".kif")
    if path.stem in {"", ".kif"}:
        raise click.UsageError(f"{name!r} is no name of a game")
    try:
        files = new_game(path, [role.strip() for role in roles.split(",")])
    except ValueError as error:
        raise click.UsageError(f"--roles: {error}") from None
    except OSError as error:
        raise click.UsageError(f"{error.filename or path}: {error.strerror}") from None
    if as_json:
        print_json({"files": list(map(str, files))})
        return
    for file in files:
        click.echo(f"wrote {printable(str(file))}")
    game = printable(str(path))
    click.echo(f"next: ggp check {game}; ggp test {game}; ggp match {game} random random")
