"""Plays each level of the manager's pages against the next one.

    python -m benchmarks.levels [--matches N] [--games NAMES] [--level NAME] [--play-clock SECONDS]

A level is right if it gets 20 to 40 % of the goals against the next one. Each pair plays the same
number of matches from each seat. The standard error is that of the matches within each game; a game
that is over in the same way whatever the players do, such as one that the second player wins,
counts 50 %. Against the last level it takes up to a minute and a half for each match.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import pairwise
from math import sqrt
from statistics import fmean, variance

import click

from ggp.gdl import Description
from ggp.gdl.bundled import find_game
from ggp.match import (
    MatchFinished,
    MatchSettings,
    Referee,
    make_participant,
    new_match_id,
)
from ggp.server.manager.playing.level import LEVELS, Level

_GAMES = "connectfour,breakthrough,othello6x6,hexapawn,tictactoe"


@click.command()
@click.option("--matches", default=8, show_default=True, help="Matches of a pair in each game.")
@click.option("--games", default=_GAMES, show_default=True, help="Bundled games of two players.")
@click.option("--level", type=click.Choice([level.name for level in LEVELS[:-1]]), help="Only it.")
@click.option("--play-clock", type=click.FloatRange(min=0, min_open=True), metavar="SECONDS",
              help="For each move, in place of the stronger level's own.")  # fmt: skip
def main(matches: int, games: str, level: str | None, play_clock: float | None) -> None:
    """Play each level against the next one, and print the share of the goals that it gets."""
    names = games.split(",")
    print(f"{'level':8} {'against':8} " + " ".join(f"{name:>12}" for name in names) + "  all")
    for weaker, stronger in pairwise(LEVELS):
        if level not in (None, weaker.name):
            continue
        clocks = (stronger.start_clock, play_clock or stronger.play_clock)
        shares = [
            list(_scores(Description.load(find_game(name)), weaker, stronger, matches, clocks))
            for name in names
        ]
        told = " ".join(f"{fmean(each):12.0%}" for each in shares)
        mean = fmean(map(fmean, shares))
        error = sqrt(sum(_squared_error(each) for each in shares)) / len(shares)
        print(f"{weaker.name:8} {stronger.name:8} {told}  {mean:.0%} ± {error:.0%}", flush=True)


def _squared_error(scores: Sequence[float]) -> float:
    """Return the square of the standard error of the mean of the matches of a game."""
    return variance(scores) / len(scores) if len(scores) > 1 else 0.0


def _scores(
    game: Description,
    weaker: Level,
    stronger: Level,
    matches: int,
    clocks: tuple[float, float],
) -> Iterator[float]:
    for number in range(matches):
        seat = number % 2
        players = [stronger, stronger]
        players[seat] = weaker
        yield _played(game, players, clocks)[seat] / 100


def _played(
    game: Description, players: Sequence[Level], clocks: tuple[float, float]
) -> Sequence[int]:
    settings = MatchSettings(new_match_id("levels"), game, *clocks)
    participants = [make_participant(level.spec, name=level.name) for level in players]
    with closing(Referee(settings, participants)) as referee:
        for event in referee.run():
            if isinstance(event, MatchFinished):
                if event.goals is None:
                    raise click.ClickException(event.remark)
                return event.goals
    raise AssertionError("a match has an end")


if __name__ == "__main__":
    main()
