"""Max-n and its prunings in Chinese checkers for three, with the ten best moves of each node.

The game is that of `ggp.experiments.chinese_checkers_board`. Its rules allow at most ten moves in a
state, those that go the farthest, and its goals have the same sum in every state. The first deal is
the initial state; every other deal is a state after some random moves. Each is searched one move
ahead, then two, and so on, and all searches must find the same result.

(N. Sturtevant, "Last-branch and speculative pruning algorithms for max^n", IJCAI 2003, searches to
a depth of six, with at most ten moves per node.)
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product
from typing import TYPE_CHECKING

from ggp.errors import GgpError
from ggp.experiments.branching import leaves
from ggp.experiments.chinese_checkers_board import FIRST_GOAL, PLAYERS, Star
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
from ggp.experiments.running.searching import play, search
from ggp.experiments.running.statistics import Summary, ratio_of_means, ratios
from ggp.gdl import Description
from ggp.graph import GameGraph
from ggp.reasoner import open_reasoner
from ggp.search import LeafValue, LeafValueTable, SearchOptions

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["command", "constant_sum", "measure", "opening", "plot", "report", "tasks"]

SEARCHES = ("maxn", "shallow", "last-branch", "speculative")
#: The most random moves before a search: the players' pieces are then about to separate.
LONGEST_OPENING = 60


def tasks(*, deals: int, seed: int, depth: int, most: int, radius: int) -> Iterator[Task]:
    """Yield one task for each state to search."""
    rules = fingerprint(Star(radius).rules(most))
    for deal in range(deals):
        yield {
            "deal": deal,
            "seed": seed,
            "depth": depth,
            "most": most,
            "radius": radius,
            "rules": rules,
        }


def measure(task: Task) -> Result:
    """Search a state with each algorithm to increasing depths, and count the nodes."""
    graph, table = _opened(integer(task, "radius"), integer(task, "most"))
    graph.set_root(graph.node(graph.reasoner.initial_state()))
    plies = 0
    if task["deal"]:
        plies = opening(graph, random.Random(f"{task['seed']} {task['deal']}"))
    found: dict[str, list[dict[str, object]]] = {name: [] for name in SEARCHES}
    for depth in range(1, integer(task, "depth") + 1):
        for name in SEARCHES:
            options = SearchOptions(classifier="linear", leaf_values=table)
            result = search(graph, name, options, depth=depth)
            found[name].append(
                {
                    "nodes": result.generated + 1,
                    "expanded": result.expanded,
                    "researched": result.researched,
                    "goals": list(result.goals),
                    "move": " ".join(map(str, result.joint_move or ())),
                    "seconds": round(result.seconds, 3),
                }
            )
        answers = [(each[-1]["goals"], each[-1]["move"]) for each in found.values()]
        if any(answer != answers[0] for answer in answers):
            raise GgpError(f"at depth {depth} the searches disagree: {answers}")
    return {"plies": plies, "searches": found}


def opening(graph: GameGraph, generator: random.Random) -> int:
    """Play random moves from the root, not to the end of the game, and return their number."""
    beginning = graph.root
    while True:
        graph.set_root(beginning)
        plies = generator.randint(1, LONGEST_OPENING)
        for _ in range(plies):
            moves = list(graph.expansion(graph.root).joint_moves)
            if not moves:
                break
            play(graph, " ".join(map(str, generator.choice(moves))))
        if not graph.expansion(graph.root).terminal:
            return plies


def constant_sum(description: Description, total: int) -> LeafValueTable:
    """Return the table of all goals that add up to a total."""
    roles = description.roles
    every = tuple(range(min(100, total) + 1))
    goals = product(every, repeat=len(roles) - 1)
    every_row = ((*some, total - sum(some)) for some in goals)
    rows = sorted(row for row in every_row if row[-1] in every)
    found = tuple(LeafValue("", row, row) for row in rows)
    return LeafValueTable(roles, (every,) * len(roles), found=found)


@cache
def _opened(radius: int, most: int) -> tuple[GameGraph, LeafValueTable]:
    """Open the game once per process, because compiling it takes seconds."""
    description = Description.from_text(Star(radius).rules(most))
    graph = GameGraph(open_reasoner(description, kind="compiled"))
    return graph, constant_sum(description, FIRST_GOAL * len(PLAYERS))


def report(measured: Sequence[Measured]) -> Report:
    """Lay out the nodes by depth, and how many times fewer than those of maxn they are."""
    depths = range(1, max((integer(done.task, "depth") for done in measured), default=0) + 1)
    most = max((integer(done.task, "most") for done in measured), default=1)
    rows, compared = [], []
    for depth in depths:
        nodes = {
            name: [done.result["searches"][name][depth - 1]["nodes"] for done in measured]
            for name in SEARCHES
        }
        means = (Summary.of(counts).mean for counts in nodes.values())
        equal = 1 + sum(leaves(most, ply) for ply in range(1, depth + 1)) if most > 1 else None
        rows.append((depth, *means, equal))
        for name in SEARCHES[1:]:
            factor, error = ratio_of_means(nodes["maxn"], nodes[name])
            fewer = ratios(nodes["maxn"], nodes[name])
            compared.append((depth, name, factor, error, fewer.mean, fewer.median))
    again = sum(
        done.result["searches"]["speculative"][depth - 1]["researched"]
        for done in measured
        for depth in depths
    )
    return Report(
        "Chinese checkers for three: nodes visited",
        (
            Table("mean", ("depth", *SEARCHES, "equal leaves"), tuple(rows)),
            Table(
                "times fewer than maxn: of the means, as the slides give it; and deal by deal",
                ("depth", "search", "of the means", "error", "by deal, mean", "by deal, median"),
                tuple(compared),
            ),
        ),
        notes=(
            f"{len(measured)} states; speculative pruning expanded {again:,} nodes again.",
            "equal leaves: speculative pruning in a tree of equal leaves whose nodes all have the "
            "most moves allowed.",
        ),
    )


def plot(report: Report, figure: Figure) -> None:
    """Plot the nodes by depth."""
    axes = figure.subplots()
    table = report.tables[0]
    for name in (*SEARCHES, "equal leaves"):
        style = ":" if name == "equal leaves" else "o-"
        axes.plot(table.numbers("depth"), table.numbers(name), style, label=name)
    axes.set(xlabel="depth", ylabel="nodes", yscale="log")
    axes.legend()


command = experiment_command(
    "chinese-checkers",
    help="Max-n and its prunings, with the ten best moves of each node. (Sturtevant 2003)",
    tasks=tasks,
    measure=measure,
    report=report,
    plot=plot,
    deals=10,
    options=(
        number_option("--depth", default=6, text="Search this many moves deep."),
        number_option("--most", default=10, most=100, text="Allow at most this many moves."),
        number_option("--radius", default=3, most=3, text="Radius of the star: 3 has 73 holes."),
    ),
)
