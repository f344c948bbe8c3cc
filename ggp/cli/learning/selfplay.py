"""`ggp selfplay`: a player plays itself, and its choices become Parquet files to learn from."""

from __future__ import annotations

import secrets
import time
from dataclasses import asdict
from pathlib import Path

import click

from ggp.cli.common import (
    Seconds,
    complete_players,
    game_argument,
    interruptible,
    json_option,
    load_game,
    log_to_stderr,
    name_and_url,
    pool_options,
    print_json,
    seed_option,
    show_progress,
    time_left,
)
from ggp.cluster import Pool
from ggp.printable import printable
from ggp.selfplay import Plan, Progress, selfplay
from ggp.selfplay.data import Folder

__all__ = ["command"]


@click.command("selfplay")
@game_argument
@click.argument("player", shell_complete=complete_players)
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), required=True,
              help="The folder of the data.")  # fmt: skip
@click.option("--matches", type=click.IntRange(min=1), default=100, show_default=True)
@click.option("--part", type=click.IntRange(min=1), default=20, show_default=True,
              help="Matches in a file; until all of them are over, each has its own.")  # fmt: skip
@click.option("--opening", type=click.IntRange(min=0), default=0, show_default=True,
              help="Joint moves made at random first; they are not part of the data.")  # fmt: skip
@click.option("--noise", type=click.FloatRange(0, 1), default=0.0, show_default=True,
              help="The share of moves made at random instead of by the player.")  # fmt: skip
@click.option("--max-steps", type=click.IntRange(min=1), default=None,
              help="Joint moves after which a match ends.")  # fmt: skip
@click.option("--seconds", type=Seconds(), default=None,
              help="Stop after this time; the same command goes on.")  # fmt: skip
@pool_options("Matches", jobs=1)
@click.option("--start-clock", type=Seconds(or_none=True), default=None,
              help="Seconds in which each role prepares for a match, one after the other.  "
              "[default: the play clock]")  # fmt: skip
@click.option("--play-clock", type=Seconds(), default=5, show_default=True,
              help="Seconds for each move.")  # fmt: skip
@seed_option
@json_option
def command(
    file: str,
    player: str,
    out: Path,
    matches: int,
    part: int,
    opening: int,
    noise: float,
    max_steps: int | None,
    seconds: float | None,
    start_clock: float | None,
    play_clock: float,
    seed: int | None,
    pool: Pool,
    as_json: bool,
) -> None:
    """Let a player play all roles of a game, and write what it saw and chose.

    FILE is a rulesheet, - for standard input, or the name of a bundled game; PLAYER is a player as
    for `ggp match`. Each match is written when it is over, and the same command goes on with what
    was interrupted.
    """
    log_to_stderr()
    description = load_game(file)
    kept = Folder(out).plan()
    if seed is None:
        seed = secrets.randbits(31) if kept is None else kept.seed
    if start_clock is None:
        start_clock = play_clock if kept is None else kept.start_clock
    plan = Plan(
        game=name_and_url(file)[0],
        rules=description.source.text,
        player=player,
        matches=matches,
        part=part,
        start_clock=start_clock,
        play_clock=play_clock,
        opening=opening,
        noise=noise,
        max_steps=max_steps,
        seed=seed,
    )
    try:
        with interruptible(seconds) as deadline:
            shown = _Shown()
            found = selfplay(plan, out, pool=pool, deadline=deadline, progress=shown.show)
    except OSError as error:
        raise click.ClickException(
            f"{error.filename or out}: {error.strerror}; the matches that were written before are "
            f"in {out}, and the same command goes on"
        ) from None
    finally:
        show_progress("")
    if as_json:
        print_json(asdict(found))
        return
    click.echo(printable(f"{found.written:,} of {found.matches:,} matches are in {out}"))


class _Shown:
    """Shows how far a self-play is, and how long the rest will take."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        show_progress("the players prepare")

    def show(self, now: Progress) -> None:
        parts = [f"{now.written:,} of {now.matches:,} matches"]
        if now.played:
            parts.append(f"{now.states:,} states in this run")
            parts.append(time_left(self._began, now.played, now.matches - now.written))
        if now.running:
            parts.append(f"move {', '.join(map(str, now.running))}")
        show_progress("; ".join(parts))
