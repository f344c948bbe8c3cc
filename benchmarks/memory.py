"""Whether memory stays constant: `python -m benchmarks.memory GAME [ALGORITHM]`.

The program searches a game for a long time with a table of a few megabytes, deeper and deeper and
then from the beginning again, and records the memory of this process. It fails if the memory grows
by more than a little after the first tenth of the time.
"""

from __future__ import annotations

import json
import time
from contextlib import closing
from pathlib import Path
from threading import Thread

import click

from ggp.cli.common import load_game
from ggp.deadline import Deadline
from ggp.engine import KNOWN, Resources, engine_search
from ggp.graph import GameGraph
from ggp.reasoner.compiled import CompiledReasoner
from ggp.search import Limit

# Bytes by which the memory may grow after the first tenth of the time, for Python and the system.
_SLACK = 4 << 20

# How often the memory is measured.
_SAMPLES = 600


@click.command()
@click.argument("game")
@click.argument("algorithm", type=click.Choice(KNOWN), default="alphabeta")
@click.option("--seconds", type=click.FloatRange(min=1), default=600.0, show_default=True)
@click.option("--memory", type=click.IntRange(min=1), default=16, show_default=True, metavar="MB",
              help="Size of the transposition table.")  # fmt: skip
def main(game: str, algorithm: str, seconds: float, memory: int) -> None:
    """Search GAME, a file or the name of a bundled game, and print how much memory that takes."""
    samples = list[int]()
    with closing(CompiledReasoner(load_game(game))) as compiled:
        search = engine_search(
            GameGraph(compiled), algorithm, resources=Resources(table_bytes=memory << 20)
        )
        assert search is not None
        deadline = Deadline.after(seconds)
        observer = Thread(
            target=_observe, args=(samples, deadline, seconds / _SAMPLES), daemon=True
        )
        observer.start()
        expanded, searches, deepest = 0, 0, 0
        while not deadline.is_over:
            part = deadline.part(0.25) if deadline.remaining > seconds / 100 else deadline
            *_, result = search.deepen(limit=Limit(deadline=part))
            expanded += result.expanded + result.researched
            searches, deepest = searches + 1, max(deepest, result.depth)
        observer.join()
    settled, most = max(samples[: len(samples) // 10]), max(samples)
    found = {
        "game": game,
        "algorithm": algorithm,
        "seconds": seconds,
        "expanded": expanded,
        "searches": searches,
        "deepest": deepest,
        "table_entries": result.table_size,
        "settled_mb": round(settled / 2**20, 1),
        "most_mb": round(most / 2**20, 1),
    }
    click.echo(json.dumps(found))
    if most > settled + _SLACK:
        raise click.ClickException(f"memory grew by {(most - settled) / 2**20:.1f} MB")


def _observe(samples: list[int], deadline: Deadline, interval: float) -> None:
    """Record the memory of this process until the time is over."""
    while not deadline.is_over:
        samples.append(_resident())
        time.sleep(interval)


def _resident() -> int:
    """Return the bytes of this process that are in memory."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    raise click.ClickException("this system does not tell how much memory a process has")


if __name__ == "__main__":
    main()
