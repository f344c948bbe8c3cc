"""Table 3 by a search written for Spades, with knowledge that the rules of the game do not state.

The paper's programs were written for card games. So is this one: it shows how much of the
difference between the paper's alpha-beta and that of `ggp.experiments.table3` comes from knowledge
of the game, and it counts the states of the same deals in a second way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from ggp.experiments.cards.columns import BESIDE_PAPER, beside_paper, draw_means, listed
from ggp.experiments.cards.deal import SUITS, deal
from ggp.experiments.cards.open_spades import Knowledge, OpenSpades
from ggp.experiments.cards.options import breaking_option, rank_equivalent_option
from ggp.experiments.cards.rulesheet import RankEquivalent
from ggp.experiments.running.runner import (
    Measured,
    Report,
    Result,
    Table,
    Task,
    experiment_command,
    integer,
    number_option,
)
from ggp.experiments.table3 import COMPARISON

__all__ = ["COLUMNS", "Column", "command", "measure", "report", "tasks"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One kind of search."""

    name: str
    #: None to count all positions.
    knowledge: Knowledge | None = None
    #: The order in which cards are tried.
    suits: str = SUITS
    #: The number of nodes in the paper.
    paper: int | None = None


#: The paper's figures for these columns.
_PAPER = {column.name: column.paper for column in COMPARISON.columns}
_BOUNDS = Knowledge(bounds_tricks=True)
_FORGETS = Knowledge(forgets_tricks=True)
_BOTH = Knowledge(forgets_tricks=True, bounds_tricks=True)
COLUMNS = (
    Column(name="Full", paper=_PAPER["Full"]),
    Column(name="alpha-beta", knowledge=Knowledge(), paper=_PAPER["alpha-beta"]),
    Column(name="bounds", knowledge=_BOUNDS),
    Column(name="forgets", knowledge=_FORGETS),
    Column(name="forgets, bounds", knowledge=_BOTH),
    Column(name="spades first", knowledge=Knowledge(), suits="scdh"),
    Column(
        name="forgets, bounds, spades first",
        knowledge=_BOTH,
        suits="scdh",
        paper=_PAPER["alpha-beta"],
    ),
)


def tasks(
    *,
    deals: int,
    seed: int,
    cards: int,
    breaking: bool = True,
    rank_equivalent: RankEquivalent = "dealt",
) -> Iterator[Task]:
    """Yield a task for every deal; the arguments are the command's options."""
    for number in range(1, deals + 1):
        yield {
            "deal": number,
            "seed": seed,
            "cards": cards,
            "breaking": breaking,
            "rank_equivalent": rank_equivalent,
        }


def measure(task: Task) -> Result:
    """Search the first move of a deal to the end of the hand, once for each column."""
    dealt = deal(
        "spades",
        players=2,
        cards=integer(task, "cards"),
        seed=integer(task, "seed"),
        number=integer(task, "deal"),
    )
    found: dict[str, dict[str, int]] = {}
    for column in COLUMNS:
        game = OpenSpades(
            dealt,
            breaking=bool(task["breaking"]),
            rank_equivalent=cast("RankEquivalent", task["rank_equivalent"]),
            suits=column.suits,
        )
        if column.knowledge is None:
            found[column.name] = {"nodes": game.positions()}
        else:
            tricks, nodes = game.alpha_beta(column.knowledge)
            found[column.name] = {"nodes": nodes, "tricks": tricks}
    return found


def report(measured: Sequence[Measured]) -> Report:
    """Lay out the nodes of each column beside the paper's."""
    rows = []
    for column in COLUMNS if measured else ():
        nodes = [done.result[column.name]["nodes"] for done in measured]
        rows.append(beside_paper(column.name, nodes, column.paper))
    different = [
        integer(done.task, "deal")
        for done in measured
        if len({found["tricks"] for found in done.result.values() if "tricks" in found}) > 1
    ]
    notes = (
        f"Deals where columns differ in the tricks: {listed(different)}.",
        "Full counts all positions, separately for different tricks so far; the others are "
        "alpha-beta.",
        "Forgets: the result of a position is reused whatever tricks were taken so far.",
        "Bounds: a player takes at least none and at most all of the remaining tricks.",
    )
    title = "Spades for two, searched by hand-written code"
    return Report(title, (Table(title, BESIDE_PAPER, tuple(rows)),), notes)


command = experiment_command(
    "by-hand",
    help="Table 3 by a search written for Spades, with different knowledge of the game.",
    tasks=tasks,
    measure=measure,
    report=report,
    plot=draw_means,
    deals=100,
    options=(
        number_option("--cards", default=13, most=17, text="Cards for each player."),
        breaking_option,
        rank_equivalent_option("dealt"),
    ),
)
