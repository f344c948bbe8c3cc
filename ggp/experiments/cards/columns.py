"""The columns of Tables 2 and 3: searches of the first move of a deal, and what they cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isnan
from typing import TYPE_CHECKING, Any, cast

import click

from ggp.errors import GgpError
from ggp.experiments.cards.bidding import bidding_option, with_bids
from ggp.experiments.cards.deal import Deal, deal
from ggp.experiments.cards.options import breaking_option, goals_option, rank_equivalent_option
from ggp.experiments.cards.rulesheet import RankEquivalent, rulesheet
from ggp.experiments.running.runner import (
    Cell,
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
from ggp.experiments.running.searching import leaf_values, opened, search
from ggp.experiments.running.statistics import Summary, ratio_of_means, ratios
from ggp.gdl import Description
from ggp.graph import GameGraph
from ggp.kif import Source
from ggp.search import ALGORITHMS, Classifier, LeafValueTable, MaxNOptions
from ggp.search.leaf_values import RowFilter

if TYPE_CHECKING:  # an extra
    from matplotlib.figure import Figure

__all__ = [
    "BESIDE_PAPER",
    "SMALL_TABLE",
    "Column",
    "Comparison",
    "beside_paper",
    "draw_means",
    "listed",
]

#: Bytes of the transposition table: the large one holds every state of nearly every deal. The small
#: one is enough where a search visits little of the tree, and takes less time to allocate.
_TABLE_BYTES, SMALL_TABLE = 1 << 30, 1 << 28
#: The name of the evaluation by goals from a file.
_OWN = "own"

#: The columns of `beside_paper`.
BESIDE_PAPER = ("column", "deals", "paper", "mean", "standard error", "median", "mean / paper")
#: What follows in a table of columns: the paper's statistic is the ratio of the means.
_HEADINGS = (
    *BESIDE_PAPER,
    "paper's factor",
    "factor",
    "error of factor",
    "by deal, mean",
    "by deal, median",
    "seconds",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One kind of search."""

    name: str
    #: What the players want, by its name in `ggp.experiments.cards.rulesheet`.
    evaluation: str = "mot"
    algorithm: str = "speculative"
    classifier: Classifier = "lvt"
    row_filter: RowFilter = "exact"
    discrete: bool = False
    #: The bytes of the transposition table.
    table_bytes: int = _TABLE_BYTES
    #: The number of nodes in the paper; and by which factor, according to it, the tree is smaller
    #: than that of the first column. Neither changes how it is measured.
    paper: int | None = field(default=None, repr=False)
    factor: float | None = field(default=None, repr=False)
    #: Whether it is measured where no column is named; that changes nothing about how it is.
    by_default: bool = field(default=True, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Several searches of the first move, compared on deals of open-hand Spades."""

    title: str
    players: int
    cards: int
    columns: tuple[Column, ...]
    notes: tuple[str, ...]

    def command(self, name: str, *, help: str) -> click.Command:  # noqa: A002 - click's name for it
        """Make the command of an experiment."""
        return experiment_command(
            name,
            help=help,
            tasks=self.tasks,
            measure=self.measure,
            report=self.report,
            plot=draw_means,
            deals=100,
            options=_options(cards=self.cards, columns=self.columns),
        )

    def tasks(
        self,
        *,
        deals: int,
        seed: int,
        cards: int,
        breaking: bool = True,
        rank_equivalent: RankEquivalent = "dealt",
        bidding: str = "high-cards",
        bid_offset: int = 0,
        only: tuple[str, ...] = (),
        goals: str = "",
    ) -> Iterator[Task]:
        """Yield a task for every deal and evaluation; the arguments are the command's options."""
        own = {"goals": goals} if goals else {}
        chosen = [
            column
            for column in self._seen(own)
            if (column.name in only if only else column.by_default)
        ]
        for number in range(1, deals + 1):
            dealt = self._deal(
                cards=cards, seed=seed, number=number, bidding=bidding, bid_offset=bid_offset
            )
            for evaluation in dict.fromkeys(column.evaluation for column in chosen):
                columns = [column for column in chosen if column.evaluation == evaluation]
                text = rulesheet(
                    dealt,
                    evaluation=evaluation,
                    breaking=breaking,
                    rank_equivalent=rank_equivalent,
                    goals=goals,
                )
                yield {
                    "deal": number,
                    "seed": seed,
                    "cards": cards,
                    "breaking": breaking,
                    "rank_equivalent": rank_equivalent,
                    "bidding": bidding,
                    "bid_offset": bid_offset,
                    "evaluation": evaluation,
                    "columns": ",".join(column.name for column in columns),
                    "how": fingerprint(text, *map(repr, columns)),
                    **own,
                }

    def _seen(self, task: Task) -> tuple[Column, ...]:
        """Return the columns; with the goals of the task, if it has any."""
        if "goals" not in task:
            return self.columns
        return tuple(
            replace(column, evaluation=_OWN, paper=None, factor=None) for column in self.columns
        )

    def report(self, measured: Sequence[Measured]) -> Report:
        """Lay out the nodes of each column beside the paper's, and against the first column's.

        The factor is the paper's statistic: the mean of the first column, divided by that of this
        one. The ratios deal by deal stand beside it. Both cover the deals that both columns have.
        """
        columns = self._seen(measured[0].task) if measured else self.columns
        found: dict[str, dict[int, Result]] = {column.name: {} for column in columns}
        for done in measured:
            for name, result in done.result.items():
                found[name][integer(done.task, "deal")] = result
        rows = [self._row(column, found) for column in columns if found[column.name]]
        table = Table(self.title, _HEADINGS, tuple(rows))
        checks = self._checks(table, columns, found)
        bids = {integer(done.task, "deal"): sum(self._dealt(done.task).bids) for done in measured}
        by_bids = _by_bids(bids, [column for column in columns if column.paper], found)
        return Report(self.title, (table, *by_bids), (*checks, *self.notes))

    def _row(self, column: Column, found: Mapping[str, Mapping[int, Result]]) -> tuple[Cell, ...]:
        nodes = {number: result["nodes"] for number, result in found[column.name].items()}
        full = {number: result["nodes"] for number, result in found[self.columns[0].name].items()}
        both = [number for number in nodes if number in full]
        pair = [full[number] for number in both], [nodes[number] for number in both]
        factor, error = ratio_of_means(*pair)
        saved = ratios(*pair)
        return (
            *beside_paper(column.name, nodes.values(), column.paper),
            column.factor,
            factor,
            error,
            saved.mean,
            saved.median,
            sum(result["seconds"] for result in found[column.name].values()),
        )

    def _checks(
        self, table: Table, columns: Sequence[Column], found: Mapping[str, Mapping[int, Result]]
    ) -> Iterator[str]:
        """Yield notes: whether all columns agree, and whether their order is the paper's."""
        different = set()
        for evaluation in {column.evaluation for column in columns}:
            names = [column.name for column in columns if column.evaluation == evaluation]
            for number in {number for name in names for number in found[name]}:
                results = [found[name][number] for name in names if number in found[name]]
                if len({(result["goals"], result["move"]) for result in results}) > 1:
                    different.add(number)
        yield (
            "Deals where columns of the same evaluation differ in value or move: "
            f"{listed(different)}."
        )
        papers = zip(table.numbers("paper"), table.numbers("mean"), table.columns, strict=False)
        known = sorted((paper, mean) for paper, mean, _ in papers if not isnan(paper))
        means = [mean for _, mean in known]
        swapped = "" if means == sorted(means) else "not "
        if len(known) > 1:
            yield f"The order of the means is {swapped}the paper's."

    def _dealt(self, task: Task) -> Deal:
        return self._deal(
            cards=integer(task, "cards"),
            seed=integer(task, "seed"),
            number=integer(task, "deal"),
            bidding=str(task["bidding"]),
            bid_offset=integer(task, "bid_offset"),
        )

    def _deal(self, *, cards: int, seed: int, number: int, bidding: str, bid_offset: int) -> Deal:
        dealt = deal("spades", players=self.players, cards=cards, seed=seed, number=number)
        return with_bids(dealt, bidding=bidding, offset=bid_offset)

    def measure(self, task: Task) -> Result:
        """Search the first move of a deal to the end of the game, once for each column."""
        text = rulesheet(
            self._dealt(task),
            evaluation=str(task["evaluation"]),
            breaking=bool(task["breaking"]),
            rank_equivalent=cast("RankEquivalent", task["rank_equivalent"]),
            goals=str(task.get("goals", "")),
        )
        description = Description.from_text(Source(text, f"deal {task['deal']}"))
        names = str(task["columns"]).split(",")
        columns = [column for column in self._seen(task) if column.name in names]
        with opened(description) as graph:
            prunes = any(column.classifier != "none" for column in columns)
            table = leaf_values(description) if prunes else None
            return {column.name: _measured(graph, column, table) for column in columns}


def _by_bids(
    bids: Mapping[int, int], columns: Sequence[Column], found: Mapping[str, Mapping[int, Result]]
) -> Iterator[Table]:
    """Lay out the means of some columns by the sum of the bids, which is given for each deal."""
    names = [column.name for column in columns if found[column.name]]
    rows = []
    for total, deals in sorted(Counter(bids.values()).items()):
        nodes = [
            [result["nodes"] for number, result in found[name].items() if bids[number] == total]
            for name in names
        ]
        rows.append((total, deals, *(Summary.of(of_name).mean for of_name in nodes)))
    if names:
        yield Table("Means by the sum of the bids", ("bids", "deals", *names), tuple(rows))


def beside_paper(name: str, nodes: Iterable[int], paper: int | None) -> tuple[Cell, ...]:
    """Return the row of a search: its nodes in at least one deal, and the paper's."""
    of_all = Summary.of(nodes)
    assert of_all.mean is not None
    return (
        name,
        of_all.count,
        paper,
        of_all.mean,
        of_all.standard_error,
        of_all.median,
        of_all.mean / paper if paper else None,
    )


def listed(numbers: Iterable[int]) -> str:
    """Return numbers as text for a sentence."""
    return ", ".join(map(str, sorted(numbers))) or "none"


def _measured(graph: GameGraph, column: Column, table: LeafValueTable | None) -> Result:
    # Moves stay in the order of the cards: alpha-beta must not order moves, as max-n cannot.
    asked = MaxNOptions(
        classifier=column.classifier,
        leaf_values=table,
        row_filter=column.row_filter,
        discrete=column.discrete,
    )
    options = asked.shared_with(ALGORITHMS[column.algorithm].options)
    found = search(graph, column.algorithm, options, table_bytes=column.table_bytes, ordered=False)
    if not found.exact:
        raise GgpError("the search did not reach the end of the game")
    return {
        "nodes": found.expanded + found.researched,
        "again": found.researched,
        "goals": " ".join(map(str, found.goals)),
        "move": str(found.move),
        "seconds": round(found.seconds, 3),
    }


def _options(*, cards: int, columns: Sequence[Column]) -> list[Callable[[Any], Any]]:
    names = [column.name for column in columns]
    extra = [column.name for column in columns if not column.by_default]
    without = f" Without it, all but {', '.join(extra)}." if extra else ""
    return [
        number_option("--cards", default=cards, most=17, text="Cards for each player."),
        breaking_option,
        rank_equivalent_option("dealt"),
        bidding_option,
        number_option(
            "--bid-offset", default=0, least=0, text="Raise each player's bid by this many tricks."
        ),
        click.option(
            "--column",
            "only",
            multiple=True,
            type=click.Choice(names),
            metavar="NAME",
            help=f"Measure only this column; can be repeated: {', '.join(names)}.{without}",
        ),
        goals_option,
    ]


def draw_means(report: Report, figure: Figure) -> None:
    """Plot the means as bars, with their standard errors, and the paper's figures as marks."""
    table, *_ = report.tables
    axes = figure.subplots()
    places = range(len(table.rows))
    errors = [0 if isnan(error) else error for error in table.numbers("standard error")]
    axes.bar(places, table.numbers("mean"), yerr=errors, label="mean")
    axes.plot(places, table.numbers("median"), "_", color="black", label="median")
    axes.plot(places, table.numbers("paper"), "x", color="red", label="paper")
    axes.set_xticks(places, list(map(str, table.column("column"))), rotation=45, ha="right")
    axes.set(yscale="log", ylabel="nodes")
    axes.legend()
