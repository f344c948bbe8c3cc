"""`ggp perft`: counts states and paths by depth."""

from __future__ import annotations

import json
from dataclasses import dataclass
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
from ggp.deadline import Deadline
from ggp.errors import GgpError, ReasonerError
from ggp.files import check_writable, replace_file
from ggp.gdl import Description
from ggp.perft import Perft, perft, perft_in_parts
from ggp.perft.counts import nothing_known
from ggp.reasoner import Reasoner, bounded, open_reasoner

__all__ = ["command"]


@click.command("perft")
@game_argument
@click.option("--depth", type=click.IntRange(min=0), help="The last depth to count.")
@click.option("--seconds", type=Seconds(), help="Stop after this.")
@click.option("--max-states", type=click.IntRange(min=1), help="Stop at this many states.")
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), metavar="OUT.json",
              help="Write what --json prints here, after each depth.")  # fmt: skip
@pool_options("Parts of a layer", jobs=1)
@reasoner_option
@json_option
def command(
    file: str,
    depth: int | None,
    seconds: float | None,
    max_states: int | None,
    output: Path | None,
    pool: Pool,
    reasoner: str,
    as_json: bool,
) -> None:
    """Count the states and the paths of a game, depth by depth.

    FILE is a rulesheet, - for standard input, or the name of a bundled game. Whatever ends the
    command, the depths that are complete are printed.
    """
    description = load_game(file)
    kept = _Kept(file, output)
    try:
        counts = _counted(
            description,
            pool,
            reasoner,
            seconds=seconds,
            depth=depth,
            max_states=max_states,
            progress=kept.show,
        )
        show_progress("")
        kept.write(counts)
    except (GgpError, OSError):
        show_progress("")
        if (found := kept.counts) is not None and found.layers:
            found.stop = found.stop or "failed"
            _print(file, found, as_json=as_json)
        raise
    _print(file, counts, as_json=as_json)


@dataclass
class _Kept:
    """What has been counted so far, and is kept in a file if one is named."""

    file: str
    output: Path | None
    counts: Perft | None = None
    #: How many layers the file has.
    written: int = 0

    def __post_init__(self) -> None:
        if self.output is not None:
            check_writable(self.output)

    def show(self, counts: Perft, states: int) -> None:
        """Show how far the count is, and write the layers that have become complete."""
        self.counts = counts
        show_progress(f"depth {len(counts.layers)}: {states:,} states")
        if len(counts.layers) > self.written:
            self.write(counts)

    def write(self, counts: Perft) -> None:
        """Write the counts, if that is wanted. Raises `OSError`."""
        self.written = len(counts.layers)
        if self.output is not None:
            replace_file(self.output, f"{json.dumps(_fields(self.file, counts))}\n")


def _counted(
    description: Description, pool: Pool, reasoner: str, *, seconds: float | None, **limits: Any
) -> Perft:
    """Count, alone or by the tasks of a pool. Raises `GgpError`, `OSError`."""
    with interruptible(seconds) as deadline:
        if pool.is_local and pool.jobs == 1:
            with (
                _opened(description, reasoner, deadline) as opened,
                bounded(opened, deadline=deadline),
            ):
                return perft(description, opened, deadline=deadline, **limits)
        return perft_in_parts(
            description, pool=pool, reasoner=reasoner, deadline=deadline, **limits
        )


def _fields(file: str, counts: Perft) -> dict[str, Any]:
    """Return the counts of a game as JSON values."""
    return {"key": Path(file).stem, "file": Path(file).name, **counts.to_json()}


def _print(file: str, counts: Perft, *, as_json: bool) -> None:
    if as_json:
        print_json(_fields(file, counts))
    else:
        _print_table(counts)


def _opened(description: Description, kind: str, deadline: Deadline) -> Reasoner:
    """Open a reasoner. Raises `ReasonerError`, also where that takes too long."""
    try:
        return open_reasoner(description, kind=kind, deadline=deadline)
    except ReasonerError:
        if not deadline.is_over:
            raise
        raise nothing_known(deadline) from None


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
        "failed": "what follows could not be counted",
    }
    why = reasons.get(counts.stop, f"too many {counts.stop.replace('_', ' ')}")
    reachable = "" if counts.reachable_states is None else f"{counts.reachable_states:,} states; "
    click.echo(reachable + why)


def _short(number: int) -> str:
    return f"{number:,}" if number < 10**15 else f"{number:.6e}"
