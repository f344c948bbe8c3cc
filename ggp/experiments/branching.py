"""The branching factor of speculative pruning, computed and measured.

In the best case, pruning keeps b^((n-1)/n) of the b choices at each node of a maxn tree of n
players: b^(2/3) for three. But the first child of a node has to be searched without the bound that
the node itself provides. If all leaves are equal and the sum is constant, N(d) leaves remain of a
tree of d plies:

    N(d) = N(d-1) + (b-1) N(d-2) + ... + (b-1)^(n-1) N(d-n),

so the tree grows like x^d, where x is the root of

    x^n = sum over k = 0 .. n-1 of (b-1)^k x^(n-1-k).

(N. Sturtevant, "Last-branch and speculative pruning algorithms for max^n", IJCAI 2003, and its
slides, which call x "actual b" for three players.)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

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
from ggp.experiments.running.searching import Engine, leaf_values, opened, play, search
from ggp.gdl import Description
from ggp.search import SearchOptions

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["actual_branching", "command", "leaves", "measure", "plot", "report", "rules", "tasks"]

ROLES = 3
#: Actual b as printed in the slides, by b.
PRINTED = {2: "1.84", 3: "2.47", 4: "3.00", 10: "5.42", 1000: "103.6"}
#: The remaining leaves by b and plies, as measured by a program written for this purpose.
KNOWN = {(2, 12): 1_705, (10, 6): 52_300}
WIDTHS = (2, 3, 4, 10)
#: Algorithm and engine.
SEARCHES: dict[str, tuple[str, Engine]] = {
    "maxn": ("maxn", "compiled"),
    "shallow": ("shallow", "compiled"),
    "last-branch": ("last-branch", "compiled"),
    "speculative": ("speculative", "compiled"),
    "by the reference": ("speculative", "reference"),
}

# The largest imaginary part that rounding may give a real root.
_TINY = 1e-6


def actual_branching(width: int, roles: int = ROLES) -> float:
    """Return the factor by which the tree grows with each ply.

    >>> round(actual_branching(2), 3)
    1.839
    """
    coefficients = [1, *(-float((width - 1) ** k) for k in range(roles))]
    # By Descartes' rule of signs, exactly one root is positive.
    return max(float(root.real) for root in np.roots(coefficients) if abs(root.imag) < _TINY)


def leaves(width: int, depth: int, roles: int = ROLES) -> int:
    """Return N(d), the number of leaves that remain of the tree.

    >>> leaves(2, 12)
    1705
    """
    counts: list[int] = [width**ply for ply in range(roles)]
    while len(counts) <= depth:
        counts.append(sum((width - 1) ** k * counts[-1 - k] for k in range(roles)))
    return counts[depth]


def rules(width: int, depth: int, roles: int = ROLES) -> str:
    """Return the rules of a game: the first role deals out shares, then choices have no effect.

    All leaves below such a deal are equal, but only the rules express this: the linear test knows
    only that there are as many shares as roles.
    """
    names = [f"p{i + 1}" for i in range(roles)]
    shares = [each for each in product(range(roles + 1), repeat=roles) if sum(each) == roles]
    lines = [f"(role {name})" for name in names]
    lines += [f"(mover {ply} {names[ply % roles]})" for ply in range(depth)]
    lines += [f"(succ {ply} {ply + 1})" for ply in range(depth)]
    lines += [f"(choice c{i})" for i in range(width)]
    lines += [f"(worth {share} {10 * share})" for share in range(roles + 1)]
    for each in shares:
        move = f"(share {' '.join(map(str, each))})"
        lines.append(f"(<= (legal p1 {move}) (true start))")
        lines += [f"(<= (next (has {name} {share})) (does p1 {move}))"
                  for name, share in zip(names, each, strict=True)]  # fmt: skip
    lines.append(
        f"""
        (init start)
        (<= (next (ply 0)) (true start))
        (<= (next (ply ?n)) (true (ply ?m)) (succ ?m ?n))
        (<= (next (has ?p ?s)) (true (has ?p ?s)))
        (<= (moving p1) (true start))
        (<= (moving ?p) (true (ply ?n)) (mover ?n ?p))
        (<= (legal ?p ?c) (true (ply ?n)) (mover ?n ?p) (choice ?c))
        (<= (legal ?p noop) (role ?p) (not (moving ?p)))
        (<= terminal (true (ply {depth})))
        (<= (goal ?p ?g) (true (has ?p ?s)) (worth ?s ?g))
        """
    )
    return "\n".join(lines)


def tasks(*, most: int) -> Iterator[Task]:
    """Yield one task for each tree."""
    for width in WIDTHS:
        depth = 1
        while width**depth <= most:
            yield {"b": width, "plies": depth, "rules": fingerprint(rules(width, depth))}
            depth += 1


def measure(task: Task) -> Result:
    """Search a tree with each pruning rule, and count the leaves that are visited."""
    width, depth = integer(task, "b"), integer(task, "plies")
    description = Description.from_text(rules(width, depth))
    table = leaf_values(description)
    found = {}
    with opened(description) as graph:
        play(graph, f"(share {' '.join(['1'] * ROLES)}) {' '.join(['noop'] * (ROLES - 1))}")
        for name, (algorithm, engine) in SEARCHES.items():
            options = SearchOptions(classifier="linear", leaf_values=table)
            result = search(graph, algorithm, options, engine=engine)
            found[name] = result.generated + 1 - result.expanded
    return {"leaves": found}


def report(measured: Sequence[Measured]) -> Report:
    """Lay out the computed factors, and the leaves of each tree."""
    trees = {
        (integer(done.task, "b"), integer(done.task, "plies")): done.result["leaves"]
        for done in measured
    }
    factors = []
    for width, printed in PRINTED.items():
        digits = len(printed.partition(".")[2])
        computed = f"{actual_branching(width):.{digits}f}"
        deepest = max((plies for b, plies in trees if b == width), default=0)
        last, before = (trees.get((width, plies)) for plies in (deepest, deepest - 1))
        growth = last["speculative"] / before["speculative"] if last and before else None
        factors.append((width, width ** (2 / 3), printed, computed, growth))
    counts = tuple(
        (*tree, *found.values(), leaves(*tree), KNOWN.get(tree)) for tree, found in trees.items()
    )
    return Report(
        "How far speculative pruning narrows a tree of three players",
        (
            Table(
                "actual b, the root of x^3 = x^2 + (b-1) x + (b-1)^2",
                ("b", "b^(2/3)", "slides", "computed", "measured, last ply"),
                tuple(factors),
            ),
            Table(
                "leaves visited, with all leaves equal",
                ("b", "plies", *SEARCHES, "recurrence", "known"),
                counts,
            ),
        ),
    )


def plot(report: Report, figure: Figure) -> None:
    """Plot the leaves of maxn, of speculative pruning and of the recurrence by plies."""
    axes = figure.subplots()
    table = report.tables[1]
    for number, width in enumerate(WIDTHS):
        of_width = Table("", table.columns, tuple(row for row in table.rows if row[0] == width))
        for name, style in (("maxn", ":"), ("recurrence", "-"), ("speculative", "o")):
            axes.plot(
                of_width.numbers("plies"),
                of_width.numbers(name),
                style,
                color=f"C{number}",
                label=f"b = {width}, {name}",
            )
    axes.set(xlabel="plies", ylabel="leaves", yscale="log")
    axes.legend(fontsize="small")


command = experiment_command(
    "branching",
    help="The branching factor of speculative pruning, computed and measured. (Sturtevant 2003)",
    tasks=tasks,
    measure=measure,
    report=report,
    plot=plot,
    options=(
        number_option(
            "--most", default=1_000_000, least=2, text="Search trees of at most this many leaves."
        ),
    ),
)
