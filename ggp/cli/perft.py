"""`ggp perft`: counts states and paths by depth."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from ggp.cli.common import (
    Seconds,
    game_argument,
    interruptible,
    json_option,
    load_game,
    pool_options,
    print_json,
    reasoner_option,
    show_progress,
)
from ggp.cluster import Pool
from ggp.perft import Perft, perft, perft_in_parts
from ggp.reasoner import bounded, open_reasoner

__all__ = ["command"]


@click.command("perft")
@game_argument
@click.option("--depth", type=click.IntRange(min=0), help="The last depth to count.")
@click.option("--seconds", type=Seconds(), help="Stop after this.")
@click.option("--max-states", type=click.IntRange(min=1), help="Stop at this many states.")
@pool_options("Parts of a layer", jobs=1)
@reasoner_option
@json_option
def command(
    file: str,
    depth: int | None,
    seconds: float | None,
    max_states: int | None,
    pool: Pool,
    reasoner: str,
    as_json: bool,
) -> None:
    """Count the states and the paths of a game, depth by depth.

    FILE is a rulesheet, - for standard input, or the name of a bundled game.
    """
    description = load_game(file)

    def show(counts: Perft, states: int) -> None:
        show_progress(f"depth {len(counts.layers)}: {states:,} states")

    with interruptible(seconds) as deadline:
        limits: dict[str, Any] = {"depth": depth, "max_states": max_states, "progress": show}
        if pool.is_local and pool.jobs == 1:
            with (
                open_reasoner(description, kind=reasoner) as opened,
                bounded(opened, deadline=deadline),
            ):
                counts = perft(description, opened, deadline=deadline, **limits)
        else:
            counts = perft_in_parts(
                description, pool=pool, reasoner=reasoner, deadline=deadline, **limits
            )
    show_progress("")
    if as_json:
        name = Path(file).name
        print_json({"key": Path(file).stem, "file": name, **counts.to_json()})
    else:
        _print_table(counts)


def _print_table(counts: Perft) -> None:
    table = Table("depth", "states", "paths", "terminal", "joint moves", "fingerprint")
    for column in table.columns[:5]:
        column.justify = "right"
    for layer in counts.layers:
        terminal = "" if layer.terminal_states is None else f"{layer.terminal_states:,}"
        joint = "" if layer.joint_sum is None else f"{layer.joint_sum:,}"
        table.add_row(
            str(layer.d), f"{layer.states:,}", _short(layer.paths), terminal, joint, layer.fp
        )
    Console().print(table)
    reasons = {
        "complete": "every reachable state was expanded",
        "cycle": "every reachable state was expanded, and play can go on forever",
        "maxdepth": "the depth was reached",
        "time": "time was up",
        "interrupted": "interrupted",
        "states": "the number of states was reached",
    }
    why = reasons.get(counts.stop, f"too many {counts.stop.replace('_', ' ')}")
    reachable = "" if counts.reachable_states is None else f"{counts.reachable_states:,} states; "
    click.echo(reachable + why)


def _short(number: int) -> str:
    return f"{number:,}" if number < 10**15 else f"{number:.6e}"
