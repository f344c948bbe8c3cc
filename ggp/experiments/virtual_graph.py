"""What recognising repeated states saves: the game graph compared with the game tree.

Every step on the 8x8 board of `walk` goes in one of four directions, so the tree of d steps has 4^d
leaves, although there are only 64 states. The tree and the graph look the same number of steps
ahead, and keep everything in memory: the tree has a node for every way to a state, the graph
(`ggp.graph`) a node for every state. They must agree on the number of ways.

The graph does not pay where no state occurs twice. In `spelling` each move writes one of four
letters, so its tree is the walk's, but every word is a different state. In `random tree`, too,
every node is a different state.

(M. Genesereth and M. Thielscher, *General Game Playing*, 2014: game graphs and game trees.)
"""

from __future__ import annotations

import timeit
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from ggp.cli.common import read_source
from ggp.experiments.random_trees import Tree
from ggp.experiments.running.runner import (
    Measured,
    Report,
    Result,
    Table,
    Task,
    experiment_command,
    fingerprint,
    integer,
    number_option,
)
from ggp.gdl import Description
from ggp.graph import GameGraph
from ggp.kif import Source
from ggp.reasoner import Reasoner, State, open_reasoner

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Node", "command", "grow", "measure", "plot", "report", "spelling", "tasks", "ways"]

GAMES = ("walk", "spelling", "random tree")
# How often each time is measured.
_REPEATED = 3


def spelling(letters: int) -> str:
    """Return the rules of a game in which one player writes `letters` letters."""
    places = [f"(succ {place} {place + 1})" for place in range(letters)]
    return (
        "\n".join(places)
        + f"""
        (role writer)
        (letter a) (letter b) (letter c) (letter d)
        (init (written 0))
        (<= (legal writer (write ?c)) (letter ?c))
        (<= (next (word ?m ?c)) (does writer (write ?c)) (true (written ?n)) (succ ?n ?m))
        (<= (next (word ?n ?c)) (true (word ?n ?c)))
        (<= (next (written ?m)) (true (written ?n)) (succ ?n ?m))
        (<= terminal (true (written {letters})))
        (goal writer 100)
        """
    )


@dataclass(frozen=True, slots=True)
class Node:
    """A node of a game tree in memory."""

    state: State
    #: Empty if the game is over or the tree ends here.
    children: tuple[Node, ...] = ()

    def __len__(self) -> int:
        """Return the number of nodes, this one and all below it."""
        return 1 + sum(map(len, self.children))

    def leaves(self) -> int:
        """Return the number of ways from here to the leaves of the tree."""
        return sum(child.leaves() for child in self.children) if self.children else 1


def grow(reasoner: Reasoner, state: State, steps: int) -> Node:
    """Return the game tree below a state, `steps` steps deep."""
    if steps == 0:
        return Node(state)
    successors = reasoner.expand(state).successors
    return Node(state, tuple(grow(reasoner, child, steps - 1) for child in successors))


def ways(graph: GameGraph, steps: int) -> int:
    """Return the number of ways to go `steps` steps, or to an earlier end of the game."""
    ended, frontier = 0, Counter({graph.root: 1})
    for _ in range(steps):
        following: Counter[int] = Counter()
        for node, count in frontier.items():
            children = graph.expansion(node).children
            ended += 0 if children else count
            for child in children:
                following[child] += count
        frontier = following
    return ended + frontier.total()


def _rules(game: str, steps: int) -> str:
    match game:
        case "spelling":
            return spelling(steps)
        case "random tree":
            return Tree(steps, "1").rules()
    return read_source(game).text


def tasks(*, steps: int, reasoner: str) -> Iterator[Task]:
    """Yield a task for each game and number of steps."""
    for game in GAMES:
        for ahead in range(1, steps + 1):
            rules = fingerprint(_rules(game, ahead))
            yield {"game": game, "steps": ahead, "reasoner": reasoner, "rules": rules}


def measure(task: Task) -> Result:
    """Measure the shortest time and the memory of looking ahead by the tree and by the graph."""
    steps = integer(task, "steps")
    text = _rules(str(task["game"]), steps)
    description = Description.from_text(Source(text, str(task["game"])))
    with open_reasoner(description, kind=str(task["reasoner"])) as reasoner:
        state = reasoner.initial_state()
        reasoner.expand(state)  # Loading code on the first call is not part of the measurement.

        def by_tree() -> dict[str, int]:
            root = grow(reasoner, state, steps)
            return {"ways": root.leaves(), "nodes": len(root)}

        def by_graph() -> dict[str, int]:
            graph = GameGraph(reasoner, max_states=10**9)
            return {"ways": ways(graph, steps), "nodes": len(graph)}

        return {"tree": _costs(by_tree), "graph": _costs(by_graph)}


def _costs(look: Callable[[], dict[str, int]]) -> dict[str, int | float]:
    seconds = min(timeit.repeat(look, number=1, repeat=_REPEATED))
    tracemalloc.start()
    try:
        found = look()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return {**found, "seconds": seconds, "bytes": peak}


def report(measured: Sequence[Measured]) -> Report:
    """Lay out what the tree and the graph cost, game by game."""
    columns = ("steps", "ways", "nodes", "states", "tree, ms", "graph, ms", "faster",
               "tree, KB", "graph, KB", "smaller")  # fmt: skip
    tables = []
    for game in dict.fromkeys(str(done.task["game"]) for done in measured):
        rows = []
        for done in measured:
            tree, graph = done.result["tree"], done.result["graph"]
            if done.task["game"] != game:
                continue
            if tree["ways"] != graph["ways"]:
                raise AssertionError(f"{game}: tree and graph disagree on the number of ways")
            rows.append(
                (
                    integer(done.task, "steps"),
                    tree["ways"],
                    tree["nodes"],
                    graph["nodes"],
                    *_compared(tree["seconds"] * 1000, graph["seconds"] * 1000),
                    *_compared(tree["bytes"] / 1024, graph["bytes"] / 1024),
                )
            )
        tables.append(Table(game, columns, tuple(rows)))
    return Report("The game tree against the game graph", tuple(tables))


def _compared(tree: float, graph: float) -> tuple[float, float, float]:
    return tree, graph, tree / graph


def plot(report: Report, figure: Figure) -> None:
    """Plot the time by the number of ways."""
    axes = figure.subplots()
    for number, table in enumerate(report.tables):
        for kind, style in (("tree", "--"), ("graph", "-")):
            axes.plot(table.numbers("ways"), table.numbers(f"{kind}, ms"), style, marker="o",
                      color=f"C{number}", label=f"{table.title}, {kind}")  # fmt: skip
    axes.set(xlabel="ways", ylabel="milliseconds", xscale="log", yscale="log")
    axes.legend()


command = experiment_command(
    "virtual-graph",
    help="The game tree and the game graph of the 8x8 walk, and of two games without repetition.",
    tasks=tasks,
    measure=measure,
    report=report,
    plot=plot,
    options=(
        number_option("--steps", default=8, most=10, text="Look this many steps ahead."),
        click.option(
            "--reasoner",
            type=click.Choice(["compiled", "prolog"]),
            default="compiled",
            show_default=True,
            help="The reasoner that computes the successors of a state.",
        ),
    ),
)
