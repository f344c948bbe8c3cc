"""Random play in batches, by `ggp.Game` and by pgx, each on one core of the same machine.

    python -m venv pgx && pgx/bin/pip install pgx
    python -m benchmarks.beside_pgx --python pgx/bin/python connect_four=connectfour

plays each game of pgx and its rulesheet in turns, and prints a table of the states that each of
them steps in a second of processor time, all with random moves, each lane beginning anew after an
end. The process keeps to one core, and so do those that it starts.
"""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path
from statistics import median

import click

from ggp.batch import Game

__all__ = ["by_ggp", "by_pgx", "command"]

_LOOP = Path(__file__).with_name("pgx_loop.py")


def by_ggp(game: Game, *, lanes: int, seconds: float) -> float:
    """Return the states that `Game.step` steps in a second of processor time."""
    states, done, began = game.init(lanes), 0, time.process_time()
    while time.process_time() - began < seconds:
        states = game.step(states, game.random_moves(states), auto_reset=True)
        done += lanes
    return done / (time.process_time() - began)


def by_pgx(python: str, game: str, *, lanes: int, seconds: float) -> float:
    """Return the states that pgx steps in a second of random play.

    Args:
        python: the Python that has jax and pgx.
        game: what pgx calls the game.
        lanes: how many states are stepped at once.
        seconds: for how long.

    Raises:
        click.ClickException: that Python cannot run pgx.
    """
    done = subprocess.run(
        [python, str(_LOOP), game, str(lanes), str(seconds)],
        env={**os.environ, "JAX_PLATFORMS": "cpu", "PYTHONPATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or ["it failed"]
        raise click.ClickException(f"pgx: {game}: {last[0]}")
    return float(done.stdout)


@click.command("pgx")
@click.argument("games", nargs=-1, required=True, metavar="PGX=RULESHEET...")
@click.option("--python", required=True, help="A Python in whose environment pgx is installed.")
@click.option("--lanes", default="512,4096", show_default=True, help="States at once; the best.")
@click.option("--seconds", type=float, default=2.0, show_default=True, help="Of each turn.")
@click.option("--rounds", type=click.IntRange(min=1), default=3, show_default=True)
def command(games: tuple[str, ...], python: str, lanes: str, seconds: float, rounds: int) -> None:
    """Print a table of states a second on one core, of pgx and of `ggp.Game`."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    sizes = [int(size) for size in lanes.split(",")]
    click.echo("| pgx | states a second | rulesheet | states a second | ratio |")
    click.echo("|---|--:|---|--:|--:|")
    for pair in games:
        name, _, file = pair.partition("=")
        ours: dict[int, list[float]] = {size: [] for size in sizes}
        theirs: dict[int, list[float]] = {size: [] for size in sizes}
        with Game.load(file) as game:
            for _ in range(rounds):
                for size in sizes:
                    ours[size].append(by_ggp(game, lanes=size, seconds=seconds))
                    theirs[size].append(by_pgx(python, name, lanes=size, seconds=seconds))
        mine, other = (max(map(median, found.values())) for found in (ours, theirs))
        row = (name, _millions(other), Path(file).stem, _millions(mine), f"{mine / other:.1f}")
        click.echo(f"| {' | '.join(row)} |")


def _millions(rate: float) -> str:
    return f"{rate / 1e6:.2f} M"


if __name__ == "__main__":
    command(prog_name="python -m benchmarks.beside_pgx")
