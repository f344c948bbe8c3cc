"""`ggp lvt`: the leaf-value table of a game."""

from __future__ import annotations

from itertools import islice

import click
from rich.console import Console
from rich.table import Table

from ggp.cli.common import game_argument, json_option, load_game, print_json
from ggp.search import LeafValueTable

__all__ = ["MAX_ROWS", "command"]

#: A table with more rows than this is not printed: nobody could read or use it.
MAX_ROWS = 100_000

_ROWS_SHOWN = 30


@click.command("lvt")
@game_argument
@json_option
def command(file: str, as_json: bool) -> None:
    """Show every combination of goals that a game can end with, and their ranks.

    FILE is a rulesheet, - for standard input, or the name of a bundled game. The table is the
    widest sound one (level 1): each role's goal may be any that the rules can give to it, whatever
    the others get.
    """
    table = LeafValueTable.of(load_game(file))
    if not as_json:
        _print(table)
        return
    if len(table) > MAX_ROWS:
        raise click.ClickException(f"{file}: the table has {len(table):,} rows, over {MAX_ROWS:,}")
    print_json(table.to_json())


def _print(table: LeafValueTable) -> None:
    for role, goals in zip(table.roles, table.goals, strict=True):
        click.echo(f"{role}: {' '.join(map(str, goals))}")
    constant = "constant sum" if table.constant_sum else "no constant sum"
    click.echo(f"{len(table):,} rows, maxsum {table.maxsum}, {constant}")
    shown = Table("outcome", "goals", "ranks")
    for row in islice(table, _ROWS_SHOWN):
        shown.add_row(row.outcome, " ".join(map(str, row.goals)), " ".join(map(str, row.ranks)))
    Console().print(shown)
    if len(table) > _ROWS_SHOWN:
        click.echo(f"and {len(table) - _ROWS_SHOWN:,} more")
