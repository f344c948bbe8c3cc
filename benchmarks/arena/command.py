"""The command of the arena."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from benchmarks.arena.contest import Contest
from benchmarks.arena.measuring import Pairing
from benchmarks.arena.playing import (
    RowSettings,
    play_all_quickly,
    play_contest,
    play_games,
    play_named,
    recorded,
)
from benchmarks.arena.rows import PLAYER, select
from benchmarks.arena.sprt import Sprt, score_of_elo
from benchmarks.arena.table import Tables, report, to_markdown
from benchmarks.arena.versions.checkout import resolved
from benchmarks.figures import check_page, command_line, machine, write_page
from ggp.cli.common import Seconds, json_option, pool_options, print_json
from ggp.cluster import Pool
from ggp.errors import GgpError, PlayerError, SourceError

__all__ = ["command"]

_WIDTH = 120
_SECONDS, _START, _MATCHES = 0.25, 1.0, 100
_RESULTS = Path("results", "arena")


@click.command("arena")
@click.argument("a", required=False)
@click.argument("b", required=False)
@click.option(
    "--game",
    "games",
    multiple=True,
    help="A file, a bundled game, one of OpenSpiel's that is known here, or a folder of files."
    " May be repeated.",
)
@click.option(
    "--seconds",
    type=Seconds(),
    help=f"For each move of each side.  [default: {_SECONDS}; a row has its own]",
)
@click.option(
    "--start",
    type=Seconds(or_none=True),
    help=f"Seconds to prepare for a match.  [default: {_START}; a row has its own]",
)
@click.option(
    "--clock",
    type=click.Choice(["processor", "wall"]),
    default="processor",
    show_default=True,
    help="Time of all threads together, or on the wall; a row has its own.",
)
@click.option(
    "--matches",
    type=click.IntRange(min=1),
    metavar="N",
    help=f"Play N matches; an opening is played to the end.  [default: {_MATCHES}]",
)
@click.option(
    "--opening",
    type=click.IntRange(min=0),
    default=2,
    show_default=True,
    metavar="N",
    help="Random joint moves before each match; fewer where the game is over sooner.",
)
@click.option("--alone", is_flag=True, help="Let A have one role in each match, and B the others.")
@click.option("--seed", type=int, default=1, show_default=True, help="Of the openings.")
@click.option(
    "--sprt",
    "elo",
    type=float,
    nargs=2,
    metavar="ELO0 ELO1",
    help="Stop as soon as A is known to be stronger by ELO0 or less, or ELO1 or more.",
)
@click.option(
    "--sprt-scores",
    "scores",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    nargs=2,
    metavar="P0 P1",
    help="The same for scores between 0 and 1.",
)
@pool_options("Openings", jobs=1)
@click.option(
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Keep the matches there, and continue those that are there."
    f"  [default: {_RESULTS} for rows, else none]",
)
@click.option("--quick", is_flag=True, help="Play an opening of each main row, in three minutes.")
@click.option(
    "--row",
    "--rows",
    "rows",
    multiple=True,
    metavar="NAME",
    help="Play or continue rows of docs/strength.md: those of a group, or GROUP/GAME.",
)
@click.option("--fresh", is_flag=True, help="Discard the earlier matches of these rows.")
@click.option("--player", default=PLAYER, show_default=True, help="The player of the rows.")
@click.option("--table", is_flag=True, help="Print the rows that were played, in Markdown.")
@click.option(
    "--write",
    "page",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Replace the table in a page of the documentation.",
)
@json_option
def command(
    a: str | None,
    b: str | None,
    games: tuple[str, ...],
    seconds: float | None,
    start: float | None,
    matches: int | None,
    elo: tuple[float, float] | None,
    scores: tuple[float, float] | None,
    pool: Pool,
    output: Path | None,
    quick: bool,
    rows: tuple[str, ...],
    fresh: bool,
    player: str,
    table: bool,
    page: Path | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Play matches between the players A and B, each from the same openings in every seat.

    A and B are players as `ggp match` takes them: a name with its options, or the class of your
    own player; or git:COMMIT:PLAYER for one as it was in a commit; or `openspiel:mcts` with its
    options, where OpenSpiel has the game. The score is that of A: 1 for a win, 1/2 for a draw.

    Instead of A and B, `--row` names contests of docs/strength.md; `--quick` plays some of them.
    """
    is_of_rows = bool(quick or rows or table or page)
    if (None in (a, b) or not games) != is_of_rows or (is_of_rows and (a or games)):
        raise click.UsageError("A B --game GAME, or one of --quick, --row, --table and --write")
    if page is not None:
        check_page(page)
    settings = RowSettings(player, seconds, start, matches, output or _RESULTS)
    with _explained():
        if quick:
            tables = play_all_quickly(player)
        elif rows:
            tables = play_named(select(rows), settings, pool=pool, fresh=fresh)
        elif is_of_rows:
            tables = recorded(settings)
        else:
            options["seconds"] = _SECONDS if seconds is None else seconds
            options["start"] = _START if start is None else start
            players = resolved(str(a)), resolved(str(b))
            pairings = [Pairing(*players, each, **options) for each in _files(games)]
            test = _test(elo, scores)
            contests = [Contest(each, matches or _MATCHES, test) for each in pairings]
            tables = _meet(contests, pool=pool, folder=output)
    if as_json:
        lines = [line.to_json() for lines in tables.values() for line in lines]
        print_json(lines if is_of_rows or len(lines) > 1 else lines[0])
    elif table:
        click.echo("\n".join(to_markdown(tables)))
    else:
        # Without a terminal the width is unknown.
        console = Console(highlight=False, width=None if sys.stdout.isatty() else _WIDTH)
        report(tables).print(console)
    if page is not None:
        write_page(page, _page(tables))


@contextmanager
def _explained() -> Iterator[None]:
    """Let errors end the command in a line; the exit code is 2 for wrong use."""
    try:
        yield
    except PlayerError as error:
        raise click.UsageError(str(error)) from None
    except SourceError as error:
        raise click.UsageError(error.one_line()) from None
    except OSError as error:
        raise click.ClickException(f"{error.filename}: {error.strerror}") from None
    except GgpError as error:
        raise click.ClickException(str(error)) from None


def _page(tables: Tables) -> Iterator[str]:
    """Yield what is written into a page."""
    command = command_line("benchmarks.arena")
    yield f"`{command}`: {machine()}. The score is that of A, the first player of each title."
    yield from to_markdown(tables)


def _meet(contests: Sequence[Contest], *, pool: Pool, folder: Path | None) -> Tables:
    """Play the contests of two players, one or many."""
    if len(contests) == 1:
        return play_contest(contests[0], pool=pool, folder=folder)
    if contests[0].test is not None:
        raise click.UsageError("a test is of one game")
    return play_games(contests, pool=pool, folder=folder)


def _files(games: Sequence[str]) -> list[str]:
    """Return the games, with the rulesheets of each folder in its place."""
    found = []
    for game in games:
        files = sorted(map(str, Path(game).glob("*.kif"))) if Path(game).is_dir() else [game]
        if not files:
            raise click.UsageError(f"{game}: no rulesheet (*.kif) is in this folder")
        found += files
    return found


def _test(elo: tuple[float, float] | None, scores: tuple[float, float] | None) -> Sprt | None:
    if elo is not None and scores is not None:
        raise click.UsageError("--sprt or --sprt-scores, not both")
    if elo is None and scores is None:
        return None
    low, high = scores or map(score_of_elo, elo or ())
    if not low < high:
        raise click.UsageError("the first bound of the test must be less than the second")
    return Sprt(low, high)
