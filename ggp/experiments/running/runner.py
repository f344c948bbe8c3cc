"""The command that all experiments share.

An experiment is a module with four functions: `tasks` yields what to measure, `measure` measures it
in a child process, `report` lays out the results beside the paper's figures, and `plot` draws them.
`experiment_command` makes a command of these functions. `ggp experiment` finds the commands by the
entry points of the group `ggp.experiments`, also those of other packages.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from ggp.cli.common import interruptible, json_option, pool_options, print_json
from ggp.cluster import Pool
from ggp.display.figure import figure_svg
from ggp.experiments.running.measuring import (
    Kept,
    Measured,
    Result,
    Task,
    fingerprint,
    integer,
    measure_all,
)
from ggp.experiments.running.report import Cell, Report, Table
from ggp.files import replace_file

if TYPE_CHECKING:  # an extra
    from matplotlib.figure import Figure

__all__ = [
    "Cell",
    "Measured",
    "Report",
    "Result",
    "Table",
    "Task",
    "experiment_command",
    "fingerprint",
    "integer",
    "number_option",
]

#: Called with the experiment's options by name, which include `deals` and `seed` if it deals.
Tasks: TypeAlias = Callable[..., Iterable[Task]]
Plot: TypeAlias = "Callable[[Report, Figure], None]"

_NO_PLOT = "matplotlib is not installed: pip install 'ggp[plots]'"
_WIDTH = 120
_PLOT_SIZE = (8.0, 5.0)  # inches


@dataclass(frozen=True, slots=True)
class _Experiment:
    name: str
    tasks: Tasks
    measure: Callable[[Task], Result]
    report: Callable[[Sequence[Measured]], Report]
    plot: Plot | None


def experiment_command(
    name: str,
    *,
    help: str,  # noqa: A002 - click's name for it
    tasks: Tasks,
    measure: Callable[[Task], Result],
    report: Callable[[Sequence[Measured]], Report],
    plot: Plot | None = None,
    deals: int | None = None,
    options: Sequence[Callable[[Any], Any]] = (),
) -> click.Command:
    """Make the command of an experiment.

    Args:
        name: the name of the experiment, and of the folder with its results.
        help: the help text of the command, with the source.
        tasks: yields what to measure, all of it different. A task must contain everything that
            determines its result, because it is the key under which the result is stored.
        measure: measures a task. A function of a module, or a method of an object that can be
            pickled. Its processes do not end between tasks, so it may cache what is expensive.
        report: lays out the results of the finished tasks, in the order of the tasks.
        plot: draws a report.
        deals: the default number of deals; None if the experiment does not deal.
        options: more options, as decorators of click; `tasks` gets their values.
    """
    experiment, is_dealt = _Experiment(name, tasks, measure, report, plot), deals is not None

    def callback(deals: int, seed: int, **arguments: Any) -> None:
        if is_dealt:
            arguments |= {"deals": deals, "seed": seed}
        _run(experiment, **arguments)

    many = "Number of deals." if is_dealt else "Ignored: this experiment does not deal."
    random = "Seed of all that is random." if is_dealt else "Ignored: nothing is random here."
    drawn = "Draw the results; the default if matplotlib is installed."
    decorators = (
        *options,
        click.option("--deals", type=click.IntRange(min=1), default=deals or 1, help=many,
                     metavar="N", show_default=is_dealt),
        click.option("--seed", type=int, default=1, show_default=is_dealt, metavar="N",
                     help=random),
        pool_options("Measurements"),
        click.option("--output", type=click.Path(file_okay=False, path_type=Path), metavar="FOLDER",
                     help=f"Where to write the results.  [default: results/{name}]"),
        click.option("--fresh", is_flag=True, help="Discard all earlier measurements."),
        click.option("--plot/--no-plot", "plotting", default=None, help=drawn),
        json_option,
    )  # fmt: skip
    for decorate in reversed(decorators):
        callback = decorate(callback)
    return click.command(name, help=help)(callback)


def number_option(
    name: str, *, default: int, least: int = 1, most: int | None = None, text: str
) -> Callable[[Any], Any]:
    """Make an option of an experiment that is a whole number.

    Args:
        name: the name, such as `--plies`.
        default: the default value.
        least: the lowest value allowed.
        most: the highest value allowed.
        text: the help text.
    """
    kind = click.IntRange(least, most)
    return click.option(name, type=kind, default=default, show_default=True, metavar="N", help=text)


def _run(
    experiment: _Experiment,
    *,
    pool: Pool,
    output: Path | None,
    fresh: bool,
    plotting: bool | None,
    as_json: bool,
    **settings: Any,
) -> None:
    can_plot = experiment.plot is not None and find_spec("matplotlib") is not None
    if plotting and not can_plot:
        raise click.ClickException(f"--plot: {_NO_PLOT if experiment.plot else 'nothing to draw'}")
    folder = output or Path("results", experiment.name)
    tasks = list(experiment.tasks(**settings))
    began = time.monotonic()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with closing(Kept(folder / "measured.jsonl", fresh=fresh)) as kept:
            with interruptible() as deadline, _progress(len(tasks)) as advance:
                advance(sum(kept.get(task) is not None for task in tasks))
                for _ in measure_all(tasks, experiment.measure, kept, pool=pool, deadline=deadline):
                    advance(1)
            measured = [done for task in tasks if (done := kept.get(task)) is not None]
        report = experiment.report(measured)
        found = {
            "experiment": experiment.name,
            "settings": settings,
            "tasks": len(tasks),
            "measured": len(measured),
            "complete": len(measured) == len(tasks),
            # The time of all processes in all runs; and the time of this run.
            "seconds": round(sum(done.seconds for done in measured), 3),
            "elapsed": round(time.monotonic() - began, 3),
            **report.to_json(),
        }
    except OSError as error:
        raise click.ClickException(f"{error.filename or folder}: {error.strerror}") from None
    files: dict[str, str | bytes] = {"report.json": json.dumps(found, indent=2) + "\n"}
    files |= report.files
    # After Ctrl-C the table must appear within a second.
    if can_plot and plotting is not False and found["complete"]:
        files["plot.svg"] = _drawn(experiment, report)
    written, problem = _written(folder, files)
    if as_json:
        print_json(found)
    else:
        _print(found, report, folder, written)
    if problem:
        raise click.ClickException(problem)
    if experiment.plot and not can_plot and plotting is None:
        click.echo(f"no plot: {_NO_PLOT}", err=True)


def _written(folder: Path, files: Mapping[str, str | bytes]) -> tuple[list[str], str]:
    """Write files; return the names of those that are written, and what kept the others from it."""
    written = list[str]()
    try:
        for name, content in files.items():
            replace_file(folder / name, content)
            written.append(name)
    except OSError as error:
        return written, f"{error.filename}: {error.strerror}"
    return written, ""


def _drawn(experiment: _Experiment, report: Report) -> bytes:
    """Return the plot of a report, as SVG."""
    assert experiment.plot is not None
    return figure_svg(partial(experiment.plot, report), size=_PLOT_SIZE, name=experiment.name)


def _print(found: dict[str, Any], report: Report, folder: Path, written: Sequence[str]) -> None:
    # Without a terminal the width is unknown.
    width = None if sys.stdout.isatty() else _WIDTH
    console = Console(highlight=False, markup=False, width=width)
    report.print(console)
    if not found["complete"]:
        console.print(
            f"{found['measured']:,} of {found['tasks']:,} measured: the same command continues"
        )
    console.print(
        f"{found['seconds']:,.1f} s of measuring; in {folder}: {', '.join(written)}",
        soft_wrap=True,  # so that a path can be copied
    )


@contextmanager
def _progress(tasks: int) -> Iterator[Callable[[float], None]]:
    """Yield a function that advances a progress bar, which is shown on a terminal only."""
    columns = (TextColumn("measured"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    console = Console(stderr=True)
    shown = Progress(*columns, console=console, transient=True, disable=not sys.stderr.isatty())
    with shown:
        bar = shown.add_task("", total=tasks)
        yield lambda steps: shown.advance(bar, steps)
