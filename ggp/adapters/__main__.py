"""`python -m ggp.adapters GAME...`: run the tests of other libraries on games."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict

import click

from ggp.adapters.checks import check
from ggp.gdl.bundled import find_game
from ggp.kif import Source

# Bytes of address space that the checks of a game may take.
_MEMORY = 8 << 30


@click.command()
@click.argument("games", nargs=-1, required=True, metavar="GAME...")
@click.option("--seconds", type=click.FloatRange(min=0), default=120.0, show_default=True,
              help="What a game may take, compiling included.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print JSON, one line for each game.")
def main(games: tuple[str, ...], seconds: float, as_json: bool) -> None:
    """Say which rulesheets pass, and why the others do not.

    A GAME is a file or the name of a bundled game. The exit code is 2 if any of them cannot be
    read, else 1 if any does not pass.
    """
    passed = unread = 0
    for game in games:
        found = check(game, seconds=seconds, memory_limit=_MEMORY)
        passed += found.passes
        unread += _is_unreadable(game)
        if as_json:
            click.echo(json.dumps({**asdict(found), "passes": found.passes}))
        else:
            reasons = [f"{name}: {why}" for name, why in found.checks.items() if why]
            click.echo(f"{game}: {found.error or '; '.join(reasons) or 'passes'}")
    if not as_json:
        click.echo(f"{passed} of {len(games)} pass")
    sys.exit(2 if unread else passed < len(games))


def _is_unreadable(game: str) -> bool:
    try:
        Source.read(find_game(game))
    except OSError:
        return True
    return False


if __name__ == "__main__":
    main()
