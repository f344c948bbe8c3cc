"""Plays each level of the manager's pages against the next one.

    python -m benchmarks.levels [--matches N] [--games NAMES] [--level NAME]

A level is honest if it gets 20 to 40 % of the goals against the next one. Each pair plays the
same number of matches from each seat. It takes some minutes for each ten matches.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import pairwise

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
def main(matches: int, games: str, level: str | None) -> None:
    """Play each level against the next one, and print the share of the goals that it gets."""
    names = games.split(",")
    print(f"{'level':10} {'against':10} " + " ".join(f"{name:>14}" for name in names) + "    all")
    for weaker, stronger in pairwise(LEVELS):
        if level not in (None, weaker.name):
            continue
        shares = [
            sum(_scores(Description.load(find_game(name)), weaker, stronger, matches)) / matches
            for name in names
        ]
        told = " ".join(f"{share:14.0%}" for share in shares)
        mean = sum(shares) / len(shares)
        print(f"{weaker.name:10} {stronger.name:10} {told} {mean:6.0%}", flush=True)


def _scores(game: Description, weaker: Level, stronger: Level, matches: int) -> Iterator[float]:
    for number in range(matches):
        seat = number % 2
        players = [stronger, stronger]
        players[seat] = weaker
        yield _played(game, players, stronger)[seat] / 100


def _played(game: Description, players: Sequence[Level], clocks: Level) -> Sequence[int]:
    settings = MatchSettings(
        new_match_id("levels"),
        game,
        clocks.start_clock,
        clocks.play_clock,
    )
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
