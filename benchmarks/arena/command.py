"""The command of the arena."""

from __future__ import annotations

import sys
import tempfile
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from benchmarks.arena.contest import Contest, Standing
from benchmarks.arena.measuring import Pairing, makes
from benchmarks.arena.sprt import Sprt, score_of_elo
from benchmarks.arena.table import tabulate
from ggp.cli.common import Seconds, interruptible, json_option, print_json, show_progress
from ggp.errors import GgpError, PlayerError
from ggp.experiments.running.measuring import Kept

__all__ = ["command"]

_WIDTH = 120


@click.command("arena")
@click.argument("a", required=False)
@click.argument("b", required=False)
@click.option("--game", help="A file, a bundled game, or one of OpenSpiel's that is known here.")
@click.option(
    "--seconds", type=Seconds(), default=0.25, show_default=True, help="For each move of each side."
)
@click.option(
    "--start",
    type=Seconds(or_none=True),
    default=1.0,
    show_default=True,
    help="Seconds to prepare for a match.",
)
@click.option(
    "--clock",
    type=click.Choice(["processor", "wall"]),
    default="processor",
    show_default=True,
    help="Time of all threads together, or on the wall.",
)
@click.option(
    "--matches",
    type=click.IntRange(min=1),
    default=100,
    show_default=True,
    metavar="N",
    help="Play so many; an opening is played to the end.",
)
@click.option(
    "--opening",
    type=click.IntRange(min=0),
    default=2,
    show_default=True,
    metavar="N",
    help="Random joint moves before each match.",
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
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    metavar="N",
    help="Number of processes that play.",
)
@click.option(
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Keep the matches there, and continue those that are there.",
)
@json_option
def command(
    a: str | None,
    b: str | None,
    game: str | None,
    matches: int,
    elo: tuple[float, float] | None,
    scores: tuple[float, float] | None,
    jobs: int,
    output: Path | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Play matches between the players A and B, each from the same openings in every seat.

    A and B are players as `ggp match` takes them: a name with its options, or the class of your
    own player; or `openspiel:mcts` with its options, where OpenSpiel has the game. The score is
    that of A: 1 for a win, 1/2 for a draw.
    """
    if a is None or b is None or game is None:
        raise click.UsageError("which players, and which game? A B --game GAME")
    try:
        contest = Contest(Pairing(a, b, game, **options), matches, _test(elo, scores))
        for player in (a, b):
            makes(player, contest.pairing.timing, seed=0)
        standing = _play(contest, jobs=jobs, output=output)
    except PlayerError as error:
        raise click.UsageError(str(error)) from None
    except GgpError as error:
        raise click.ClickException(str(error)) from None
    if as_json:
        print_json(standing.to_json())
    else:
        # Without a terminal the width is unknown.
        console = Console(highlight=False, width=None if sys.stdout.isatty() else _WIDTH)
        tabulate([standing]).print(console)


def _play(contest: Contest, *, jobs: int, output: Path | None) -> Standing:
    with ExitStack() as stack:
        folder = output or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.mkdir(parents=True, exist_ok=True)
        kept = stack.enter_context(closing(Kept(folder / "measured.jsonl")))
        deadline = stack.enter_context(interruptible())
        for standing in contest.play(kept, jobs=jobs, deadline=deadline):
            _show(standing)
        show_progress("")
        return contest.standing(kept)


def _show(standing: Standing) -> None:
    tally = standing.tally
    if tally.score is not None:
        error = "" if tally.error is None else f" ± {tally.error:.1%}"
        show_progress(f"{tally.games} matches: {tally.score:.1%}{error}")


def _test(elo: tuple[float, float] | None, scores: tuple[float, float] | None) -> Sprt | None:
    if elo is not None and scores is not None:
        raise click.UsageError("--sprt or --sprt-scores, not both")
    low, high = scores or map(score_of_elo, elo or (0.0, 0.0))
    if elo is None and scores is None:
        return None
    if not low < high:
        raise click.UsageError("the first bound of the test must be less than the second")
    return Sprt(low, high)
