"""The classifiers of max-n, compared in games for three players without a constant sum.

A classifier decides whether a search may prune a branch. The experiment compares the linear test,
the linear test for ranks as whole numbers (discrete), and the leaf-value table with each of the
filters for the rows that are still possible below a state: the upper bounds of outcomes of Figure 9
(literal), upper bounds of ranks, and the exact filter. (N. Sturtevant, "Leaf-Value Tables for
Pruning Non-Zero-Sum Games", IJCAI 2005.) The linear tests, too, take their `maxsum` from the table.
There is no transposition table, so each node is a position in the tree. Every search must find the
value and the move of plain max-n.

The same at a horizon, two thirds as deep, where playouts estimate the states: there the linear test
of goals is compared with the convex hull of the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ggp.errors import GgpError
from ggp.experiments.cards.deal import Game, deal
from ggp.experiments.cards.rulesheet import rulesheet
from ggp.experiments.classifiers import small_games
from ggp.experiments.classifiers.kinds import CLASSIFIERS, draw_bars, fit_to_bars
from ggp.experiments.running.runner import (
    Measured,
    Report,
    Result,
    Table,
    Task,
    fingerprint,
    integer,
)
from ggp.experiments.running.searching import leaf_values, opened, search
from ggp.gdl import Description
from ggp.graph import GameGraph
from ggp.kif import Source
from ggp.search import Evaluation, MaxNOptions

if TYPE_CHECKING:  # an extra
    from matplotlib.figure import Figure

__all__ = ["ALGORITHMS", "GAMES", "TO_THE_END", "measure", "plot", "report", "tasks"]

ALGORITHMS = ("speculative", "last-branch", "branch-and-bound", "shallow")
#: The classifiers that look to the end of the game.
TO_THE_END = {
    name: CLASSIFIERS[name] for name in ("linear", "discrete", "literal", "upper", "exact")
}
#: Those that the exact filter is compared with.
_WIDER = ("linear", "literal", "upper")
#: The same at a horizon, where the hull of the rows decides in place of the table.
AT_HORIZON = {"linear": CLASSIFIERS["linear"], "hull": CLASSIFIERS["exact"]}
_NONE, _ABOVE = "max-n", "above a horizon"


def _cards(game: Game, evaluation: str, cards: int, *, number: int, seed: int) -> str:
    dealt = deal(game, cards=cards, seed=seed, number=number)
    return rulesheet(dealt, evaluation=evaluation)


def _small(write: Callable[[int], str], *, number: int, seed: int) -> str:
    return write(1000 * seed + number)


#: By name, the function that returns a game's rules for a number and a seed.
GAMES: dict[str, Callable[..., str]] = {
    "Spades, mot": partial(_cards, "spades", "mot", 6),
    "Spades, formula": partial(_cards, "spades", "formula", 6),
    "Spades, momb": partial(_cards, "spades", "momb", 6),
    "Oh Hell, formula": partial(_cards, "ohhell", "formula", 5),
    "Hearts, moon": partial(_cards, "hearts", "moon", 7),
    "Hearts, least": partial(_cards, "hearts", "least", 6),
    "coins": partial(_small, small_games.coins),
    "stones": partial(_small, small_games.stones),
}


def tasks(*, deals: int, seed: int) -> Iterator[Task]:
    """Yield a task for every game and number."""
    for game, write in GAMES.items():
        for number in range(1, deals + 1):
            text = write(number=number, seed=seed)
            yield {"game": game, "deal": number, "seed": seed, "rules": fingerprint(text)}


def measure(task: Task) -> Result:
    """Search a game with every algorithm and every classifier.

    Raises:
        GgpError: the leaf-value table was not found in time, or two searches differ.
    """
    number, seed = integer(task, "deal"), integer(task, "seed")
    text = GAMES[str(task["game"])](number=number, seed=seed)
    description = Description.from_text(Source(text, f"{task['game']} {number}"))
    table = leaf_values(description)
    with opened(description) as graph:
        options = MaxNOptions(leaf_values=table)
        nodes = _compare(graph, TO_THE_END, options)
        depth = max(1, search(graph, ALGORITHMS[0], options).depth * 2 // 3)
        evaluation = Evaluation(leaf_values=table, goals=0, playouts=1, count=64)
        above = _compare(graph, AT_HORIZON, replace(options, evaluation=evaluation), depth=depth)
    return {
        "nodes": nodes,
        _ABOVE: above,
        "rows": len(table),
        "constant": table.constant_sum,
    }


def _compare(
    graph: GameGraph,
    classifiers: dict[str, MaxNOptions],
    options: MaxNOptions,
    *,
    depth: int | None = None,
) -> dict[str, int]:
    """Return the nodes of max-n, and of every algorithm with every classifier.

    Raises:
        GgpError: two searches differ.
    """
    plain = search(graph, "maxn", replace(options, classifier="none"), depth=depth)
    nodes = {_NONE: plain.expanded}
    for algorithm in ALGORITHMS:
        for name, chosen in classifiers.items():
            asked = replace(chosen, leaf_values=options.leaf_values, evaluation=options.evaluation)
            found = search(graph, algorithm, asked, depth=depth)
            if (found.goals, found.move) != (plain.goals, plain.move):
                raise GgpError(f"{algorithm}, {name}: not the result of plain max-n")
            nodes[f"{algorithm} {name}"] = found.expanded + found.researched
    return nodes


@dataclass(frozen=True, slots=True)
class _Sums:
    """The nodes of all deals of a game together."""

    game: str
    measured: Sequence[Measured]

    def of(self, search: str, kind: str = "nodes") -> int:
        """Return the nodes of one kind of search."""
        return sum(done.result[kind][search] for done in self.measured)

    def above_horizon(self, algorithm: str) -> tuple[Any, ...]:
        """Return the nodes above the horizon with each classifier, and what the hull saves."""
        linear, hull = (self.of(f"{algorithm} {name}", _ABOVE) for name in AT_HORIZON)
        plain = self.of(_NONE, _ABOVE)
        return (self.game, algorithm, len(self.measured), plain, linear, hull, linear / hull)

    def row(self, algorithm: str) -> tuple[Any, ...]:
        """Return the nodes with each classifier, and what the better classifiers save."""
        nodes = {name: self.of(f"{algorithm} {name}") for name in TO_THE_END}
        return (
            self.game,
            len(self.measured),
            self.of(_NONE),
            *nodes.values(),
            *(nodes[name] / nodes["exact"] for name in _WIDER),
        )


def report(measured: Sequence[Measured]) -> Report:
    """Lay out a table for every algorithm: the nodes of all deals of a game together."""
    found = [
        _Sums(game, of_game)
        for game in GAMES
        if (of_game := [done for done in measured if done.task["game"] == game])
    ]
    saved = (f"{name} / exact" for name in _WIDER)
    columns = ("game", "deals", _NONE, *TO_THE_END, *saved)
    tables = tuple(
        Table(algorithm, columns, tuple(sums.row(algorithm) for sums in found))
        for algorithm in ALGORITHMS
    )
    above = Table(
        "at a horizon",
        ("game", "algorithm", "deals", _NONE, *AT_HORIZON, "linear / hull"),
        tuple(sums.above_horizon(algorithm) for sums in found for algorithm in ALGORITHMS),
    )
    constant = sum(done.result["constant"] for done in measured)
    notes = (
        "Every search found the value and the move of plain max-n.",
        f"Games with a constant sum of goals: {constant} of {len(measured)}.",
    )
    return Report("Classifiers of max-n, three players", (*tables, above), notes)


def plot(report: Report, figure: Figure) -> None:
    """Plot the nodes of speculative pruning with each classifier, relative to the linear test."""
    table = report.tables[0]
    axes = figure.subplots()
    linear = table.numbers("linear")
    shares = {
        name: [nodes / all_ for nodes, all_ in zip(table.numbers(name), linear, strict=True)]
        for name in list(TO_THE_END)[1:]
    }
    draw_bars(axes, shares, list(map(str, table.column("game"))))
    axes.tick_params(axis="x", rotation=30)
    fit_to_bars(axes)
    axes.set(ylabel="nodes, relative to the linear test")
    axes.legend()
