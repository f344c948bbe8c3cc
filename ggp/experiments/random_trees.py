"""How many nodes of a random tree a search visits, by the number of leaves.

Two players choose between two moves in turn. The value x of a leaf for the first player is random,
from -10 to 10, and the second player gets the opposite; the goals are 50 + 5 x and 50 - 5 x. In
every other node, a player's goal is the mean of the leaves below it, which a search that stops at
a level uses as its estimate.

The searches are minimax, which visits every node; *bounding*, which stops at the highest and the
lowest possible value; alpha-beta; and alpha-beta with a *level limit*. What Section W calls
bounding, a bound that is handed on to grandchildren, is part of alpha-beta here.

(Problems PGW.1 and PJW.1 of Section W, "Node evaluation and pruning of game trees": 32 random
leaves from -10 to 10, and a drawing of the pruned tree; the mean and deviation of the nodes by the
number of leaves. Knuth and Moore, 1975, give the number of nodes that alpha-beta visits if the best
move always comes first.)
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

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
from ggp.experiments.running.searching import opened, play, search
from ggp.experiments.running.statistics import Summary
from ggp.gdl import Description
from ggp.search import AlphaBeta
from ggp.search.tree.drawing import draw
from ggp.search.tree.recorder import Recorder

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Tree", "command", "least_nodes", "measure", "plot", "report", "tasks"]

ROLES = ("first", "second")
HIGHEST = 10
#: The plies of the tree that is drawn: 32 leaves, as in PGW.1.
DRAWN = 5
#: Algorithm, and whether it stops at the level limit.
SEARCHES = {
    "minimax": ("minimax", False),
    "bounding": ("bounded", False),
    "alpha-beta": ("alphabeta", False),
    "level limit": ("alphabeta", True),
}

_RULES = """
(<= (legal ?p ?m) (true (at ?n)) (mover ?n ?p) (child ?n ?m ?c))
(<= (legal ?p noop) (true (at ?n)) (mover ?n ?q) (role ?p) (distinct ?p ?q))
(<= (next (at ?c)) (true (at ?n)) (does ?p ?m) (child ?n ?m ?c))
(<= terminal (true (at ?n)) (leaf ?n))
(<= (goal first ?x) (true (at ?n)) (worth ?n ?x ?y))
(<= (goal second ?y) (true (at ?n)) (worth ?n ?x ?y))
(init (at 1))
"""


@dataclass(frozen=True)
class Tree:
    """A binary tree; node n has the children 2n and 2n + 1, and the root is 1."""

    plies: int
    #: Determines the values of the leaves.
    seed: str

    @cached_property
    def values(self) -> Mapping[int, float]:
        """The value of each node: random for a leaf, otherwise the mean of the leaves below."""
        generator = random.Random(self.seed)
        first = 2**self.plies
        values: dict[int, float] = {
            leaf: generator.randint(-HIGHEST, HIGHEST) for leaf in range(first, 2 * first)
        }
        for node in reversed(range(1, first)):
            values[node] = (values[2 * node] + values[2 * node + 1]) / 2
        return values

    def rules(self) -> str:
        """Return the rules of the game."""
        first = 2**self.plies
        lines = [f"(role {role})" for role in ROLES]
        for node, value in sorted(self.values.items()):
            goal = 50 + round(50 / HIGHEST * value)
            lines.append(f"(worth {node} {goal} {100 - goal})")
            if node >= first:
                lines.append(f"(leaf {node})")
                continue
            lines.append(f"(mover {node} {ROLES[(node.bit_length() - 1) % 2]})")
            lines += [f"(child {node} m{move} {2 * node + move})" for move in (0, 1)]
        return "\n".join(lines) + _RULES


def least_nodes(plies: int) -> int:
    """Return how many nodes alpha-beta visits if the best move always comes first.

    At depth d, these are b^ceil(d/2) + b^floor(d/2) - 1 nodes.

    >>> [least_nodes(plies) for plies in (1, 2, 3)]
    [3, 6, 11]
    """
    return sum(2 ** (ply - ply // 2) + 2 ** (ply // 2) - 1 for ply in range(plies + 1))


def tasks(*, deals: int, seed: int, plies: int, level: int) -> Iterator[Task]:
    """Yield the task of the drawing, and `deals` tasks for each number of plies."""
    common: Task = {"seed": seed, "rules": fingerprint(_RULES)}
    yield {"drawn": DRAWN, **common}
    for depth in range(1, plies + 1):
        for deal in range(deals):
            yield {"plies": depth, "level": level, "deal": deal, **common}


def measure(task: Task) -> Result:
    """Search a tree and count the nodes that are visited, or draw a tree."""
    if "drawn" in task:
        return {"picture": _picture(Tree(integer(task, "drawn"), f"{task['seed']} drawn"))}
    tree = Tree(integer(task, "plies"), f"{task['seed']} {task['deal']} {task['plies']}")
    found = {}
    with opened(Description.from_text(tree.rules())) as graph:
        for name, (algorithm, is_limited) in SEARCHES.items():
            depth = integer(task, "level") if is_limited else None
            last = search(graph, algorithm, depth=depth, ordered=False)
            found[name] = {"nodes": last.generated + 1, "value": last.value}
        assert last.joint_move is not None
        play(graph, " ".join(map(str, last.joint_move)))
        reached = search(graph, "alphabeta").value
    return {"searches": found, "is_right": reached == found["alpha-beta"]["value"]}


def _picture(tree: Tree) -> str:
    with opened(Description.from_text(tree.rules())) as graph:
        recorder = Recorder(graph.roles)
        AlphaBeta(graph, table_size=0, observer=recorder).run()
    return draw(recorder, f"alpha-beta in a random tree of {2**tree.plies} leaves")


def report(measured: Sequence[Measured]) -> Report:
    """Lay out how many nodes are visited, by the number of leaves."""
    pictures = [done.result["picture"] for done in measured if "picture" in done.result]
    trees = [done for done in measured if "searches" in done.result]
    means, deviations = [], []
    for plies in dict.fromkeys(integer(done.task, "plies") for done in trees):
        of_size = [done.result for done in trees if done.task["plies"] == plies]
        counts = [
            Summary.of(each["searches"][name]["nodes"] for each in of_size) for name in SEARCHES
        ]
        right = sum(each["is_right"] for each in of_size) / len(of_size)
        leaves, found = 2**plies, [count.mean for count in counts]
        means.append((leaves, len(of_size), *found, least_nodes(plies), right))
        deviations.append((leaves, *(count.deviation for count in counts)))
    level = trees[0].task["level"] if trees else None
    return Report(
        "Nodes visited in random trees",
        (
            Table("mean", ("leaves", "trees", *SEARCHES, "least", "right"), tuple(means)),
            Table("standard deviation", ("leaves", *SEARCHES), tuple(deviations)),
        ),
        notes=(
            "least: the nodes of alpha-beta if the best move always comes first and the window is "
            "open at first. Ours begins with the bounds as its window, and may visit fewer.",
            f"right: how often the search to level {level} finds one of the best moves.",
        ),
        files=dict(zip(["tree.svg"], pictures, strict=False)),
    )


def plot(report: Report, figure: Figure) -> None:
    """Plot the nodes by the number of leaves, with their standard deviations."""
    axes = figure.subplots()
    means, deviations = report.tables
    leaves = means.numbers("leaves")
    for name in SEARCHES:
        spread = deviations.numbers(name)
        axes.errorbar(leaves, means.numbers(name), yerr=spread, label=name, capsize=3)
    axes.plot(leaves, means.numbers("least"), ":", label="least for alpha-beta")
    axes.set(xlabel="leaves", ylabel="nodes", xscale="log", yscale="log")
    axes.legend()


command = experiment_command(
    "random-trees",
    help="Nodes that searches visit in random trees. (Section W, PGW.1 and PJW.1)",
    tasks=tasks,
    measure=measure,
    report=report,
    plot=plot,
    deals=100,
    options=(
        number_option("--plies", default=9, most=12, text="Plies of the largest trees."),
        number_option("--level", default=4, text="The level limit, in plies."),
    ),
)
