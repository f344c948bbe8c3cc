"""Max-n with the table against another search: `python -m benchmarks.classifiers`.

Players by max-n that differ only in the classifier play each other, as `benchmarks.arena` says,
in games for two or three players, all but triad without a constant sum. With `--against paranoid`
the other is alpha-beta, for which all opponents are one that plays against it (section 6 of the
paper asks when to use which). The leaf-value table is enumerated before, for both of them.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from statistics import fmean
from typing import Any

import click

from benchmarks.arena.matches import Division, divisions, local, opening
from benchmarks.arena.position import Position
from ggp.cli.common import load_game
from ggp.deadline import Deadline
from ggp.experiments.cards.deal import Game, deal
from ggp.experiments.cards.rulesheet import rulesheet
from ggp.experiments.running.runner import (
    Measured,
    Report,
    Result,
    Table,
    Task,
    experiment_command,
    integer,
)
from ggp.experiments.running.searching import leaf_values
from ggp.experiments.running.statistics import Summary
from ggp.gdl import Description
from ggp.kif import Source
from ggp.match import Player
from ggp.players.alphabeta import AlphaBeta
from ggp.players.deepening import Deepening
from ggp.players.maxn import MaxN
from ggp.reasoner.compiled import CompiledReasoner
from ggp.search.leaf_values import LeafValueTable

__all__ = ["FOR_TWO", "GAMES", "command"]


def _cards(
    game: Game, evaluation: str, cards: int, *, number: int, players: int = 3
) -> Description:
    dealt = deal(game, players=players, cards=cards, seed=1, number=number)
    return Description.from_text(Source(rulesheet(dealt, evaluation=evaluation), f"deal {number}"))


def _bundled(name: str, *, number: int) -> Description:  # noqa: ARG001 - always the same game
    return load_game(name)


#: By name, what returns a game for the number of an opening.
GAMES: dict[str, Callable[..., Description]] = {
    "Spades, smot": partial(_cards, "spades", "smot", 12),
    "Spades, formula": partial(_cards, "spades", "formula", 12),
    "Spades, momb": partial(_cards, "spades", "momb", 12),
    "Oh Hell, formula": partial(_cards, "ohhell", "formula", 11),
    "Hearts, moon": partial(_cards, "hearts", "moon", 12),
    "triad": partial(_bundled, "triad"),
}
#: The same for games that are played only if they are named, or all of them by `--players 2`.
FOR_TWO: dict[str, Callable[..., Description]] = {
    "Spades for two, smot": partial(_cards, "spades", "smot", 13, players=2),
    "Spades for two, formula": partial(_cards, "spades", "formula", 13, players=2),
    "Oh Hell for two, oh": partial(_cards, "ohhell", "oh", 13, players=2),
    "Hearts for two, moon": partial(_cards, "hearts", "moon", 13, players=2),
}
_ALL = GAMES | FOR_TWO

# The number of random joint moves of an opening.
_OPENING = 3

_SIDES = "table", "other"


class _Prepared(Deepening):
    """A player with a table that was enumerated before."""

    def __init__(self, table: LeafValueTable, **options: Any) -> None:
        super().__init__(**options)
        self._table = table

    def _leaf_values(self, deadline: Deadline) -> LeafValueTable:  # noqa: ARG002
        return self._table


class _MaxN(_Prepared, MaxN):
    """Each role plays for itself."""


class _Paranoid(_Prepared, AlphaBeta):
    """All others play against the role."""


def _player(table: LeafValueTable, name: str) -> Player:
    return _Paranoid(table) if name == "paranoid" else _MaxN(table, classifier=name)


def tasks(
    *, deals: int, seed: int, games: Sequence[str], players: str, seconds: float, against: str
) -> Iterator[Task]:
    """Yield an opening of each game; each deal of cards has one."""
    for number in range(1, deals + 1):
        for game in games or (GAMES if players == "3" else FOR_TWO):
            yield {
                "game": game,
                "opening": number,
                "seed": seed,
                "seconds": seconds,
                "against": against,
            }


@cache
def _prepared(game: str, number: int) -> tuple[CompiledReasoner, LeafValueTable]:
    description = _ALL[game](number=number)
    return CompiledReasoner(description), leaf_values(description)


def measure(task: Task) -> Result:
    """Play the matches of an opening; return how many the table has won, and the mean goals."""
    number = integer(task, "opening")
    reasoner, table = _prepared(str(task["game"]), number)
    generator = random.Random(f"{task['seed']} {number} {task['game']}")
    begin = opening(Position.initial(reasoner), generator, moves=_OPENING)
    seconds = float(str(task["seconds"]))
    sides = {
        "table": local(partial(_player, table, "lvt"), seconds=seconds),
        "other": local(partial(_player, table, str(task["against"])), seconds=seconds),
    }
    played = [*divisions(begin, sides)]
    return {
        **{side: fmean(goal for each in played for goal in each.of(side)) for side in _SIDES},
        "wins": sum(map(_won, played)),
        "matches": len(played),
        "constant": table.constant_sum,
    }


def _won(played: Division) -> float:
    """Return 1 if the roles of the table got more on average, 1/2 if they got as much."""
    table, other = (fmean(played.of(side)) for side in _SIDES)
    return 1.0 if table > other else 0.5 * (table == other)


def report(measured: Sequence[Measured]) -> Report:
    """Tabulate the share of matches that the table wins; the error is that between openings."""
    by_game: dict[str, list[Result]] = defaultdict(list)
    for done in measured:
        for game in (str(done.task["game"]), "all"):
            by_game[game].append(done.result)
    rows = []
    for game, found in by_game.items():
        wins = Summary.of([100 * each["wins"] / each["matches"] for each in found])
        gain = Summary.of([each["table"] - each["other"] for each in found])
        matches = sum(each["matches"] for each in found)
        figures = (wins.mean, wins.standard_error, gain.mean, gain.standard_error)
        rows.append((game, matches, *figures))
    columns = ("game", "matches", "wins %", "error", "goals more", "error of goals")
    title = "Max-n with the leaf-value table in self-play, against another search"
    return Report(title=title, tables=(Table("wins", columns, tuple(rows)),))


command = experiment_command(
    "classifiers",
    help="Play matches between max-n with the table and another search.",
    tasks=tasks,
    measure=measure,
    report=report,
    deals=6,
    options=(
        click.option("--game", "games", multiple=True, type=click.Choice(list(_ALL)),
                     help="Only this one."),
        click.option("--players", type=click.Choice(["2", "3"]), default="3", show_default=True,
                     help="Only games for this number of players."),
        click.option("--seconds", type=click.FloatRange(min=0.001), default=0.1, show_default=True,
                     help="Processor time for each move."),
        click.option("--against", type=click.Choice(["linear", "sum", "none", "paranoid"]),
                     default="linear", show_default=True,
                     help="The other classifier, or the other search."),
    ),
)  # fmt: skip

if __name__ == "__main__":
    # Not the command of this module, whose functions the measuring processes cannot import.
    from benchmarks.classifiers import command as imported

    imported()
