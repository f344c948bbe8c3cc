"""How long a player takes to its first legal move: started anew, and by a fork server.

`python -m benchmarks.starts [GAME]...` prints, for one player and for ten at once, the seconds
until all have a move, and the processor time of each in seconds.
"""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from ggp.cli.common import load_game
from ggp.deadline import Deadline
from ggp.gdl import Description
from ggp.match import ForkServer, PlayerProcess

__all__ = ["Start", "measure"]

#: Bundled games that are measured if none are named.
GAMES = ("tictactoe", "othello6x6")
#: The player that needs nothing but its reasoner.
PLAYER = "legal"
# Seconds between two looks at whether the players have ended.
_TICK = 0.01


@dataclass(frozen=True)
class Start:
    """What it took to start some players at once."""

    players: int
    #: Until the last of them had a move.
    seconds: float
    #: Processor time of all the processes, until their end, divided by the players.
    processor_seconds: float


def measure(description: Description, *, players: int, fork_server: ForkServer | None) -> Start:
    """Start players of a game at once, ask each for one move, and end them."""
    role, rules = str(description.roles[0]), description.source.text

    def play(process: PlayerProcess) -> None:
        process.start(rules, role, play_clock=60, deadline=Deadline.after(60))
        process.play(None, Deadline.after(60))

    before = _processor_seconds(fork_server)
    began = time.monotonic()
    processes = [PlayerProcess(PLAYER, fork_server=fork_server) for _ in range(players)]
    with ThreadPoolExecutor(players) as pool:
        list(pool.map(play, processes))
    seconds = time.monotonic() - began
    started = [pid for process in processes for pid in process.processes]
    for process in processes:
        process.abort()
        process.close()
    # only then it is counted what they have taken
    while any(Path(f"/proc/{pid}").exists() for pid in started):
        time.sleep(_TICK)
    spent = _processor_seconds(fork_server) - before
    return Start(players, seconds, spent / players)


def _processor_seconds(fork_server: ForkServer | None) -> float:
    """Return the processor time of this process's children, or of the fork server with its own."""
    if fork_server is None:
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        return children.ru_utime + children.ru_stime
    fields = Path(f"/proc/{fork_server.pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


@click.command()
@click.argument("games", nargs=-1, metavar="[GAME]...")
def main(games: Sequence[str]) -> None:
    """Measure the starts of players of each GAME: a file, or the name of a bundled game."""
    table = Table("game", "players", "started", "seconds", "processor seconds each", box=None)
    with ForkServer(prepare="ggp.match.worker") as fork_server:
        for name in games or GAMES:
            description = load_game(name)
            for players in (1, 10):
                for kind, forks in (("anew", None), ("forked", fork_server)):
                    start = measure(description, players=players, fork_server=forks)
                    table.add_row(
                        *(name, str(players), kind),
                        *(f"{start.seconds:.3f}", f"{start.processor_seconds:.3f}"),
                    )
    Console().print(table)


if __name__ == "__main__":
    main()
