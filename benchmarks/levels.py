"""Plays each level of the manager's pages against the next one.

    python -m benchmarks.levels [--matches N] [--games NAMES] [--level NAME] [--seconds SECONDS]

A level is right if it gets 20 to 40 % of the goals against the next one. Each pair plays the same
number of matches from each seat. The standard error is that of the matches within each game; a game
that is over in the same way whatever the players do, such as one that the second player wins,
counts 50 %.

The levels but the last search a number of states, and have as long as they need. The last one plays
for the time that it is given: its strength depends on the machine, and on what else runs there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import pairwise
from math import sqrt
from statistics import fmean, variance

import click

from ggp.deadline import Deadline
from ggp.gdl import Description
from ggp.gdl.bundled import find_game
from ggp.kif import Term
from ggp.match import (
    MatchFinished,
    MatchSettings,
    PlayerContext,
    Referee,
    make_participant,
    new_match_id,
)
from ggp.players.auto import Auto
from ggp.reasoner import State
from ggp.server.manager.playing.level import LEVELS, Level

#: Seconds to prepare and for a move.
_CLOCKS = LEVELS[0].start_clock, LEVELS[0].play_clock
_GAMES = "connectfour,breakthrough,othello6x6,hexapawn,tictactoe"


@click.command()
@click.option("--matches", default=8, show_default=True, help="Matches of a pair in each game.")
@click.option("--games", default=_GAMES, show_default=True, help="Bundled games of two players.")
@click.option("--level", type=click.Choice([level.name for level in LEVELS[:-1]]), help="Only it.")
@click.option("--seconds", type=click.FloatRange(min=0, min_open=True), show_default=True,
              default=LEVELS[-1].play_clock, help="For a move of the last level.")  # fmt: skip
def main(matches: int, games: str, level: str | None, seconds: float) -> None:
    """Play each level against the next one, and print the share of the goals that it gets."""
    names = games.split(",")
    print(f"{'level':8} {'against':8} " + " ".join(f"{name:>12}" for name in names) + "  all")
    for weaker, stronger in pairwise(LEVELS):
        if level not in (None, weaker.name):
            continue
        pair = weaker.spec, _timed(stronger, seconds)
        shares = [list(_scores(Description.load(find_game(name)), pair, matches)) for name in names]
        told = " ".join(f"{fmean(each):12.0%}" for each in shares)
        mean = fmean(map(fmean, shares))
        error = sqrt(sum(_squared_error(each) for each in shares)) / len(shares)
        print(f"{weaker.name:8} {stronger.name:8} {told}  {mean:.0%} ± {error:.0%}", flush=True)


def _squared_error(scores: Sequence[float]) -> float:
    """Return the square of the standard error of the mean of the matches of a game."""
    return variance(scores) / len(scores) if len(scores) > 1 else 0.0


def _timed(level: Level, seconds: float) -> str:
    """Return the player of a level; the last one gets its own seconds."""
    if level is not LEVELS[-1]:
        return level.spec
    return f"benchmarks.levels.Timed:seconds={seconds},start={level.start_clock}"


def _scores(game: Description, pair: tuple[str, str], matches: int) -> Iterator[float]:
    """Yield the share of the goals that the weaker player, the first, gets in each match."""
    for number in range(matches):
        seat = number % 2
        yield _played(game, pair if seat == 0 else pair[::-1])[seat] / 100


def _played(game: Description, players: Sequence[str]) -> Sequence[int]:
    settings = MatchSettings(new_match_id("levels"), game, *_CLOCKS)
    with closing(Referee(settings, list(map(make_participant, players)))) as referee:
        for event in referee.run():
            if isinstance(event, MatchFinished):
                if event.goals is None:
                    raise click.ClickException(event.remark)
                return event.goals
    raise AssertionError("a match has an end")


class Timed(Auto):
    """Plays as `auto` with clocks of its own, which may be shorter than those of the match."""

    def __init__(self, *, seconds: float, start: float) -> None:
        """Configure the player.

        Args:
            seconds: for a move.
            start: seconds to prepare.
        """
        super().__init__()
        self._seconds, self._preparing = seconds, start

    def start(self, context: PlayerContext, deadline: Deadline) -> None:
        """Prepare for its own seconds."""
        super().start(replace(context, play_clock=self._seconds), deadline.within(self._preparing))

    def moves(self, state: State, deadline: Deadline) -> Iterator[Term]:
        """Yield the moves that are found in its own seconds."""
        return super().moves(state, deadline.within(self._seconds))


if __name__ == "__main__":
    main()
