"""`ggp experiment classifiers`: on random games for three, or on the game of a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from ggp.cli.common import load_game_or_tree, name_and_url, read_source
from ggp.experiments.classifiers import one_game, random_games
from ggp.experiments.running.runner import (
    Measured,
    Report,
    Result,
    Task,
    experiment_command,
    number_option,
)
from ggp.kif import to_kif

if TYPE_CHECKING:  # an extra
    from matplotlib.figure import Figure

__all__ = ["command", "measure", "plot", "report", "tasks"]


def tasks(
    *,
    deals: int,
    seed: int,
    file: str | None = None,
    nodes: int = 0,
    depth: int | None = None,
    transpositions: bool = True,
) -> Iterator[Task]:
    """Yield the tasks of one game, or of `deals` games of each kind without one."""
    if file is None:
        yield from random_games.tasks(deals=deals, seed=seed)
        return
    name, text = _read(file)
    yield from one_game.tasks(
        name=name, text=text, nodes=nodes, depth=depth, transpositions=transpositions
    )


def _read(file: str) -> tuple[str, str]:
    """Return the name of a game and its rules, or the text of a tree. Errors point into it."""
    if file == "-":
        raise click.UsageError(
            "FILE: a run that goes on must read the game again; give a file, not standard input"
        )
    description, table = load_game_or_tree(file)
    text = to_kif(description.terms) if table is None else read_source(file).text
    return name_and_url(file)[0], text


def measure(task: Task) -> Result:
    """Measure a task of either kind."""
    return one_game.measure(task) if "own" in task else random_games.measure(task)


def report(measured: Sequence[Measured]) -> Report:
    """Lay out what was measured."""
    is_own = bool(measured) and "own" in measured[0].task
    return one_game.report(measured) if is_own else random_games.report(measured)


def plot(report: Report, figure: Figure) -> None:
    """Plot a report."""
    if report.tables[0].columns[0] == "rule":
        one_game.plot(report, figure)
    else:
        random_games.plot(report, figure)


command = experiment_command(
    "classifiers",
    help="Rules of pruning, classifiers and filters, compared on the game in FILE: a rulesheet, a "
    "tree, or the name of a bundled one. Without FILE, on random games for three. (Sturtevant "
    "2005)",
    tasks=tasks,
    measure=measure,
    report=report,
    plot=plot,
    deals=50,
    options=(
        click.argument("file", metavar="[FILE]", required=False),
        number_option("--nodes", default=20_000_000, text="FILE: states that a search may expand."),
        click.option(
            "--depth",
            type=click.IntRange(min=1),
            metavar="N",
            help="FILE: look ahead this many joint moves.  [default: to the end]",
        ),
        click.option(
            "--transpositions/--tree",
            default=True,
            show_default=True,
            help="FILE: whether a state that was searched is not searched again.",
        ),
    ),
)
