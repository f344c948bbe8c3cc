"""How fast the manager's pages answer while players search: `python -m benchmarks.pages`.

The program runs `ggp manager` in another process, starts matches between players that search, and
opens all their pages again and again, with everything that the pages' scripts request. It fails if
a request takes longer than it may.
"""

from __future__ import annotations

import json
import time
from statistics import median

import click
from rich import box
from rich.console import Console
from rich.table import Table

from benchmarks.pages.visitor import CLOCKS, Visitor, running_manager

__all__ = ["main"]


@click.command()
@click.option("--games", default="breakthrough,connectfour", show_default=True,
              help="Games for two roles, separated by commas.")  # fmt: skip
@click.option("--player", default="alphabeta", show_default=True)
@click.option("--visits", type=click.IntRange(min=1), default=30, show_default=True)
@click.option("--most", type=click.FloatRange(min=0), default=100.0, show_default=True,
              help="Most milliseconds that a page may take.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def main(games: str, player: str, visits: int, most: float, as_json: bool) -> None:
    """Measure how long the pages take while players search."""
    with running_manager() as port:
        visitor = Visitor(port)
        matches = {game: visitor.begin_match(game, player) for game in games.split(",")}
        for game, match in matches.items():
            visitor.get("first layout", f"/api/games/{game}/layout")
            visitor.get("first scene", f"/api/matches/{match}/scenes/0")
        # A game's first page waits for its rules to be loaded; that is another question.
        first = {name: visitor.waits.pop(name) for name in ("first layout", "first scene")}
        time.sleep(2 * CLOCKS["start_clock"])
        for _ in range(visits):
            for game, match in matches.items():
                visitor.get("home", "/")
                visitor.get("matches", "/api/matches")
                visitor.get("game", f"/games/{game}")
                visitor.get("explorer", f"/games/{game}/explore")
                visitor.get("layout", f"/api/games/{game}/layout")
                visitor.get("match", f"/matches/{match}")
                visitor.get("scene", f"/api/matches/{match}/scenes/0")
                visitor.get("summary", f"/api/matches/{match}/summary")
                visitor.get("record", f"/matches/{match}/record.json")
    waits = visitor.waits
    if as_json:
        click.echo(json.dumps({"seconds": waits, "first": first}))
    else:
        Console(highlight=False).print(_table({**first, **waits}))
    slowest = 1000 * max(map(max, waits.values()))
    if slowest > most:
        raise click.ClickException(f"a page took {slowest:.0f} ms")


def _table(waits: dict[str, list[float]]) -> Table:
    table = Table("page", title="milliseconds", box=box.SIMPLE)
    for column in ("visits", "median", "longest"):
        table.add_column(column, justify="right")
    for name, seconds in waits.items():
        times = (f"{1000 * each:.1f}" for each in (median(seconds), max(seconds)))
        table.add_row(name, str(len(seconds)), *times)
    return table


if __name__ == "__main__":
    main()
