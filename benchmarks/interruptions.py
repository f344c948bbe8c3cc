"""How soon the engine answers when its time is over: `python -m benchmarks.interruptions [GAME]`.

The program runs many searches, each with a random deadline of up to a second, and with one table
that grows as it fills. It prints by how many milliseconds the results, with their variations, come
after the deadline. Other processes on the machine make them later.
"""

from __future__ import annotations

import json
import random
import time
from contextlib import closing
from statistics import median, quantiles

import click
from rich import box
from rich.console import Console
from rich.table import Table

from ggp.cli.common import load_game
from ggp.deadline import Deadline
from ggp.engine import KNOWN, Resources, engine_search
from ggp.graph import GameGraph
from ggp.reasoner.compiled import CompiledReasoner
from ggp.search import Limit

#: Bundled games that are measured if none are named.
GAMES = ("connectfour", "breakthrough", "othello6x6")

# The shortest and the longest search, in seconds.
_SHORTEST, _LONGEST = 0.01, 1.0


def measure(game: str, algorithm: str, *, cuts: int, memory: int, seed: int) -> list[float]:
    """Return by how many milliseconds each result came after its deadline."""
    generator, late = random.Random(seed), list[float]()
    with closing(CompiledReasoner(load_game(game))) as compiled:
        search = engine_search(
            GameGraph(compiled), algorithm, resources=Resources(table_bytes=memory << 20)
        )
        assert search is not None
        while len(late) < cuts:
            deadline = Deadline.after(generator.uniform(_SHORTEST, _LONGEST))
            *_, result = search.deepen(limit=Limit(deadline=deadline))
            over = time.monotonic() - deadline.due
            if result.exact:
                raise click.ClickException(f"{game} is solved before its time is over")
            late.append(1000 * over)
    return late


@click.command()
@click.argument("games", metavar="[GAME]...", nargs=-1)
@click.option("--algorithm", type=click.Choice(KNOWN), default="alphabeta", show_default=True)
@click.option("--cuts", type=click.IntRange(min=2), default=60, show_default=True,
              help="Number of searches.")  # fmt: skip
@click.option("--memory", type=click.IntRange(min=1), default=64, show_default=True, metavar="MB",
              help="Size of the transposition table.")  # fmt: skip
@click.option("--seed", default=1, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def main(
    games: tuple[str, ...], algorithm: str, cuts: int, memory: int, seed: int, as_json: bool
) -> None:
    """Interrupt searches of GAMEs, files or names of bundled games; print how late they answer."""
    table = Table("game", title=f"milliseconds late, {algorithm}, {cuts} cuts", box=box.SIMPLE)
    for name in ("median", "95 %", "longest"):
        table.add_column(name, justify="right")
    for game in games or GAMES:
        late = measure(game, algorithm, cuts=cuts, memory=memory, seed=seed)
        figures = median(late), quantiles(late, n=20)[-1], max(late)
        if as_json:
            click.echo(json.dumps({"game": game, "late_ms": [round(ms, 2) for ms in late]}))
        table.add_row(game, *(f"{ms:.1f}" for ms in figures))
    if not as_json:
        Console().print(table)


if __name__ == "__main__":
    main()
