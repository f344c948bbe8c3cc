"""Measures what it takes to compile games, from the rulesheet to the first answer.

`python -m benchmarks.compiling FILE...` compiles each game in a fresh process with an empty cache
and prints the CPU seconds of all its processes, stage by stage, its seconds, and its peak memory.
The first answer comes from a table; what is compiled after it is not counted in the sums.
`--json FILE` writes the measurements, one line for each game; `--write PAGE` puts a summary into
a page of the documentation. Other work on the machine hardly affects CPU seconds.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from benchmarks.figures import (
    check_page,
    command_line,
    end,
    machine,
    markdown,
    measured,
    write_page,
)
from ggp.files import replace_file
from ggp.gdl.bundled import find_game

__all__ = ["Compiled", "measure", "summary"]

#: The stages that are printed, in their order.
STAGES = (
    "load",
    "read",
    "ground",
    "circuit",
    "table",
    "first answer",
    "rest",
    "program",
    "text",
    "machine code",
)
#: A game compiles fast if it takes no more CPU seconds than this.
_FAST = 2.0


@dataclass(frozen=True)
class Compiled:
    """What it took to compile a game."""

    game: str
    #: To the first answer: CPU seconds of all processes, and seconds.
    cpu_seconds: float
    seconds: float
    #: The most bytes that one of its processes had until all was compiled.
    peak_bytes: int
    #: CPU seconds of each stage.
    cpu: dict[str, float]
    #: The nodes of its circuit, 0 if there is none.
    gates: int = 0
    #: Why there is no machine code; "" if there is.
    error: str = ""


def measure(path: Path, *, seconds: float) -> Compiled:
    """Compile a game in a fresh process with an empty cache; stop it when it takes too long.

    Args:
        path: the rulesheet.
        seconds: the limit for grounding and building; twice as many are allowed for all.
    """
    with tempfile.TemporaryDirectory() as cache:
        process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.compiling.one", str(path), str(seconds)],
            stdout=subprocess.PIPE,
            env={**os.environ, "GGP_CACHE_DIR": cache},
            start_new_session=True,
        )
        try:
            printed, _ = process.communicate(timeout=2 * seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            error = f"stopped after {2 * seconds:g} s"
            return Compiled(path.stem, 0.0, 2 * seconds, 0, {}, error=error)
    if process.returncode:
        error = f"exit code {process.returncode}"
        return Compiled(path.stem, 0.0, 0.0, 0, {}, error=error)
    found = json.loads(printed)
    return Compiled(path.stem, **found)


def summary(games: Sequence[Compiled]) -> Iterator[tuple[str, str]]:
    """Yield what is worth knowing of all games: a name and a figure."""
    done = sorted((game for game in games if not game.error), key=lambda game: game.cpu_seconds)
    yield "games", f"{len(games)}"
    yield "compiled", f"{len(done)}"
    if done:
        fast = sum(game.cpu_seconds < _FAST for game in done)
        yield f"in less than {_FAST:g} s of CPU time", f"{fast / len(games):.0%}"
        yield "median", f"{done[len(done) // 2].cpu_seconds:.2f} s"
        yield "longest", f"{done[-1].cpu_seconds:.1f} s ({done[-1].game})"
        largest = max(done, key=lambda game: game.peak_bytes)
        yield "most memory", f"{largest.peak_bytes >> 20:,} MB ({largest.game})"


@click.command(context_settings={"max_content_width": 100})
@click.argument("files", nargs=-1, required=True)
@click.option("--seconds", default=60.0, help="The limit for grounding and building.")
@click.option("--json", "json_file", type=click.Path(), help="Write the measurements here.")
@click.option("--write", "page", type=click.Path(exists=True, dir_okay=False, path_type=Path),
              help="Replace the figures in a page of the documentation.")  # fmt: skip
def main(files: tuple[str, ...], seconds: float, json_file: str | None, page: Path | None) -> None:
    """Measure what it takes to compile FILES: rulesheets, folders, or names of bundled games."""
    if page:
        check_page(page)
    try:
        paths = [path for name in files for path in _paths(name)]
    except OSError as error:
        raise click.UsageError(f"{error.filename}: {error.strerror}") from None
    console = Console()
    lines = list[str]()

    def work() -> Iterator[Compiled]:
        for path in paths:
            game = measure(path, seconds=seconds)
            console.print(f"{game.game:30} {game.cpu_seconds:8.2f} s {game.error}", highlight=False)
            lines.append(json.dumps(asdict(game)) + "\n")
            if json_file:
                replace_file(json_file, "".join(lines))
            yield game

    games, interrupted = measured(work())
    table = Table("game", *STAGES, "CPU s", "s", "MB", box=None)
    for game in games:
        cells = (f"{game.cpu.get(stage, 0):.2f}" for stage in STAGES)
        ends = (f"{game.cpu_seconds:.2f}", f"{game.seconds:.2f}", f"{game.peak_bytes >> 20:,}")
        table.add_row(game.game, *cells, *ends)
    console.print(table)
    for name, figure in summary(games):
        console.print(f"{name}: {figure}", highlight=False)
    end(interrupted=interrupted, is_whole=True)
    if page:
        slowest = sorted(games, key=lambda game: -game.cpu_seconds)[:10]
        rows = [(game.game, f"{game.gates:,}", f"{game.cpu_seconds:.1f}") for game in slowest]
        text = [f"`{command_line('benchmarks.compiling')}` on {machine()}:", ""]
        text += markdown(["all games", ""], summary(games))
        text += ["", *markdown(["the slowest", "nodes", "CPU seconds"], rows)]
        write_page(page, text)


def _paths(name: str) -> list[Path]:
    """Return the rulesheets of a folder, or the one of that name."""
    return sorted(Path(name).glob("*.kif")) if Path(name).is_dir() else [find_game(name)]


if __name__ == "__main__":
    main()
