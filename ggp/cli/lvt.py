"""`ggp lvt`: the leaf-value table of a game."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from ggp.cli.common import (
    Seconds,
    game_argument,
    interruptible,
    json_option,
    load_game_or_tree,
    print_json,
)
from ggp.files import check_writable, replace_file
from ggp.kif import Symbol
from ggp.match import game_spelling
from ggp.search.leaf_values import DEFAULT_TIME_LIMIT, MAX_ROWS, LeafValueTable, region_svg
from ggp.search.leaf_values.decisions import decisions, linear_decisions

__all__ = ["command"]

_ROWS_SHOWN = 30


@click.command("lvt")
@game_argument
@click.option(
    "--level",
    type=click.IntRange(1, 2),
    default=2,
    show_default=True,
    help="1: each role by itself; 2: the goals that can hold together.",
)
@click.option(
    "--seconds",
    type=Seconds(),
    default=DEFAULT_TIME_LIMIT,
    show_default=True,
    help="Stop after this time of the processor, and show what is found: level 1 at least.",
)
@click.option(
    "--plot",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="OUT.svg",
    help="Draw the goals that two roles can get together, and the bounds that prune.",
)
@click.option("--axes", nargs=2, metavar="R R", help="The roles to draw; the first two by default.")
@json_option
def command(
    file: str,
    level: int,
    seconds: float,
    plot: Path | None,
    axes: tuple[str, str] | None,
    as_json: bool,
) -> None:
    """Show every combination of goals that a game can end with, and their ranks.

    FILE is a rulesheet, - for standard input, or the name of a bundled game. In the table of level
    1 each role may get any goal that the rules can give to it, whatever the others get. Level 2
    keeps the goals that can hold together at the end; if it is not found in time, level 1 is shown.
    A table that was found before is shown at once, unless more time may complete it.
    """
    description, written = load_game_or_tree(file)
    drawn = _numbers(description.roles, axes) if plot else None
    if plot:
        check_writable(plot)
    table = written or LeafValueTable.of(description)
    if level > 1 and written is None:
        console = Console(stderr=True)  # it shows a status on a terminal only
        with interruptible() as deadline, console.status("enumerating the leaf-value table"):
            table = LeafValueTable.enumerate(description, time_limit=seconds, deadline=deadline)
    if not table.is_enumerated and (as_json or plot):
        raise click.ClickException(f"{file}: the table has {len(table):,} rows, over {MAX_ROWS:,}")
    if as_json:
        print_json({**table.to_json(), "decisions": _decisions(table)})
    else:
        _print(table)
    if plot and drawn:
        replace_file(plot, region_svg(table, *drawn))


def _numbers(roles: Sequence[Symbol], axes: tuple[str, str] | None) -> tuple[int, int]:
    """Return the numbers of the roles to draw. Raises `click.UsageError`."""
    if len(roles) < 2:
        raise click.UsageError("--plot: the game has only one role")
    if axes is None:
        return 0, 1
    drawn = []
    for name in axes:
        role = game_spelling(Symbol(name), roles)
        if role is None:
            there = ", ".join(map(str, roles))
            raise click.UsageError(f"--axes: no role {name}; there are {there}")
        drawn.append(roles.index(role))
    across, up = drawn
    if across == up:
        raise click.UsageError(f"--axes: {roles[across]} cannot be both")
    return across, up


def _decisions(table: LeafValueTable) -> dict[str, int] | None:
    """Return how many bound vectors there are, and how many prune; None if there are too many."""
    try:
        by_table, by_sum = decisions(table), linear_decisions(table)
    except ValueError:
        return None
    return {"bounds": by_table.size, "table": int(by_table.sum()), "sum": int(by_sum.sum())}


def _print(table: LeafValueTable) -> None:
    for role, goals in zip(table.roles, table.goals, strict=True):
        click.echo(f"{role}: {' '.join(map(str, goals))}")
    constant = "constant sum" if table.constant_sum else "no constant sum"
    turns = "; the roles take turns" if table.takes_turns else ""
    if table.level > 1 and not table.is_complete:
        turns += "; not complete: more --seconds may leave fewer rows"
    click.echo(
        f"level {table.level}: {len(table):,} rows, maxsum {table.maxsum}, {constant}{turns}"
    )
    for role, tally in zip(table.roles, table.tallies, strict=False):  # there may be no tallies
        if tally is not None:
            click.echo(f"the goal of {role} counts {tally.facts[0]} to {tally.facts[-1]}")
    if found := (_decisions(table) if table.is_enumerated else None):
        click.echo(
            f"of {found['bounds']:,} bound vectors the table prunes {found['table']:,}, and the "
            f"test of sums {found['sum']:,}"
        )
    shown = Table("outcome", "goals", "ranks")
    for row in islice(table, _ROWS_SHOWN):
        shown.add_row(row.outcome, " ".join(map(str, row.goals)), " ".join(map(str, row.ranks)))
    Console().print(shown)
    if len(table) > _ROWS_SHOWN:
        click.echo(f"and {len(table) - _ROWS_SHOWN:,} more")
