"""The classifiers, filters and rules of max-n, compared on one game.

Each rule of pruning is a row, and each classifier a column: the highest sum of ranks; that and the
highest rank of each role (linear); the same for whole numbers (discrete); the convex hull of the
rows of the leaf-value table; and the table, with each of the filters for the rows that are possible
below a state (literal, upper, exact). A cell is the number of nodes that were expanded. Every
search must find the value and the move of plain max-n.

Above a horizon, and in games with chance, the table and its filters leave the decision to the hull,
and the discrete test is the linear one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ggp.experiments.classifiers.kinds import CLASSIFIERS, draw_bars, fit_to_bars
from ggp.experiments.running.report import Cell
from ggp.experiments.running.runner import Measured, Report, Result, Table, Task, integer
from ggp.experiments.running.searching import engine_of, opened
from ggp.gdl import RANDOM
from ggp.kif import Source
from ggp.search import LeafValueTable, Limit, MaxNOptions
from ggp.search.tree.notation import read_game

if TYPE_CHECKING:  # an extra
    from matplotlib.figure import Figure

__all__ = ["RULES", "measure", "plot", "report", "tasks"]

RULES = ("maxn", "shallow", "branch-and-bound", "last-branch", "speculative")
#: Above a horizon, and with chance, the other classifiers decide as one of these does.
_OF_MEANS = ("sum", "linear", "hull")
#: These rules use no filter of rows, so that all filters give the same search.
_UNFILTERED, _FILTERED = ("maxn", "shallow"), ("literal", "upper")
_PLAIN = MaxNOptions(classifier="none")

#: Seconds of processor time for the leaf-value table, and bytes of the transposition table.
_TABLE_SECONDS, _TABLE_BYTES = 60.0, 256 << 20


def tasks(
    *, name: str, text: str, nodes: int, depth: int | None, transpositions: bool
) -> Iterator[Task]:
    """Yield a task for every rule and classifier, and one for plain max-n.

    Args:
        name: the name of the game.
        text: its rules, or a tree.
        nodes: how many nodes a search may expand.
        depth: how many joint moves to look ahead; None for the end of the game.
        transpositions: whether there is a transposition table.
    """
    common: dict[str, Any] = {
        "own": name,
        "rules": text,
        "nodes": nodes,
        "depth": depth,
        "transpositions": transpositions,
        "chance": RANDOM in map(str, read_game(Source(text, name))[0].roles),
    }
    yield {**common, "rule": RULES[0], "classifier": "none"}
    for rule in RULES:
        for classifier in CLASSIFIERS:
            if (depth is not None or common["chance"]) and classifier not in _OF_MEANS:
                continue
            if rule not in _UNFILTERED or classifier not in _FILTERED:
                yield {**common, "rule": rule, "classifier": classifier}


def measure(task: Task) -> Result:
    """Search the game by one rule with one classifier.

    Raises:
        ReasonerError: the game cannot be compiled.
        GgpError: the engine cannot search it.
    """
    source, name = Source(str(task["rules"]), str(task["own"])), str(task["classifier"])
    description, table = read_game(source)
    if table is None:
        table = LeafValueTable.enumerate(description, time_limit=_TABLE_SECONDS)
    depth = None if task["depth"] is None else integer(task, "depth")
    with opened(description) as graph:
        found = engine_of(
            graph,
            str(task["rule"]),
            replace(CLASSIFIERS.get(name, _PLAIN), leaf_values=table),
            table_bytes=_TABLE_BYTES if task["transpositions"] else 0,
        ).run(limit=Limit(depth=depth, nodes=integer(task, "nodes")))
    return {
        "nodes": found.expanded + found.researched if found.completed else None,
        "goals": list(found.goals),
        "move": str(found.move),
        "prunes": dict(found.prunes),
        "seconds": round(found.seconds, 3),
        "rows": len(table),
        "maxsum": table.maxsum,
        "known": table.known,
        "constant": table.constant_sum,
    }


def report(measured: Sequence[Measured]) -> Report:
    """Lay out the nodes of each rule, classifier by classifier."""
    first = measured[0]
    nodes = {
        (done.task["rule"], done.task["classifier"]): done.result["nodes"] for done in measured
    }
    columns = [name for name in CLASSIFIERS if any(name == each for _, each in nodes)]
    rows: list[tuple[Cell, ...]] = [
        (
            "immediate alone" if rule == RULES[0] else rule,
            nodes.get((RULES[0], "none")),
            *(nodes.get((rule, name)) for name in columns),
        )
        for rule in RULES
    ]
    title = f"{first.task['own']}: nodes expanded"
    table = Table(title, ("rule", "no pruning", *columns), tuple(rows))
    return Report(title, (table,), tuple(_notes(measured)))


def _notes(measured: Sequence[Measured]) -> Iterator[str]:
    first = measured[0]
    found, depth, limit = first.result, first.task["depth"], integer(first.task, "nodes")
    constant = "a constant sum" if found["constant"] else "no constant sum"
    yield (
        f"The leaf-value table is {found['known']}: {found['rows']:,} rows, maxsum "
        f"{found['maxsum']}, {constant}."
    )
    done = [each for each in measured if each.result["nodes"] is not None]
    answers = {(tuple(each.result["goals"]), each.result["move"]) for each in done}
    if len(answers) == 1:
        yield "All searches found the same value and move."
    elif answers:
        yield "SEARCHES DIFFER IN VALUE OR MOVE; please report this with the rules of the game."
    if len(done) < len(measured):
        missing = len(measured) - len(done)
        yield (
            f"A dash: {missing} searches did not reach their end within {limit:,} nodes (--nodes)."
        )
    rules, filters = " and ".join(_UNFILTERED), " and ".join(_FILTERED)
    if first.task["chance"]:
        yield (
            "The game has chance: a mean is no row of the table, so that the hull of its rows "
            "decides what is pruned, and nothing is pruned by bounds from above a chance move."
        )
    elif depth is None:
        yield f"{rules} use no filter, so that {filters} would repeat the searches of exact."
    if depth is not None:
        yield (
            f"Each search looks {depth} joint moves ahead, and estimates the states there. The "
            "hull of the table's rows decides what is pruned."
        )


def plot(report: Report, figure: Figure) -> None:
    """Plot the nodes of each rule, a bar for each classifier, and plain max-n as a line."""
    (table,) = report.tables
    axes = figure.subplots()
    names, rules = table.columns[2:], list(map(str, table.column("rule")))
    draw_bars(axes, {name: table.numbers(name) for name in names}, rules)
    plain = table.numbers("no pruning")[0]
    axes.axhline(plain, color="black", linewidth=0.8, linestyle="--", label="no pruning")
    fit_to_bars(axes)
    axes.set(ylabel="nodes expanded", title=table.title)
    figure.legend(*axes.get_legend_handles_labels(), loc="outside right upper")
