"""`ggp new`: writes a game, or a player, to begin from."""

from __future__ import annotations

from pathlib import Path
from shlex import quote

import click

from ggp.authoring.new import DEFAULT_KIND, KINDS, new_game, new_player
from ggp.cli.common import json_option, print_json
from ggp.printable import printable

__all__ = ["command"]


@click.command("new")
@click.argument("name")
@click.option(
    "--kind",
    type=click.Choice([*KINDS, "player"]),
    default=DEFAULT_KIND,
    show_default=True,
    help="What to begin from; player: a player in Python instead of a game.",
)
@click.option(
    "--roles",
    metavar="ROLE,ROLE...",
    help="The names of the players; turns takes any number of them.  [default: white,black, or "
    "solver for a puzzle]",
)
@json_option
def command(name: str, kind: str, roles: str | None, *, as_json: bool) -> None:
    """Write a small complete game to begin from, with comments that teach the language.

    NAME.kif has the rules. NAME.playthrough.json, a golden playthrough, and NAME.perft.json are
    what `ggp test NAME.kif` compares it with; after a change of the rules,
    `ggp test --update NAME.kif` records them anew. With --kind player, NAME.py has a player. No
    file is overwritten.
    """
    ending = ".py" if kind == "player" else ".kif"
    path = Path(name.removesuffix(ending) + ending)
    if path.stem in {"", ending}:
        raise click.UsageError(f"{name!r} is no name of a game or a player")
    if kind == "player" and roles is not None:
        raise click.UsageError("--roles: a player plays any role")
    try:
        if kind == "player":
            player = f"{path.stem}.{new_player(path)}"
            following, files = f"ggp match nim {quote(player)} random", [path]
        else:
            given = None if roles is None else [role.strip() for role in roles.split(",")]
            files = new_game(path, given, kind=kind)
            players = " ".join(["random"] * (len(given or KINDS[kind])))
            game = quote(str(path))
            following = f"ggp check {game}; ggp test {game}; ggp match {game} {players}"
    except ValueError as error:
        raise click.UsageError(str(error) if roles is None else f"--roles: {error}") from None
    except OSError as error:
        raise click.UsageError(f"{error.filename or path}: {error.strerror}") from None
    if as_json:
        print_json({"files": list(map(str, files))})
        return
    for file in files:
        click.echo(f"wrote {printable(str(file))}")
    click.echo(f"next: {printable(following)}")
