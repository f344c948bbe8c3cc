"""Which classifier of max-n plays best: `python -m benchmarks.classifiers`.

Players by max-n that differ only in the classifier play each other, as `benchmarks.selfplay` says,
in games for three players, all but triad without a constant sum. The leaf-value table is enumerated
before, for both of them.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from statistics import fmean

import click

from benchmarks.selfplay import Division, divisions, opening
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
from ggp.players.maxn import MaxN
from ggp.reasoner.compiled import CompiledReasoner
from ggp.search.leaf_values import LeafValueTable

__all__ = ["GAMES", "command"]


def _cards(game: Game, evaluation: str, cards: int, *, number: int) -> Description:
    dealt = deal(game, cards=cards, seed=1, number=number)
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

# So many joint moves are made at random.
_OPENING = 3

_SIDES = "table", "other"


class _Prepared(MaxN):
    """The player, with a table that was enumerated before."""

    def __init__(self, table: LeafValueTable, classifier: str) -> None:
        super().__init__(classifier=classifier)  # type: ignore[arg-type]
        self._table = table

    def _leaf_values(self, deadline: Deadline) -> LeafValueTable:  # noqa: ARG002
        return self._table


def tasks(
    *, deals: int, seed: int, games: Sequence[str], seconds: float, against: str
) -> Iterator[Task]:
    """Yield an opening of each game; each deal of cards has one."""
    for number in range(1, deals + 1):
        for game in games or GAMES:
            yield {
                "game": game,
                "opening": number,
                "seed": seed,
                "seconds": seconds,
                "against": against,
            }


@cache
def _prepared(game: str, number: int) -> tuple[CompiledReasoner, LeafValueTable]:
    description = GAMES[game](number=number)
    return CompiledReasoner(description), leaf_values(description)


def measure(task: Task) -> Result:
    """Play the matches of an opening; return how many the table has won, and the mean goals."""
    number = integer(task, "opening")
    reasoner, table = _prepared(str(task["game"]), number)
    generator = random.Random(f"{task['seed']} {number} {task['game']}")
    state = opening(reasoner, generator, moves=_OPENING)
    players = {
        "table": partial(_Prepared, table, "lvt"),
        "other": partial(_Prepared, table, str(task["against"])),
    }
    seconds = float(str(task["seconds"]))
    played = [*divisions(reasoner, state, players, seconds=seconds)]
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
    title = "The leaf-value table in self-play, against another classifier"
    return Report(title=title, tables=(Table("wins", columns, tuple(rows)),))


command = experiment_command(
    "classifiers",
    help="Play matches between max-n players with the table and with another classifier.",
    tasks=tasks,
    measure=measure,
    report=report,
    deals=6,
    options=(
        click.option("--game", "games", multiple=True, type=click.Choice(list(GAMES)),
                     help="Only this one."),
        click.option("--seconds", type=click.FloatRange(min=0.001), default=0.1, show_default=True,
                     help="Processor time for each move."),
        click.option("--against", type=click.Choice(["linear", "sum", "none"]), default="linear",
                     show_default=True, help="The other classifier."),
    ),
)  # fmt: skip

if __name__ == "__main__":
    # Not the command of this module, whose functions the measuring processes cannot import.
    from benchmarks.classifiers import command as imported

    imported()
