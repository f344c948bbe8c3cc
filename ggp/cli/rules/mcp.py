"""`ggp mcp`: the tools of this program for agents."""

from __future__ import annotations

from pathlib import Path

import click

from ggp.cli.common import Seconds

__all__ = ["command"]

_GIB = 1 << 30


@click.command("mcp")
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("rulesheets"),
    show_default=True,
    help="Where games are saved; nothing outside it is written or read but bundled games.",
)
@click.option(
    "--seconds",
    type=Seconds(),
    default=60.0,
    show_default=True,
    help="How long a call may take.",
)
@click.option(
    "--memory",
    type=click.FloatRange(min=1),
    default=4.0,
    show_default=True,
    metavar="GIB",
    help="Address space of each process of a call.",
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=2,
    show_default=True,
    help="Calls that are carried out at the same time.",
)
def command(folder: Path, seconds: float, memory: float, jobs: int) -> None:
    """Serve an agent that writes, proves and plays games, and that starts this command itself.

    The command speaks the Model Context Protocol on standard input and output. docs/agents.md tells
    what the tools do, and how to set up a client.
    """
    from ggp.agents.calls import Limits
    from ggp.agents.server import make_server

    limits = Limits(seconds=seconds, memory=int(memory * _GIB), jobs=jobs)
    make_server(folder.resolve(), limits=limits).run()
